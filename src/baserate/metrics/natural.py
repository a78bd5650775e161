"""An operating point in numbers of cases instead of rates."""

from baserate import checks
from baserate.curves.point import Point
from baserate.errors import MissingInformationError
from baserate.results import NaturalFrequencies


@checks.declared
def natural_frequencies(point: Point, *, cases: float = 10_000) -> NaturalFrequencies:
    """An operating point in numbers of cases (natural frequencies): true and false alerts among 10,000 cases, say.

    Parameters
    ----------
    point : Point
        The operating point, at its prevalence.
    cases : float
        The number of cases, for example of one day.

    References
    ----------
    Gigerenzer & Hoffrage, How to improve Bayesian reasoning without instruction: frequency formats,
    Psychological Review 102 (1995). doi:10.1037/0033-295X.102.4.684.

    Examples
    --------
    >>> import baserate as br
    >>> print(br.natural_frequencies(br.Point.from_rates(tpr=0.9, fpr=0.1, prevalence=0.01)))
    Of 10,000 cases, 100 are positive and 9,900 negative.
              positive  negative    all
    alert           90       990  1,080
    no alert        10     8,910  8,920
    Of 1,080 alerts, 90 are right (8.33 %).
    """
    cases = checks.positive_number(cases, "cases")
    if point.missing_class:
        raise MissingInformationError(
            f"natural_frequencies needs rates of both classes, and {point.missing_class.sentence} behind this point."
        )
    positives = cases * point.prevalence
    negatives = cases * (1 - point.prevalence)
    return NaturalFrequencies(
        prevalence=point.prevalence,
        cases=cases,
        true_positives=positives * point.tpr,
        false_negatives=positives * point.fnr,
        false_positives=negatives * point.fpr,
        true_negatives=negatives * point.tnr,
    )
