"""The published experiments, run again and laid side by side with what was printed.

``python papers/gallery.py --write docs/papers`` runs all of them and writes one page per paper with its pictures;
``--quick`` runs small versions; names such as ``siblini_fig_2`` run only those.
"""

import argparse
import importlib
import re
import sys
import time
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from experiment import Difference, Experiment, Finding, Given, MissingDataError, Setup, Shape


class Paper(NamedTuple):
    """A paper and its experiments, in its own order: what each module is called after the name of the paper."""

    title: str
    link: str
    experiments: tuple[str, ...]


PAPERS = {
    "siblini": Paper(
        "Siblini et al., Master your Metrics with Calibration, IDA 2020",
        "https://doi.org/10.1007/978-3-030-44584-3_36",
        ("fig_1", "fig_2", "fig_3", "fig_4", "fig_5", "fig_6", "fig_7"),
    ),
    "boyd": Paper(
        "Boyd et al., Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation, ICML 2012",
        "https://arxiv.org/abs/1206.4667",
        ("fig_1", "fig_2", "fig_3", "folds", "table_2", "table_3", "downsampling", "fig_4"),
    ),
    "brabec": Paper(
        "Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020",
        "https://doi.org/10.1007/978-3-030-50423-6_6",
        ("fig_1", "fig_2", "fig_3", "fig_4", "fig_5", "fig_6", "fig_7"),
    ),
    "lecture": Paper(
        "Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination, slides, LMU Munich",
        "",
        (
            "1_large_and_small",
            "2_discrimination",
            "3_groups",
            "4_roc",
            "5_models",
            "6_hosmer_lemeshow",
            "7_weather",
            "8_confidence",
        ),
    ),
}

COLUMNS = ("what", "published", "ours", "difference", "tolerance", "verdict", "note")

INTRODUCTION = """# The papers, run again

Made by `make papers`. Every figure and table of the papers behind this project that can be run again is here: the
picture, what was printed, what comes out, and whether the two agree. A number in parentheses was printed by no paper;
its note says where it comes from. Rows that differ are those where we do not match what was printed and say why, or
where something is only laid beside it; they are never counted as agreeing. Nor are rows marked *given*, which are
so by construction: they say how something was made, and could not have come out otherwise.

"""


class Ran(NamedTuple):
    """An experiment by its module's name: what came out, or why nothing did."""

    name: str
    experiment: Experiment | None
    missing: str = ""

    @property
    def paper(self) -> str:
        return self.name.split("_")[0]


def names() -> list[str]:
    """The modules that are experiments, paper by paper."""
    return [f"{name}_{experiment}" for name, paper in PAPERS.items() for experiment in paper.experiments]


def run(name: str, setup: Setup) -> Experiment:
    experiment: Experiment = importlib.import_module(name).run(setup)
    return experiment


# --- pages ----------------------------------------------------------------------------------------


def row(finding: Finding) -> list[str]:
    """The cells of a finding, one for each of the columns."""
    return [finding.what, *_compared(finding), _verdict(finding), finding.note]


def _compared(finding: Finding) -> list[str]:
    """What was published, ours, the difference of the two and its tolerance."""
    if isinstance(finding, Shape | Given):
        return ["", finding.ours, "", ""]
    if isinstance(finding, Difference):
        return [finding.published, finding.ours, "", ""]
    published = f"{finding.published:.12g}"
    digits = 6 if finding.tolerance > 1e-6 else 12  # so that a reader can check the difference
    return [
        published if finding.printed else f"({published})",
        f"{finding.ours:.{digits}g}",
        f"{finding.difference:+.1g}",
        f"{finding.tolerance:g}",
    ]


def _verdict(finding: Finding) -> str:
    if not finding.holds:
        return "**no**"
    if isinstance(finding, Given):
        return "given"
    return "differs" if isinstance(finding, Difference) else "agrees"


def table(heads: Sequence[str], numbers: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; columns that are `numbers` stand to the right."""
    lines = [heads, ["---:" if head in numbers else "---" for head in heads], *rows]
    return "\n".join("| " + " | ".join(line) + " |" for line in lines)


def section(ran: Ran) -> str:
    if ran.experiment is None:
        return f"## {ran.name}\n\nNot run: {ran.missing}\n"
    done = ran.experiment
    rows = table(COLUMNS, COLUMNS[1:5], map(row, done.findings))
    return f"## {done.title}\n\n*{done.source}.* {done.story}\n\n![{done.title}]({ran.name}.png)\n\n{rows}\n"


def page(paper: str, sections: Iterable[str]) -> str:
    title, link, _ = PAPERS[paper]
    head = f"# {title}\n\n" + (f"<{link}>\n\n" if link else "")
    return head + "\n".join(sections)


def anchor(heading: str) -> str:
    """Where a heading is on its page, as Python-Markdown names it."""
    plain = unicodedata.normalize("NFKD", heading).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", plain).strip().lower())


def overview(rows: Iterable[Sequence[str]]) -> str:
    """The first page: one line for each experiment."""
    heads = ("experiment", "source", "agree", "differ")
    return INTRODUCTION + table(heads, ("agree", "differ"), rows) + "\n"


def _in_overview(ran: Ran) -> list[str]:
    done, place = ran.experiment, f"{ran.paper}.md"
    if done is None:
        return [f"[{ran.name}]({place}#{anchor(ran.name)})", f"not run: {ran.missing}", "", ""]
    link = f"[{done.title}]({place}#{anchor(done.title)})"
    return [link, done.source, f"{done.n_agree} of {len(done.compared)}", str(done.n_differ or "")]


class Shown(NamedTuple):
    """An experiment on its page and on the first page."""

    section: str
    row: list[str]


def shown(folder: Path, ran: Ran) -> Shown:
    """What came out; of what could not be run, what an earlier run has left in the folder."""
    earlier = None if ran.experiment else _earlier(folder, ran)
    return earlier or Shown(section(ran), _in_overview(ran))


def _earlier(folder: Path, ran: Ran) -> Shown | None:
    own, first = folder / f"{ran.paper}.md", folder / "index.md"
    if not (own.exists() and first.exists()):
        return None
    for part in re.split(r"^(?=## )", own.read_text(encoding="utf-8"), flags=re.MULTILINE):
        title = part.split("\n", 1)[0].removeprefix("## ")
        for line in first.read_text(encoding="utf-8").splitlines():
            if f"]({ran.name}.png)" in part and line.startswith(f"| [{title}]("):
                return Shown(part.rstrip("\n") + "\n", line[2:-2].split(" | "))
    return None


def write(folder: Path, runs: Sequence[Ran]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    found = {ran: shown(folder, ran) for ran in runs}
    for ran in runs:
        if ran.experiment is not None:
            ran.experiment.figure.savefig(
                folder / f"{ran.name}.png", dpi=110, metadata={"Software": None}, pil_kwargs={"optimize": True}
            )
    for paper in PAPERS:
        own = [found[ran].section for ran in runs if ran.paper == paper]
        (folder / f"{paper}.md").write_text(page(paper, own), encoding="utf-8")
    (folder / "index.md").write_text(overview(one.row for one in found.values()), encoding="utf-8")


# --- command line ---------------------------------------------------------------------------------


def ran(name: str, setup: Setup) -> Ran:
    """Run one experiment and say so."""
    start = time.perf_counter()
    try:
        done = run(name, setup)
    except MissingDataError as missing:
        print(f"{name}: not run: {missing}", file=sys.stderr, flush=True)
        return Ran(name, None, str(missing))
    wrong = "".join(f"; not: {finding.what}" for finding in done.failing)
    differ = f", {done.n_differ} differ" if done.n_differ else ""
    took = f"({time.perf_counter() - start:.1f} s)"
    print(f"{name}: {done.n_agree} of {len(done.compared)} agree{differ}{wrong} {took}", file=sys.stderr, flush=True)
    return Ran(name, done)


def options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these experiments")
    parser.add_argument("--quick", action="store_true", help="small versions, in seconds")
    parser.add_argument("--creditcard", type=Path, metavar="FILE", help="the credit card data, Parquet or CSV")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write pages and pictures there")
    found = parser.parse_args()
    unknown = sorted(set(found.names) - set(names()))
    if unknown:
        parser.error(f"there is no experiment {unknown[0]!r}; there are {', '.join(names())}.")
    if found.write and (found.names or found.quick):
        parser.error("--write makes whole pages of a full run; leave out the names and --quick, or leave out --write.")
    return found


def main() -> None:
    asked = options()
    setup = Setup(asked.quick, asked.creditcard)
    runs = [ran(name, setup) for name in asked.names or names()]
    if asked.write:
        write(asked.write, runs)
        print(f"Written: {asked.write / 'index.md'}; what could not be run stays as it was.", file=sys.stderr)
    sys.exit(any(done.experiment is not None and done.experiment.failing for done in runs))


if __name__ == "__main__":
    main()
