"""Writes docs/api/ from the public names: ``python docs/make_api.py``.

A name goes to the page of the module that defines it, so a new one is there without being listed.
"""

import inspect
from collections.abc import Iterable
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

import baserate as br

FOLDER = Path(__file__).with_name("api")
LETTERS = r"In formulas $T$ is recall, $F$ the false positive rate, $\eta$ the prevalence that is read at."


class Page(NamedTuple):
    """One page: its file, its title, what it is about, the modules whose names it has, and which of them come first."""

    file: str
    title: str
    about: str
    modules: tuple[str, ...]
    first: tuple[str, ...] = ()


PAGES = (
    Page(
        "curves",
        "Curves and points",
        "Where everything starts: rows, counts, rates, tables and files become a `Curve`, and a threshold makes it a "
        "`Point`.",
        ("curves", "ingest", "native"),
        ("Curve", "Point", "Pair", "Models", "curve", "curves_by"),
    ),
    Page(
        "pointwise",
        "Metrics of a threshold",
        f"On a `Point` each of these is a number, on a `Curve` an array along its thresholds. {LETTERS}",
        ("metrics.rates", "metrics.predictive", "metrics.gains", "metrics.costs", "metrics.natural", "costs"),
    ),
    Page(
        "areas",
        "Metrics of a curve",
        f"One number for all thresholds, and what the worst and the clueless would get. {LETTERS}",
        ("metrics.areas", "metrics.baselines", "metrics.bounds", "registry"),
    ),
    Page(
        "over-prevalence",
        "Over prevalences",
        "A metric at many prevalences, where two models change places, and what published numbers imply.",
        ("metrics.over_prevalence", "published"),
    ),
    Page(
        "probabilities",
        "Probabilities: losses, errors, tests",
        "Losses and calibration errors, diagrams and tests of calibration, and scores moved to another prevalence.",
        ("metrics.probabilities", "metrics.calibration_errors", "calibration", "calibration.isotonic_band"),
    ),
    Page(
        "uncertainty",
        "Intervals and comparisons",
        "How well a number is known, alone and beside another model's.",
        ("uncertainty", "answers"),
        ("evaluate", "compare", "estimate", "difference"),
    ),
    Page(
        "prior",
        "The prevalence now",
        "From scores without labels, and whether only the mix has changed.",
        ("prior",),
    ),
    Page(
        "labels",
        "Labels that may be wrong",
        "How often a labeller is right, and rates corrected for it.",
        ("labels",),
    ),
    Page(
        "monitoring",
        "Groups, time and design",
        "Slices, periods, folds and agreements, the store that keeps the past, and how many labels a question needs.",
        ("monitoring", "claims", "deployment", "folds", "design", "papers"),
    ),
    Page(
        "showing",
        "Plots, page and scikit-learn",
        "Results as pictures and as a page, the doors to scikit-learn, and data to try things on.",
        ("plots", "page", "scikit", "examples"),
    ),
    Page(
        "results",
        "Results",
        "What functions return: values that never change, print themselves, and become rows, frames and JSON.",
        ("results",),
    ),
    Page(
        "errors",
        "Errors and warnings",
        "How the library says no, and why a number does not exist.",
        ("errors",),
    ),
)


def names() -> list[str]:
    """Every public name, members of public modules by their dotted name."""
    found = [*br.__all__, "PriorShiftClassifier", "RecalibratedClassifier"]
    for name in br.__all__:
        value = thing(name)
        if inspect.ismodule(value):
            found += [f"{name}.{member}" for member in members(value) if member not in br.__all__]
    return sorted(found, key=str.casefold)


def members(module: ModuleType) -> list[str]:
    """The public functions and classes of a module."""
    listed: list[str] = getattr(module, "__all__", None) or [
        name
        for name, value in vars(module).items()
        if inspect.isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    ]
    return listed


def thing(name: str) -> object:
    """What a dotted name stands for."""
    found: object = br
    for part in name.split("."):
        found = getattr(found, part)
    return found


def home(name: str) -> str:
    """The module that defines a name, without the package."""
    if name == "METRICS":
        return "registry"
    found = thing(name)
    module = found.__name__ if inspect.ismodule(found) else found.__module__
    return module.removeprefix("baserate.")


def page_of(name: str) -> Page:
    """The page a name belongs to: the one that lists the longest part of its module's name."""
    module = home(name)
    listed = [(len(part), page) for page in PAGES for part in page.modules if f"{module}.".startswith(f"{part}.")]
    if not listed:
        raise LookupError(f"no page of PAGES lists the module {module!r} of {name}")
    return max(listed, key=lambda pair: pair[0])[1]


def summary(name: str) -> str:
    """The first line of its docstring."""
    if name == "METRICS":
        return "The registered metrics by name: label, range, direction and laws of each"
    return (inspect.getdoc(thing(name)) or "").split("\n")[0].rstrip(".")


def table(rows: Iterable[str], prefix: str = "") -> str:
    """Names, linked to their entries, and what they are."""
    head = ["| name | what it is |", "|---|---|"]
    return "\n".join([*head, *(f"| [`{name}`]({prefix}#baserate.{name}) | {summary(name)} |" for name in rows)])


def directive(name: str) -> str:
    """Where the site puts the entry of a name."""
    lines = [f"::: baserate.{name}"]
    if "." in name:
        lines += ["    options:", f'      heading: "{name}"', f'      toc_label: "{name}"']
    elif inspect.ismodule(thing(name)):
        lines += ["    options:", "      members: false"]
    elif name == "Curve":
        lines += ["    options:", "      group_by_category: false"]
        lines += [f"      members: [{', '.join(methods_first(br.Curve))}]"]
    return "\n".join(lines)


def methods_first(kind: type) -> list[str]:
    """The public members of a class: methods before the rest, its own before those it inherits."""
    found = {name: None for parent in kind.__mro__ for name in vars(parent) if not name.startswith("_")}
    return sorted(found, key=lambda name: not callable(getattr(kind, name)))


def pages() -> dict[str, str]:
    """The text of each file of the folder."""
    by_page: dict[str, list[str]] = {page.file: [] for page in PAGES}
    for name in names():
        by_page[page_of(name).file].append(name)
    made = {}
    overview = [
        "# Every public name",
        "Import it as `import baserate as br`; names are `br.name`, and `br.room.name` for what is not needed daily.",
        "In signatures, `ArrayLike` is a list, an array or a series; `Prevalence` a number or text such as `1 in 200`; "
        "`Table` a dataframe, a table of an engine, a path or several; `Features` whatever the classifier takes.",
    ]
    for page in PAGES:
        rows = [*page.first, *(name for name in by_page[page.file] if name not in page.first)]
        directives = "\n\n".join(map(directive, rows))
        made[f"{page.file}.md"] = f"# {page.title}\n\n{page.about}\n\n{table(rows)}\n\n{directives}\n"
        overview += [f"## [{page.title}]({page.file}.md)", table(rows, f"{page.file}.md")]
    overview.append("These pages are made by `python docs/make_api.py`.")
    return {"index.md": "\n\n".join(overview) + "\n", **made}


if __name__ == "__main__":
    FOLDER.mkdir(exist_ok=True)
    for file, text in pages().items():
        (FOLDER / file).write_text(text, encoding="utf-8")
