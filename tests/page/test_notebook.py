"""A report shows itself in a notebook: executed, exported as HTML and opened in a browser."""

import html
import json

import nbclient
import nbformat
import pytest
from nbconvert import HTMLExporter

import baserate as br
from helpers.browsing import quietly, until

pytestmark = [pytest.mark.slow, pytest.mark.browser]

_CODE = """
import baserate as br
data = br.examples.payments()
models = br.Models.from_scores(data["fraud"], {"old": data["old_model"], "new": data["new_model"]})
br.report(models, prevalence=[0.001], quick=True)
"""


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    notebook = nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(_CODE)])
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    (shown,) = (output for output in notebook.cells[0].outputs if output.output_type == "execute_result")
    assert "sandbox=" in shown["data"]["text/html"]
    text, _ = HTMLExporter(embed_images=True).from_notebook_node(notebook)
    path = tmp_path_factory.mktemp("notebook") / "notebook.html"
    # The exporter's own page fetches a library for formulas, which has nothing to do with the report.
    path.write_text("".join(part for part in text.splitlines(True) if "https://" not in part), "utf-8")
    return path


def test_the_slider_works_in_an_exported_notebook(browser, exported):
    for tab in quietly(browser, exported):
        (frame,) = (one for one in tab.frames if one is not tab.main_frame)
        asked = frame.text_content("#verdict")
        assert asked.startswith("At a prevalence of 1 in 1,000, new leads old")
        frame.fill("#share", "0.5")
        assert "old\u2069 leads" in frame.text_content("#verdict")
        at_once = frame.evaluate("""() => {
            const slider = document.getElementById("slider");
            slider.value = Number(slider.min);
            slider.dispatchEvent(new Event("input"));
            return document.getElementById("verdict").textContent;
        }""")
        assert at_once.startswith("At a prevalence of 1 in 1,000,000, ")
        # The frame has an origin of its own: it reaches neither the notebook nor what a browser keeps.
        assert frame.evaluate("window.origin") == "null"


@pytest.fixture(scope="module")
def small():
    curve = br.Curve.from_scores([0, 1, 0, 1] * 10, [0.1, 0.8, 0.4, 0.3] * 10)
    return br.report({'a "quoted" <name>': curve}, quick=True)


# Quarto writes the HTML of a result into its page, marimo has a script put it there, and Databricks shows it in a
# frame of its own without an origin.
SHOWN = {
    "in the page": "<!doctype html><body>{}",
    "by a script": "<!doctype html><body><div></div><script>document.querySelector('div').innerHTML = {}</script>",
    "in a frame": "<!doctype html><body><iframe sandbox='allow-scripts' style='width:100%' srcdoc='{}'></iframe>",
}


@pytest.mark.parametrize("how", SHOWN)
def test_the_slider_works_wherever_notebooks_put_it(browser, small, tmp_path, how):
    text = small._repr_html_()
    if how == "by a script":
        text = json.dumps(text).replace("<", "\\u003c")
    elif how == "in a frame":
        text = html.escape(text)
    (tmp_path / "notebook.html").write_text(SHOWN[how].replace("{}", text), "utf-8")
    for tab in quietly(browser, tmp_path / "notebook.html"):
        until(tab, "document.querySelector('iframe') !== null")
        tab.wait_for_timeout(300)
        frame = tab.frames[-1]
        frame.wait_for_selector("#headline tbody tr")
        before = frame.text_content("#verdict")
        frame.fill("#share", "0.01")
        assert frame.text_content("#verdict") != before
        assert frame.text_content("#share-text") == "1 in 100"


def test_the_frame_has_the_page_as_it_is_saved(small, tmp_path):
    small.save(tmp_path / "page.html")
    frame = small._repr_html_()
    assert frame.count("<") == 2  # the tag, opened and closed
    assert (tmp_path / "page.html").read_text("utf-8") == small.html
