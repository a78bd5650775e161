"""Whether planned labels give intervals as narrow as was wanted, and how many a random sample would need.

``python benchmarks/labelling_plans.py`` prints the table. ``--simulations`` says how many test sets each plan gets.
"""

import argparse
import platform
import sys
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from tables import table

import baserate as br
from baserate.metrics.over_prevalence import MetricFunction
from baserate.results import LabellingPlan

N, THRESHOLD, DRAWS = 20_000, 2.0, 500


class Setting(NamedTuple):
    """What is planned: a metric, the prevalence of the rows, that of the metric, the width, and how positives score."""

    metric: MetricFunction
    own: float
    read_at: float | None
    width: float
    shift: float = 2.0


SETTINGS = (
    Setting(br.recall, 0.02, None, 0.3),
    Setting(br.recall, 0.005, None, 0.4),
    Setting(br.precision, 0.02, None, 0.1),
    Setting(br.precision, 0.02, 1e-3, 0.015),
    Setting(br.average_precision, 0.05, None, 0.25),
)


def rows(setting: Setting, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Labels and scores of one population of rows."""
    y = rng.random(N) < setting.own
    return y, rng.normal(size=N) + setting.shift * y


def planned(setting: Setting, rng: np.random.Generator, simulations: int = 40) -> LabellingPlan:
    """The plan for new rows, by an earlier curve of others."""
    like = br.Curve.from_scores(*rows(setting, rng))
    _, score = rows(setting, rng)
    threshold = None if setting.metric is br.average_precision else THRESHOLD
    return br.design.labelling(
        score,
        like,
        metric=setting.metric,
        threshold=threshold,
        width=setting.width,
        prevalence=setting.read_at,
        simulations=simulations,
        rng=rng,
    )


def width_of(setting: Setting, plan: LabellingPlan, rng: np.random.Generator, *, at_random: bool = False) -> float:
    """The width in one new test set, labelled by the plan, or as many rows at random as it says that are needed."""
    y, score = rows(setting, rng)
    if at_random:
        known = np.zeros(N, np.bool_)
        known[rng.choice(N, min(round(plan.random_labels), N), replace=False)] = True
        stratum = np.repeat("all", N)
    else:
        rule = np.searchsorted(-np.array([one.lowest for one in plan.strata]), -score)
        known = np.zeros(N, np.bool_)
        for k, one in enumerate(plan.strata):
            here = np.flatnonzero(rule == k)
            known[rng.choice(here, min(round(one.share * len(here)), len(here)), replace=False)] = True
        stratum = rule.astype(str)
    curve = br.Curve.from_sampled(np.where(known, y, np.nan), score, stratum=stratum)
    read = curve if setting.read_at is None else curve.at_prevalence(setting.read_at)
    at = read if plan.threshold is None else read.at_threshold(plan.threshold)
    return br.estimate(setting.metric, at, n_resamples=DRAWS, rng=int(rng.integers(2**31))).width


def report(
    settings: tuple[Setting, ...], n: int, say: Callable[[str], object] = print, simulations: int = 40
) -> list[list[str]]:
    """A line for each setting, said as soon as it is there."""
    lines = []
    for number, setting in enumerate(settings):
        rng = np.random.default_rng(number)
        plan = planned(setting, rng, simulations)
        widths = [width_of(setting, plan, rng) for _ in range(n)]
        others = [width_of(setting, plan, rng, at_random=True) for _ in range(max(2, n // 4))]
        lines.append(
            [
                plan.metric + ("" if setting.read_at is None else f" at {setting.read_at:g}"),
                f"{setting.own:g}",
                f"{setting.width:g}",
                " + ".join(f"{one.n_labels:,}" for one in plan.strata),
                f"{100 * np.mean(np.array(widths) <= setting.width):.0f} %",
                f"{np.median(widths):.3g}",
                f"{plan.random_labels:,.0f} ({plan.factor:.1f} times)",
                f"{np.median(others):.3g}",
            ]
        )
        say(" | ".join(lines[-1]))
    return lines


HEADS = (
    "metric",
    "prevalence of the rows",
    "wanted width",
    "labels by stratum",
    "narrow enough",
    "median width",
    "random sample",
    "its median width",
)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--simulations", type=int, default=200, help="test sets for each plan")
    n = parser.parse_args().simulations
    lines = report(SETTINGS, n, lambda line: print(line, file=sys.stderr, flush=True))
    print(
        f"{n} test sets of {N:,} rows for each plan, intervals of {DRAWS} draws; Python {platform.python_version()}\n"
    )
    print(table(list(HEADS), lines))


if __name__ == "__main__":
    main()
