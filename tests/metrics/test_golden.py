"""Published numbers, and numbers on which other tools agree."""

import functools
import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from scipy.special import ndtr

import baserate as br
from baserate.formulas import pointwise

GOLDEN = Path(__file__).parents[1] / "golden"
PUBLISHED = tomllib.loads((GOLDEN / "published.toml").read_text(encoding="utf-8"))
BRABEC, BOYD, SIBLINI = (PUBLISHED[name] for name in ("brabec", "boyd", "siblini"))
REFERENCE = json.loads((GOLDEN / "reference_values.json").read_text(encoding="utf-8"))


def rounded(value, printed, decimals):
    """Half a unit of the last printed digit, and no more."""
    assert abs(value - printed) <= 0.5000001 * 10.0**-decimals, (value, printed)


# --- Brabec ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(("tpr", "fpr", "prevalence", "printed"), BRABEC["precision"])
def test_brabec_precision(tpr, fpr, prevalence, printed):
    rounded(br.precision(br.Point.from_rates(tpr, fpr, prevalence=prevalence)), printed, 10)


def test_brabec_box():
    box = BRABEC["box"]
    low = br.precision(br.Point.from_rates(box["tpr"][0], box["fpr"][1], prevalence=box["prevalence"]))
    high = br.precision(br.Point.from_rates(box["tpr"][1], box["fpr"][0], prevalence=box["prevalence"]))
    rounded(low, box["precision"][0], 4)
    rounded(high, box["precision"][1], 4)


@pytest.mark.parametrize(("tpr", "s_tpr", "fpr", "s_fpr", "delta", "prevalence"), BRABEC["widest_band"])
def test_brabec_widest_band(tpr, s_tpr, fpr, s_fpr, delta, prevalence):
    low = br.Point.from_rates(tpr - s_tpr, fpr + s_fpr)
    high = br.Point.from_rates(tpr + s_tpr, fpr - s_fpr)

    def width(log_odds):
        eta = 1 / (1 + np.exp(-log_odds))
        return br.precision(high.at_prevalence(eta)) - br.precision(low.at_prevalence(eta))

    widest = minimize_scalar(lambda z: -width(z), bounds=(-15, 0), method="bounded", options={"xatol": 1e-10})
    rounded(-widest.fun, delta, 10)
    if prevalence:
        assert 1 / (1 + np.exp(-widest.x)) == pytest.approx(prevalence, rel=1e-6)


def test_brabec_box_covers_less_than_its_name():
    """Boxes of one sigma around normal estimates of the second band's rates."""
    tpr, s_tpr, fpr, s_fpr = BRABEC["widest_band"][1][:4]
    rng = np.random.default_rng(0)
    t, f = rng.normal(tpr, s_tpr, 400_000), rng.normal(fpr, s_fpr, 400_000)
    low, high = (precision_of(t - d * s_tpr, np.maximum(f + d * s_fpr, 0)) for d in (1, -1))
    truth = precision_of(np.array([tpr]), np.array([fpr]))
    assert np.mean((low <= truth) & (truth <= high)) == pytest.approx(BRABEC["box_coverage"], abs=0.002)


def precision_of(tpr, fpr, x=999.0):
    return pointwise.precision(pointwise.Confusion(tpr, 1 - tpr, x * fpr, x * (1 - fpr)))


def test_brabec_f1_swaps_once():
    swap = BRABEC["f1_swap"]
    a, b = br.Point.from_rates(*swap["a"]), br.Point.from_rates(*swap["b"])
    [found] = br.crossings(br.f1, a, b)
    rounded(found.prevalence, swap["prevalence"], 10)
    assert (found.leads_below, found.leads_above) == ("b", "a")
    # The closed form: x = b² (T1 - T2) / (T2 F1 - T1 F2).
    x = (a.tpr - b.tpr) / (b.tpr * a.fpr - a.tpr * b.fpr)
    assert found.prevalence == pytest.approx(1 / (1 + x), rel=1e-12)
    assert br.crossings(br.precision, a, b) == []


def trapezoid(curve):
    """Straight lines between PR points, as the paper draws them: a user's own metric."""
    return float(np.trapezoid(br.precision(curve), br.recall(curve)))


@pytest.mark.slow
@pytest.mark.parametrize(("metric", "name"), [(trapezoid, "trapezoid"), (br.auc_pr, "interpolated")])
def test_brabec_figure_4(metric, name):
    figure = BRABEC["figure_4"]
    curves = [br.Curve.from_rates(figure[f"tpr_{k}"], figure[f"fpr_{k}"]) for k in (1, 2)]
    for prevalence, *areas in figure[name]:
        for curve, area in zip(curves, areas, strict=True):
            rounded(metric(curve.at_prevalence(prevalence)), area, 4)
    [swap] = br.crossings(metric, *curves)
    rounded(swap.prevalence, figure[f"{name}_swap"], 6)
    assert (swap.leads_below, swap.leads_above) == ("b", "a")


# --- Boyd -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("prevalence", "low", "high", "area", "decimals"), BOYD["min_auc_pr"])
def test_boyd_minimum_area(prevalence, low, high, area, decimals):
    curve = br.Curve.from_rates([0.5], [0.1], prevalence=prevalence)
    rounded(br.min_auc_pr(curve, recall_range=(low, high)), area, decimals)


def test_boyd_minimum_average_precision():
    anchor = BOYD["min_average_precision"]
    curve = br.Curve.from_counts([0.0], [anchor["n_pos"]], [anchor["n_neg"]])
    rounded(br.min_average_precision(curve), anchor["value"], 10)


def test_boyd_last_achievable_recall():
    anchor = BOYD["last_achievable"]
    prevalence = anchor["n_pos"] / (anchor["n_pos"] + anchor["n_neg"])
    floor = [br.min_precision(br.Point.from_rates(r, 0.5, prevalence=prevalence)) for r in (anchor["recall"], 0.6)]
    assert floor[0] == pytest.approx(anchor["precision"], rel=1e-14)
    assert floor[1] > anchor["precision"]


@pytest.mark.parametrize(("negatives", "area", "normalized"), BOYD["normalized"])
def test_boyd_table_3(negatives, area, normalized):
    floor = br.min_auc_pr(br.Curve.from_rates([0.5], [0.1], prevalence=f"1:{negatives}"))
    spread = 0.0005 / (1 - floor) + 0.0005  # both numbers were printed with three digits
    assert abs((area - floor) / (1 - floor) - normalized) <= spread


# --- Siblini --------------------------------------------------------------------------------------


@functools.cache
def population(mu0):
    """The ROC curve of N(2, 1) against N(mu0, 1), so finely that the chords cost less than 1e-11."""
    thresholds = np.linspace(11, -8, 1_500_001)
    return br.Curve.from_rates(ndtr(2 - thresholds), ndtr(mu0 - thresholds))


@pytest.mark.slow
@pytest.mark.parametrize(("mu0", "prevalence", "printed", "decimals"), SIBLINI["average_precision"])
def test_siblini_population_average_precision(mu0, prevalence, printed, decimals):
    rounded(br.auc_pr(population(mu0).at_prevalence(prevalence)), printed, decimals)


@pytest.mark.slow
@pytest.mark.parametrize(("mu0", "prevalence", "printed", "decimals"), SIBLINI["auc_prg"])
def test_siblini_population_auc_prg(mu0, prevalence, printed, decimals):
    rounded(br.auc_prg(population(mu0).at_prevalence(prevalence)), printed, decimals)


@pytest.mark.parametrize(("mu0", "prevalence", "printed", "decimals"), SIBLINI["f1_at_likelihood_ratio_half"])
def test_siblini_population_f1(mu0, prevalence, printed, decimals):
    threshold = (2 + mu0) / 2 + np.log(0.5) / (2 - mu0)
    point = br.Point.from_rates(ndtr(2 - threshold), ndtr(mu0 - threshold), prevalence=prevalence)
    rounded(br.f1(point), printed, decimals)


@pytest.fixture(scope="module")
def credit_card(reference_data):
    rows = pd.read_parquet(reference_data / SIBLINI["credit_card"]["file"])
    return br.Curve.from_scores(rows["y"], rows["score"])


def test_siblini_credit_card(credit_card):
    anchors = SIBLINI["credit_card"]
    assert (credit_card.n_pos, credit_card.n_neg) == (anchors["n_pos"], anchors["n_neg"])
    for curve, values in ((credit_card, anchors["own"]), (credit_card.at_prevalence(0.5), anchors["at_half"])):
        rounded(br.average_precision(curve), values["average_precision"], 6)
        rounded(br.f1(curve.at_threshold(0.5)), values["f1_at_half"], 6)
        if "roc_auc" in values:
            rounded(br.roc_auc(curve), values["roc_auc"], 6)


def test_the_model_in_the_readme(credit_card):
    assert credit_card.at_recall(0.8).confusion == (118, 29, 28, 85_268)


def test_siblini_figure_7(credit_card):
    grid = np.geomspace(0.00172044520908676, 0.5, 20)
    swept = br.sweep(br.average_precision, credit_card, grid)
    np.testing.assert_allclose(swept.value, SIBLINI["credit_card"]["figure_7"], atol=2e-4)


# --- values on which other tools agree ------------------------------------------------------------

AREAS = {
    "auc_roc": br.roc_auc,
    "average_precision": br.average_precision,
    "aucpr_dg": br.auc_pr,
    "auprg": br.auc_prg,
    "aucpr_min": br.min_auc_pr,
    "ap_min": br.min_average_precision,
    "aucnpr_from_dg": br.normalized_auc_pr,
    "apn_from_ap": br.normalized_average_precision,
    "best_f1": br.best_f1,
    "calibrated_ap": br.average_precision,
    "calibrated_aucpr_dg": br.auc_pr,
    "calibrated_auprg": br.auc_prg,
    "calibrated_best_f1": br.best_f1,
}
POINTS = {"f1_thr0.5": br.f1, "calibrated_precision_thr0.5": br.precision, "calibrated_f1_thr0.5": br.f1}


def ours(curve, key):
    """The value that a key of the reference file names."""
    name, _, prevalence = key.partition("[")
    read = curve.at_prevalence(float(prevalence.rstrip("]"))) if prevalence else curve
    if name == "best_f1_threshold_ge":
        return read.best(br.f1).threshold
    if name in AREAS:
        return AREAS[name](read)
    name, _, side = name.rpartition("_")
    point = read.at_threshold(0.5 if side == "ge" else np.nextafter(0.5, 1))
    if name == "confusion_thr0.5":
        return point.confusion._asdict()
    return POINTS[name](point)


@pytest.mark.filterwarnings("ignore::baserate.errors.UndefinedMetricWarning")
@pytest.mark.parametrize("name", REFERENCE)
def test_other_tools_agree(name, reference_data):
    entry = REFERENCE[name]
    rows = pd.read_csv(reference_data / "reference" / entry["file"])
    curve = br.Curve.from_scores(rows["y"], rows["score"])
    assert (curve.n_pos, curve.n_pos + curve.n_neg) == (entry["n_pos"], entry["n"])
    wrong = {}
    for key, value in entry["values"].items():
        mine = ours(curve, key)
        if isinstance(value, dict):
            agrees = mine == value
        elif value is None:
            agrees = np.isnan(mine)
        else:
            agrees = abs(mine - value) <= 1e-9
        if not agrees:
            wrong[key] = (mine, value)
    assert not wrong
