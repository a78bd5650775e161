"""docs/tutorial.md and docs/how-to/ as somebody would follow them; Sybil runs their ``>>>`` lines one by one.

``make pages`` writes what Python and a shell show now into the pages; read the difference before you
keep it.
"""

import codeop
import contextlib
import doctest
import io
import re
import subprocess
import sys
import tempfile
import xml.etree.ElementTree as ET
from pathlib import Path

import numpy as np
import pytest

from helpers.pages import DOCS, SHELL, as_shown_now
from helpers.scripts import script

pytestmark = pytest.mark.slow

TUTORIAL = DOCS / "tutorial.md"
HOW_TO = sorted((DOCS / "how-to").glob("*.md"))
IN_A_SHELL = [path for path in HOW_TO if SHELL.search(path.read_text(encoding="utf-8"))]
CLAIMS = re.compile(r"(?<=```toml\n).*?(?=```)", re.DOTALL)


def follow(folder):
    """Run the Python of the tutorial as one program, which leaves its files in the folder."""
    code = script(DOCS / "make_tutorial_picture.py").lines_of_code(TUTORIAL.read_text(encoding="utf-8"))
    program = [sys.executable, "-W", "error", "-c", "".join(code)]
    return subprocess.run(program, cwd=folder, capture_output=True, check=False, text=True, timeout=300)


def put_claims(folder, page):
    """The claims that a page shows, as the file that it names."""
    (folder / "claims.toml").write_text("".join(CLAIMS.findall(page)), encoding="utf-8")


def test_the_tutorial_works_from_its_first_line_to_its_last(tmp_path):
    done = follow(tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} == {"prevalences.svg", "screening.html", "scores.csv"}
    page = TUTORIAL.read_text(encoding="utf-8")
    assert len(re.findall(r"^\$ baserate", page, re.MULTILINE)) >= 4
    (tmp_path / "screening.html").unlink()
    assert as_shown_now(page, tmp_path) == page
    assert "1 in 200" in (tmp_path / "screening.html").read_text(encoding="utf-8")


@pytest.mark.parametrize("path", IN_A_SHELL, ids=lambda path: path.stem)
def test_shell_examples_of_a_how_to_are_true(path, tmp_path):
    page = path.read_text(encoding="utf-8")
    put_claims(tmp_path, page)
    assert as_shown_now(page, tmp_path) == page


def test_the_picture_of_the_tutorial_is_up_to_date():
    """Its words, and its lines to half a point: other versions of matplotlib may draw the rest otherwise."""
    module = script(DOCS / "make_tutorial_picture.py")
    kept, now = module.TARGET.read_text(encoding="utf-8"), module.picture()
    assert "Average precision" in words(now)
    assert words(kept) == words(now), "run python docs/make_tutorial_picture.py"
    for name in ("shape", "size"):
        np.testing.assert_allclose(line(kept, name), line(now, name), atol=0.5)


def words(picture):
    return ["".join(element.itertext()).strip() for element in ET.fromstring(picture).findall(".//{*}text")]


def line(picture, name):
    path = ET.fromstring(picture).find(f".//{{*}}g[@id='{name}']/{{*}}path").get("d")
    return np.array(re.findall(r"-?\d+(?:\.\d+)?", path), dtype=float)


@pytest.mark.parametrize("path", [TUTORIAL, *HOW_TO], ids=lambda path: path.stem)
def test_links_lead_somewhere(path):
    links = re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert links
    for link in links:
        assert (path.parent / link).exists(), link


def as_printed_now(page):
    """A page with what its ``>>>`` lines print now."""
    names, pieces = {}, []
    for piece in doctest.DocTestParser().parse(page):
        if isinstance(piece, str):
            pieces.append(piece)
            continue
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            exec(compile(piece.source, "page", "single"), names)
        first, *others = piece.source.splitlines()
        typed = [f">>> {first}", *(f"... {line}" for line in others)]
        if codeop.compile_command(piece.source.removesuffix("\n"), symbol="single") is None:
            typed.append("...")  # an empty line ends it
        pieces.append("\n".join([*typed, said.getvalue()]))
    return "".join(pieces)


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        for page in (TUTORIAL, *HOW_TO):
            put_claims(Path(folder), page.read_text(encoding="utf-8"))
            page.write_text(as_printed_now(page.read_text(encoding="utf-8")), encoding="utf-8")
            page.write_text(as_shown_now(page.read_text(encoding="utf-8"), folder), encoding="utf-8")
