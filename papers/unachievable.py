"""The part of PR space that no classifier can reach."""

import baserate as br


def lowest_precision(recall: float, prevalence: float) -> float:
    """The precision when every negative is taken for a positive too."""
    return float(br.precision(br.Point.from_rates(tpr=recall, fpr=1, prevalence=prevalence)))
