"""Published numbers: what is called impossible is, what is true never is, and the ranges are sharp."""

import functools
import itertools
from decimal import ROUND_HALF_EVEN, Decimal
from fractions import Fraction

import numpy as np
import pytest
from scipy.optimize import linprog

import baserate as br
from baserate.formulas.shares_of_tables import vertices
from baserate.published.auditing import _is_possible, _stated
from baserate.published.numbers import measure, printed_number
from baserate.published.tables import Agreeing

NAMES = ["precision", "recall", "specificity", "npv", "f1", "f_beta:beta=2", "accuracy", "alert_rate", "fpr"]


@functools.cache
def ratio_of(name):
    cells, _ = measure(name)
    return [[Fraction(weight) for weight in weights] for weights in cells]


def exact(name, cells):
    """The value of a table as a fraction; None if it is undefined."""
    ratio = ratio_of(name)
    top, bottom = (sum(w * c for w, c in zip(weights, cells, strict=True)) for weights in ratio)
    return top / bottom if bottom else None


def as_printed(value, digits):
    number = Decimal(value.numerator) / Decimal(value.denominator)
    return str(number.quantize(Decimal(1).scaleb(-digits), rounding=ROUND_HALF_EVEN))


def a_true_paper(rng, most=400):
    """Some numbers of a random table, rounded as papers do; and the table."""
    n_pos, n_neg = (int(n) for n in rng.integers(1, most, 2))
    tp, fp = int(rng.integers(0, n_pos + 1)), int(rng.integers(0, n_neg + 1))
    cells = (tp, n_pos - tp, fp, n_neg - fp)
    names = rng.choice([*NAMES, "prevalence"], rng.integers(1, 7), replace=False)
    printed = {str(name): exact(name, cells) for name in names}
    paper = {name: as_printed(value, int(rng.integers(1, 5))) for name, value in printed.items() if value is not None}
    sizes = {"n_pos": n_pos, "n_neg": n_neg} if rng.random() < 0.5 else {}
    return paper | sizes, cells


def judged(paper):
    return _is_possible(_stated(paper))


@pytest.mark.slow
def test_true_tables_are_never_called_impossible():
    rng = np.random.default_rng(5)
    wrong = [(paper, cells) for paper, cells in (a_true_paper(rng) for _ in range(200)) if paper and not judged(paper)]
    assert wrong == []


def by_enumeration(paper, n_pos, n_neg):
    """All tables of whole numbers that would be printed so."""
    numbers = [printed_number(name, text) for name, text in paper.items()]
    for tp, fp in itertools.product(range(n_pos + 1), range(n_neg + 1)):
        cells = (tp, n_pos - tp, fp, n_neg - fp)
        values = [exact(one.name, cells) for one in numbers]
        if all(v is not None and one.low <= v <= one.high for v, one in zip(values, numbers, strict=True)):
            yield cells


def some_papers(seed, number, digits):
    """Papers about small test sets: some true, some with one number changed."""
    rng = np.random.default_rng(seed)
    for _ in range(number):
        n_pos, n_neg = (int(n) for n in rng.integers(1, 14, 2))
        tp, fp = int(rng.integers(0, n_pos + 1)), int(rng.integers(0, n_neg + 1))
        names = [str(name) for name in rng.choice(NAMES, 3, replace=False)]
        values = [exact(name, (tp, n_pos - tp, fp, n_neg - fp)) for name in names]
        paper = {n: as_printed(v, digits) for n, v in zip(names, values, strict=True) if v is not None}
        if paper and rng.random() < 0.6:
            changed = str(rng.choice(list(paper)))
            paper[changed] = as_printed(Fraction(int(rng.integers(0, 101)), 100), digits)
        if paper:
            yield paper, n_pos, n_neg


@pytest.mark.parametrize("digits", [1, 2])
def test_all_that_enumeration_proves_impossible_is_called_so(digits):
    verdicts = set()
    for paper, n_pos, n_neg in some_papers(7, 60, digits):
        there = list(by_enumeration(paper, n_pos, n_neg))
        verdicts.add(bool(there))
        assert judged(paper | {"n_pos": n_pos, "n_neg": n_neg}) is bool(there), paper
        if there:  # shares are a superset
            assert judged(paper)
    assert verdicts == {True, False}


@pytest.mark.parametrize("prevalence", [None, 0.01, 0.9])
def test_ranges_of_whole_tables_are_those_of_enumeration(prevalence):
    for paper, n_pos, n_neg in some_papers(11, 40, 1):
        there = list(by_enumeration(paper, n_pos, n_neg))
        if not there:
            continue
        tables = Agreeing([printed_number(*one) for one in paper.items()], (n_pos, n_neg))
        for name in ("precision", "f1", "npv", "accuracy"):
            weight = 1 if prevalence is None else Fraction(1 - prevalence) / Fraction(prevalence) * n_pos / n_neg
            read = [exact(name, (tp, fn, weight * fp, weight * tn)) for tp, fn, fp, tn in there]
            values = [float(value) for value in read if value is not None]
            expected = (min(values), max(values)) if values else (np.nan, np.nan)
            np.testing.assert_allclose(tables.extremes(measure(name)[0], prevalence), expected, rtol=1e-12)


def in_whole_numbers(paper, shares, n):
    """The tables of n positives, and of many numbers of negatives between the fewest and the most that fit."""
    numbers = [printed_number(*one) for one in paper.items()]
    low, high = shares.extremes(measure("prevalence")[0])
    n_neg = {int(n * (1 - share) / share) for share in np.linspace(max(low, 0.01), min(high, 0.99), 40)}
    return [tables for k in n_neg if (tables := Agreeing(numbers, (n, k))).possible]


@pytest.mark.slow
@pytest.mark.parametrize(
    "paper",
    [
        {"precision": "0.90", "recall": "0.80", "prevalence": "0.10"},
        {"accuracy": "0.95", "f1": "0.60"},
        {"npv": "0.9", "specificity": "0.7", "prevalence": "0.2:0.4"},
        {"precision": "0.5", "fpr": "0.1", "accuracy": "0.8"},
    ],
)
@pytest.mark.parametrize("prevalence", [None, 0.02])
def test_ranges_of_shares_are_those_of_ever_finer_tables(paper, prevalence):
    shares = Agreeing([printed_number(*one) for one in paper.items()], None)
    fine = in_whole_numbers(paper, shares, 2_000)
    for name in ("precision", "f1", "recall", "specificity", "prevalence"):
        if prevalence is not None and name == "prevalence":
            continue
        cells, _ = measure(name)
        low, high = shares.extremes(cells, prevalence)
        ends = np.array([tables.extremes(cells, prevalence) for tables in fine])
        assert low <= ends[:, 0].min() + 1e-12
        assert high >= ends[:, 1].max() - 1e-12
        assert ends[:, 0].min() - low < 0.05 * (high - low) + 1e-9
        assert high - ends[:, 1].max() < 0.05 * (high - low) + 1e-9


@pytest.mark.parametrize("prevalence", [1e-6, 0.001, 0.01, 0.3, 0.999])
def test_ranges_at_another_prevalence_have_the_true_table_and_nothing_beyond_the_metric(prevalence):
    rng = np.random.default_rng(23)
    for _ in range(30):
        paper, cells = a_true_paper(rng)
        paper = {name: value for name, value in paper.items() if not name.startswith("n_")}
        if not paper or not all(cells):
            continue
        tables = Agreeing([printed_number(*one) for one in paper.items()], None)
        weight = Fraction(1 - prevalence) / Fraction(prevalence) * (cells[0] + cells[1]) / (cells[2] + cells[3])
        for name in ("precision", "f1", "npv", "accuracy", "recall"):
            low, high = tables.extremes(measure(name)[0], prevalence)
            true = float(exact(name, (*cells[:2], *(weight * cell for cell in cells[2:]))))
            assert 0 <= low <= true * (1 + 1e-9), (paper, name)
            assert true * (1 - 1e-9) <= high <= 1 + 1e-9, (paper, name)


def test_polytopes_are_empty_where_a_linear_program_has_no_solution():
    rng = np.random.default_rng(3)
    found = set()
    for _ in range(60):
        planes = rng.integers(-9, 10, (int(rng.integers(1, 7)), 4))
        slack = linprog(
            [0, 0, 0, 0, -1],
            A_ub=np.c_[-planes, np.ones(len(planes))],
            b_ub=np.zeros(len(planes)),
            A_eq=[[1, 1, 1, 1, 0]],
            b_eq=[1],
            bounds=[(0, None)] * 4 + [(None, None)],
        )
        if abs(slack.fun) < 1e-9:
            continue
        some = vertices([tuple(int(part) for part in plane) for plane in planes])
        found.add(bool(some))
        assert bool(some) is (slack.fun < 0)
    assert found == {True, False}


# --- published -----------------------------------------------------------------------------------


def test_boyds_invalid_table_is_not_possible():
    """Boyd et al. 2012, table 1: recall 0.2 at precision 0.2 can be had of 100 and 200 cases, recall 0.6 cannot."""
    sizes = {"n_pos": 100, "n_neg": 200}
    assert br.audit({"recall": "0.2000", "precision": "0.2000"} | sizes).possible
    found = br.audit({"recall": "0.6000", "precision": "0.2000"} | sizes)
    assert not found.possible
    assert found.why == (
        "precision 0.2000 contradicts recall 0.6000, 100 positives and 200 negatives, "
        "which imply precision between 0.2308 and 1"
    )


def test_an_area_in_the_unachievable_region_is_not_possible():
    """Boyd et al. 2012: with half of the cases positive no curve is below 1 - log 2 = 0.3069."""
    assert br.audit({"auc_pr": "0.307", "prevalence": (0.5, 0.5)}).possible
    found = br.audit({"auc_pr": "0.306", "prevalence": (0.5, 0.5)})
    assert found.why == "auc_pr 0.306 contradicts prevalence 0.5 to 0.5, which implies auc_pr between 0.3069 and 1"


@pytest.mark.parametrize("metric", ["roc_auc", "auc_pr", "average_precision"])
def test_the_area_of_a_curve_lies_within_what_one_of_its_points_allows(metric):
    rng = np.random.default_rng(8)
    for _ in range(20):
        curve = br.Curve.from_scores(rng.random(60) < 0.3, rng.random(60).round(2)).at_prevalence(
            rng.uniform(0.01, 0.9)
        )
        tpr, fpr = curve.tpr, curve.fpr
        at = rng.integers(len(tpr))
        value = getattr(br, metric)(curve)
        paper = {"recall": f"{tpr[at]:.6f}", "fpr": f"{fpr[at]:.6f}", "prevalence": f"{curve.prevalence:.6f}"}
        assert br.audit(paper | {metric: f"{value:.4f}"}).possible


@pytest.mark.parametrize(
    ("metric", "fpr", "tpr", "low", "high"),
    [("roc_auc", 0.1, 0.8, 0.8 * 0.9, 1 - 0.1 * 0.2)],
)
def test_areas_through_a_point_are_bounded_by_steps(metric, fpr, tpr, low, high):
    found = br.audit({"recall": (tpr, tpr), "fpr": (fpr, fpr)}, metrics=[metric]).implied[0]
    np.testing.assert_allclose((found.low, found.high), (low, high), rtol=1e-12)


# --- numbers as they are printed -----------------------------------------------------------------


@pytest.mark.parametrize(
    ("value", "low", "high"),
    [
        ("0.90", 0.895, 0.905),
        (0.9, 0.85, 0.95),
        ("90 %", 0.895, 0.905),
        ("90.0%", 0.8995, 0.9005),
        ("9e-1", 0.85, 0.95),
        ("1.00", 0.995, 1),
        ((0.8, 0.9), 0.8, 0.9),
        ("0.8:0.9", 0.8, 0.9),
    ],
)
def test_a_number_stands_for_all_that_round_to_it(value, low, high):
    found = printed_number("precision", value)
    np.testing.assert_allclose((float(found.low), float(found.high)), (low, high), rtol=1e-12)


def test_prevalences_may_be_said_as_one_in_so_many():
    found = printed_number("prevalence", "1 in 581")
    assert found.low <= Fraction(147, 85443) <= found.high
    assert judged({"prevalence": "1 in 1,000", "n_pos": 1, "n_neg": 999})


@pytest.mark.parametrize(
    ("printed", "sentence"),
    [
        ({}, "audit needs at least one printed number, got none; pass {'precision': '0.90'} for example."),
        ({"precison": "0.9"}, "unknown metric 'precison'; did you mean 'precision'."),
        ({"precision": "90"}, "precision must be between 0 and 1, got '90'; write 0.9 for 90 %."),
        (
            {"precision": "0,9"},
            "precision must be a number as it is printed, such as 0.90, 90 % or a range 0.85:0.95, "
            "got '0,9'; write 0.9, with a decimal point.",
        ),
        (
            {"precision": "good"},
            "precision must be a number as it is printed, such as 0.90, 90 % or a range "
            "0.85:0.95, got 'good'; write it in one of these ways.",
        ),
        (
            {"precision": (0.9, 0.8)},
            "a range must begin with its lower end, got (0.9, 0.8) for precision; swap the ends.",
        ),
        (
            {"n_pos": 10},
            "n_pos and n_neg must both be given, and above 0, got {'n_pos': 10}; pass both, or the prevalence alone.",
        ),
        (
            {"n_pos": "ten", "n_neg": 5},
            "n_pos must be a whole number, got 'ten'; pass the number of cases of that class.",
        ),
    ],
)
def test_bad_input_is_one_sentence(printed, sentence):
    with pytest.raises(br.errors.InputError) as error:
        br.audit(printed)
    assert str(error.value) == sentence


def test_metrics_are_named_one_or_several():
    one, several = (br.audit({"precision": "0.9"}, metrics=names) for names in ("npv", ["npv"]))
    assert one == several
    for wrong in ([br.npv], br.npv):
        with pytest.raises(br.errors.InputError, match=r"^metrics must be names of metrics, got a function; pass"):
            br.audit({"precision": "0.9"}, metrics=wrong)


def test_names_from_elsewhere_are_understood():
    assert br.audit({"ppv": "0.9", "sensitivity": "0.8"}).possible


def test_what_is_no_ratio_is_refused_with_what_is():
    with pytest.raises(
        br.errors.InputError, match=r"ratio of sums of cells, or an area, got 'mcc'; use prevalence, tpr"
    ):
        br.audit({"mcc": "0.5"})


def test_an_audit_is_true_if_the_numbers_are_possible():
    assert br.audit({"precision": "0.9"})
    assert not br.audit({"precision": "0.90", "recall": "0.90", "f1": "0.50"})


def test_the_contradiction_names_only_what_is_needed():
    found = br.audit({"npv": "0.99", "precision": "0.90", "accuracy": "0.95", "recall": "0.90", "f1": "0.50"})
    assert found.why.startswith("f1 0.50 contradicts precision 0.90, recall 0.90, which imply f1 between 0.89")
