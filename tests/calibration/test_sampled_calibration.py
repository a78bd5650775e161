"""Calibration where only some rows were sampled for labelling: what is refused names the function that was called."""

import numpy as np
import pytest

import baserate as br

DATA = br.examples.payments()
SCORE, FRAUD = np.array(DATA["new_model"]), np.array(DATA["fraud"], float)
KNOWN = (SCORE >= 0.3) | (np.random.default_rng(1).random(len(SCORE)) < 0.05)
CURVE = br.Curve.from_sampled(np.where(KNOWN, FRAUD, np.nan), SCORE, rule="all >= 0.3, else 5 %")
ELSEWHERE = CURVE.at_prevalence(0.01)


@pytest.mark.parametrize(
    ("called", "name"),
    [
        (lambda: br.reliability(CURVE), "reliability"),
        (lambda: br.ece(CURVE), "ece"),
        (lambda: br.mce(CURVE), "mce"),
        (lambda: br.rms_calibration_error(CURVE), "rms_calibration_error"),
        (lambda: br.debiased_ece(CURVE), "debiased_ece"),
        (lambda: br.debiased_rms_calibration_error(CURVE), "debiased_rms_calibration_error"),
        (lambda: br.calibration.cox_calibration(CURVE), "cox_calibration"),
        (lambda: br.calibration.in_the_large(CURVE), "calibration in the large"),
        (lambda: br.calibration.in_the_small({"all": CURVE}), "calibration in the large"),
        (lambda: br.calibration.prior_effect(ELSEWHERE), "prior_effect"),
        (lambda: br.calibration.choose_recalibration(CURVE), "choose_recalibration"),
        (lambda: br.calibration.recalibrate(CURVE, "bins"), "recalibration by bins"),
        (lambda: br.calibration.isotonic_reliability(CURVE), "isotonic_reliability"),
        (lambda: br.calibration.hosmer_lemeshow(CURVE, in_sample=False), "the Hosmer–Lemeshow test"),
        (lambda: br.calibration.spiegelhalter(CURVE), "Spiegelhalter's test"),
        (lambda: br.prior.estimate_prevalence(CURVE, [0.1, 0.2]), "estimate_prevalence"),
    ],
)
def test_what_is_refused_is_named(called, name):
    with pytest.raises(br.errors.MissingInformationError, match=f"^{name} cannot yet use a curve of which only some"):
        called()


@pytest.mark.parametrize("method", ["logistic", "temperature", "beta", "platt", "isotonic"])
def test_a_map_can_be_fitted(method):
    (moved,) = br.calibration.recalibrate(CURVE, method).map([0.3])
    assert 0 < moved < 1
