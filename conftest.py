"""Examples in Markdown are run like any other test."""

from doctest import NORMALIZE_WHITESPACE

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=NORMALIZE_WHITESPACE)], patterns=["*.md"]
).pytest()

# Planning draws hundreds of test sets for each example.
_SLOW_EXAMPLES = ("docs/design.md",)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Pages of examples that take long are slow tests."""
    for item in items:
        if item.path.as_posix().endswith(_SLOW_EXAMPLES):
            item.add_marker(pytest.mark.slow)
