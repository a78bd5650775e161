"""Writes docs/metrics.md from the registry: ``python docs/make_metrics.py``."""

import inspect
from pathlib import Path

import baserate as br
from baserate.registry import Family, Metric, MetricLaw

TARGET = Path(__file__).with_name("metrics.md")


ACCURACY = """\
Values were tested against fifty-digit arithmetic, from prevalence 1e-9 to 1 − 1e-9 and with counts up to 1e12. The
relative error is at most 1e-12, also for values near 0. The exceptions:

- calibration errors of scores that are nearly calibrated: `ece`, `mce`, `rms_calibration_error` and `debiased_ece`
  have an absolute error of at most 1e-15; `debiased_rms_calibration_error`, the root of a difference, of at most 1e-8;
- `auc_prg` if parts above and below chance cancel, or over a range of recalls: an absolute error of at most 1e-14;
- fractional weights: their sums are rounded, which limits the accuracy of a difference of two shares;
- `smooth_ece`, which is integrated on a grid and not tested to this accuracy.

A rate that you pass is used as the float that it is."""


def index() -> str:
    """Every registered metric in one table per family."""
    parts = [
        "# Metrics",
        "Every metric is a function `br.name(curve)`; parameters are keywords. `help(br.name)` has the formula, the "
        "reference and an example. This page is generated from the registry by `python docs/make_metrics.py`.",
    ]
    for family in Family:
        rows = [row for row in br.METRICS.values() if row.family is family]
        head = ["| name | what it is | range | better | parameters |", "|---|---|---|---|---|"]
        parts += [f"## {family.name.capitalize()}: {family.value}", "\n".join([*head, *map(line, rows)])]
    parts += [
        "## Laws",
        "The tests check these laws for each metric. The exceptions in brackets depend on the number of cases, or on "
        "the numerical values of the scores:",
    ]
    parts += [";\n".join(f"- {law.value}{exceptions(law)}" for law in MetricLaw) + "."]
    parts += ["## Accuracy", ACCURACY]
    return "\n\n".join(parts) + "\n"


def exceptions(law: MetricLaw) -> str:
    """The metrics that break a law."""
    names = [f"`{row.name}`" for row in br.METRICS.values() if law not in row.laws]
    return f" (not {', '.join(names)})" if names else ""


def line(row: Metric) -> str:
    """One row of the table."""
    summary = (inspect.getdoc(row.function) or "").split("\n")[0].rstrip(".")
    parameters = [p.name for p in inspect.signature(row.compute).parameters.values() if p.kind is p.KEYWORD_ONLY]
    better = {True: "higher", False: "lower", None: "–"}[row.higher_is_better]
    bounds = f"{row.lowest:g} to {row.highest:g}".replace("inf", "∞").replace(" ", "\u00a0")
    return f"| `{row.name}` | {summary} | {bounds} | {better} | {', '.join(f'`{name}`' for name in parameters)} |"


if __name__ == "__main__":
    TARGET.write_text(index(), encoding="utf-8")
