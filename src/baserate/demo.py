"""``make demo``: two models on one test set, read at the prevalences that matter."""

from collections.abc import Callable

import baserate as br

_PREVALENCES = ("1:1", "own", "1:1000", "1:10000")


def main() -> None:
    """Print the table."""
    data = br.examples.payments()
    models = {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}
    curve = models["new_model"]
    print(f"Card payments (simulated), a test set enriched to 1 fraud in {1 / curve.prevalence:.0f}: {curve}\n")
    print(table(models))

    print("\nWhich model is better depends on the prevalence:")
    for swap in br.crossings(br.average_precision, *models.values(), names=("old_model", "new_model")):
        rarity = f"1 in {1 / swap.prevalence:.0f}"
        print(f"  average precision: {swap.leads_below} leads below {rarity}, {swap.leads_above} above.")

    point = curve.at_recall(0.5).at_prevalence("1:10000")
    print(f"\nnew_model in production at 1:10,000, threshold {point.threshold:.4g}, a million payments:")
    print(br.natural_frequencies(point, cases=1_000_000))
    print("\nThat is the result. The same in Python: src/baserate/demo.py; what it means: README.md.")


def table(models: dict[str, br.Curve]) -> str:
    """One line per metric and model, one column per prevalence."""
    areas = (br.average_precision, br.auc_pr, br.normalized_auc_pr, br.auc_prg, br.best_f1, br.roc_auc)
    shown: dict[str, Callable[[br.Curve], float]] = {"Precision at recall 50 %": _precision_at_half_recall}
    shown |= {br.METRICS[area.__name__].label: area for area in areas}
    lines = [" " * 44 + "".join(f"{prevalence:>10}" for prevalence in _PREVALENCES)]
    for label, metric in shown.items():
        for name, curve in models.items():
            read = [curve if p == "own" else curve.at_prevalence(p) for p in _PREVALENCES]
            lines.append(f"{label:<30}{name:<14}" + "".join(f"{metric(curve):>10.4f}" for curve in read))
    return "\n".join(lines)


def _precision_at_half_recall(curve: br.Curve) -> float:
    return br.precision(curve.at_recall(0.5))


if __name__ == "__main__":
    main()
