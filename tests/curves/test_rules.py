"""A rule says itself, is read from what it says, and means the same wherever it is asked for."""

import numpy as np
import pytest

import baserate as br
from baserate.curves.rules import AlertRate, Best, Fpr, Precision, Recall, Threshold, TopK

RNG = np.random.default_rng(0)
Y = np.arange(400) < 80
FIRST, SECOND = (RNG.normal(size=400) + 1.5 * Y for _ in range(2))
CURVE = br.Curve.from_scores(Y, FIRST)
HALVES = {name: br.Curve.from_scores(Y[k::2], FIRST[k::2]) for k, name in enumerate("ab")}
FEW = {"n_resamples": 50, "rng": 0}

RULES = {
    "threshold=0.5": (Threshold(0.5), CURVE.at_threshold(0.5)),
    "recall >= 0.6": (Recall(0.6), CURVE.at_recall(0.6)),
    "fpr <= 1e-05": (Fpr(1e-5), CURVE.at_fpr(1e-5)),
    "precision >= 0.7": (Precision(0.7), CURVE.at_precision(0.7)),
    "top_k <= 100": (TopK(100), CURVE.at_top_k(100)),
    "alert_rate <= 0.1234567": (AlertRate(0.1234567), CURVE.at_alert_rate(0.1234567)),
    "best=f1": (Best(br.f1), CURVE.best(br.f1)),
}


@pytest.mark.parametrize("text", RULES)
def test_a_rule_is_read_from_what_it_says_and_chooses_what_the_curve_does(text):
    rule, point = RULES[text]
    assert (str(rule), repr(rule)) == (text, f"Rule({text!r})")
    for written in (text, text.replace(" ", ""), text.replace(">", "").replace("<", "")):
        assert br.Rule.parse(written) == rule
    assert rule.on(CURVE) == point
    assert point.chosen == rule
    assert len({rule, point.chosen}) == 1
    assert not any(rule == other for name, (other, _) in RULES.items() if name != text)


def test_what_rules_are_like():
    kinds = [rule for rule, _ in RULES.values()]
    assert [rule for rule in kinds if rule.is_given] == [Threshold(0.5)]
    assert [rule.name for rule in kinds if rule.depends_on_prevalence] == ["precision", "alert_rate", "best"]
    moved = [rule for rule in kinds if rule.on(CURVE).threshold != rule.on(CURVE.at_prevalence(0.01)).threshold]
    assert all(rule.depends_on_prevalence for rule in moved)
    assert [str(rule.of_copies(3)) for rule in kinds if rule.of_copies(3) != rule] == ["top_k <= 300"]


def test_parameters_of_a_metric_are_read_with_it():
    rule = br.Rule.parse("best = f_beta:beta=2")
    assert str(rule) == "best=f_beta:beta=2"
    assert rule.on(CURVE).threshold == CURVE.best(lambda at: br.f_beta(at, beta=2)).threshold


@pytest.mark.parametrize("rule", [Recall(0.6), Fpr(0.1), TopK(100), AlertRate(0.2), Precision(0.7)])
def test_what_a_rule_limits_is_what_it_chooses_by(rule):
    """Of the thresholds on the right side of the limit it is the one nearest to it, or the one with most recall."""
    for_tpr, for_fpr, limit = rule.limit(CURVE)
    above = for_tpr * CURVE.tpr + for_fpr * CURVE.fpr - limit
    right_side = above >= -1e-12 if isinstance(rule, Recall) else above <= 1e-12
    assert 0 < np.count_nonzero(right_side) < len(CURVE)
    chosen = rule.on(CURVE)
    assert chosen.threshold in CURVE.score[right_side]
    if isinstance(rule, Precision):
        assert chosen.tpr == CURVE.tpr[right_side].max()
    else:
        nearest = np.min if rule.within_gaps else np.max
        assert chosen.threshold == nearest(CURVE.score[right_side])


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("recal=0.6", "the rule of the text must be one of 'threshold', .*; did you mean 'recall'"),
        ("recall", "the text must be a rule and a number such as recall=0.6, got 'recall'"),
        ("0.6", "the text must be a rule and a number such as recall=0.6, got '0.6'"),
        ("recall=", "must be a rule and a number"),
        ("recall <= 0.6", "got 'recall <= 0.6'; write 'recall >= 0.6'"),
        ("recall >> = 0.6", "write 'recall >= 0.6'"),
        ("best >= f1", "write 'best=f1'"),
        ("best=", "best needs a metric such as best=f1, got 'best='"),
        ("best=roc_auc", "best needs a pointwise metric"),
        ("best=alert_rate", "must have a direction"),
        ("best=f_beta:beta=-1", "beta must be"),
        ("recall=0", "recall must be above 0"),
        ("fpr=2", "fpr must be"),
        ("top_k=0.5", "k must be a whole number"),
        (0.6, "a rule is read from text such as 'recall >= 0.6', got 0.6"),
    ],
)
def test_what_is_no_rule_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        br.Rule.parse(text)


ASKED = {
    "difference": lambda at: br.difference(br.precision, br.Pair.from_scores(Y, FIRST, SECOND), at=at, **FEW),
    "a rule each": lambda at: br.difference(br.precision, br.Pair.from_scores(Y, FIRST, SECOND), at=(at, at), **FEW),
    "lead": lambda at: br.lead(br.f1, br.Pair.from_scores(Y, FIRST, SECOND), [0.1], at=at, **FEW).low[0],
    "crossings": lambda at: br.crossing_estimates(
        br.precision, br.Pair.from_scores(Y, FIRST, SECOND), at=at, n_resamples=50, rng=0
    ),
    "swaps": lambda at: br.swap_test(
        br.precision, br.Pair.from_scores(Y, FIRST, SECOND), at=at, n_permutations=9, rng=0
    ),
    "clusters": lambda at: br.cluster_estimate(
        br.precision, {k: br.Curve.from_scores(Y[k::8], FIRST[k::8]) for k in range(8)}, at=at, **FEW
    ),
    "change": lambda at: br.explain_change(br.precision, *HALVES.values(), at=at, **FEW),
    "changes": lambda at: br.monitoring.explain_changes(br.precision, HALVES, at=at, **FEW).changes,
    "slices": lambda at: br.by_slice(br.precision, HALVES, at=at, **FEW).groups,
    "periods": lambda at: br.by_period(br.precision, HALVES, at=at, **FEW).groups[0].common,
    "alarms": lambda at: br.monitoring.model_alarms(
        br.precision, HALVES, reference=1, at=at, **FEW
    ).difference.tolist(),
    "claim": lambda at: br.check(br.Claim(br.precision, at_least=0.1, at=at), CURVE, rng=0).estimate,
    "deploy": lambda at: br.deploy(*HALVES.values(), at=at),
}


@pytest.mark.slow
@pytest.mark.parametrize("ask", ASKED.values(), ids=ASKED)
def test_wherever_one_says_at_a_rule_its_text_and_a_function_are_the_same(ask):
    expected = repr(ask(lambda curve: curve.at_recall(0.6)))
    for at in (Recall(0.6), "recall=0.6", "recall >= 0.6", CURVE.at_recall(0.6).chosen):
        assert repr(ask(at)) == expected
    with pytest.raises(br.errors.InputError, match=r"at must be a rule such as 'recall=0.6', or a func"):
        ask([0.6])
    with pytest.raises(br.errors.InputError, match="did you mean 'recall'"):
        ask("recal=0.6")
