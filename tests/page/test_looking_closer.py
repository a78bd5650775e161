"""Looking closer at a page: crosshairs, legends, sorting, what is kept in the address, and what can be taken away."""

import csv
import io
import re
import xml.etree.ElementTree as ElementTree

import numpy as np
import pytest

import baserate as br
from baserate.page import page as pages
from helpers.browsing import near, quietly, settled, shown, until
from helpers.npm import installed

pytestmark = pytest.mark.browser

NAMES = [f"gradient_boosting_depth_{k}" for k in range(10)]


@pytest.fixture(scope="module")
def many():
    """Ten models with long names, and forty slices, one of which is another world."""
    rng = np.random.default_rng(0)
    y = rng.random(8_000) < 0.2
    place = rng.integers(0, 40, 8_000)
    scores = {name: rng.normal(size=8_000) + (1 + k / 6) * y * (place != 7) for k, name in enumerate(NAMES)}
    models = {name: br.Curve.from_scores(y, score) for name, score in scores.items()}
    slices = {
        name: {f"region {k:02}": br.Curve.from_scores(y[place == k], score[place == k]) for k in range(40)}
        for name, score in scores.items()
    }
    return models, slices


@pytest.fixture(scope="module")
def path_of_many(many, tmp_path_factory):
    path = tmp_path_factory.mktemp("page") / "page.html"
    models, slices = many
    br.write_report(path, models, prevalence=["1 in 100", "1 in 10"], groups={"region": slices}, n_resamples=50)
    return path


@pytest.fixture
def opened_many(browser, path_of_many):
    yield from quietly(browser, path_of_many)


def tip(tab, chart):
    return tab.locator(f"#{chart} .tip")


def test_a_crosshair_reads_values_with_intervals_by_mouse(opened, models):
    opened.locator("#pr").scroll_into_view_if_needed()
    box = opened.locator("#pr svg").first.bounding_box()
    opened.mouse.move(box["x"] + box["width"] / 2, box["y"] + 80)
    said = tip(opened, "pr").text_content()
    recall = float(re.search(r"recall ([\d.]+)", said)[1])
    value, low, high = map(float, re.search(r"old_model ([\d.]+) \(([\d.]+) – ([\d.]+) at", said).groups())
    at = models["old_model"].at_recall(recall).at_prevalence("1:1000")
    assert value == pytest.approx(br.precision(at), abs=0.01)
    assert low <= value <= high
    assert opened.locator("#pr .cross circle").count() == 2
    opened.mouse.move(0, 0)
    assert tip(opened, "pr").is_hidden()
    assert opened.locator("#pr .cross").count() == 0


def test_a_crosshair_moves_by_the_keyboard_and_follows_the_slider(opened, models):
    opened.focus("#over")
    opened.keyboard.press("Home")
    assert tip(opened, "over").text_content().startswith("1 in 1,000,000")
    opened.keyboard.press("End")
    opened.keyboard.press("ArrowLeft")
    said = tip(opened, "over").text_content()
    prevalence = float(said.split(" %")[0]) / 100
    value = re.search(r"old_model ([\d.]+) ", said)[1]
    assert float(value) == pytest.approx(br.average_precision(models["old_model"].at_prevalence(prevalence)), abs=2e-3)
    opened.keyboard.press("Escape")
    assert tip(opened, "over").is_hidden()
    settled(opened).focus("#group-chart-0")
    opened.keyboard.press("ArrowRight")
    before = tip(opened, "group-chart-0").text_content()
    assert before.startswith("2026-02: ")
    opened.evaluate("slider.value = -1; slider.dispatchEvent(new Event('input'))")
    after = tip(settled(opened), "group-chart-0").text_content()
    assert after.startswith("2026-02: ")
    assert after != before


def test_every_chart_can_be_read_by_the_keyboard(opened):
    for chart in settled(opened).locator(".chart:visible").all():
        chart.focus()
        opened.keyboard.press("ArrowRight")
        name = chart.get_attribute("id")
        assert re.search(r"\d", tip(opened, name).text_content()), name
        assert chart.get_attribute("role") == "group"
        assert chart.get_attribute("aria-label").endswith("Arrow keys read values.")


def test_a_finger_reads_values_too(browser, path):
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 800}, has_touch=True)
    tab = context.new_page()
    tab.goto(path.as_uri())
    tab.locator("#pr").scroll_into_view_if_needed()
    box = tab.locator("#pr svg").first.bounding_box()
    tab.touchscreen.tap(box["x"] + box["width"] / 2, box["y"] + 100)
    assert "recall 0." in tip(tab, "pr").text_content()
    inside = tip(tab, "pr").bounding_box()
    assert inside["x"] >= 0
    assert inside["x"] + inside["width"] <= 390
    context.close()


def test_models_are_hidden_and_singled_out_in_the_legend(opened):
    entry = opened.locator("#models .legend .entry").first
    entry.locator(".toggle").click()
    settled(opened)
    assert entry.locator(".toggle").get_attribute("aria-pressed") == "false"
    assert [len(cells) for cells in shown(opened, "headline").values()] == [1] * 6
    assert opened.locator("#pr .line").count() == opened.locator("#over .line").count() == 1
    opened.locator("#models .legend .entry").nth(1).locator(".toggle").click()  # the last one stays
    assert opened.locator("#pr .line").count() == 1
    entry.hover()
    entry.locator(".only").click()
    assert opened.locator("#headline th[scope=col]").all_text_contents() == ["old_model"]
    entry.locator(".only").click()
    assert [len(cells) for cells in shown(opened, "headline").values()] == [2] * 6


def test_the_view_is_in_the_address_and_survives_a_reload(opened_many):
    tab = opened_many
    tab.fill("#share", "0.004")
    tab.fill("#traffic", "5000")
    tab.fill("#recall", "0.8")
    tab.fill("#cost-missed", "250")
    tab.locator("#models .legend .toggle").nth(2).click()
    tab.select_option("#group-metric-0", "best_f1")
    tables = [shown(tab, name) for name in ("headline", "points")]
    regions = shown(settled(tab), "group-0")
    until(tab, "location.hash.includes('best_f1')")
    address = tab.evaluate("location.hash")
    assert address == "#prevalence=0.004&recall=0.8&traffic=5000&missed=250&hidden=2&metric=best_f1"
    tab.reload()
    assert [shown(tab, name) for name in ("headline", "points")] == tables
    assert shown(settled(tab), "group-0") == regions
    assert tab.input_value("#traffic") == "5000"
    assert tab.input_value("#recall") == "0.8"
    assert tab.locator("#group-metric-0").input_value() == "best_f1"
    for nonsense in ("#prevalence=2&hidden=99&metric=x&thresholds=a,b&recall=-1", "#prevalence=&=&&%"):
        tab.goto(tab.url.partition("#")[0] + nonsense)
        tab.reload()
        assert tab.locator("#headline tbody tr").count() == len(NAMES)


def test_prevalences_are_buttons(opened_many):
    buttons = opened_many.locator("#places button")
    texts = buttons.all_text_contents()
    assert {"1 in 100 asked for", "1 in 10 asked for"} <= set(texts)
    assert any("the data" in text for text in texts)
    opened_many.get_by_role("button", name="1 in 10 asked for").click()
    assert opened_many.text_content("#share-text") == "1 in 10"
    assert opened_many.locator("#places [aria-pressed=true]").all_text_contents() == ["1 in 10 asked for"]


def test_the_contents_stay_in_sight(opened_many):
    links = opened_many.locator("#contents a")
    assert links.count() == opened_many.locator("main > section").count()
    opened_many.get_by_role("link", name="Assumptions").click()
    until(opened_many, "scrollY > 500")
    assert opened_many.locator("#contents").bounding_box()["y"] >= 0
    until(opened_many, "document.querySelector('#contents [aria-current]') !== null")
    assert "assumption" not in opened_many.evaluate("location.hash")


def test_of_many_models_the_best_are_in_colour(opened_many, many):
    models, _ = many
    legend = opened_many.locator("#models .legend")
    hint = legend.locator("xpath=preceding-sibling::p[1]")
    for prevalence in (0.01, 0.5):
        opened_many.fill("#share", str(prevalence))
        areas = {name: br.average_precision(curve.at_prevalence(prevalence)) for name, curve in models.items()}
        worst = sorted(models, key=areas.get)[:2]
        assert settled(opened_many).locator("#pr .line").count() == 8
        assert opened_many.locator("#pr .faint").count() == opened_many.locator("#over .faint").count() == 2
        assert [one.text_content() for one in legend.locator(".in-background bdi, .in-background .toggle").all()] == [
            f"\u2068{name}\u2069" for name in NAMES if name in worst
        ]
        assert hint.text_content() == "Of 10 models, 8 are in colour: the best ones here."
    entry = legend.locator(".entry").nth(NAMES.index(worst[0]))
    entry.hover()
    entry.locator(".only").click()
    assert settled(opened_many).locator("#pr .line").count() == 1
    assert opened_many.locator("#pr .faint").count() == 0
    assert hint.text_content() == ""


def test_tables_of_many_models_are_sorted(opened_many, many):
    models, _ = many
    heading = opened_many.get_by_role("button", name="AUC-ROC")
    column = "[...document.querySelectorAll('#headline tbody tr')].map((row) => row.cells[0].textContent)"
    best_first = sorted(models, key=lambda name: -br.roc_auc(models[name]))
    for order, sort in ((best_first, "descending"), (best_first[::-1], "ascending"), (NAMES, "none")):
        heading.focus()
        opened_many.keyboard.press("Enter")
        assert opened_many.evaluate(column) == order
        sorts = opened_many.locator("#headline th[scope=col]").evaluate_all("all => all.map((one) => one.ariaSort)")
        assert sorts[-1] == sort
        assert set(sorts[:-1]) == {"none"}


def test_the_heat_map_begins_with_what_differs_most(opened_many, many):
    models, slices = many
    found = rows_of(opened_many)
    assert next(iter(found)) == "region 07"
    assert len(found) == 12
    assert "▼" in found["region 07"][-1]
    last = NAMES[-1]
    for key, cells in found.items():
        at = slices[last][key].at_prevalence("1 in 100")
        assert near(cells[-1].rstrip("▼▲"), br.average_precision(at))
        is_above = br.average_precision(at) > br.average_precision(models[last].at_prevalence("1 in 100"))
        assert ("above" if is_above else "below") in opened_many.get_by_role("row", name=key).locator(
            "td"
        ).last.get_attribute("class")
    opened_many.fill("#group-find-0", "region 3")
    assert sorted(rows_of(opened_many)) == [f"region {k}" for k in range(30, 40)]
    opened_many.fill("#group-find-0", "")
    opened_many.click("#group-more-0")
    assert len(rows_of(opened_many)) == 40
    assert opened_many.locator("#group-more-0").is_hidden()
    opened_many.check("#group-details-0")
    assert "own 0." in opened_many.text_content("#group-0 tbody tr")


def rows_of(tab):
    cells = "[...document.querySelectorAll('#group-0 tbody tr')].map((row) => [...row.cells].map((c) => c.textContent))"
    return {row[0]: row[1:] for row in settled(tab).evaluate(cells)}


@pytest.mark.parametrize(("key", "metric"), [("roc_auc", br.roc_auc), ("best_f1", br.best_f1), ("auc_pr", br.auc_pr)])
def test_the_metric_of_slices_can_be_chosen(opened_many, many, key, metric):
    _, slices = many
    opened_many.select_option("#group-metric-0", key)
    for row, cells in rows_of(opened_many).items():
        assert near(cells[0].rstrip("▼▲"), metric(slices[NAMES[0]][row].at_prevalence("1 in 100")))


def test_tables_and_charts_can_be_taken_away(opened, models, tmp_path):
    with opened.expect_download() as taken:
        opened.get_by_role("button", name="Save the table as CSV: How good is it there?").click()
    rows = list(csv.reader(io.StringIO(taken.value.path().read_text("utf-8"))))
    assert taken.value.suggested_filename == "headline.csv"
    assert rows[0][:3] == ["", "old_model", "old_model (note)"]
    values = {row[0]: row[1] for row in rows[1:]}
    assert near(values["Average precision"], br.average_precision(models["old_model"].at_prevalence("1:1000")))
    with opened.expect_download() as taken:
        opened.get_by_role("button", name="Save the chart as SVG: Precision and recall").click()
    root = ElementTree.fromstring(taken.value.path().read_text("utf-8"))
    lines = [one for one in root.iter() if one.tag.endswith("polyline")]
    assert {line.get("stroke") for line in lines} >= {"rgb(0, 114, 178)", "rgb(213, 94, 0)"}
    assert all("var(" not in value for one in root.iter() for value in one.attrib.values())
    with opened.expect_download() as taken:
        opened.get_by_role("button", name="Save the chart as PNG: Precision and recall").click()
    assert taken.value.path().read_bytes().startswith(b"\x89PNG")
    copy = opened.get_by_role("button", name="Copy the table as CSV: How good is it there?")
    copy.click()
    until(opened, "[...document.querySelectorAll('.take button')].some((one) => one.textContent === 'Copied')")


def test_curves_scores_and_gains_are_tabs(opened, models):
    tabs = opened.get_by_role("tab")
    tabs.first.focus()
    for panel, words in (("scores", "positives in colour"), ("gains", "within a few hundredths of 1")):
        opened.keyboard.press("ArrowRight")
        assert words in opened.text_content(f"#panel-{panel}")
        assert opened.locator(f"#panel-{panel}").is_visible()
    opened.fill("#share", "0.5")
    assert opened.locator("#prg .line").count() == 2
    opened.get_by_role("tab", name="Scores").click()
    assert opened.locator("#scores .positives").count() == 40


def test_costs_follow_what_is_typed(opened, models):
    opened.fill("#cost-missed", "70")
    opened.fill("#cost-false", "3")
    opened.fill("#worth", "0.2")
    curve = models["old_model"]
    at = curve.at_recall(0.5).at_prevalence("1:1000")
    points = shown(opened, "points")
    assert float(points["Cost of a case"][0][0]) == pytest.approx(br.expected_cost(at, cost_fn=70, cost_fp=3), rel=5e-4)
    benefit = br.net_benefit(at, threshold_probability=0.2)
    assert float(points["Net benefit"][0][0]) == pytest.approx(benefit, rel=5e-4)
    opened.focus("#costs")
    opened.keyboard.press("ArrowRight")
    cost, threshold = re.search(r"old_model ([\d,.]+) a day at ([\d.]+)", tip(opened, "costs").text_content()).groups()
    at = curve.at_threshold(float(threshold)).at_prevalence("1:1000")
    assert float(cost.replace(",", "")) == pytest.approx(1e5 * br.expected_cost(at, cost_fn=70, cost_fp=3), rel=5e-3)
    opened.click("#cheapest")
    cost = float(shown(opened, "points")["Cost of a case"][0][0])
    assert cost <= float(points["Cost of a case"][0][0])
    all_costs = [
        br.expected_cost(curve.at_threshold(one).at_prevalence("1:1000"), cost_fn=70, cost_fp=3)
        for one in curve.score[:3000:5]
    ]
    assert cost <= min(all_costs) * 1.01
    opened.fill("#worth", "1")
    assert opened.get_attribute("#worth", "aria-invalid") == "true"
    assert opened.text_content("#worth-text").endswith("Still 0.2.")


def test_a_phone_shows_one_model_at_a_time(browser, path_of_many):
    context = browser.new_context(offline=True, viewport={"width": 390, "height": 800})
    tab = context.new_page()
    tab.goto(path_of_many.as_uri())
    assert tab.evaluate("document.documentElement.scrollWidth") == 390
    assert [len(cells) for cells in shown(tab, "headline").values()] == [1] * 6
    before = shown(tab, "headline")
    tab.select_option("#one", label=NAMES[0])
    assert shown(tab, "headline") != before
    assert tab.locator("#headline th[scope=col]").first.get_attribute("title") == NAMES[0]
    cut = """[...document.querySelectorAll("table, svg, input, select, p, h1, h2, td, th")].filter((element) => {
        const box = element.getBoundingClientRect();
        return box.width > 0 && (box.left < -0.5 || box.right > innerWidth + 0.5);
    }).length"""
    assert settled(tab).evaluate(cut) == 0
    context.close()


def test_on_paper_nothing_is_cut(browser, path_of_many):
    context = browser.new_context(offline=True, viewport={"width": 700, "height": 900})
    tab = context.new_page()
    tab.goto(path_of_many.as_uri())
    tab.emulate_media(media="print")
    tab.evaluate("window.dispatchEvent(new Event('beforeprint'))")
    settled(tab)
    cells = "Math.max(...[...document.querySelectorAll('td, .chart svg')].map((c) => c.getBoundingClientRect().right))"
    assert tab.evaluate(cells) <= 700
    assert tab.locator("#panel-scores").is_visible()
    assert tab.locator("#bar button:visible, .take:visible").count() == 0
    context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_problem(browser, path_of_many, scheme):
    # The policy of the page keeps other scripts out, also this one.
    context = browser.new_context(offline=True, color_scheme=scheme, bypass_csp=True)
    tab = context.new_page()
    tab.goto(path_of_many.as_uri())
    tab.add_script_tag(path=installed("axe-core") / "axe.min.js")
    tab.focus("#over")
    tab.keyboard.press("ArrowRight")
    found = settled(tab).evaluate("axe.run().then(({ violations }) => violations)")
    serious = {
        one["id"]: [node["html"][:150] for node in one["nodes"][:3]]
        for one in found
        if one["impact"] in {"serious", "critical"}
    }
    assert serious == {}
    context.close()


def test_a_move_of_the_slider_is_drawn_at_once(opened_many):
    """In time of the processor, which other programs on the machine do not lengthen: the script, styles and layout."""
    session = opened_many.context.new_cdp_session(opened_many)
    session.send("Performance.enable", {"timeDomain": "threadTicks"})

    def spent():
        found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
        return 1000 * sum(found[name] for name in ("ScriptDuration", "LayoutDuration", "RecalcStyleDuration"))

    before = [spent()]
    settled(opened_many).evaluate(
        """() => { for (let k = 0; k < 12; k += 1) {
            slider.value = -6 + k / 4;
            slider.dispatchEvent(new Event("input"));
            document.body.offsetHeight;
        } }"""
    )
    each = (spent() - before[0]) / 12
    print(f"a move of the slider takes {each:.0f} ms")
    assert each < 100


def test_the_content_of_a_large_page_is_compressed(browser, models, tmp_path, monkeypatch):
    monkeypatch.setattr(pages, "_LARGE", 1000)
    br.write_report(tmp_path / "page.html", models, n_resamples=50)
    assert "application/zlib" in (tmp_path / "page.html").read_text("utf-8")
    for tab in quietly(browser, tmp_path / "page.html"):
        tab.wait_for_selector("#over svg")
        tab.fill("#share", "0.01")
        found = shown(tab, "headline")["Average precision"]
        for (text, _), curve in zip(found, models.values(), strict=True):
            assert near(text, br.average_precision(curve.at_prevalence(0.01)))
