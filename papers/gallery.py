"""The published experiments, run again and laid side by side with what was printed.

``python papers/gallery.py --write docs/papers`` runs all of them and writes one page per paper with its pictures;
``--quick`` runs small versions; names such as ``siblini_fig_2`` run only those.
"""

import argparse
import importlib
import sys
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from experiment import Experiment, MissingDataError, Number, Setup, Shape

PAPERS = {
    "siblini": (
        "Siblini et al., Master your Metrics with Calibration, IDA 2020",
        "https://doi.org/10.1007/978-3-030-44584-3_36",
    ),
    "boyd": (
        "Boyd et al., Unachievable Region in Precision-Recall Space and Its Effect on Empirical Evaluation, ICML 2012",
        "https://arxiv.org/abs/1206.4667",
    ),
    "brabec": (
        "Brabec et al., On Model Evaluation under Non-constant Class Imbalance, ICCS 2020",
        "https://doi.org/10.1007/978-3-030-50423-6_6",
    ),
    "lecture": (
        "Applied Machine Learning, Performance Evaluation: Calibration versus Discrimination, slides, LMU Munich",
        "",
    ),
}


class Ran(NamedTuple):
    """An experiment by its module's name: what came out, or why nothing did."""

    name: str
    experiment: Experiment | None
    missing: str = ""


def names() -> list[str]:
    """The modules of this folder that are experiments: those named after a paper, in its order."""
    found = [path.stem for path in Path(__file__).parent.glob("*_*.py")]
    own = [name for name in found if name.split("_")[0] in PAPERS]
    return sorted(own, key=lambda name: (list(PAPERS).index(name.split("_")[0]), _in_order(name)))


def _in_order(name: str) -> list[tuple[int, str]]:
    return [(int(part), "") if part.isdigit() else (0, part) for part in name.split("_")]


def run(name: str, setup: Setup) -> Experiment:
    experiment: Experiment = importlib.import_module(name).run(setup)
    return experiment


# --- pages ----------------------------------------------------------------------------------------


def row(finding: Number | Shape) -> list[str]:
    if isinstance(finding, Shape):
        return [finding.what, "", finding.ours, "", "", _verdict(finding)]
    return [
        finding.what,
        f"{finding.published:g}",
        f"{finding.ours:.6g}",
        f"{finding.difference:+.1g}",
        f"{finding.tolerance:g}",
        _verdict(finding),
    ]


def _verdict(finding: Number | Shape) -> str:
    said = "yes" if finding.holds else "**no**"
    return f"{said}: {finding.why}" if finding.why else said


def section(ran: Ran) -> str:
    if ran.experiment is None:
        return f"## {ran.name}\n\nNot run: {ran.missing}\n"
    done = ran.experiment
    heads = ["what", "published", "ours", "difference", "tolerance", "agrees"]
    lines = [heads, ["---", "---:", "---:", "---:", "---:", "---"], *map(row, done.findings)]
    rows = "\n".join("| " + " | ".join(line) + " |" for line in lines)
    return f"## {done.title}\n\n*{done.source}.* {done.story}\n\n![{done.title}]({ran.name}.png)\n\n{rows}\n"


def page(paper: str, runs: Iterable[Ran]) -> str:
    title, link = PAPERS[paper]
    head = f"# {title}\n\n" + (f"<{link}>\n\n" if link else "")
    return head + "\n".join(map(section, runs))


def overview(runs: Sequence[Ran]) -> str:
    """The first page: one line for each experiment."""
    lines = ["| experiment | source | agrees |", "| --- | --- | --- |"]
    for ran in runs:
        if ran.experiment is None:
            lines.append(f"| {ran.name} | | not run: {ran.missing} |")
            continue
        done, link = ran.experiment, f"{ran.name.split('_')[0]}.md"
        held = sum(finding.holds for finding in done.findings)
        lines.append(f"| [{done.title}]({link}) | {done.source} | {held} of {len(done.findings)} |")
    return (
        "# The papers, run again\n\n"
        "Made by `make papers`. Every figure and table of the papers behind this project that can be run again is "
        "here: the picture, what was printed, what comes out, and where the two differ on purpose, why.\n\n"
        + "\n".join(lines)
        + "\n"
    )


def write(folder: Path, runs: Sequence[Ran]) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    for ran in runs:
        if ran.experiment is not None:
            ran.experiment.figure.savefig(
                folder / f"{ran.name}.png", dpi=110, metadata={"Software": None}, pil_kwargs={"optimize": True}
            )
    for paper in PAPERS:
        own = [ran for ran in runs if ran.name.split("_")[0] == paper]
        if own:
            (folder / f"{paper}.md").write_text(page(paper, own), encoding="utf-8")
    (folder / "index.md").write_text(overview(runs), encoding="utf-8")


def ran(name: str, setup: Setup) -> Ran:
    """Run one experiment and say so."""
    start = time.perf_counter()
    try:
        done = run(name, setup)
    except MissingDataError as missing:
        print(f"{name}: not run: {missing}", file=sys.stderr, flush=True)
        return Ran(name, None, str(missing))
    wrong = "".join(f"; not: {finding.what}" for finding in done.findings if not finding.holds)
    held = sum(finding.holds for finding in done.findings)
    took = f"({time.perf_counter() - start:.1f} s)"
    print(f"{name}: {held} of {len(done.findings)} agree{wrong} {took}", file=sys.stderr, flush=True)
    return Ran(name, done)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help="only these experiments")
    parser.add_argument("--quick", action="store_true", help="small versions, in seconds")
    parser.add_argument("--creditcard", type=Path, metavar="FILE", help="the credit card data, Parquet or CSV")
    parser.add_argument("--write", type=Path, metavar="FOLDER", help="write pages and pictures there")
    options = parser.parse_args()
    unknown = sorted(set(options.names) - set(names()))
    if unknown:
        parser.error(f"there is no experiment {unknown[0]!r}; there are {', '.join(names())}.")
    setup = Setup(options.quick, options.creditcard)
    runs = [ran(name, setup) for name in options.names or names()]
    if options.write:
        write(options.write, runs)
    sys.exit(any(done.experiment is not None and not done.experiment.holds for done in runs))


if __name__ == "__main__":
    main()
