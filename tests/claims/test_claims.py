"""Claims, verdicts, and files of claims."""

import math
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
import scipy

import baserate as br
from baserate.claims import claims
from baserate.claims.more_labels import copies, factor_that_reaches
from helpers.simulated import normal_curve


@pytest.fixture(scope="module")
def curve():
    data = br.examples.payments()
    return br.Curve.from_scores(data["fraud"], data["old_model"])


AT = "threshold=0.2"  # a threshold that was there before the data has quick intervals


def checked(curve, metric=br.precision, **claim):
    return br.check(br.Claim(metric, **{"at": AT} | claim), curve, rng=0)


# --- verdicts -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("bound", "verdict"), [(0.3, "met"), (0.5, "broken"), (0.375, "undecided")])
def test_a_verdict_is_true_only_if_the_claim_is_met(bound, verdict):
    counted = br.Curve.from_counts([0.2, 0.9], pos=[40, 60], neg=[99_900, 100])
    found = br.check(br.Claim(br.precision, at_least=bound, at="threshold=0.9"), counted, rng=0)
    assert found.verdict == verdict
    assert bool(found) is (verdict == "met")


def test_a_claim_without_a_value_is_not_true():
    counted = br.Curve.from_counts([0.5], [1], [9])
    assert not br.check(br.Claim(br.precision, at_least=0.5, at="precision=0.99"), counted)


def test_nothing_is_met_or_broken_where_the_interval_may_not_hold():
    """Very uneven weights, few of them above the threshold: the estimate has a caution, so there is no verdict."""
    label, score = np.repeat([1, 0], [40, 400]), np.linspace(1, 0, 440)
    weight = np.where(np.arange(440) % 40 == 3, 60.0, 1.0)
    weighted = br.Curve.from_scores(label, score, weight=weight)
    for bound in (0.001, 0.999):
        found = br.check(br.Claim(br.recall, at_least=bound, at=f"threshold={score[3]}"), weighted)
        assert found.estimate.caution == found.note
        assert (found.verdict, bool(found), found.more_pos) == ("undecided", False, None)
        assert str(found).endswith(f"no verdict, because {found.note}")


CLAIM_AT = "[[claim]]\nmetric='f1'\nat='threshold=0.5'\n"
BEYOND = {
    "brackets": ("a = " + "[" * 5000 + "]" * 5000, "must be TOML, got .* recursion depth"),
    "braces": ("a = " + "{b=" * 5000 + "1" + "}" * 5000, "must be TOML, got .* recursion depth"),
    "digits": (f"{CLAIM_AT}at_least={'9' * 5000}", "must be TOML, got .* digits"),
    "hexadecimal digits": (f"{CLAIM_AT}at_least=0x{'f' * 900_000}", "at most 1000 digits, got more"),
    "octal digits of a metric": (f"[[claim]]\nmetric=0o{'7' * 10_000}\nat_least=0.5", "at most 1000 digits, got more"),
    "binary digits in a list": (f"prevalence=[0.1, 0b{'1' * 20_000}]\n{CLAIM_AT}", "at most 1000 digits, got more"),
    "parts of a key": ("a" + ".b" * 5000 + "=1", "at most 100 dots, got more"),
    "length": ("#" * 1_000_001, "must be at most 1,000,000 bytes"),
    "bins": ("[[claim]]\nmetric='ece:bins=100000000'\nat_most=0.5", "bins must be at most 1,000,000, got 100000000"),
    "digits of a parameter": (f"[[claim]]\nmetric='f_beta:beta={'9' * 5000}'\nat_least=0.5", "beta must be a number"),
    "signs of a parameter": (f"[[claim]]\nmetric='f_beta:beta={'-' * 50_000}1'\nat_least=0.5", "beta must be a number"),
    "sums of a parameter": (f"[[claim]]\nmetric='f_beta:beta=1{'+1' * 50_000}'\nat_least=0.5", "beta must be a number"),
    "cases": ("[[claim]]\nmetric='f1'\nat='top_k=1e30'\nat_least=0.5", "k must be at most 4,611,686"),
}


@pytest.mark.parametrize("name", BEYOND)
def test_what_is_asked_in_a_file_has_bounds(tmp_path, name):
    text, sentence = BEYOND[name]
    (tmp_path / "claims.toml").write_text(text)
    with pytest.raises(br.errors.InputError, match=sentence):
        br.read_claims(tmp_path / "claims.toml")


@pytest.mark.parametrize("asked", [10**8, 10**30, 2e7])
def test_draws_have_bounds(curve, asked):
    with pytest.raises(br.errors.InputError, match="n_resamples must be at most 10,000,000"):
        br.estimate(br.roc_auc, curve, n_resamples=asked)


def test_claims_are_checked_one_by_one(curve):
    with pytest.raises(br.errors.InputError, match=r"all\(br.check\(claim, curve\) for claim in claims\)"):
        br.check([br.Claim(br.precision, at_least=0.5, at=AT)], curve)


def test_each_end_holds_at_the_level_of_the_claim(curve):
    """At 95 % the interval is one at 90 %: its lower end fails in 5 % of samples, and so does its upper one."""
    found = br.estimate(br.precision, curve.at_threshold(0.2), confidence_level=0.9)
    verdict = checked(curve, at_least=0.5)
    assert verdict.estimate == found
    stricter = checked(curve, at_least=0.5, confidence_level=0.99)
    assert stricter.estimate.confidence_level == pytest.approx(0.98)
    assert stricter.estimate.low < found.low


@pytest.mark.parametrize("step", [0, 1e-9, -1e-9])
def test_where_verdicts_change(curve, step):
    found = br.estimate(br.precision, curve.at_threshold(0.2), confidence_level=0.9)
    low, high = found.low, found.high
    assert checked(curve, at_least=low + step).verdict == ("met" if step <= 0 else "undecided")
    assert checked(curve, at_least=high + step).verdict == ("broken" if step > 0 else "undecided")
    assert checked(curve, at_most=high + step).verdict == ("met" if step >= 0 else "undecided")
    assert checked(curve, at_most=low + step).verdict == ("broken" if step < 0 else "undecided")


def test_margins_are_positive_on_the_good_side(curve):
    value = br.precision(curve.at_threshold(0.2))
    assert checked(curve, at_least=0.3).margin == pytest.approx(value - 0.3)
    assert checked(curve, at_least=0.9).margin == pytest.approx(value - 0.9)
    assert checked(curve, at_most=0.9).margin == pytest.approx(0.9 - value)
    assert checked(curve, at_most=0.3).margin < 0


def test_sentences(curve):
    met, broken = checked(curve, at_least=0.3, name="enough"), checked(curve, at_least=0.9)
    assert (met.name, broken.name) == ("enough", broken.claim)
    assert str(met).startswith("met: enough (precision >= 0.3 at threshold=0.2, 95 % sure): precision is 0.5")
    assert f"at least {met.estimate.low:.4g}" in met.sentence
    assert f"at most {broken.estimate.high:.4g}" in broken.sentence
    kept = checked(curve, at_most=0.9)
    assert f"at most {kept.estimate.high:.4g}" in kept.sentence
    assert (met.more_pos, met.more_neg, broken.more_pos, broken.more_neg) == (None,) * 4
    row = broken.row()
    assert (row["verdict"], row["value"], row["bound"], row["pos"]) == ("broken", broken.estimate.value, 0.9, 300)


def test_a_prevalence_is_where_it_is_claimed(curve):
    value = br.precision(curve.at_threshold(0.2).at_prevalence(0.001))
    assert checked(curve, at_least=0.1, prevalence="1:999").estimate.value == pytest.approx(value, rel=1e-12)
    as_read = checked(curve.at_prevalence(0.001), at_least=0.1)
    assert as_read.estimate.value == pytest.approx(value, rel=1e-12)
    assert as_read.estimate.prevalence == 0.001


def test_a_threshold_chosen_on_the_data_is_judged_as_it_is_shipped(curve):
    claim = br.Claim(br.precision, at_least=0.5, at="recall >= 0.6", prevalence=0.01)
    verdict = br.check(claim, curve, rng=0)
    point = curve.at_prevalence(0.01).at_recall(0.6)
    assert verdict.estimate.chosen == "recall >= 0.6"
    assert verdict.estimate.value == br.precision(point)
    fixed = br.estimate(br.precision, point.curve.at_threshold(point.threshold), confidence_level=0.9)
    assert verdict.estimate.about == "threshold"
    assert (verdict.estimate.low, verdict.estimate.high) == (fixed.low, fixed.high)
    searched = br.Claim(br.precision, at_least=0.5, at="best=f1", prevalence=0.01)
    found = br.check(searched, curve, rng=0).estimate
    best = curve.at_prevalence(0.01).best(br.f1)
    given = br.estimate(br.precision, best.curve.at_threshold(best.threshold), confidence_level=0.9)
    assert found.low < given.low
    by_function = br.Claim(br.precision, at_least=0.5, at=lambda curve: curve.at_recall(0.6), prevalence=0.01)
    assert br.check(by_function, curve, rng=0).estimate == verdict.estimate
    assert "at a chosen threshold" in str(by_function)


def test_a_rule_that_depends_on_the_prevalence_chooses_there(curve):
    verdict = checked(curve, br.recall, at="precision >= 0.3", at_least=0.1, prevalence=0.001)
    assert verdict.estimate.value == br.recall(curve.at_prevalence(0.001).at_precision(0.3))


def test_a_range_of_prevalences_is_judged_at_its_worst(curve):
    span = (0.001, 0.01)
    found = checked(curve, at_least=0.05, prevalence=span)
    lowest = br.estimate(br.precision, curve.at_threshold(0.2).at_prevalence(0.001), confidence_level=0.9)
    assert (found.estimate.value, found.estimate.low) == (lowest.value, lowest.low)
    assert found.estimate.prevalence == 0.001
    assert checked(curve, at_least=lowest.high + 1e-6, prevalence=span).verdict == "broken"
    # At most: the worst is at the other end.
    assert checked(curve, at_most=0.5, prevalence=span).estimate.prevalence == 0.01
    assert "prevalence 1 in 1,000 to 1 in 100" in found.claim


def test_metrics_of_whole_curves_by_name(curve):
    claim = br.Claim("auc_pr:recall_range=(0.5,1)", at_least=0.01)
    same = br.Claim(partial(br.auc_pr, recall_range=(0.5, 1)), at_least=0.01)
    assert br.check(claim, curve, rng=0).estimate == br.check(same, curve, rng=0).estimate
    assert br.check(claim, curve, rng=0).verdict == "met"


def test_what_has_no_value_is_undecided(curve):
    wrong_first = br.Curve.from_scores([0, 1, 0, 1], [0.9, 0.8, 0.3, 0.2])
    no_point = checked(wrong_first, br.recall, at="precision=0.9", at_least=0.1, prevalence=1e-6)
    assert (no_point.verdict, no_point.more_pos) == ("undecided", None)
    assert no_point.sentence.startswith(
        "recall has no value: no threshold has precision >= 0.9 at prevalence 1 in 1,000,000"
    )
    assert no_point.estimate.prevalence == 1e-6
    for claim in (br.Claim(br.precision, at_least=0.5, at="recall=0.5"), br.Claim(br.average_precision, at_least=0.5)):
        verdict = br.check(claim, br.Curve.from_scores([0, 0], [0.1, 0.2]), rng=0)
        assert (verdict.verdict, verdict.more_neg) == ("undecided", None)
        assert verdict.estimate.reason is br.Reason.NO_POSITIVES
        assert "there are no positives" in verdict.sentence
    no_alerts = checked(curve, at="threshold=2", at_least=0.1)
    assert no_alerts.sentence == "precision has no value: nothing is predicted positive"


def test_what_has_no_interval_is_undecided(curve):
    verdict = br.check(br.Claim(br.ece, at_most=0.1), curve)
    assert (verdict.verdict, verdict.more_pos) == ("undecided", None)
    assert "without an interval: no interval with known coverage exists for it" in verdict.sentence


# --- labels that would decide ---------------------------------------------------------------------


@pytest.mark.parametrize(
    ("metric", "claim"),
    [
        (br.precision, {"at_least": 0.5}),
        (br.precision, {"at_least": 0.57}),
        (br.precision, {"at_most": 0.56}),
        (br.precision, {"at_least": 0.04, "prevalence": (0.001, 0.01)}),
        pytest.param(br.recall, {"at": "fpr=0.01", "at_least": 0.45}, marks=pytest.mark.slow),
        pytest.param(br.f1, {"at": "top_k=300", "at_least": 0.5}, marks=pytest.mark.slow),
        pytest.param(br.average_precision, {"at": None, "at_least": 0.48}, marks=pytest.mark.slow),
    ],
)
def test_so_many_labels_decide_and_much_fewer_do_not(curve, metric, claim):
    asked = br.Claim(metric, **{"at": AT} | claim)
    verdict = br.check(asked, curve, rng=0)
    assert verdict.verdict == "undecided"
    factor = 1 + verdict.more_pos / 300
    assert verdict.more_neg == pytest.approx((factor - 1) * 11_700, rel=0.01, abs=40)

    def verdict_on(times):
        rule = claim.get("at", AT)
        rule = f"top_k={300 * times}" if rule == "top_k=300" else rule
        return br.check(br.Claim(metric, **claim | {"at": rule}), copies(curve, times), rng=1).verdict

    assert verdict_on(math.ceil(1.3 * factor)) == ("met" if verdict.margin > 0 else "broken")
    assert verdict_on(max(1, math.floor(factor / 1.3))) == "undecided"
    assert f"about {verdict.more_pos:,} more positives and {verdict.more_neg:,} more negatives" in verdict.sentence


def test_no_number_of_labels_decides_what_is_the_bound_itself(curve):
    value = br.precision(curve.at_threshold(0.2))
    verdict = checked(curve, at_least=value)
    assert (verdict.verdict, verdict.more_pos, verdict.more_neg) == ("undecided", None, None)
    assert "too near the bound to say how many labels" in verdict.sentence


def test_copies_keep_what_a_curve_knows():
    rng = np.random.default_rng(0)
    y, score = rng.integers(0, 2, 30), rng.normal(size=30).round(1)
    plain = br.Curve.from_scores(y, score).at_prevalence(0.01)
    assert copies(plain, 3) == br.Curve.from_scores(np.tile(y, 3), np.tile(score, 3)).at_prevalence(0.01)
    weight = rng.integers(1, 5, 30).astype(float)
    weighted = br.Curve.from_scores(y, score, weight=weight)
    tiled = br.Curve.from_scores(np.tile(y, 3), np.tile(score, 3), weight=np.tile(weight, 3))
    assert copies(weighted, 3) == tiled
    bucketed = br.Curve.from_counts([0.2, 0.9], [10, 40], [900, 50], top=[0.8, 0.9])
    assert copies(bucketed, 2).bucketed


@pytest.mark.parametrize("power", [0.5, 0.8, 1.0])
@pytest.mark.parametrize("factor", [1.3, 2, 7.7, 900])
def test_a_power_law_is_found(power, factor):
    looked = []

    def distance(times):
        looked.append(times)
        return times**-power

    assert factor_that_reaches(factor**-power, distance, 1.0) == pytest.approx(factor, rel=1e-9)
    assert len(looked) <= 7


def test_where_no_factor_is_enough():
    assert factor_that_reaches(0.5, lambda times: 0.6 + 1 / times, 1.6) == math.inf
    assert factor_that_reaches(0.5, lambda times: math.nan, 1.6) == math.inf
    assert factor_that_reaches(0.0, lambda times: 1 / times, 1.0) == math.inf
    assert factor_that_reaches(0.001, None, 1.0) == math.inf
    assert factor_that_reaches(0.5, None, 1.0) == 4.0


@pytest.mark.slow
@pytest.mark.parametrize("at", ["fpr=0.02", "alert_rate=0.06"])
def test_so_many_more_labels_bring_the_end_to_the_bound(at):
    def drawn(n_pos, n_neg):
        return normal_curve(n_pos, n_neg, 2.0, rng=rng)

    rng = np.random.default_rng(1)
    curve = drawn(200, 3800)
    value = br.precision(br.Rule.parse(at).on(curve))
    found = br.check(br.Claim("precision", at=at, at_least=value - 0.03), curve, rng=0)
    assert found.verdict == "undecided"
    distances = []
    for _ in range(12):
        more = drawn(200 + found.more_pos, 3800 + found.more_neg)
        known = br.estimate(br.precision, br.Rule.parse(at).on(more), confidence_level=0.9, n_resamples=600, rng=0)
        distances.append(known.value - known.low)
    assert np.mean(distances) == pytest.approx(0.03, rel=0.15)


# --- what is refused ------------------------------------------------------------------------------

REFUSED = [
    ({"metric": br.precision, "at": AT}, "a claim needs one bound, at_least or at_most, got none"),
    ({"metric": br.precision, "at": AT, "at_least": 0.1, "at_most": 0.2}, "got both"),
    ({"metric": br.precision, "at_least": 0.1}, "precision needs a rule that chooses the threshold"),
    ({"metric": br.roc_auc, "at_least": 0.1, "at": AT}, "at needs a metric at a threshold"),
    ({"metric": "precison", "at_least": 0.1, "at": AT}, "did you mean 'precision'"),
    ({"metric": 3, "at_least": 0.1}, "metric must be a function or a name"),
    ({"metric": br.precision, "at": AT, "at_least": 50}, "at_least must be in the range of precision, 0 to 1, got 50"),
    ({"metric": br.precision, "at": AT, "at_least": True}, "at_least must be a number"),
    ({"metric": br.precision, "at": AT, "at_most": math.nan}, "at_most must be a number"),
    ({"metric": br.precision, "at": "recal=0.5", "at_least": 0.1}, "the rule of at must be one of .*did you mean"),
    ({"metric": br.precision, "at": "recall <= 0.5", "at_least": 0.1}, "write 'recall >= 0.5'"),
    ({"metric": br.precision, "at": "threshold >= 0.5", "at_least": 0.1}, "write 'threshold=0.5'"),
    ({"metric": br.precision, "at": "fpr >= 0.5", "at_least": 0.1}, "write 'fpr <= 0.5'"),
    ({"metric": br.precision, "at": 0.5, "at_least": 0.1}, "at must be a rule such as 'recall=0.6'"),
    ({"metric": br.roc_auc, "at_least": 0.1, "prevalence": 2}, "prevalence must be strictly between 0 and 1"),
    ({"metric": br.roc_auc, "at_least": 0.1, "prevalence": (0.1,)}, "prevalence must be one value or a pair"),
    ({"metric": br.roc_auc, "at_least": 0.1, "prevalence": (0.2, 0.1)}, "low must be below high"),
    (
        {"metric": br.recall, "at": "precision=0.5", "at_least": 0.1, "prevalence": (0.1, 0.2)},
        "does not depend on the prevalence, got precision >= 0.5",
    ),
    ({"metric": br.roc_auc, "at_least": 0.1, "confidence_level": 95}, "confidence_level must be"),
    ({"metric": br.roc_auc, "at_least": 0.1, "confidence_level": 0.7}, "must be at least 0.75, got 0.7"),
    ({"metric": br.roc_auc, "at_least": 0.1, "name": 7}, "name must be text"),
]


@pytest.mark.parametrize(("claim", "sentence"), REFUSED, ids=[sentence for _, sentence in REFUSED])
def test_a_claim_that_cannot_be_checked_is_refused_at_once(claim, sentence):
    with pytest.raises(br.errors.InputError, match=sentence):
        br.Claim(**claim)


def test_what_is_compared_is_a_claim_with_a_curve(curve):
    claim = br.Claim(br.roc_auc, at_least=0.5)
    for given in ((curve, claim), (claim, [curve]), (claim, curve.at_recall(0.5))):
        with pytest.raises(br.errors.InputError, match=r"(claim|curve) must be a (Claim|Curve), got"):
            br.check(*given)


def test_a_function_that_chooses_elsewhere_is_refused(curve):
    claim = br.Claim(br.precision, at_least=0.1, at=lambda _: br.Point.from_rates(0.5, 0.1))
    with pytest.raises(br.errors.InputError, match="a function that chooses a point on the curve it is given"):
        br.check(claim, curve)


# --- files ----------------------------------------------------------------------------------------


@pytest.fixture
def written(tmp_path):
    def write(text):
        path = tmp_path / "claims.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write


def test_a_file_of_claims(written):
    path = written(
        """
        prevalence = "1:999"
        confidence_level = 0.9

        [[claim]]
        name = "time"
        metric = "precision"
        at = "recall >= 0.6"
        at_least = 0.5

        [[claim]]
        metric = "f_beta:beta=2"
        at = "best=f1"
        at_most = 1
        prevalence = 0.01
        confidence_level = 0.99

        [[claim]]
        metric = "average_precision"
        at_least = 0.2
        prevalence = ["1:999", 0.01]
        """
    )
    assert list(map(str, br.read_claims(str(path)))) == [
        "precision >= 0.5 at recall >= 0.6, prevalence 1 in 1,000, 90 % sure",
        "f_beta:beta=2 <= 1 at best=f1, prevalence 1 in 100, 99 % sure",
        "average_precision >= 0.2, prevalence 1 in 1,000 to 1 in 100, 90 % sure",
    ]
    assert [claim.name for claim in br.read_claims(path)] == ["time", None, None]


CLAIM = '[[claim]]\nmetric = "precision"\nat = "recall=0.6"\nat_least = 0.5\n'
BROKEN_FILES = [
    ("", "at least one [[claim]], got none"),
    ("claim = 3", "at least one [[claim]], got none"),
    ("[claim]\nmetric = 'precision'", "a claim must begin with [[claim]], got [claim] in "),
    ("[[claims]]\n", "the file of claims has no key 'claims'; did you mean 'claim'."),
    ("[[claim", "a file of claims must be TOML, got "),
    (CLAIM + "atleast = 1", "claim 1 has no key 'atleast'; did you mean 'at_least'."),
    (CLAIM + 'name = "time"\nxyz = 1', "claim 1 ('time') has no key 'xyz'; write one of name, metric"),
    (CLAIM + "[[claim]]\nat_least = 1", "claim 2 must have a metric, got at_least"),
    (CLAIM + CLAIM.replace("0.5", "50"), "claim 2: at_least must be in the range of precision"),
    (CLAIM.replace('"precision"', '"precison"'), "claim 1: unknown metric "),
    (CLAIM.replace('"recall=0.6"', "0.6"), "claim 1: at must be text, got 0.6; put it in quotes."),
    (CLAIM + "prevalence = '1:x'", "claim 1: prevalence must be strictly between 0 and 1, got '1:x'"),
    (CLAIM + "prevalence = [0.1, 0.2, 0.3]", "claim 1: prevalence must be one value or a pair"),
    (CLAIM + "confidence_level = '95 %'", "claim 1: confidence_level must be a number"),
    ("prevalence = 7\n" + CLAIM, "claim 1: prevalence must be strictly between 0 and 1"),
]


@pytest.mark.parametrize(("text", "sentence"), BROKEN_FILES, ids=[sentence for _, sentence in BROKEN_FILES])
def test_what_is_wrong_with_a_file_is_one_sentence(written, text, sentence):
    with pytest.raises(br.errors.InputError) as caught:
        br.read_claims(written(text))
    assert sentence in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(br.errors.InputError, match=r"file not found: .*; check the path"):
        br.read_claims(tmp_path / "nowhere.toml")
    with pytest.raises(br.errors.InputError, match="cannot be read"):
        br.read_claims(tmp_path)
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')
    with pytest.raises(br.errors.InputError, match="must be TOML"):
        br.read_claims(tmp_path / "latin.toml")


# --- how often verdicts are wrong -----------------------------------------------------------------

SHIFT = 2.0  # scores of negatives are normal around 0, of positives around this


def rates(threshold):
    return scipy.special.ndtr(SHIFT - threshold), scipy.special.ndtr(-threshold)


def true_precision(threshold, prevalence):
    tpr, fpr = rates(threshold)
    return prevalence * tpr / (prevalence * tpr + (1 - prevalence) * fpr)


def true_average_precision(prevalence):
    threshold = np.linspace(-12, 14, 200_001)
    density = np.exp(-((threshold - SHIFT) ** 2) / 2) / math.sqrt(2 * math.pi)
    return float(np.trapezoid(true_precision(threshold, prevalence) * density, threshold))


def claims_at_the_truth():
    """Claims whose bound is exactly what is true: as true as false, which is where verdicts are wrong most often."""
    tpr, fpr = (float(rate) for rate in rates(2.0))
    tie = f"expected_cost:cost_fp=1:cost_fn={fpr / (1 - tpr)!r}"  # the same at every prevalence
    return {
        "a given threshold": br.Claim(
            "precision", at="threshold=2", at_least=float(true_precision(2.0, 0.01)), prevalence=0.01
        ),
        "a chosen threshold": br.Claim(
            "precision", at="recall=0.6", at_least=0.5, prevalence=0.003
        ),  # its bound is what the threshold really does, another one in each sample
        "a searched threshold": br.Claim("precision", at="best=f1", at_least=0.5, prevalence=0.1),
        "an area": br.Claim("average_precision", at_least=true_average_precision(0.01), prevalence=0.01),
        "an area over a range": br.Claim(
            "average_precision", at_least=true_average_precision(0.003), prevalence=(0.003, 0.03)
        ),
        "a cost that is worst at either end": br.Claim(tie, at="threshold=2", at_most=fpr, prevalence=(0.05, 0.95)),
    }


@pytest.mark.slow
@pytest.mark.parametrize("which", list(claims_at_the_truth()))
def test_verdicts_are_wrong_no_more_often_than_they_say(which):
    """Met although false, or broken although true: each in at most 5 % of samples (50 positives, 1,000 negatives)."""
    from scipy.stats import binom

    asked = claims_at_the_truth()[which]._checked
    n, verdicts = 300, {"met": 0, "broken": 0, "undecided": 0}
    y = np.repeat([1, 0], [50, 1000])
    for i in range(n):
        rng = np.random.default_rng([11, i])
        sample = br.Curve.from_scores(y, rng.normal(SHIFT * y, 1))
        here = asked
        if asked.rule is not None and not asked.rule.is_given:
            threshold = asked.rule.on(sample.at_prevalence(asked.prevalence)).threshold
            here = replace(asked, bound=float(true_precision(threshold, asked.prevalence)))
        verdicts[claims._verdict(here, claims._estimated(here, sample, 0.9, 400, rng))] += 1
    most = binom.ppf(0.999, n, 0.05)  # what chance makes of 5 %
    print(f"{which}: met {verdicts['met'] / n:.3f}, broken {verdicts['broken'] / n:.3f} of {n}")
    assert verdicts["met"] <= most
    assert verdicts["broken"] <= most
