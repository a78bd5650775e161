"""The page in a real browser, opened from disk with the network off."""

import time

import numpy as np
import pytest

import baserate as br
from helpers.browsing import HOSTILE, interval, near, quietly, shown

pytestmark = pytest.mark.browser

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


def test_alerts_are_those_of_the_library_s_point(opened, models):
    at = models["old_model"].at_recall(0.5).at_prevalence("1:1000")
    found = {row: float(cells[0][0].replace(",", "")) for row, cells in shown(opened, "points").items() if "day" in row}
    share = at.prevalence
    assert found["Alerts a day"] == pytest.approx(1e5 * (share * at.tpr + (1 - share) * at.fpr), abs=0.5)
    assert found["Positives missed a day"] == pytest.approx(1e5 * share * (1 - at.tpr), rel=0.005)
    opened.fill("#traffic", "99970")
    opened.fill("#share", "0.001")
    assert opened.locator("#natural").text_content().startswith("Of 99,970 cases a day, 100 are positive.")


@pytest.mark.parametrize("prevalence", [0.9, 0.02, 0.000002])
def test_hard_models_too_have_the_library_s_values(opened_hard, hard, prevalence):
    _, models, slices = hard
    opened_hard.fill("#share", str(prevalence))
    found = shown(opened_hard, "headline")
    for label, metric in AREAS.items():
        for curve, (text, small) in zip(models.values(), found[label], strict=True):
            value = metric(curve.at_prevalence(prevalence))
            assert near(text, value), (label, text)
            low, high = interval(small) if small else (value, value)
            rounding = 5e-4 if value > 0.01 else 0.005 * abs(value)
            assert low - rounding <= value <= high + rounding, (label, text, small)
    points = shown(opened_hard, "points")
    for k, curve in enumerate(models.values()):
        at = curve.at_recall(0.5).at_prevalence(prevalence)
        assert near(points["Precision"][k][0], br.precision(at))
        assert near(points["F1"][k][0], br.f1(at))
        assert curve.at_threshold(float(points["Threshold"][k][0].replace("∞", "inf"))).tpr == at.tpr
    while opened_hard.locator("#group-more-0").is_visible():
        opened_hard.click("#group-more-0")
    cells = shown(opened_hard, "group-0")
    for key, curve in slices.items():
        text, small = cells["(none)" if key is None else key][0]
        if curve.missing_class:
            assert (text, small) == ("–", curve.missing_class.sentence)
        else:
            assert near(text, br.average_precision(curve.at_prevalence(prevalence)))
    assert cells["other"][0] == ["–", "there are no rows"]
    assert cells["slice 7"][1] == ["–", "there are no rows"]


def test_a_recall_picks_the_library_s_threshold(opened, models):
    opened.select_option("#model", label="old_model")
    for recall in (0.01, 0.29, 0.57, 0.99):
        opened.fill("#recall", str(recall))
        for curve, (text, _) in zip(models.values(), shown(opened, "points")["Threshold"], strict=True):
            shown_at, at = curve.at_threshold(float(text)), curve.at_recall(recall)
            assert (shown_at.tpr, shown_at.fpr) == (at.tpr, at.fpr)
        assert opened.get_attribute("#recall", "aria-valuetext") == f"{100 * recall:.3g} %"
    kept, whole = (int(word.replace(",", "")) for word in opened.text_content("#kept").split() if word[0].isdigit())
    assert kept < whole == len(models["old_model"])


def test_intervals_are_the_library_s_where_it_was_asked(opened, models):
    """Where it was asked they are computed; elsewhere they are interpolated, and said to be."""
    text = shown(opened, "headline")["Average precision"][0][1]
    found = br.estimate(br.average_precision, models["old_model"].at_prevalence("1:1000"), n_resamples=200, rng=0)
    assert interval(text) == pytest.approx((found.low, found.high), abs=5.1e-4)
    assert "≈" not in text
    opened.fill("#share", "0.0011")
    assert shown(opened, "headline")["Average precision"][0][1].startswith("≈")
    box = br.estimate(br.precision, br.Point.from_counts(tp=150, fp=0, fn=150, tn=11_700), method="box")
    assert box.low < 1  # the library's name for how the page bounds precision


def test_the_interval_of_precision_is_the_library_s(opened, models):
    curve = models["old_model"]
    at = curve.at_threshold(curve.at_recall(0.5).threshold).at_prevalence("1:1000")
    found = br.estimate(br.precision, at)
    low, _, high = shown(opened, "points")["Precision"][0][1].split()
    assert float(low) == pytest.approx(found.low, abs=5.1e-4)
    assert float(high) == pytest.approx(found.high, abs=5.1e-4)


def test_slices_follow_the_prevalence_too(opened):
    data = br.examples.payments()
    here = data["month"] == "2026-05"
    curve = br.Curve.from_scores(data["fraud"][here], data["old_model"][here])
    opened.fill("#share", "0.01")
    ((text, own),) = shown(opened, "group-0")["2026-05"]
    assert abs(float(text) - br.average_precision(curve.at_prevalence(0.01))) < 1e-4
    assert f"; own {br.average_precision(curve):.4f}; p " in own


def test_slices_have_the_library_s_intervals_where_it_was_asked(opened):
    data = br.examples.payments()
    here = data["month"] == "2026-05"
    curve = br.Curve.from_scores(data["fraud"][here], data["old_model"][here]).at_prevalence("1:1000")
    found = br.estimate(br.average_precision, curve, n_resamples=200, rng=0)
    ((_, small),) = shown(opened, "group-0")["2026-05"]
    assert interval(small.partition(";")[0]) == pytest.approx((found.low, found.high), abs=0.0051)
    assert opened.locator("#group-chart-0 .whisker").count() == 6
    opened.fill("#share", "0.03")
    found = br.estimate(br.average_precision, curve.at_prevalence(0.03), n_resamples=200, rng=0)
    ((_, small),) = shown(opened, "group-0")["2026-05"]
    assert interval(small.partition(";")[0]) == pytest.approx((found.low, found.high), abs=0.04)


def test_it_opens_at_the_model_that_the_verdict_is_about(opened, models):
    best = max(models, key=lambda name: br.average_precision(models[name].at_prevalence("1:1000")))
    assert opened.locator("#model option:checked").text_content() == best != next(iter(models))


def test_the_verdict_follows_the_prevalence(opened, models):
    asked = opened.text_content("#verdict")
    assert asked.startswith("At a prevalence of 1 in 1,000, ")
    for prevalence in (0.5, 0.00005):
        opened.fill("#share", str(prevalence))
        said = opened.text_content("#verdict").replace("\u2068", "").replace("\u2069", "").replace("\u00a0", " ")
        areas = {name: br.average_precision(curve.at_prevalence(prevalence)) for name, curve in models.items()}
        best, other = sorted(areas, key=areas.get, reverse=True)
        point = models[best].at_recall(0.5).at_prevalence(prevalence)
        where = f"At a prevalence of 1 in {1 / prevalence:,.0f}, {best}"
        if prevalence < 0.5:  # the page has no rows, and the intervals overlap
            assert said.startswith(
                f"{where} and {other} cannot be told apart by their own intervals: average precision 0."
            )
            continue
        assert said.startswith(f"{where} leads {other} (their own intervals do not overlap): average precision ")
        assert f": average precision {areas[best]:.2f} (95 % sure: ≈ " in said
        shown_right = float(said.split(" of which ")[1].split(" %")[0])
        assert shown_right == pytest.approx(100 * br.precision(point), rel=0.006)
        known = br.estimate(br.precision, point, n_resamples=200, rng=0)
        ends = [float(end.rstrip(" %")) for end in said.split("right (95 % sure: ")[1].split(")")[0].split(" to ")]
        assert ends == pytest.approx([100 * known.low, 100 * known.high], rel=0.02)
        low, high = (float(end) for end in said.split("≈ ")[1].split(")")[0].split(" to "))
        found = br.estimate(br.average_precision, models[best].at_prevalence(prevalence), n_resamples=200, rng=0)
        assert (low, high) == pytest.approx((found.low, found.high), abs=0.02)
    opened.fill("#share", "1:999")
    opened.fill("#share", "1:1000")
    assert opened.text_content("#verdict") == asked


def test_lines_break_where_a_period_has_no_value(browser, models, tmp_path):
    lonely = br.Curve.from_scores([0, 0], [0.1, 0.2])
    months = {f"2026-{k:02}": lonely if k in (3, 6) else models["old_model"] for k in range(1, 9)}
    br.write_report(tmp_path / "page.html", models, groups={"month": {"old_model": months}}, n_resamples=50)
    for tab in quietly(browser, tmp_path / "page.html"):
        lines = "[...document.querySelectorAll('#group-chart-0 .line')].map((line) => line.getAttribute('points'))"
        assert [len(line.split()) for line in tab.evaluate(lines)] == [2, 2, 2]
        assert tab.locator("#group-chart-0 .whisker").count() == 6


def test_a_daily_budget_of_alerts_chooses_the_threshold(opened, models):
    opened.fill("#traffic", "50000")
    for budget, prevalence in ((400, 0.001), (400, 0.02), (3000, 0.02)):
        opened.fill("#share", str(prevalence))
        opened.fill("#budget", str(budget))
        points = shown(opened, "points")
        for k, curve in enumerate(models.values()):
            whole = curve.at_prevalence(prevalence).at_alert_rate(budget / 50_000)
            at = curve.at_threshold(float(points["Threshold"][k][0])).at_prevalence(prevalence)
            alerts = 50_000 * br.alert_rate(at)
            assert 0.9 * budget < alerts <= budget
            assert at.tpr <= whole.tpr
            assert float(points["Alerts a day"][k][0].replace(",", "")) == pytest.approx(alerts, abs=0.5)
    assert opened.get_attribute("#recall", "aria-valuetext") == "as the alerts have it"
    opened.fill("#traffic", "25000")
    assert float(shown(opened, "points")["Alerts a day"][0][0].replace(",", "")) == pytest.approx(3000, rel=0.1)
    opened.focus("#recall")
    opened.keyboard.press("Home")
    assert opened.input_value("#budget") == ""
    assert opened.text_content("#recall-text") == "1 %"


def test_a_budget_is_met_exactly_where_all_thresholds_are_kept(browser, tmp_path):
    rng = np.random.default_rng(0)
    y = rng.random(60) < 0.3
    curve = br.Curve.from_scores(y, rng.normal(size=60) + y)
    br.write_report(tmp_path / "page.html", {"model": curve}, prevalence=[0.05], n_resamples=50)
    for tab in quietly(browser, tmp_path / "page.html"):
        for rate in (0.03, 0.2, 0.5, 1):
            tab.fill("#budget", str(100_000 * rate))
            wanted = curve.at_prevalence(0.05).at_alert_rate(rate)
            found = curve.at_threshold(float(shown(tab, "points")["Threshold"][0][0]))
            assert (found.tpr, found.fpr) == (wanted.tpr, wanted.fpr)


def test_a_budget_that_is_none_or_cannot_be_met_is_said(opened):
    before = shown(opened, "points")
    for text in ("0", "-3", "1e30"):
        opened.fill("#budget", text)
        assert opened.get_attribute("#budget", "aria-invalid") == "true"
        assert opened.text_content("#budget-text").endswith("Still none.")
        assert shown(opened, "points") == before
    opened.fill("#budget", "0.0001")
    assert "old_model\u2069 raises " in opened.text_content("#budget-text")
    opened.fill("#budget", "")
    assert shown(opened, "points") == before
    assert opened.text_content("#budget-text") == ""


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
    for _ in range(50):
        opened.keyboard.press("Tab")
        reached.add(opened.evaluate("document.activeElement.id"))
    assert {"share", "recall", "budget", "model", "threshold", "traffic"} <= reached


def test_thresholds_and_traffic_can_be_set(opened, models):
    opened.fill("#share", "0.01")
    opened.fill("#traffic", "5000")
    opened.focus("#recall")
    opened.keyboard.press("End")
    points = shown(opened, "points")
    assert points["Recall"][0][0] == "1.0000"
    assert points["Positives missed a day"][0][0] == "0"
    opened.select_option("#model", label="old_model")
    opened.focus("#threshold")
    opened.keyboard.press("Home")
    strictest = shown(opened, "points")
    assert float(strictest["Threshold"][0][0]) == pytest.approx(models["old_model"].score[0], rel=1e-5)
    assert strictest["Threshold"][1] == points["Threshold"][1]  # the other model stays where it is
    assert "Of 5,000 cases a day, 50 are positive." in opened.locator("#natural").text_content()


def test_a_prevalence_that_is_none_is_refused_beside_the_box(opened):
    before = shown(opened, "headline")
    for text in ("5", "-1", "abc", "", "0", "0.95", "1 in", "in 5", "5 in 1", "0,5", "1:0", "1:2:3", "1 %2"):
        opened.fill("#share", text)
        assert opened.get_attribute("#share", "aria-invalid") == "true"
        assert opened.text_content("#share-text").endswith('or "1 in 1,000". Still 1 in 1,000.')
        assert shown(opened, "headline") == before
    for text in ("1:99", "1 in 100", "1/100", "1%", "1 %", "0.01", "10 of 1,000", " 1e-2 "):
        opened.fill("#share", "0.2")
        opened.fill("#share", text)
        assert opened.get_attribute("#share", "aria-invalid") == "false"
        assert opened.text_content("#share-text") == "1 in 100"


def test_traffic_that_is_none_is_refused_beside_the_box(opened):
    for text in ("0", "", "-3", "1e30"):
        opened.fill("#traffic", text)
        assert opened.get_attribute("#traffic", "aria-invalid") == "true"
        assert opened.text_content("#traffic-text").endswith("Still 100,000.")
    opened.fill("#traffic", "1e12")
    assert opened.text_content("#traffic-text") == ""
    assert "Of 1,000,000,000,000 cases a day" in opened.text_content("#natural")


def test_those_who_listen_to_it_find_their_way(opened_hard):
    labelled = "[...document.querySelectorAll('input, select')].every((box) => box.labels.length || box.ariaLabel)"
    assert opened_hard.evaluate(labelled)
    assert opened_hard.evaluate(
        "[...document.querySelectorAll('tbody tr')].every((row) => row.cells[0].scope === 'row')"
    )
    assert opened_hard.evaluate("[...document.querySelectorAll('th')].every((head) => head.scope)")
    assert opened_hard.evaluate("[...document.querySelectorAll('.chart svg')].every((svg) => svg.ariaLabel)")
    assert opened_hard.evaluate("[...document.querySelectorAll('h1, h2, h3')].map((h) => h.tagName)")[:2] == [
        "H1",
        "H2",
    ]
    assert opened_hard.get_attribute("#threshold", "aria-valuetext") == opened_hard.text_content("#threshold-text")
    opened_hard.keyboard.press("Tab")
    assert opened_hard.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"


def test_no_two_models_look_alike(opened_hard):
    looks = opened_hard.evaluate(
        """() => [...document.querySelectorAll("#models .legend line")].map((line) =>
            ["stroke", "stroke-dasharray"].map((name) => line.getAttribute(name)).join())"""
    )
    assert len(set(looks)) == len(looks) == 8


@pytest.mark.parametrize(("media", "width"), [("screen", 360), ("print", 700)])
def test_hard_pages_are_not_cut_off(browser, hard, media, width):
    """On a screen, what is too wide can be scrolled to within its frame; on paper nothing can, and paper is white."""
    context = browser.new_context(offline=True, viewport={"width": width, "height": 740})
    tab = context.new_page()
    tab.goto(hard[0].as_uri())
    tab.emulate_media(media=media, color_scheme="dark" if media == "print" else "light")
    tab.wait_for_function(f"document.documentElement.scrollWidth <= {width}")  # wide tables shrink when they are drawn
    scales = "[...document.querySelectorAll('.chart svg')].map((svg) => svg.clientWidth / svg.viewBox.baseVal.width)"
    assert min(tab.evaluate(scales)) > 0.9  # letters keep their size
    if media == "print":
        assert tab.evaluate("getComputedStyle(document.body).color") == "rgb(27, 31, 36)"
        cells = "[...document.querySelectorAll('td')].map((cell) => cell.getBoundingClientRect().right)"
        assert max(tab.evaluate(cells)) <= width
    context.close()


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
    # A hundred frauds need fewer numbers than a hundred thousand, but no number of rows needs many.
    assert sizes[10_000_000] - sizes[10_000] < 150_000
    assert sizes[10_000_000] < 300_000
