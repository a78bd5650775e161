"""Which code made a result: a long study goes on where it stopped only if nothing that matters has changed."""

import ast
import hashlib
from collections.abc import Iterable
from pathlib import Path

import baserate

# What the values and intervals of a study depend on.
ROOMS = ("calibration", "claims", "curves", "formulas", "metrics", "monitoring", "uncertainty")


PACKAGE = Path(baserate.__file__).parent


def fingerprint(files: Iterable[Path], rooms: Iterable[str] = ROOMS) -> str:
    """The library's part in a result and that of some files, without comments and docstrings."""
    modules = [file for room in rooms for file in (PACKAGE / room).glob("*.py") if not file.name.startswith("store")]
    digest = hashlib.sha256()
    for file in [*sorted(modules), *files]:
        digest.update(_without_words(file.read_text(encoding="utf-8")).encode())
    return digest.hexdigest()[:12]


def _without_words(source: str) -> str:
    tree = ast.parse(source)
    for node in ast.walk(tree):
        if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef) and ast.get_docstring(node):
            node.body = node.body[1:]
    return ast.dump(tree)
