"""The sentences of the library: docstrings and messages that are understood at the first reading."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs" / "how-to").glob("*.md"))]
COMMANDS = sorted((ROOT / "src" / "baserate" / "cli").glob("*.py"))
# 1:1000 is 1 in 1,001; 1:999 stands where odds are explained.
ODDS = re.compile(r"""(--prevalence |prevalences?(=|\(| = )\[?["'])1:(?!999\b)\d""")
DOCUMENTED = ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
# Docstrings that begin so are read twice: the reader has to look up what is meant.
UNCLEAR_BEGINNINGS = (
    "As if",
    "Back from",
    "Below which",
    "By how much",
    "From where",
    "From which",
    "Of ",
    "So many",
    "That of",
    "The same",
    "Those of",
    "Who ",
    "Whose",
)
RIDDLES = (
    "= will do",
    "a closer look",
    "chance makes more",
    "cries wolf",
    "cubic will do",
    "from where to where",
    "helping of noise",
    "how often intervals",
    "how well average precision",
    "if somebody",
    "in the same breath",
    "is to be",
    "kept apart",
    "likewise",
    "look less closely",
    "nobody",
    "not at all like",
    "not understood",
    "nothing to say",
    "promises nothing",
    "somebody",
    "stay as it is",
    "that is meant",
    "that was told",
    "unless another is said",
    "unless told",
    "what came",
    "what comes in",
    "what is asked of",
    "what was said",
    "where that can be",
    "where there is none",
    "whichever one",
    "who leads where",
    "whose clock",
    "whose days",
    "will not do",
    "worth while",
)


def docstrings(tree: ast.Module) -> Iterator[tuple[int, str]]:
    for node in ast.walk(tree):
        if isinstance(node, DOCUMENTED) and (text := ast.get_docstring(node)):
            yield getattr(node, "lineno", 1), text


def texts(tree: ast.Module) -> Iterator[tuple[int, str]]:
    """Every string of the code: docstrings, and what errors, warnings, help and results say."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.lineno, node.value


def riddles_of(text: str) -> list[str]:
    plain = " ".join(text.replace("`", "").split()).lower()
    return [riddle for riddle in RIDDLES if riddle in plain]


@pytest.mark.parametrize("path", SOURCES, ids=lambda path: "/".join(path.parts[-2:]))
def test_no_sentence_is_a_riddle(path):
    tree = ast.parse(path.read_text(encoding="utf-8"))
    begun = [(line, text.splitlines()[0]) for line, text in docstrings(tree) if text.startswith(UNCLEAR_BEGINNINGS)]
    said = [(line, riddle) for line, text in texts(tree) for riddle in riddles_of(text)]
    assert not begun + said


@pytest.mark.parametrize("path", [*PAGES, *COMMANDS], ids=lambda path: "/".join(path.parts[-2:]))
def test_examples_write_a_prevalence_as_one_in_so_many(path):
    assert ODDS.findall(path.read_text(encoding="utf-8")) == []


def test_riddles_are_noticed():
    """Across line breaks, in capitals, in a docstring and in a message."""
    tree = ast.parse('def f():\n    """The same, sorted."""\n    raise ValueError("Whose\\n clock cuts")')
    assert [text.startswith(UNCLEAR_BEGINNINGS) for _, text in docstrings(tree)] == [True]
    assert [riddles_of(text) for _, text in texts(tree)] == [[], ["whose clock"]]
