"""A page in a real browser, and what is shown on it."""

import shutil

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome", "chrome"))), None)
FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking"]
HOSTILE = '<img src=x onerror="window.hacked=1"> & <b>bold</b>'


def quietly(browser, path):
    """The page; whatever the console says is a failure."""
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


def until(tab, condition):
    """Wait for it; Playwright's own way would need the page to allow scripts made of text."""
    tab.evaluate(f"(async () => {{ while (!({condition})) await new Promise((go) => setTimeout(go, 20)); }})()")
    return tab


def settled(tab):
    """The page, after what is out of sight has been drawn as well."""
    return until(tab, "!document.body.dataset.waiting")


def shown(tab, table):
    """A table as its cells' main texts and small print, by the name of the row, or of the column."""
    script = """(id) => { const table = document.getElementById(id);
        const small = (cell) => cell.querySelector("small")?.textContent ?? "";
        return [table.dataset.turned === "true", [...table.rows].map((row) => [...row.cells].map((cell) =>
            [cell.firstChild ? cell.firstChild.textContent : "", small(cell)]))]; }"""
    turned, (head, *rows) = settled(tab).evaluate(script, table)
    if turned:
        return {head[k][0]: [row[k] for row in rows] for k in range(1, len(head))}
    return {row[0][0]: row[1:] for row in rows}


def near(text, value):
    """Equal to the digits shown; the last one may be rounded the other way."""
    mantissa, _, exponent = text.partition("e")
    unit = 10.0 ** (int(exponent or 0) - len(mantissa.partition(".")[2]))
    return abs(float(text) - value) <= 0.56 * unit


def interval(small):
    """The ends of one as shown."""
    low, _, high = small.removeprefix("≈").split()
    return float(low), float(high)
