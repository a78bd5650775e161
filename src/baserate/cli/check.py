"""``baserate check``: checks the claims in one file against the scores in another."""

import re
from collections.abc import Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree

import click

from baserate.answers.curves import group_name
from baserate.claims.claims import check as compare
from baserate.claims.claims_file import read_claims
from baserate.cli.arguments import OutputPath, check_outputs, curves_of, of_a_file
from baserate.cli.notes import quiet_option
from baserate.cli.output import OutputRow, in_a_format, say, show, until_nobody_reads
from baserate.curves.saving import write_whole
from baserate.progress import progress
from baserate.results import ClaimVerdict

BROKEN, UNDECIDED = 3, 4

# The sign \b keeps lines as they are.
_END = """\b
Examples:
  baserate check claims.toml scores.parquet --label fraud --score p
  baserate check claims.toml scores.csv --label y --score p --by country --json
  baserate check claims.toml scores.csv --label y --score p --junit claims.xml --strict

\b
A file of claims:
  prevalence = "1 in 1,000"     # default for all claims
  [[claim]]
  name = "reviewers' time"      # optional
  metric = "precision"          # or f_beta:beta=2
  at = "recall >= 0.6"          # rule that chooses the threshold
  at_least = 0.5                # or at_most
  prevalence = [0.001, 0.01]    # everywhere in this range; or 0.001
  confidence_level = 0.95

\b
Exit codes:
  0    every claim is met
  1    invalid data or claims; one sentence on stderr says why
  2    invalid command or option
  3    a claim is broken
  4    no claim is broken, but one is undecided
"""

# Characters that XML 1.0 cannot hold, not even escaped.
_NOT_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


class Checked(NamedTuple):
    """A claim about one score, in one group."""

    score: str
    group: str | None
    verdict: ClaimVerdict
    source: str | None


@click.command(epilog=_END)
@click.argument("claims", type=click.Path())
@of_a_file
@click.option("--junit", type=OutputPath(), metavar="PATH", help="Also write the verdicts as JUnit XML.")
@click.option("--strict", is_flag=True, help="Count undecided claims as failures in the JUnit XML, not as skipped.")
@in_a_format
@quiet_option
def check(*, claims: str, junit: str | None, strict: bool, form: str | None, **data: Any) -> None:
    """Check claims about metrics against data.

    CLAIMS is a TOML file, see below. A claim is met if the confidence interval of its metric lies entirely on the good
    side of its bound, broken if entirely on the bad side, and undecided otherwise; then it says how many more labels
    would likely decide it. Each claim is checked for each --score and each group.
    """
    check_outputs([junit], [claims, *data["file"]])
    wanted = read_claims(claims)
    asked = [(claim, score, key, curve) for (score, key), curve in curves_of(**data).items() for claim in wanted]
    checked = [
        Checked(
            score, group_name(key), compare(claim, curve, rng=0), None if curve.source is None else str(curve.source)
        )
        for claim, score, key, curve in progress(asked, len(asked), "Checking")
    ]
    if junit is not None:
        with until_nobody_reads():
            write_whole(junit, _junit(checked, strict))
    _show([_row(one) for one in checked], form)
    verdicts = {one.verdict.verdict for one in checked}
    if verdicts != {"met"}:
        click.get_current_context().exit(BROKEN if "broken" in verdicts else UNDECIDED)


def _row(one: Checked) -> OutputRow:
    row = one.verdict.row()
    named = {"claim": row.pop("claim"), "score": one.score, "group": one.group}
    sizes = {name: _whole(row[name]) for name in ("pos", "neg")}
    return named | row | sizes | {"sentence": one.verdict.sentence, "source": one.source}


def _whole(size: object) -> object:
    return int(size) if isinstance(size, float) and size.is_integer() else size


def _show(rows: Sequence[OutputRow], form: str | None) -> None:
    """Print the table, with sentences below it for people."""
    if form is not None:
        show(rows, form)
        return
    show([{name: row[name] for name in row if name not in ("sentence", "note", "metric")} for row in rows], form)
    for row in rows:
        if row["verdict"] != "met":
            place = ", ".join(str(row[name]) for name in ("score", "group") if row[name] is not None)
            say(f"{str(row['verdict']).capitalize()} for {place}: {row['claim']}: {row['sentence']}.")


def _junit(checked: Sequence[Checked], strict: bool) -> bytes:
    """One test case per claim, score and group."""
    counts = {name: sum(one.verdict.verdict == name for one in checked) for name in ("broken", "undecided")}
    failures = counts["broken"] + counts["undecided"] * strict
    skipped = 0 if strict else counts["undecided"]
    totals = {"tests": len(checked), "failures": failures, "errors": 0, "skipped": skipped}
    attributes = {"name": "baserate check"} | {name: str(total) for name, total in totals.items()}
    root = ElementTree.Element("testsuites", attributes)
    suite = ElementTree.SubElement(root, "testsuite", attributes)
    for one in checked:
        where = one.score if one.group is None else f"{one.score}.{one.group}"
        names = {"classname": _xml(where), "name": _xml(one.verdict.name), "time": "0"}
        case = ElementTree.SubElement(suite, "testcase", names)
        text = _xml(str(one.verdict))
        if one.verdict.verdict == "met":
            ElementTree.SubElement(case, "system-out").text = text
            continue
        kind = "failure" if strict or one.verdict.verdict == "broken" else "skipped"
        ElementTree.SubElement(case, kind, {"message": _xml(one.verdict.sentence)}).text = text
    ElementTree.indent(root)
    made: bytes = ElementTree.tostring(root, encoding="utf-8", xml_declaration=True)
    return made + b"\n"


def _xml(text: str) -> str:
    return _NOT_XML.sub("\ufffd", text)
