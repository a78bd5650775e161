"""A page of many models and many slices: what it costs to make, how large it is, and how quickly it opens and follows.

``python benchmarks/large_page.py`` makes a file of a million rows, has the command make the page with slices and
without, opens it in Chromium and moves its slider; ``--write docs/speed.md`` has the section take its place on the
page. Time is that of the processor, which other programs disturb little.
"""

import argparse
import shutil
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import competitors
import main_job
import numpy as np
import polars as pl
import speed
from playwright.sync_api import sync_playwright
from sections import FULL, Section, Sizes, say
from tables import table
from timing import digits, in_words
from workload import Workload

_MOVES = 8
# What is in sight while the slider is moved.
_PLACES = {"the first table": "#headline", "charts over the prevalence": "#p3", "the heat map": "[id^=group-chart]"}
_MOVE = """(place) => { slider.value = place; slider.dispatchEvent(new Event("input")); document.body.offsetHeight; }"""
_DRAWN = "(async () => { while (document.body.dataset.waiting) await new Promise((go) => setTimeout(go, 20)); })()"


class Opened(NamedTuple):
    """Seconds of the page's thread: to open it, and at each move of the slider by what is in sight."""

    opening: float
    moves: dict[str, list[float]]


def section(sizes: Sizes, n_slices: int) -> Section:
    """Everything that is asked of such a page."""
    unit = next(iter(competitors.average_precision(*Workload(sizes.rows, 0.01).rows())))
    with tempfile.TemporaryDirectory(prefix="baserate-bench-") as name:
        rows, page = Path(name) / "scores.parquet", Path(name) / "page.html"
        make_file(rows, sizes, n_slices)
        lines = []
        for what, options, aim in (
            ("without slices", [], "at most 200 units"),
            (f"{n_slices:,} slices", ["--by", "merchant"], "–"),
        ):
            say(f"{sizes.models} models, {what}")
            seconds = main_job.child_seconds(_command(rows, page, sizes.models, options))
            units = seconds / main_job.own_seconds(unit.run)
            lines.append([f"to make it, {what}", in_words(seconds), f"{digits(units)} units", aim])
        lines.append(["its size", f"{page.stat().st_size / 1e6:.2f} MB", "–", "below 2 MB"])
        found = opened(page)
    lines.append(["to open it", in_words(found.opening), "–", "–"])
    for place, seconds_of_moves in found.moves.items():
        typical, most = (in_words(pick(seconds_of_moves)) for pick in (np.median, max))
        lines.append([f"to follow the slider, at {place}", typical, f"at most {most}", "below 100 ms"])
    words = f"""Processor time of `baserate report` on a Parquet file of {sizes.rows:,} rows with {sizes.models} scores,
starting Python included, in units of one `average_precision_score` of such rows in memory. Then the page with slices,
{sizes.models * n_slices:,} of them, in Chromium: processor time of its script, styles and layout until all of it is
drawn, and until it has followed a move of the slider where it is in sight (the median of {_MOVES} moves, and the most);
what is out of sight follows after that."""
    head = f"A page of {sizes.models} models and {n_slices:,} slices"
    return Section(head, words, table(["what", "took", "compared", "aim"], lines, words=1))


def make_file(path: Path, sizes: Sizes, n_slices: int) -> None:
    """Scores of many models, as for the main job, and a column of many slices."""
    main_job.make_file(path, sizes)
    rng = np.random.default_rng(2)
    names = np.array([f"category {k:04}, goods and services" for k in range(n_slices)])
    merchant = pl.Series("merchant", names[rng.integers(0, n_slices, sizes.rows)])
    pl.read_parquet(path).with_columns(merchant).write_parquet(path)


def _command(rows: Path, page: Path, n_models: int, options: list[str]) -> list[str]:
    scores = [word for k in range(n_models) for word in ("--score", f"model_{k}")]
    asked = [str(rows), "--label", "label", *scores, "--prevalence", "1 in 1,000", "-q", "-o", str(page)]
    return [*main_job.PROGRAM, "report", *asked, *options]


def opened(path: Path) -> Opened:
    """The page in Chromium, with its slider moved at several places."""
    say("in Chromium")
    program = shutil.which("chromium") or shutil.which("google-chrome")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
        session = tab.context.new_cdp_session(tab)
        session.send("Performance.enable", {"timeDomain": "threadTicks"})
        tab.goto(path.as_uri())
        tab.wait_for_selector("#over svg")
        tab.evaluate(_DRAWN)
        opening = _spent(session)
        moves = {place: list(_moves(tab, session, where)) for place, where in _PLACES.items()}
        browser.close()
    return Opened(opening, moves)


def _moves(tab: Any, session: Any, where: str) -> Iterator[float]:
    tab.evaluate("(where) => document.querySelector(where).scrollIntoView()", where)
    tab.wait_for_timeout(300)
    for place in np.linspace(-9, -2, _MOVES).tolist():
        before = _spent(session)
        tab.evaluate(_MOVE, place)
        yield _spent(session) - before
        tab.evaluate(_DRAWN)


def _spent(session: Any) -> float:
    """Seconds of the thread so far: script, styles and layout."""
    found = {one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]}
    return float(sum(found[name] for name in ("ScriptDuration", "RecalcStyleDuration", "LayoutDuration")))


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="few rows, models and slices: not to be believed")
    parser.add_argument("--write", type=Path, metavar="FILE", help="have the section take its place there")
    options = parser.parse_args()
    found = section(replace(FULL, rows=20_000, models=10), 80) if options.quick else section(FULL, 1000)
    print(found)
    if options.write:
        options.write.write_text(speed.with_section(options.write.read_text("utf-8"), found), encoding="utf-8")


if __name__ == "__main__":
    main()
