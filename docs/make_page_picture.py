"""Pictures of the page for the documentation: ``make page-pictures``; needs Chromium and playwright."""

import shutil
import tempfile
from pathlib import Path
from typing import Literal

from playwright.sync_api import sync_playwright

from baserate.demo import year_as_page

DOCS = Path(__file__).parent

# By file: the width and height of the window, the colour scheme, and what to point at, if anything.
PICTURES: dict[str, tuple[int, int, Literal["light", "dark"], str | None]] = {
    "page.png": (940, 1130, "light", None),
    "page-dark.png": (940, 900, "dark", "#over"),
    "page-phone.png": (390, 844, "light", "#pr"),
}


def main() -> None:
    """Take them, of the page that ``make demo`` writes."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "demo.html"
        year_as_page(path)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        for name, (width, height, scheme, chart) in PICTURES.items():
            tab = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            tab.goto(path.as_uri())
            if chart:
                tab.evaluate("(chart) => document.querySelector(chart).scrollIntoView({ block: 'center' })", chart)
                tab.focus(chart)
                tab.keyboard.press("ArrowRight")
            tab.wait_for_timeout(500)
            tab.screenshot(path=DOCS / name)
        browser.close()


if __name__ == "__main__":
    main()
