"""A metric that is new is one like any other, by its row alone: nothing else asks which metric it is."""

import ast
import json
from pathlib import Path

import numpy as np
import pytest

import baserate as br
from baserate import registry
from baserate.errors import Reason
from baserate.formulas import influence
from baserate.formulas.pointwise import ratio
from baserate.metrics import over_odds
from baserate.metrics.definition import metric
from baserate.registry import DependsOn, Family, Losses, MetricLaw, Traits
from baserate.uncertainty import intervals
from helpers.scripts import script

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src" / "baserate"


@pytest.fixture
def registered():
    """Takes functions as metrics, and forgets them afterwards."""
    before = dict(registry._rows)
    yield metric
    registry._rows.clear()
    registry._rows.update(before)


@pytest.fixture
def alert_odds(registered):
    """The odds that an alert is right: a function of precision, and of LR+."""

    @registered(
        label="Alert odds",
        family=Family.POINTWISE,
        bounds=(0, float("inf")),
        higher_is_better=True,
        undefined=Reason.NO_ALERTS,
        traits=Traits(depends_on=DependsOn.LR_POSITIVE, one_way=True),
    )
    def alert_odds(at, /):
        """Right alerts for each wrong one."""
        return ratio(at.confusion_as_read.tp, at.confusion_as_read.fp)

    return alert_odds


@pytest.fixture
def gini(registered):
    """A function of the area under the ROC curve, whose influence is twice as large."""

    @registered(
        label="Gini",
        family=Family.AREA,
        bounds=(-1, 1),
        higher_is_better=True,
        over_odds=lambda curve, x: 2 * over_odds.roc_auc(curve, x) - 1,
        traits=Traits(one_way=True, influence=lambda steps, x: [2 * part for part in influence.roc_auc(steps)]),
    )
    def gini(curve, /):
        """Twice the area between the ROC curve and the diagonal."""
        return 2 * br.roc_auc(curve) - 1

    return gini


@pytest.fixture
def half_brier(registered):
    """A mean of losses."""

    def losses():
        return Losses(lambda score: (1 - score) ** 2 / 2, lambda score: score**2 / 2, 0.5)

    @registered(
        label="half Brier score",
        family=Family.PROBABILITY,
        bounds=(0, 0.5),
        higher_is_better=False,
        breaks=frozenset({MetricLaw.MONOTONE}),
        traits=Traits(losses=losses),
    )
    def half_brier(curve, /):
        """Half the Brier score."""
        return br.brier_score(curve) / 2

    return half_brier


@pytest.fixture
def clueless_odds(registered):
    """A constant."""

    @registered(
        label="Odds of the clueless",
        family=Family.POINTWISE,
        bounds=(0, float("inf")),
        higher_is_better=None,
        traits=Traits(depends_on=DependsOn.NOTHING, one_way=True),
    )
    def clueless_odds(at, /):
        """Right alerts for each wrong one, of alerts at random."""
        cells = at.confusion_as_read
        return ratio(cells.tp + cells.fn, cells.fp + cells.tn)

    return clueless_odds


@pytest.fixture(scope="module")
def pair():
    rng = np.random.default_rng(1)
    y = np.arange(240) % 6 == 0
    return br.Pair.from_scores(y, *(np.clip(rng.normal(0.3 + 0.25 * y, 0.2, 240), 0.01, 0.99) for _ in range(2)))


def ends(estimate):
    return np.array([estimate.value, estimate.low, estimate.high])


def odds(p):
    return p / (1 - p)


# --- of a point -----------------------------------------------------------------------------------


@pytest.mark.parametrize("method", [None, "melded", "score", "logit_delta", "box"])
def test_a_metric_of_lr_positive_has_the_intervals_of_precision(alert_odds, pair, method):
    point = pair.a.at_threshold(0.5).at_prevalence(0.01)
    found, of_precision = (br.estimate(one, point, method=method) for one in (alert_odds, br.precision))
    assert found.method == of_precision.method == (method or "melded")
    # Quantiles of nodes lie between values, and odds are not straight between two precisions.
    assert ends(found) == pytest.approx(odds(ends(of_precision)), rel=1e-9 if method in ("score", "box") else 1e-3)
    with pytest.raises(br.errors.InputError, match="'melded', 'score', 'logit_delta', 'box', got 'wilson'"):
        br.estimate(alert_odds, point, method="wilson")


def test_a_metric_of_a_point_is_read_everywhere(alert_odds, pair):
    point = pair.a.at_recall(0.6)
    where = [0.001, 0.01, 0.1]
    swept = br.sweep(alert_odds, point, where).value
    assert swept == pytest.approx(odds(br.sweep(br.precision, point, where).value), rel=1e-12)
    band = br.sweep_estimates(alert_odds, point, where, n_resamples=200, rng=0)
    assert (band.low < swept).all()
    worst = br.worst_case(alert_odds, point, 0.001, 0.1, n_resamples=200, rng=0)
    assert worst.prevalence == 0.001
    assert worst.low == br.estimate(alert_odds, point.at_prevalence(0.001), n_resamples=200, rng=0).low
    best = pair.a.best(alert_odds)
    assert best.threshold == pair.a.best(br.precision).threshold
    bucketed = br.Curve.from_counts(score=[0.2, 0.9], top=[0.8, 0.9], pos=[10, 40], neg=[900, 50])
    certain = br.bounds(alert_odds, bucketed.at_threshold(0.5))
    assert (certain.low, certain.high) == pytest.approx((40 / 950, 50 / 50), rel=1e-9)


@pytest.mark.slow
def test_a_metric_of_a_point_differs_between_models(alert_odds, pair):
    at = br.Curve.best, br.f1

    def rule(curve):
        return at[0](curve, at[1])

    found = br.difference(alert_odds, pair, at=rule, n_resamples=200, rng=0)
    first, second = (alert_odds(rule(curve)) for curve in (pair.a, pair.b))
    assert found.value == pytest.approx(first - second)
    assert found.method == "expanded"
    assert found.low < found.value < found.high


# --- of the whole curve ---------------------------------------------------------------------------


@pytest.mark.parametrize("method", [None, "melded", "percentile"])
def test_an_area_has_the_intervals_of_its_draws(gini, pair, method):
    found, of_area = (br.estimate(one, pair.a, method=method, n_resamples=200, rng=0) for one in (gini, br.roc_auc))
    assert ends(found) == pytest.approx(2 * ends(of_area) - 1, rel=1e-9)
    assert found.method == (method or "melded")


def test_an_area_with_an_influence_function_has_what_follows_from_it(gini, pair):
    steps = pair.a.table.steps
    assert intervals.variance(gini, steps, 1.0) == pytest.approx(4 * intervals.variance(br.roc_auc, steps, 1.0))
    found = br.estimate(gini, pair.a, method="influence")
    assert found.low < found.value < found.high
    with pytest.raises(br.errors.InputError, match="'influence', got 'delong'"):
        br.estimate(gini, pair.a, method="delong")
    ours, of_area = (br.difference(one, pair, method="influence") for one in (gini, br.roc_auc))
    assert (ours.low, ours.high) == pytest.approx((2 * of_area.low, 2 * of_area.high), rel=1e-9)
    assert ours.p_value == pytest.approx(of_area.p_value, rel=1e-9)


def test_an_area_is_read_everywhere(gini, pair):
    assert br.sweep(gini, pair.a, [0.01, 0.1]).value == pytest.approx([gini(pair.a)] * 2, rel=1e-12)
    drawn = [br.difference(one, pair, method="melded", n_resamples=200, rng=0) for one in (gini, br.roc_auc)]
    assert drawn[0].low == pytest.approx(2 * drawn[1].low, rel=1e-9)
    assert br.better_than_chance(gini, pair.a, n_permutations=99, rng=0).p_value == 0.01
    folds = br.folds.mean_over_folds(gini, [pair.a, pair.b])
    assert folds.value == pytest.approx((gini(pair.a) + gini(pair.b)) / 2)
    assert folds.normalized is None
    slices = br.by_slice(gini, {"a": pair.a, "b": pair.b}, n_resamples=200, rng=0)
    assert "gini" in str(slices)


def test_an_area_without_a_quick_way_is_drawn_as_a_function_of_ones_own(registered, pair):
    def gini(curve, /):
        """As above, one curve at a time."""
        return 2 * br.roc_auc(curve) - 1

    area = registered(label="Gini", family=Family.AREA, bounds=(-1, 1), higher_is_better=True)(gini)
    found, own = (br.difference(one, pair, n_resamples=200, rng=0) for one in (area, area.__wrapped__))
    assert (found.low, found.high) == (own.low, own.high)


def test_an_area_that_is_measured_from_its_floor_is_shown_beside_it(registered, pair):
    def area(curve, /):
        """As AUC-PR, of all recalls."""
        return br.auc_pr(curve)

    def above_floor(curve, /):
        """The same from its floor."""
        return br.normalized_auc_pr(curve)

    kind = {"family": Family.AREA, "bounds": (0, 1), "higher_is_better": True}
    area = registered(label="Area", **kind)(area)
    registered(label="Above the floor", **kind, traits=Traits(normalizes=area))(above_floor)
    folds = [pair.a.at_prevalence(0.1), pair.b, br.Curve.from_counts([0.2, 0.9], pos=[0, 0], neg=[3, 4])]
    found, expected = (br.folds.mean_over_folds(one, folds, undefined="boyd") for one in (area, br.auc_pr))
    assert (found.value, found.normalized) == pytest.approx((expected.value, expected.normalized), rel=1e-12)
    assert found.caution == expected.caution is not None


@pytest.mark.slow
def test_the_best_of_all_thresholds_counts_as_searched_for(registered, pair):
    def best_j(curve, /):
        """The highest J."""
        return float(np.max(br.youden_j(curve), initial=0.0))

    kind = {"label": "Best J", "family": Family.AREA, "bounds": (0, 1), "higher_is_better": True}
    plain = registered(**kind)(best_j)
    naive = br.estimate(plain, pair.a, n_resamples=200, rng=0)
    registry._rows.pop("best_j")
    searched = registered(**kind, traits=Traits(best_over_thresholds=True))(best_j)
    found = br.estimate(searched, pair.a, n_resamples=200, rng=0)
    assert found.value == naive.value
    assert found.low < naive.low  # what was searched for flatters


# --- of probabilities, and of nothing -------------------------------------------------------------


def test_a_mean_of_losses_has_the_intervals_of_means(half_brier, pair):
    found, whole = (br.estimate(one, pair.a, n_resamples=200, rng=0) for one in (half_brier, br.brier_score))
    assert (found.method, ends(found)) == ("melded", pytest.approx(ends(whole) / 2, rel=1e-12))
    found, whole = (br.difference(one, pair, n_resamples=200, rng=0) for one in (half_brier, br.brier_score))
    assert (found.low, found.high) == pytest.approx((whole.low / 2, whole.high / 2), rel=1e-12)
    assert found.p_value == whole.p_value
    swept = [br.sweep(one, pair.a, [0.01, 0.1]).value for one in (half_brier, br.brier_score)]
    assert swept[0] == pytest.approx(swept[1] / 2, rel=1e-12)
    with pytest.raises(br.errors.InputError, match="got half_brier"):
        br.calibration.decompose(half_brier, pair.a)


def test_a_loss_with_parts_is_taken_apart(registered, pair):
    def brier_again(curve, /):
        """The Brier score."""
        return br.brier_score(curve)

    again = registered(
        label="Brier",
        family=Family.PROBABILITY,
        bounds=(0, 1),
        higher_is_better=False,
        traits=Traits(parts=registry.METRICS["brier_score"].traits.parts),
    )(brier_again)
    assert (
        br.calibration.decompose(again, pair.a).miscalibration
        == br.calibration.decompose(br.brier_score, pair.a).miscalibration
    )


def test_a_constant_is_known(clueless_odds, pair):
    point = pair.a.at_recall(0.6).at_prevalence(0.2)
    found = br.estimate(clueless_odds, point)
    assert (found.method, *ends(found)) == ("constant", *[pytest.approx(0.25)] * 3)
    assert br.sweep(clueless_odds, point, [0.5, 0.2]).value == pytest.approx([1.0, 0.25])


# --- by its name ----------------------------------------------------------------------------------


def test_it_is_listed_and_asked_for_by_name(alert_odds, gini, tmp_path, capsys):
    from baserate.cli.app import run
    from baserate.cli.questions import _metrics_beginning_with

    page = script(ROOT / "docs" / "make_metrics.py").index()
    assert (
        "| `alert_odds` | Right alerts for each wrong one | 0 to ∞ | higher |  |".replace(" to ", "\u00a0to\u00a0")
        in page
    )
    assert [item.value for item in _metrics_beginning_with(None, None, "alert_")] == ["alert_rate", "alert_odds"]
    (tmp_path / "rows.csv").write_text("y,p\n0,0.1\n1,0.4\n0,0.5\n1,0.8\n1,0.9\n0,0.2\n0,0.3\n1,0.7\n")
    asked = ["--label", "y", "--score", "p", "--metric", "alert_odds", "--metric", "gini", "--at", "recall=1", "--json"]
    assert run(["evaluate", str(tmp_path / "rows.csv"), *asked]) == 0
    answers = {row["metric"]: row for row in json.loads(capsys.readouterr().out)}
    assert answers["alert_odds"]["value"] == pytest.approx(4.0)
    assert answers["gini"]["value"] == pytest.approx(2 * 15 / 16 - 1)
    assert all(answer["low"] < answer["value"] < answer["high"] for answer in answers.values())


def test_it_is_forgotten_when_the_test_ends():
    assert not {"alert_odds", "gini", "half_brier", "clueless_odds", "best_j"} & br.METRICS.keys()


def test_a_scorer_takes_it(gini, pair):
    from sklearn.dummy import DummyClassifier

    X, y = pair.scores[0][:, np.newaxis], pair.positive
    assert br.scorer(gini, prevalence=0.01)(DummyClassifier().fit(X, y), X, y) == 0.0


# --- nothing asks which metric it is --------------------------------------------------------------

# Names of other things: of rules, of columns, of the operating system.
ALLOWED = {
    "cli/arguments.py: column.name.startswith(beginning)",
    "cli/columns.py: column.name not in named",
    "cli/columns.py: column.name != label",
    "results/agreements.py: self.name == self.claim",
}
BELOW = ("registry.py", "checks", "errors.py", "arrays.py")  # the registry, and what does not see it


def is_name(node):
    """Whether an expression is the name of something: ``row.name``, ``metric.__name__`` or ``describe(metric)``."""
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id == "describe"
    return isinstance(node, ast.Attribute) and node.attr in ("name", "__name__") and ast.unparse(node) != "os.name"


def is_name_in_a_result(node):
    """Whether an expression is what a result calls its metric: ``self.metric``."""
    return isinstance(node, ast.Attribute) and node.attr == "metric"


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def is_one_of_the_registry(table, key):
    """Whether a certain row is taken from the registry."""
    return ast.unparse(table).endswith("METRICS") and isinstance(key, ast.Constant)


def asks_by_name(node):
    """Whether something is decided or looked up by a name."""
    match node:
        case ast.Compare(ops=[ast.Is() | ast.IsNot()]):
            return False  # whether there is a name at all
        case ast.Compare(left=left, comparators=others):
            sides = [left, *others]
            return any(map(is_name, sides)) or (any(map(is_name_in_a_result, sides)) and any(map(is_text, sides)))
        case ast.Subscript(value=table, slice=key):
            return is_name(key) or is_one_of_the_registry(table, key)
        case ast.Call(func=ast.Attribute(value=table, attr="get" | "pop"), args=[key, *_]):
            return is_name(key) or is_one_of_the_registry(table, key)
        case ast.Call(func=ast.Attribute(value=value, attr="startswith" | "endswith")):
            return is_name(value)
        case ast.Match(subject=subject):
            return is_name(subject)
    return False


def questions_by_name(text):
    return [ast.unparse(node) for node in ast.walk(ast.parse(text)) if asks_by_name(node)]


def test_no_code_asks_for_a_metric_by_its_name():
    found = {
        f"{path.relative_to(SOURCE).as_posix()}: {question}"
        for path in SOURCE.rglob("*.py")
        if path.relative_to(SOURCE).parts[0] not in BELOW
        for question in questions_by_name(path.read_text(encoding="utf-8"))
    }
    assert found == ALLOWED


@pytest.mark.parametrize(
    "text",
    [
        "row.name == 'f1'",
        "'f1' != row.name",
        "row.name in _DIFFERENCES",
        "row.name not in ('f1', 'f_beta')",
        "_INFLUENCES[row.name](steps)",
        "_INFLUENCES.get(row.name)",
        "metric.__name__ == 'f1'",
        "describe(metric) == 'f1'",
        "row.name.startswith('best_')",
        "METRICS['f1'].function",
        "br.METRICS.get('f1')",
        "self.metric == 'precision'",
        "'f1' != found.metric",
        "match row.name:\n    case 'f1': pass",
    ],
)
def test_such_questions_are_noticed(text):
    assert questions_by_name(text)


def test_printing_a_name_is_fine():
    assert not questions_by_name("raise InputError(f'{row.name} reads a Curve')\nprint(row.name, METRICS[name].label)")
