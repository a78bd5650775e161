"""The documentation site: built strictly, complete, and without a word to the network."""

import inspect
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
import yaml

import baserate as br
from helpers.browsing import CHROMIUM, FLAGS, quietly
from helpers.public_names import public_things
from helpers.scripts import script

slow = pytest.mark.slow  # building takes many seconds

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
FETCHED = {"src", "srcset", "poster", "data"}
NOT_FETCHED = {"canonical", "next", "prev", "edit"}  # relations of a link that name a page


class Resources(HTMLParser):
    """What a browser would load with a page, the places in it, and the formulas."""

    def __init__(self, text):
        super().__init__()
        self.loaded, self.places, self.formulas = [], [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        named = dict(attrs)
        self.loaded += [value for name, value in attrs if name in FETCHED and value]
        if tag == "link" and not NOT_FETCHED & set((named.get("rel") or "").split()):
            self.loaded.append(named["href"])
        if "id" in named:
            self.places.append(named["id"])
        self.formulas += tag == "math"


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = tmp_path_factory.mktemp("site")
    done = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture(scope="module")
def pages(site):
    return {path.relative_to(site).as_posix(): Resources(path.read_text("utf-8")) for path in site.rglob("*.html")}


def listed(nav):
    """The files in a navigation, which nests."""
    if isinstance(nav, str):
        return [nav]
    return [file for part in (nav.values() if isinstance(nav, dict) else nav) for file in listed(part)]


def test_the_pages_of_the_api_are_up_to_date():
    made = script(DOCS / "make_api.py").pages()
    there = {path.name: path.read_text("utf-8") for path in (DOCS / "api").glob("*.md")}
    assert there == made, "run python docs/make_api.py"


@slow
def test_every_page_is_in_the_navigation_and_built(pages):
    named = listed(yaml.safe_load((ROOT / "mkdocs.yml").read_text("utf-8"))["nav"])
    assert len(named) == len(set(named))
    there = {path.relative_to(DOCS).as_posix() for path in DOCS.rglob("*.md")}
    assert set(named) == there | {"changelog.md", "contributing.md"}
    assert {name.replace(".md", ".html") for name in named} <= pages.keys()


@slow
def test_nothing_is_loaded_from_elsewhere(site, pages):
    loaded = {url for page in pages.values() for url in page.loaded}
    assert len(loaded) > 10
    assert [url for url in loaded if re.match(r"(https?:)?//", url)] == []
    for path in site.rglob("*.css"):
        assert re.findall(r"(?:url\(|@import\s)\s*['\"]?(?:https?:)?//", path.read_text("utf-8")) == [], path


@slow
def test_every_public_name_has_one_entry(pages):
    places = [place for name, page in pages.items() if name.startswith("api/") for place in page.places]
    names = [name for name, _ in public_things()]
    for name in [*names, "PriorShiftClassifier", "RecalibratedClassifier", "Curve.from_scores", "Curve.at_recall"]:
        assert places.count(f"baserate.{name}") == 1, name


def seen_in_notebooks():
    """The public classes that have a view."""
    return [
        name
        for name, thing in public_things()
        if inspect.isclass(thing) and hasattr(thing, "_repr_html_") and thing is not br.results.Result
    ]


@slow
def test_every_class_with_a_notebook_view_shows_it_in_its_entry(site):
    view = script(DOCS / "every_result.py").view
    names = seen_in_notebooks()
    assert {"Curve", "results.Sweep", "monitoring.Receipt"} < set(names)
    entries = {}
    for path in (site / "api").glob("*.html"):
        _, *parts = re.split(r'<h2 id="baserate\.([\w.]+)"', path.read_text("utf-8"))
        entries |= dict(zip(parts[::2], parts[1::2], strict=True))
    assert [name for name in names if view(name.rpartition(".")[2]) not in entries[name]] == []
    assert sum(text.count('<div class="notebook">') for text in entries.values()) == len(names)
    assert view("Sweep") in (site / "results.html").read_text("utf-8")


@slow
def test_every_formula_is_drawn(site, pages):
    assert pages["api/areas.html"].formulas >= len([row for row in br.METRICS.values() if row.family.name == "AREA"])
    for name in pages:
        text = (site / name).read_text("utf-8")
        assert "arithmatex" not in text, name
        shown = re.sub(r"(?s)<(pre|code|script)\b.*?</\1>", "", text)
        assert ".. math" not in shown, name
        assert ":math:" not in shown, name
        assert re.findall(r"\$\$|\\(?:frac|eta|text|sum)\b", shown) == [], name


@slow
def test_sessions_are_told_from_code(site):
    text = (site / "index.html").read_text("utf-8")
    assert '<span class="gp">&gt;&gt;&gt; </span>' in text
    assert '<span class="go">Curve(300 pos, 11,700 neg, prevalence 1 in 40)</span>' in text


@slow
def test_public_names_link_to_their_entries(site):
    text = (site / "metrics.html").read_text("utf-8")
    for name in br.METRICS:
        assert re.search(rf'href="api/[a-z-]+\.html#baserate\.{name}"><code>{name}</code>', text), name


@pytest.mark.browser
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium")
@slow
def test_the_site_opens_as_a_file_and_can_be_searched(site):
    sync_api = pytest.importorskip("playwright.sync_api")
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=FLAGS)
        for tab in quietly(browser, site / "index.html"):
            assert tab.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
            tab.click("input.md-search__input")
            tab.keyboard.type("normalized_auc_pr")
            tab.wait_for_selector(".md-search-result__link[href*='api/areas.html']", state="attached")
            assert copied(tab).startswith("import baserate as br\ndata = br.examples.payments()")
        for tab in quietly(browser, site / "theory" / "prior-shift.html"):
            height = tab.evaluate("document.querySelector('.formula mfrac').getBoundingClientRect().height")
            assert height > 25
        browser.close()


def copied(tab):
    """The first example as the button copies it: what is typed, and nothing else."""
    text = tab.evaluate(
        """() => { const code = document.querySelector(".highlight code"); code.dataset.mdCopying = "";
                   const text = code.innerText; delete code.dataset.mdCopying; return text; }"""
    )
    assert ">>>" not in text
    assert "Curve(300 pos" not in text
    return text
