"""The picture of the page in the README: ``python docs/make_page_picture.py``; needs Chromium and playwright."""

import shutil
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

from baserate.demo import year_as_page

TARGET = Path(__file__).with_name("page.png")


def main() -> None:
    """Take it, of the page that ``make demo`` writes."""
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        path = Path(folder) / "demo.html"
        year_as_page(path)
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        tab = browser.new_page(viewport={"width": 940, "height": 1130}, color_scheme="light")
        tab.goto(path.as_uri())
        tab.screenshot(path=TARGET)
        browser.close()


if __name__ == "__main__":
    main()
