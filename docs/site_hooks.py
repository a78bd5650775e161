"""What mkdocs does to the pages beyond Markdown, so that their source stays readable where the code is hosted.

Formulas between dollar signs become MathML, which browsers draw without a script; examples with prompts are coloured as
the sessions they are; the first mention of a public name links to its entry; CHANGELOG and CONTRIBUTING are pages, too.
``<!-- notebook view of Sweep -->`` becomes what a notebook shows.
"""

import html
import inspect
import posixpath
import re
import runpy
from pathlib import Path

from latex2mathml.converter import convert
from mkdocs.config.defaults import MkDocsConfig
from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files
from mkdocs.structure.pages import Page

import baserate as br

# A public name as it is said, with the room it is in.
_ENTRIES = {
    member: f"{name}.{member}"
    for name in br.__all__
    if inspect.ismodule(getattr(br, name))
    for member in getattr(getattr(br, name), "__all__", ())
} | {name: name for name in br.__all__}

ROOT = Path(__file__).resolve().parents[1]
ROOT_PAGES = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md"}

_FENCED = re.compile(r"^([ ]*)(```+|~~~+).*?^\1\2[ ]*$", re.MULTILINE | re.DOTALL)
_VIEW = re.compile(r"<!-- notebook view of (\w+) -->")
_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_CODE = re.compile(r"^#.*$|\[[^\]]*\][(\[]|``.*?``|`([^`\n]+)`", re.MULTILINE)  # not in headings, links, double quotes
_LINK = re.compile(r"\]\(([^)#:\s]+\.md)(#[^)\s]*)?\)")
_FORMULA = re.compile(r'<(span|div) class="arithmatex">(.*?)</\1>', re.DOTALL)

_view = runpy.run_path(str(Path(__file__).with_name("every_result.py")))["view"]


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that live in the root of the repository."""
    for source, target in ROOT_PAGES.items():
        files.append(File.generated(config, target, abs_src_path=str(ROOT / source)))
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Colour sessions, drop what only tests read, mend links that leave the folder, and link public names."""
    uri = page.file.src_uri
    text, fences = outside_fences(markdown)
    text = _VIEW.sub(lambda found: _view(found[1]), text)
    text = _COMMENT.sub("", text)
    text = _LINK.sub(lambda link: f"]({retargeted(link[1], uri)}{link[2] or ''})", text)
    if not uri.startswith("api/") and uri not in ROOT_PAGES.values():
        text = link_names(text, every=uri == "metrics.md")
    return with_fences(text, [session(fence) for fence in fences])


def on_page_content(content: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Draw the formulas."""
    return _FORMULA.sub(lambda found: formula(found[2], block=found[1] == "div", where=page.file.src_uri), content)


# --- code blocks ----------------------------------------------------------------------------------


def outside_fences(markdown: str) -> tuple[str, list[str]]:
    """The text with a mark in place of each code block, and the blocks."""
    fences: list[str] = []

    def keep(found: re.Match[str]) -> str:
        fences.append(found[0])
        return f"\x00{len(fences) - 1}\x00"

    return _FENCED.sub(keep, markdown), fences


def with_fences(text: str, fences: list[str]) -> str:
    """The blocks back in their places."""
    return re.sub("\x00(\\d+)\x00", lambda mark: fences[int(mark[1])], text)


def session(fence: str) -> str:
    r"""A code block named for what it shows.

    Examples
    --------
    >>> session("```python\n>>> 1 + 1\n2\n\n```")
    '```pycon\n>>> 1 + 1\n2\n```'
    >>> session("```\n$ make docs\n```")
    '```console\n$ make docs\n```'
    """
    fence = re.sub(r"\n+(\s*(?:```+|~~~+)\s*)$", r"\n\1", fence)  # the empty line that ends a tested example
    fence = re.sub(r"^(\s*```+)python(\n\s*>>> )", r"\1pycon\2", fence)
    return re.sub(r"^(\s*```+)(\n\s*\$ )", r"\1console\2", fence)


# --- links ----------------------------------------------------------------------------------------


def retargeted(link: str, page: str) -> str:
    """Where a link between files of the repository leads within the site.

    Examples
    --------
    >>> retargeted("../CHANGELOG.md", "index.md")
    'changelog.md'
    >>> retargeted("docs/prior.md", "contributing.md")
    'prior.md'
    >>> retargeted("../intervals.md", "how-to/is-it-good.md")
    '../intervals.md'
    """
    source = "" if page in ROOT_PAGES.values() else "docs"
    target = posixpath.normpath(posixpath.join(source, posixpath.dirname(page) if source else "", link))
    if target == "README.md":
        target = "docs/index.md"
    inside = ROOT_PAGES.get(target, target.removeprefix("docs/"))
    return posixpath.relpath(inside, posixpath.dirname(page) or ".")


def link_names(text: str, *, every: bool) -> str:
    r"""Link the first mention of each public name to its entry.

    A plain word such as `check` may mean something else; only ``br.check`` is linked then, unless `every` word in
    backticks is a public name.

    Examples
    --------
    >>> link_names("`estimate_prevalence`, `br.check`, `check`, `br.check`", every=False)
    '[`estimate_prevalence`][baserate.prior.estimate_prevalence], [`br.check`][baserate.check], `check`, `br.check`'
    >>> link_names("# The `Curve`\n[what a `Curve` is](curve.md), ``Curve``", every=False)
    '# The `Curve`\n[what a `Curve` is](curve.md), ``Curve``'
    """
    seen: set[str] = set()

    def linked(found: re.Match[str]) -> str:
        words = found[1] or ""
        name = words.removeprefix("br.")
        telling = every or name != words or name != name.lower() or "_" in name
        entry = entry_of(name)
        if entry is None or not telling or entry in seen:
            return found[0]
        seen.add(entry)
        return f"[{found[0]}][baserate.{entry}]"

    return _CODE.sub(linked, text)


def entry_of(name: str) -> str | None:
    """The entry of a public name, with its room, or of a method of it after a dot; None if it has none.

    Examples
    --------
    >>> [entry_of(name) for name in ("ece", "test_set", "design.test_set", "Curve.at_recall", "curve.pos", "numpy")]
    ['ece', 'design.test_set', 'design.test_set', 'Curve.at_recall', None, None]
    """
    if name in _ENTRIES:
        return _ENTRIES[name]
    owner, _, member = name.partition(".")
    there = owner in br.__all__ and member and not member.startswith("_")
    return name if there and callable(getattr(getattr(br, owner), member, None)) else None


# --- formulas -------------------------------------------------------------------------------------


def formula(source: str, *, block: bool, where: str) -> str:
    r"""LaTeX as MathML.

    Examples
    --------
    >>> "<mfrac>" in formula(r"\(\frac{1}{2}\)", block=False, where="here")
    True
    """
    latex = html.unescape(source).strip()[2:-2].strip()
    try:
        drawn = convert(latex, display="block" if block else "inline")
    except Exception as problem:
        raise PluginError(f"{where}: the formula {latex!r} cannot be drawn: {problem!r}") from problem
    return f'<div class="formula">{drawn}</div>' if block else drawn
