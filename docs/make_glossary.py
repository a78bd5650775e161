"""Writes the last section of docs/glossary.md from the table of synonyms: ``python docs/make_glossary.py``."""

from pathlib import Path

from baserate.checks.synonyms import synonyms

TARGET = Path(__file__).with_name("glossary.md")
HEADING = "## Names from elsewhere"
ABOUT = """\
Names used by other tools are not accepted. The error message has the name used here, as for
`--metric ppv`, `sample_weight=`, `br.auroc`."""


def page() -> str:
    """The glossary with the section as it is now."""
    kept, _, _ = TARGET.read_text(encoding="utf-8").partition(HEADING)
    rows = [f"| {called} | {', '.join(words)} |" for called, words in synonyms()]
    return "\n".join([f"{kept.rstrip()}\n\n{HEADING}\n\n{ABOUT}\n", "| here | elsewhere |", "|---|---|", *rows, ""])


if __name__ == "__main__":
    TARGET.write_text(page(), encoding="utf-8")
