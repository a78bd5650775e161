"""The pages on theory show what the code draws, say where it comes from, and lead somewhere."""

import re
from pathlib import Path

import pytest

from helpers.scripts import script

DOCS = Path(__file__).parents[1] / "docs"
THEORY = sorted((DOCS / "theory").glob("*.md"))
PAGES = [*THEORY, DOCS / "comparison.md", DOCS / "migration.md"]
PICTURES = ["calibration-under-shift", "pr-gain", "prior-shift", "sampled-labels", "unachievable-region"]
MOST_BYTES = 30_000


@pytest.fixture(scope="module")
def drawing():
    return script(DOCS / "make_theory_pictures.py")


def words(svg):
    """What can be read in a picture."""
    return re.findall(r"<text[^>]*>([^<]*)</text>|<title>([^<]*)</title>", svg)


def lines(svg):
    """The numbers of each line and each area."""
    return [[float(number) for number in re.findall(r"-?\d+\.?\d*", path)] for path in re.findall(r' d="([^"]*)"', svg)]


def test_every_page_has_its_picture():
    assert [page.stem for page in THEORY] == PICTURES
    for page in THEORY:
        assert re.search(rf"!\[[^\]]{{30,}}\]\({page.stem}\.svg\)", page.read_text(encoding="utf-8")), page.name


@pytest.mark.slow
@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_are_up_to_date(drawing, name):
    """Not to the last digit: another matplotlib may set a text a pixel further."""
    kept, made = drawing.target(name).read_text(encoding="utf-8"), drawing.picture(name)
    advice = "run python docs/make_theory_pictures.py"
    assert words(kept) == words(made), advice
    assert len(lines(kept)) == len(lines(made)) > 5, advice
    for before, now in zip(lines(kept), lines(made), strict=True):
        assert before == pytest.approx(now, abs=2), advice
    assert len(kept.encode()) < MOST_BYTES


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_links_lead_somewhere(page):
    text = page.read_text(encoding="utf-8")
    inside = [link for link in re.findall(r"\]\(([^)#]+)[^)]*\)", text) if not link.startswith("http")]
    assert inside
    assert [link for link in inside if not (page.parent / link).is_file()] == []


@pytest.mark.parametrize("page", THEORY, ids=lambda page: page.stem)
def test_theory_has_a_formula_an_example_a_law_and_references(page):
    text = page.read_text(encoding="utf-8")
    assert text.count("$$") >= 2
    assert text.count("$$") % 2 == 0
    assert "\n>>> " in text
    assert re.search(r"^## The laws?$", text, re.MULTILINE)
    _, _, references = text.partition("\n## References\n")
    assert re.search(r"doi\.org/10\.|arxiv\.org/abs/", references)
