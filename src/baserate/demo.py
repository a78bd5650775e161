"""``make demo``: two models on one test set at several prevalences, and a report of one year as a page."""

from collections.abc import Callable
from pathlib import Path

import numpy as np

import baserate as br
from baserate.arrays import Array
from baserate.registry import row_of

_PREVALENCES = ("1 in 2", "1 in 40", "1 in 1,000", "1 in 10,000")  # the test set has 1 in 40


def main() -> None:
    """Print the table."""
    data = br.examples.payments()
    models = {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}
    curve = models["new_model"]
    print(f"Card payments (simulated), a test set enriched to 1 fraud in {1 / curve.prevalence:.0f}: {curve}\n")
    print(table(models))

    print("\nWhich model is better depends on the prevalence:")
    pair = br.Pair.from_scores(data["fraud"], data["old_model"], data["new_model"], names=("old_model", "new_model"))
    for swap in br.crossing_estimates(br.average_precision, pair, n_resamples=300, rng=0):
        rarity, most, least = (f"{1 / prevalence:.0f}" for prevalence in (swap.prevalence, swap.low, swap.high))
        print(f"  average precision: {swap.leads_below} leads below 1 in {rarity}, {swap.leads_above} above")
        print(f"  (95 % sure: between 1 in {most} and 1 in {least}).")

    print("\nAnd how sure is a number far from the test set's prevalence? new_model's average precision:")
    for prevalence in ("1 in 40", "1 in 10,000"):
        found = br.estimate(br.average_precision, curve.at_prevalence(prevalence), rng=0)
        print(f"  {prevalence:>11}: {found.value:.2f}, 95 % sure between {found.low:.2f} and {found.high:.2f}")

    point = curve.at_recall(0.5).at_prevalence("1 in 10,000")
    print(f"\nnew_model in production at 1 in 10,000, threshold {point.threshold_text}, a million payments:")
    print(br.natural_frequencies(point, cases=1_000_000))
    print(f"\nThe same in Python: {__file__}")  # wherever it was installed
    year_as_page(Path("demo.html"))


def year_as_page(path: Path) -> None:
    """Write the page and print its main sentence."""
    data = br.examples.year()
    names = ("old_model", "new_model")
    models = br.Models.from_scores(data["fraud"], {name: data[name] for name in names})
    month = np.array([day[:7] for day in data["day"]])
    groups = {
        heading: {name: _by(column, data["fraud"], data[name]) for name in names}
        for heading, column in (("month", month), ("channel", data["channel"]))
    }
    title = "Card payments of a year (simulated): two fraud models"
    made = br.report(models, prevalence=0.001, groups=groups, title=title, n_resamples=300)
    made.save(path)
    print(f"\nA year of simulated payments, in which fraud grows and one model decays, as a page: {path.resolve()}")
    print(made.verdict)


def _by(column: Array, fraud: Array, score: Array) -> dict[object, br.Curve]:
    return {
        str(value): br.Curve.from_scores(fraud[column == value], score[column == value]) for value in np.unique(column)
    }


def table(models: dict[str, br.Curve]) -> str:
    """One line per metric and model, one column per prevalence."""
    areas = (br.average_precision, br.auc_pr, br.normalized_auc_pr, br.auc_prg, br.best_f1, br.roc_auc)
    shown: dict[str, Callable[[br.Curve], float]] = {"Precision at recall 50 %": _precision_at_half_recall}
    shown |= {row.label: area for area in areas if (row := row_of(area))}
    lines = [" " * 34 + "".join(f"  {prevalence:>7}" for prevalence in _PREVALENCES)]
    for label, metric in shown.items():
        for name, curve in models.items():
            values = {prevalence: metric(curve.at_prevalence(prevalence)) for prevalence in _PREVALENCES}
            cells = (f"{value:>{2 + max(7, len(head))}.4f}" for head, value in values.items())
            lines.append(f"{label:<25}{name}{''.join(cells)}")
    return "\n".join(lines)


def _precision_at_half_recall(curve: br.Curve) -> float:
    return br.precision(curve.at_recall(0.5))


if __name__ == "__main__":
    main()
