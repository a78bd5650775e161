"""Examples in Markdown are run like any other test."""

from doctest import NORMALIZE_WHITESPACE

from sybil import Sybil
from sybil.parsers.markdown import PythonCodeBlockParser

pytest_collect_file = Sybil(
    parsers=[PythonCodeBlockParser(doctest_optionflags=NORMALIZE_WHITESPACE)], patterns=["*.md"]
).pytest()
