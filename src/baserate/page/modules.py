"""The modules of the page's script, as one script."""

import re
from importlib.resources import files

_IMPORT = re.compile(r'^import (?:\{[^}]*\} from )?"\./([\w.]+)";\n', re.MULTILINE)
_TYPES = re.compile(r"^[ \t]*/\*\*(?:(?!\*/).)*\*/[ \t]*\n?", re.MULTILINE | re.DOTALL)
_COMMENT = re.compile(r"^[ \t]*//.*\n", re.MULTILINE)
_EXPORT = re.compile(r"^export ", re.MULTILINE)


def inlined(first: str) -> str:
    """A module and all that it imports as one script, each after those that it imports; comments are left out.

    All names share one scope then. A browser refuses a script that declares a name twice, and so do the tests.
    """
    texts: dict[str, str] = {}
    _collect(first, texts)
    return "\n".join(texts.values())


def _collect(name: str, texts: dict[str, str]) -> None:
    if name in texts:
        return
    source = (files("baserate.page") / "script" / name).read_text("utf-8")
    for imported in _IMPORT.findall(source):
        _collect(imported, texts)
    bare = _COMMENT.sub("", _TYPES.sub("", _EXPORT.sub("", _IMPORT.sub("", source))))
    texts[name] = bare.strip() + "\n"
