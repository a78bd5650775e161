"""Examples in Markdown are run like any other test."""

from doctest import NORMALIZE_WHITESPACE

import pytest
from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=NORMALIZE_WHITESPACE)], patterns=["*.md"]
).pytest()

collect_ignore_glob = ["docs/make_*.py"]  # scripts, which have no examples

# Planning draws hundreds of test sets for each example; groups and differences draw often.
_SLOW_EXAMPLES = [
    *(f"docs/{page}" for page in ("design.md", "groups.md", "how-to/", "monitoring.md", "tour.md", "tutorial.md")),
    *(f"src/baserate/{room}/" for room in ("answers", "design", "monitoring", "page", "plots")),
    *(f"src/baserate/{module}.py" for module in ("results/comparisons", "uncertainty/difference", "uncertainty/lead")),
]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Pages and rooms whose examples take long are slow tests."""
    for item in items:
        if any(part in item.path.as_posix() for part in _SLOW_EXAMPLES):
            item.add_marker(pytest.mark.slow)
