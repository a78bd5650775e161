"""The coverage study of verdicts: alarms, claims, and whether scores are blamed."""

from collections.abc import Iterator

import numpy as np
from coverage_comparisons import BETTER, COMMON, Normals
from coverage_estimates import name_of
from coverage_lines import DRAWS, Answer, Asker, Scope, Setting, mistake
from coverage_models import model_of

import baserate as br
from baserate.metrics.over_prevalence import MetricFunction

# --- alarms ---------------------------------------------------------------------------------------

REFERENCE, LOOKS = 3, 9  # periods
RARE = 1e-4  # a prevalence at which few negatives decide


def alarms(setting: Setting, scope: Scope) -> Asker:
    """A model that stays while its prevalence falls to a third, or that becomes worse half-way."""
    model, worse = Normals(BETTER).model, Normals(BETTER - 1).model
    decays = setting.detail == "worse half-way"
    asked: list[tuple[str, MetricFunction, float | str | None, float]] = [
        ("average_precision", br.average_precision, None, COMMON),
        ("average_precision", br.average_precision, None, RARE),
        ("roc_auc", br.roc_auc, None, COMMON),
        ("precision at a given threshold", br.precision, 1.0, COMMON),
        ("precision at recall", br.precision, "recall >= 0.6", COMMON),
    ]

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        curves = {}
        for period in range(REFERENCE + LOOKS):
            fewer = 3 ** (-period / (REFERENCE + LOOKS - 1))
            now = worse if decays and period >= REFERENCE + LOOKS // 2 else model
            curves[period] = now.curve(rng, max(2, round(setting.n_pos * fewer)), setting.n_neg)
        for name, metric, at, eta in asked:
            found = br.monitoring.model_alarms(
                metric,
                curves,
                reference=REFERENCE,
                at=at,
                prevalence=eta,
                looks=LOOKS,
                n_resamples=DRAWS,
                rng=rng,
                min_pos=5,
            )
            question, raised = f"alarms: {name}", bool(found.alarm.any())
            if decays:
                yield Answer(question, f"{eta:g}", "model_alarms", True, raised, kind="power")
            else:
                yield mistake(question, f"{eta:g}", "model_alarms", raised)

    return ask


# --- claims ---------------------------------------------------------------------------------------


def claims(setting: Setting, scope: Scope) -> Asker:
    """Claims whose bound is what the rule gives in the population, so that neither verdict is due more than seldom."""
    model = model_of(setting.model)
    asked: list[tuple[MetricFunction, str | None]] = [
        (br.f1, "best=f1"),
        (br.recall, "precision >= 0.2"),
        (br.precision, "recall >= 0.6"),
        (br.average_precision, None),
    ]

    def bound(metric: MetricFunction, rule: str | None) -> float:
        return model.area(metric, COMMON) if rule is None else float(metric(model.chosen(rule, COMMON)))

    made = [(metric, rule, bound(metric, rule)) for metric, rule in asked]

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        curve = model.curve(rng, setting.n_pos, setting.n_neg).at_prevalence(COMMON)
        for metric, rule, least in made:
            claim = br.Claim(metric, at_least=least, at=rule, prevalence=COMMON)
            try:
                true = least if rule is None else _as_shipped(metric, rule, curve, setting)
            except br.errors.NoSuchPointError:
                continue
            verdict = br.check(claim, curve, n_resamples=DRAWS, rng=rng).verdict
            question, where = f"claim: {name_of(metric)} at {rule or 'all thresholds'}", f"{COMMON:g}"
            yield mistake(f"{question}, met", where, "check", verdict == "met" and true < least * (1 - 1e-9))
            yield mistake(f"{question}, broken", where, "check", verdict == "broken" and true >= least * (1 - 1e-9))

    return ask


def _as_shipped(metric: MetricFunction, rule: str, curve: br.Curve, setting: Setting) -> float:
    """What the threshold that these rows chose does in the population, which is what a claim is about."""
    point = br.Rule.parse(rule).on(curve)
    assert point.threshold is not None
    return float(metric(model_of(setting.model).point(point.threshold, curve.prevalence)))


# --- whether scores are blamed --------------------------------------------------------------------


def blame(setting: Setting, scope: Scope) -> Asker:
    """Scores that are right: each row is positive with the probability that it has as a score."""
    n = setting.n_pos + setting.n_neg
    share = setting.n_pos / n

    def rows(rng: np.random.Generator) -> br.Curve:
        score = rng.beta(2 * share, 2 * (1 - share), n)
        if setting.model == "levels":
            score = np.clip(np.ceil(score * 5), 1, 5) / 5 - 0.1  # a score may be 0
        positive = rng.random(n) < score
        return br.Curve.from_scores(positive, score, weight=np.exp(score) if setting.detail == "weighted" else None)

    def elsewhere(rng: np.random.Generator) -> br.Curve:
        """As many of each class, from a population in which scores are right at the prevalence that is read."""
        pos = rng.beta(2 * share + 1, 2 * (1 - share), n // 2)
        neg = rng.beta(2 * share, 2 * (1 - share) + 1, n // 2)
        return br.Curve.from_scores(np.arange(2 * len(pos)) < len(pos), np.append(pos, neg)).at_prevalence(share)

    def ask(rng: np.random.Generator) -> Iterator[Answer]:
        curve = elsewhere(rng) if setting.detail == "read elsewhere" else rows(rng)
        if curve.missing_class:
            return
        for name, bins in (
            ("10 bins", br.calibration.equal_width(10)),
            ("10 of equal frequency", br.calibration.equal_frequency(10)),
        ):
            found = br.reliability(curve, bins=bins)
            yield mistake("scores that are right are blamed", name, "reliability", found.leaning != "none")

    return ask
