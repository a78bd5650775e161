"""Docstrings as the site reads them: their formulas between dollar signs, names and references as links.

Curves and results are shown as a notebook shows them, below the first lines of their docstring.
"""

import inspect
import re
import runpy
import textwrap
from pathlib import Path

import griffe

import baserate as br

_BLOCK = re.compile(r"^([ ]*)\.\. math::[ ]*(.*)\n((?:[ ]*\n|\1[ ]+.*\n?)*)", re.MULTILINE)
_INLINE = re.compile(r":math:`([^`]+)`")
_NAME = re.compile(r"(?<![`\[:])`([A-Za-z_]+)`(?![`\]])")
_DOI = re.compile(r"doi:(10\.\d+/[^\s,;]*[^\s,;.)])")
_SECTION = re.compile(r"^(\w[\w ]*\n---+\n)", re.MULTILINE)
_ARXIV = re.compile(r"arXiv:(\d{4}\.\d{4,5})")
# A name as it is said, with the room it is in.
_PUBLIC = {
    member: f"{name}.{member}"
    for name in br.__all__
    if inspect.ismodule(getattr(br, name))
    for member in getattr(getattr(br, name), "__all__", ())
} | {name: name for name in br.__all__}
_METHODS = {name for name, _ in inspect.getmembers(br.Curve, callable) if not name.startswith("_")}
_view = runpy.run_path(str(Path(__file__).with_name("every_result.py")))["view"]


class Docstrings(griffe.Extension):
    """What mkdocstrings calls for every object that it reads."""

    def on_object(self, *, obj: griffe.Object, **_: object) -> None:
        """Rewrite its docstring."""
        if obj.docstring is not None:
            known = {obj.name, *(parameter.name for parameter in getattr(obj, "parameters", ()))}
            obj.docstring.value = rewritten(obj.docstring.value, known)
            view = _view(obj.name) if obj.is_class else None
            if view is not None:
                obj.docstring.value = below_first_lines(obj.docstring.value, view)


def rewritten(text: str, own: set[str]) -> str:
    r"""Make a docstring what Markdown reads; names in `own` are not linked.

    Examples
    --------
    >>> print(rewritten("Area:\n\n.. math:: \\int_0^1 T \\, dF\n\nSee `auc_pr`, :math:`x`.\n", set()))
    Area:
    <BLANKLINE>
    $$
    \int_0^1 T \, dF
    $$
    <BLANKLINE>
    See [`auc_pr`][baserate.auc_pr], $x$.
    <BLANKLINE>
    """
    text = _BLOCK.sub(_display, text + "\n" * (not text.endswith("\n")))
    text = _INLINE.sub(r"$\1$", text)
    text = _DOI.sub(r"[doi:\1](https://doi.org/\1)", text)
    text = _ARXIV.sub(r"[arXiv:\1](https://arxiv.org/abs/\1)", text)
    return "\n".join(
        line if line.lstrip().startswith((">>>", "...")) else _NAME.sub(lambda name: _link(name, own), line)
        for line in text.split("\n")
    )


def below_first_lines(text: str, view: str) -> str:
    r"""Put a view between the sentences that a docstring begins with and its first section.

    Examples
    --------
    >>> below_first_lines("A line.\n\nMore.\n\nNotes\n-----\nSo.\n", "<div>1</div>")
    'A line.\n\nMore.\n\n<div>1</div>\n\nNotes\n-----\nSo.\n'
    """
    said, section, rest = _SECTION.split(text, maxsplit=1) if _SECTION.search(text) else (text, "", "")
    return f"{said.rstrip()}\n\n{view}\n\n{section}{rest}"


def _display(found: re.Match[str]) -> str:
    indent, first, rest = found.groups()
    lines = textwrap.dedent(rest).strip("\n").split("\n")
    body = "\n".join(f"{indent}{line}" for line in [first, *lines] if line.strip())
    return f"{indent}$$\n{body}\n{indent}$$\n\n"


def _link(found: re.Match[str], own: set[str]) -> str:
    name = found[1]
    if name in own:
        return found[0]
    if name in _PUBLIC:
        return f"[`{name}`][baserate.{_PUBLIC[name]}]"
    return f"[`{name}`][baserate.Curve.{name}]" if name in _METHODS else found[0]
