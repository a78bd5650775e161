"""The page in a real browser, opened from disk with the network off."""

import os
import shutil
import time

import numpy as np
import pytest

import baserate as br

pytestmark = pytest.mark.browser

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
HOSTILE = '<img src=x onerror="window.hacked=1"> & <b>bold</b>'


@pytest.fixture(scope="module")
def browser():
    if CHROMIUM is None:
        if os.environ.get("BASERATE_BROWSER") == "required":
            pytest.fail("no Chromium on this machine, and the page has to be tested; install the package chromium")
        pytest.skip("no Chromium on this machine; install the package chromium")
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        yield browser
        browser.close()


@pytest.fixture(scope="module")
def models():
    data = br.examples.payments()
    return {
        "old_model": br.Curve.from_scores(data["fraud"], data["old_model"]),
        HOSTILE: br.Curve.from_scores(data["fraud"], data["new_model"]),
    }


@pytest.fixture(scope="module")
def path(models, tmp_path_factory):
    data = br.examples.payments()
    by_month = {
        month: br.Curve.from_scores(data["fraud"][here], data["old_model"][here])
        for month in np.unique(data["month"]).tolist()
        if (here := data["month"] == month).any()
    }
    path = tmp_path_factory.mktemp("page") / "page.html"
    groups = {HOSTILE: {"old_model": by_month}}
    br.write_report(path, models, prevalences=["1:1000"], groups=groups, title=HOSTILE, n_resamples=200)
    return path


@pytest.fixture
def opened(browser, path):
    """The page, and whatever the console said."""
    context = browser.new_context(offline=True)
    tab = context.new_page()
    said = []
    tab.on("console", lambda message: said.append(message.text))
    tab.on("pageerror", lambda error: said.append(str(error)))
    tab.on("request", lambda request: request.url.startswith(("file:", "data:")) or said.append(request.url))
    tab.goto(path.as_uri())
    yield tab
    assert said == []
    context.close()


def shown(tab, table):
    """A table as its cells' main texts and small print, by the name of the row."""
    script = """(id) => [...document.querySelectorAll(`#${id} tbody tr`)].map((row) => [...row.cells].map((cell) =>
        [cell.firstChild ? cell.firstChild.textContent : "", cell.querySelector("small")?.textContent ?? ""]))"""
    return {row[0][0]: row[1:] for row in tab.evaluate(script, table)}


def as_shown(value):
    return f"{value:.4f}" if abs(value) >= 0.001 else f"{value:.3g}"


def near(text, value):
    """Equal to the digits shown; the last one may be rounded the other way."""
    unit = 10.0 ** -len(text.partition(".")[2]) if "e" not in text and abs(value) >= 0.001 else 0.006 * abs(value)
    return abs(float(text) - value) <= 0.51 * unit + 5e-6


AREAS = {
    "Average precision": br.average_precision,
    "AUC-PR": br.auc_pr,
    "Normalized AUC-PR": br.normalized_auc_pr,
    "AUC-PRG": br.auc_prg,
    "Best F1": br.best_f1,
    "AUC-ROC": br.roc_auc,
}


def test_it_opens_from_disk_without_a_network(opened, models):
    assert opened.locator("h1").text_content() == HOSTILE
    assert list(shown(opened, "headline")) == list(AREAS)
    assert opened.evaluate("document.querySelectorAll('svg').length") >= 5
    assert opened.evaluate("window.hacked") is None
    assert opened.evaluate("document.querySelectorAll('img, b').length") == 0


@pytest.mark.parametrize("prevalence", [0.3, 0.004, 0.00002])
def test_values_follow_the_prevalence_and_are_the_library_s(opened, models, prevalence):
    opened.fill("#share", str(prevalence))
    found = shown(opened, "headline")
    for label, metric in AREAS.items():
        for curve, (text, _) in zip(models.values(), found[label], strict=True):
            assert near(text, metric(curve.at_prevalence(prevalence))), (label, text)
    at = models["old_model"].at_recall(0.5).at_prevalence(prevalence)
    points = shown(opened, "points")
    assert near(points["Precision"][0][0], br.precision(at))
    assert near(points["F1"][0][0], br.f1(at))
    assert float(points["Threshold"][0][0]) == pytest.approx(at.threshold, rel=1e-5)


def test_intervals_are_the_library_s_at_the_grid(opened, models):
    """Between grid points they are interpolated, and said to be."""
    text = shown(opened, "headline")["Average precision"][0][1]
    found = br.estimate(br.average_precision, models["old_model"].at_prevalence("1:1000"), n_resamples=200, rng=0)
    sign, low, _, high = text.split()
    assert sign == "≈"
    assert float(low) == pytest.approx(found.low, abs=0.01)
    assert float(high) == pytest.approx(found.high, abs=0.01)
    box = br.estimate(br.precision, br.Point.from_counts(tp=150, fp=0, fn=150, tn=11_700), method="box")
    assert box.low < 1  # the library's name for how the page bounds precision


def test_the_interval_of_precision_is_the_library_s_box(opened, models):
    curve = models["old_model"]
    at = curve.at_threshold(curve.at_recall(0.5).threshold).at_prevalence("1:1000")
    found = br.estimate(br.precision, at, method="box")
    low, _, high = shown(opened, "points")["Precision"][0][1].split()
    assert float(low) == pytest.approx(found.low, abs=5.1e-4)
    assert float(high) == pytest.approx(found.high, abs=5.1e-4)


def test_slices_follow_the_prevalence_too(opened):
    data = br.examples.payments()
    here = data["month"] == "2026-03"
    curve = br.Curve.from_scores(data["fraud"][here], data["old_model"][here])
    opened.fill("#share", "0.01")
    ((text, own),) = shown(opened, "group-0")["2026-03"]
    assert abs(float(text) - br.average_precision(curve.at_prevalence(0.01))) < 1e-4
    assert own == f"own {br.average_precision(curve):.4f}"


def test_the_keyboard_moves_everything(opened):
    before = shown(opened, "headline")["Average precision"]
    opened.focus("#slider")
    opened.keyboard.press("End")
    assert opened.input_value("#share") == "0.9"
    assert opened.get_attribute("#slider", "aria-valuetext") == "90 %"
    assert shown(opened, "headline")["Average precision"] != before
    opened.keyboard.press("Home")
    assert float(opened.input_value("#share")) == pytest.approx(1e-6)
    reached = set()
    for _ in range(12):
        opened.keyboard.press("Tab")
        reached.add(opened.evaluate("document.activeElement.id"))
    assert {"share", "recall", "model", "threshold", "traffic"} <= reached


def test_thresholds_and_traffic_can_be_set(opened, models):
    opened.fill("#share", "0.01")
    opened.fill("#traffic", "5000")
    opened.focus("#recall")
    opened.keyboard.press("End")
    points = shown(opened, "points")
    assert points["Recall"][0][0] == "1.0000"
    assert points["Positives missed a day"][0][0] == "0"
    opened.focus("#threshold")
    opened.keyboard.press("Home")
    strictest = shown(opened, "points")
    assert float(strictest["Threshold"][0][0]) == pytest.approx(models["old_model"].score[0], rel=1e-5)
    assert strictest["Threshold"][1] == points["Threshold"][1]  # the other model stays where it is
    assert "Of 5,000 cases a day, 50 are positive." in opened.locator("#natural").text_content()


def test_a_phone_shows_everything(browser, path, tmp_path):
    context = browser.new_context(offline=True, viewport={"width": 360, "height": 740}, device_scale_factor=2)
    tab = context.new_page()
    tab.goto(path.as_uri())
    tab.screenshot(path=tmp_path / "phone.png", full_page=True)
    assert tab.evaluate("document.documentElement.scrollWidth") <= 360
    cut = tab.evaluate(
        """() => [...document.querySelectorAll("table, svg, input, select, p, h1, h2, td, dd")].filter((element) => {
            const box = element.getBoundingClientRect();
            return box.width > 0 && (box.left < -0.5 || box.right > innerWidth + 0.5);
        }).map((element) => element.outerHTML.slice(0, 80))"""
    )
    assert cut == []
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_text_can_be_read_in_light_and_dark(browser, path, scheme):
    context = browser.new_context(offline=True, color_scheme=scheme)
    tab = context.new_page()
    tab.goto(path.as_uri())
    ink, paper = (tab.evaluate(f"getComputedStyle(document.body).{name}") for name in ("color", "backgroundColor"))
    bright = [sum(map(int, colour[4:-1].split(","))) for colour in (ink, paper)]
    assert abs(bright[0] - bright[1]) > 450
    assert (bright[1] > bright[0]) == (scheme == "light")
    context.close()


@pytest.mark.slow
def test_ten_million_rows_make_no_larger_a_page(browser, tmp_path):
    rng = np.random.default_rng(0)
    sizes = {}
    for n in (10_000, 10_000_000):
        fraud = rng.random(n) < 0.01
        curve = br.Curve.from_scores(fraud, rng.normal(size=n) + 2 * fraud)
        path = tmp_path / f"{n}.html"
        br.write_report(path, {"model": curve}, n_resamples=100)
        sizes[n] = path.stat().st_size
        context = browser.new_context(offline=True)
        tab = context.new_page()
        started = time.perf_counter()
        tab.goto(path.as_uri())
        tab.wait_for_selector("#over svg")
        assert time.perf_counter() - started < 2
        context.close()
    assert sizes[10_000_000] < 2 * sizes[10_000]
    assert sizes[10_000_000] < 1_500_000
