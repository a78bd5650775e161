"""The section about calibration in a real browser: at any prevalence it says what the library says."""

import numpy as np
import pytest

import baserate as br
from helpers.browsing import HOSTILE, interval, near, quietly, shown

pytestmark = pytest.mark.browser

PREVALENCES = [0.3, 0.004, 0.00002]


@pytest.fixture(scope="session")
def probabilities():
    """Models that are hard to calibrate, or no probabilities at all."""
    rng = np.random.default_rng(0)
    y = rng.random(4_000) < 0.2
    score = 1 / (1 + np.exp(-(rng.normal(size=4_000) + 3 * y - 2)))
    good = br.Curve.from_scores(y, score)
    edges = np.arange(21) / 20
    place = np.digitize(score, edges[1:-1])
    return {
        "good": good,
        "weighted": br.Curve.from_scores(y, score, weight=rng.exponential(size=4_000)),
        "bucketed": br.Curve.from_counts(
            edges[:-1],
            np.bincount(place, weights=y, minlength=20).astype(int),
            np.bincount(place, weights=~y, minlength=20).astype(int),
            top=edges[1:] - 1e-9,
        ),
        "log-odds": br.Curve.from_scores(y, np.log(score)),
        "certain": br.Curve.from_scores(y, np.where(score > 0.5, 1.0, np.where(score < 0.05, 0.0, score))),
        "separated": br.Curve.from_scores(y, np.where(y, 0.9, 0.1)),
        "three cases": br.Curve.from_scores([1, 0, 0], [0.5, 0.9, 0.1]),
        "read elsewhere": good.at_prevalence(0.01),
    }


@pytest.fixture(scope="session")
def path_of_probabilities(probabilities, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    br.write_report(path, probabilities, prevalence=[0.01], n_resamples=100)
    return path


@pytest.fixture
def opened_probabilities(browser, path_of_probabilities):
    yield from quietly(browser, path_of_probabilities)


def assert_same(tab, models, prevalence):
    """Errors, losses and bins of each model are those of the library to the digits shown."""
    tab.fill("#share", str(prevalence))
    found = shown(tab, "probabilities")
    judged = {name: curve for name, curve in models.items() if curve.score[-1] >= 0 and curve.top[0] <= 1}
    assert len(judged) == len(found["ECE"])
    for k, (name, curve) in enumerate(judged.items()):
        at = curve.at_prevalence(prevalence)
        for label, metric in (("ECE", br.ece), ("Debiased ECE", br.debiased_ece), ("Brier score", br.brier_score)):
            assert near(found[label][k][0], metric(at)), (name, label)
        loss = br.log_loss(at)
        assert found["Log loss"][k][0] == "∞" if np.isinf(loss) else near(found["Log loss"][k][0], loss), name
        assert_same_bins(shown(tab, f"bins-{list(models).index(name)}"), br.reliability(at))


def assert_same_bins(found, wanted):
    assert list(found) == [f"{low:.4g} – {high:.4g}" for low, high in zip(wanted.low, wanted.high, strict=True)]
    for k, (rows, score, rate, judgement) in enumerate(found.values()):
        assert float(rows[0].replace(",", "")) == pytest.approx(wanted.n[k], rel=0.005)
        assert float(rows[1].removesuffix(" %")) == pytest.approx(100 * wanted.share[k], rel=0.006)
        assert near(score[0], wanted.mean_score[k])
        assert near(rate[0], wanted.event_rate[k])
        for end, value in zip(interval(rate[1]), (wanted.rate_low[k], wanted.rate_high[k]), strict=True):
            assert end == pytest.approx(value, abs=5.1e-4 if value >= 0.01 else 0.0051 * value)
        assert judgement[0].replace("agree", "agrees") == wanted.judgement[k]


@pytest.mark.parametrize("prevalence", PREVALENCES)
def test_bins_and_errors_follow_the_prevalence_and_are_the_library_s(opened, models, prevalence):
    assert_same(opened, models, prevalence)


@pytest.mark.parametrize("prevalence", [0.9, 0.02, 0.000002])
def test_hard_probabilities_too_have_the_library_s_values(opened_probabilities, probabilities, prevalence):
    assert_same(opened_probabilities, probabilities, prevalence)


def test_what_is_known_at_the_own_prevalence_stays(opened, models):
    before = {row: cells for row, cells in shown(opened, "probabilities").items() if row not in ("ECE", "Debiased ECE")}
    line = br.calibration.cox_calibration(models["old_model"])
    assert near(before["Calibration slope"][0][0], line.slope.value)
    assert interval(before["Calibration slope"][0][1]) == pytest.approx((line.slope.low, line.slope.high), abs=5.1e-4)
    assert near(before["… its intercept"][0][0], line.intercept.value)
    assert near(before["Intercept at slope 1"][0][0], line.in_the_large.value)
    opened.fill("#share", "0.2")
    after = shown(opened, "probabilities")
    assert after["Calibration slope"] == before["Calibration slope"]
    assert after["Hosmer–Lemeshow p"] == before["Hosmer–Lemeshow p"]
    assert after["Brier score"] != before["Brier score"]


def test_undefined_things_say_why(opened_probabilities, probabilities):
    found = shown(opened_probabilities, "probabilities")
    column = [name for name in probabilities if name != "log-odds"]
    cells = {name: {row: cells[k] for row, cells in found.items()} for k, name in enumerate(column)}
    assert cells["weighted"]["Hosmer–Lemeshow p"] == ["–", "rows are weighted"]
    assert cells["certain"]["Log loss"][0] == "∞"
    assert cells["certain"]["Calibration slope"] == ["–", br.Reason.INFINITE_LOG_ODDS.sentence]
    assert cells["separated"]["Calibration slope"] == ["–", br.Reason.SEPARATED.sentence]
    assert cells["read elsewhere"] == cells["good"]
    text = opened_probabilities.text_content("#calibration")
    assert "Scores of log-odds are not probabilities: they range from -" in text
    assert opened_probabilities.locator("#reliability-3").count() == 0


def test_points_known_to_be_off_are_filled(opened, models):
    opened.fill("#share", "0.001")
    found = br.reliability(models["old_model"].at_prevalence(0.001))
    off = int((found.judgement != "agrees").sum())
    assert 0 < off < len(found.n)
    points = opened.locator("#reliability-0 svg > path:not(.whisker)")
    assert points.count() == len(found.n)
    assert opened.locator("#reliability-0 .hollow").count() == len(found.n) - off
    assert opened.locator("#reliability-0 .whisker").count() == len(found.n)
    assert opened.locator("#shares-0 .bar").count() == len(found.n)
    said = opened.get_attribute("#reliability-0 svg", "aria-label")
    assert (
        said
        == f"old_model: event rate over mean score in {len(found.n)} bins, {off} of them significantly miscalibrated"
    )
    assert opened.locator("figcaption", has_text=HOSTILE).count() == 1


def test_rare_bins_have_bars_that_can_be_seen(opened):
    for prevalence in ("0.9", "0.000001"):
        opened.fill("#share", prevalence)
        heights = opened.evaluate(
            "[...document.querySelectorAll('#shares-1 .bar')].map((bar) => +bar.getAttribute('height'))"
        )
        assert min(heights) > 2
        assert max(heights) < 100


@pytest.mark.parametrize(("media", "width"), [("screen", 390), ("print", 700)])
def test_it_fits_on_a_phone_and_on_paper(browser, path_of_probabilities, media, width):
    context = browser.new_context(offline=True, viewport={"width": width, "height": 740})
    tab = context.new_page()
    tab.goto(path_of_probabilities.as_uri())
    tab.emulate_media(media=media)
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    assert tab.evaluate("[...document.querySelectorAll('details')].every((one) => one.open)")
    assert tab.evaluate("document.documentElement.scrollWidth") <= width
    right = "[...document.querySelectorAll('#calibration svg')].map((svg) => svg.getBoundingClientRect().right)"
    assert max(tab.evaluate(right)) <= width
    context.close()


def test_a_page_without_probabilities_says_so_and_no_more(browser, tmp_path):
    curve = br.Curve.from_scores([0, 1, 0, 1, 1], [-1.5, 2.25, 0.5, 0.25, 3])
    br.write_report(tmp_path / "page.html", {HOSTILE: curve}, n_resamples=50)
    for tab in quietly(browser, tmp_path / "page.html"):
        said = tab.text_content("#calibration")
        assert said.split("\n")[-2:][0].endswith(
            f"Scores of {HOSTILE} are not probabilities: they range from -1.5 to 3."
        )
        assert tab.locator("#calibration table, #calibration svg").count() == 0
        tab.fill("#share", "0.25")
        assert tab.text_content("#share-text") == "1 in 4"
