"""Recalibrations that no fit has, from an edited file or made by hand, are refused."""

from dataclasses import replace

import numpy as np
import pytest

import baserate as br
from baserate.calibration import Recalibration, recalibrate
from helpers.calibration_sets import curve


@pytest.mark.parametrize(
    ("method", "part", "instead"),
    [
        ("beta", '"beta"', '"gamma"'),
        ("beta", '["a"', '["d"'),
        ("beta", '"beta"', '"none"'),
        ("logistic", '"logistic"', '"temperature"'),
        ("platt", '"$mapping": [["intercept", ', '"$mapping": [["intercept", {"$float": "inf"}], ["intercept2", '),
        ("isotonic", '"score": {"$array": [', '"score": {"$array": [0.99, '),
        ("bins", '"rate": {"$array": [', '"rate": {"$array": [2, '),
        ("bins", '"bins"', '"none"'),
    ],
)
def test_a_saved_map_that_no_fit_has_is_refused(method, part, instead):
    saved = recalibrate(curve("payments"), method).to_json()
    assert part in saved
    with pytest.raises(br.errors.InputError):
        Recalibration.from_json(saved.replace(part, instead))


@pytest.mark.parametrize(
    ("method", "wrong"),
    [
        ("beta", {"coefficients": {"a": 1.0, "b": np.nan, "c": 0.0}}),
        ("temperature", {"coefficients": {"temperature": 0.0}}),
        ("temperature", {"coefficients": {"temperature": np.nan}}),
        ("isotonic", {"score": np.array([0.5, 0.2]), "rate": np.array([0.1, 0.2])}),
        ("bins", {"score": np.array([0.2, 0.5]), "rate": np.array([0.1, 1.2])}),
        ("bins", {"score": np.array([np.nan]), "rate": np.array([0.1])}),
    ],
)
def test_a_map_that_is_none_is_refused(method, wrong):
    with pytest.raises(br.errors.InputError, match="pass what recalibrate returned"):
        replace(recalibrate(curve("payments"), method), **wrong)
