"""Content to one HTML file that opens anywhere, without a network."""

import base64
import hashlib
import html
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from importlib.resources import files

from baserate import checks
from baserate.arrays import Prevalence
from baserate.curves.curve import Curve
from baserate.curves.saving import write_whole
from baserate.page.calibration import BINS, OWN_ROWS
from baserate.page.content import (
    DRAWS_OF_GROUPS,
    RECALL,
    Content,
    content,
    facts,
    grid,
    group_grid,
    own_prevalence,
    verdict,
    who_leads_where,
)
from baserate.page.modules import inlined
from baserate.page.small import Groups
from baserate.page.words import Json, isolated, numbers
from baserate.written import one_in

_METHODS = (
    "Reading at another prevalence assumes that the scores within each class stay as they are, and only the share of "
    "positives changes (prior shift). If the positives themselves change, so do their scores, and old data cannot show "
    "it. To test the assumption, br.prior.prior_shift_check compares the scores of two sets of labelled rows within "
    "each class; br.prior.estimate_prevalence estimates the prevalence of unlabelled rows from their scores, and tests "
    "whether any mix of the classes fits them. Slices and periods at one prevalence show it, too: if they differ, more "
    "than the mix has changed.",
    "Average precision is the step sum over the thresholds; AUC-PR interpolates as the ROC curve does (Davis & "
    "Goadrich, ICML 2006); normalized AUC-PR is measured from the lowest possible area (Boyd et al., ICML 2012), which "
    "is shaded; AUC-PRG is the area under precision gain over recall gain (Flach & Kull, NeurIPS 2015). Reading at a "
    "prevalence gives every negative the matching weight (Siblini et al., IDA 2020; Brabec et al., ICCS 2020).",
    "Intervals of areas are melded Clopper–Pearson intervals over drawn populations, within each class. Intervals of "
    "precision, recall and F1, and the bands around curves, come from exact intervals of both rates at a joint level "
    "of 95 %, for thresholds that are fixed in advance. The verdict's interval of precision is melded, too, and allows "
    "for the choice of its threshold.",
)


_COLOUR_HINT = (
    '<span class="key above"></span> above all rows of the model, <span class="key below"></span> below them. ▲ and ▼: '
    "they lie outside the interval even when it is widened for the number of cells (Bonferroni)."
)
_GROUP_HINT = (
    f"Intervals have a level of 95 %. They come from few drawn populations (at most {DRAWS_OF_GROUPS}) and are "
    "interpolated (≈) between prevalences."
)
_CHECK_HINT = (
    " The p-values are those of br.prior.prior_shift_check: do positives and negatives score here as in the first "
    "three periods? One in twenty is below 0.05 by chance. If more are, or some are far lower, more than the mix has "
    "changed."
)

_CALIBRATION_HINT = (
    f"Scores are not adjusted, and are in {BINS} bins of equal width; event rates, shares, errors and losses follow "
    "the slider. ECE is the mean distance between score and event rate; the debiased one is corrected for plug-in "
    "bias. Points on the dotted line are calibrated; bars are 95 % intervals; filled points are significantly "
    "miscalibrated, adjusted for the number of bins. The lower chart has the share of rows on a logarithmic scale. "
    "The test of Hosmer and Lemeshow assumes that the model was not fitted on these rows; calibrated scores have "
    "slope 1 and both intercepts 0."
)


@checks.declared
def report(
    path: str | os.PathLike[str],
    models: Mapping[str, Curve],
    *,
    prevalences: Prevalence | Sequence[Prevalence] = (),
    groups: Mapping[str, Mapping[str, Groups]] | None = None,
    title: str = "What the classifier will do",
    n_resamples: int = 2000,
    min_cases: int | None = None,
) -> None:
    """Write an interactive HTML report about one or more models.

    It is one file of some hundred kilobytes, whatever the number of rows: it has curves, no rows, and loads nothing
    from the network. Its prevalence slider redraws everything, with the numbers of the library.

    Parameters
    ----------
    path : path
        The file to write.
    models : mapping of str to Curve
        Curves by the name of the model.
    prevalences : float or str, or a sequence of them
        The prevalences of interest; the page opens at the first, or at that of the data.
    groups : mapping, optional
        Tables of slices or periods: for each heading, for each model, the curves by key as `curves_by` returns them.
    title : str
        The heading of the page.
    n_resamples : int
        Populations to draw for intervals of areas; at most 200 for slices and periods.
    min_cases : int, optional
        Slices and periods with fewer positives, or fewer negatives, are merged into "other". The page names groups so
        small that the scores of single rows can be inferred.

    Examples
    --------
    >>> import baserate as br, pathlib, tempfile
    >>> data = br.examples.payments()
    >>> models = {name: br.Curve.from_scores(data["fraud"], data[name]) for name in ("old_model", "new_model")}
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "page.html"
    >>> br.report(path, models, prevalences=["1 in 1,000"], n_resamples=100)
    >>> path.stat().st_size < 500_000
    True
    """
    several = prevalences if isinstance(prevalences, Iterable) and not isinstance(prevalences, str) else [prevalences]
    wanted = [checks.prevalence(prevalence) for prevalence in several]
    draws = checks.repeats(n_resamples, "n_resamples")
    least = None if min_cases is None else checks.whole_number(min_cases, "min_cases")
    write(path, content(title, models, wanted, groups or {}, n_resamples=draws, min_cases=least))


def write(path: str | os.PathLike[str], made: Content) -> None:
    """Write a page of this content."""
    # The name of a file may contain bytes that are no valid text.
    write_whole(path, page(made).encode("utf-8", "replace"))


def page(made: Content) -> str:
    """The whole file as text."""
    source = {name: (files("baserate.page") / name).read_text("utf-8") for name in ("page.html", "page.css")}
    script = inlined("page.js")
    parts = {
        "title": html.escape(made.title),
        "verdict": "".join(_verdict(number, sentence) for number, sentence in enumerate(verdict(made))),
        "compared": "Which model, where?" if len(made.models) > 1 else "How does it change with the prevalence?",
        "compared_short": "Which model" if len(made.models) > 1 else "By prevalence",
        "crossings": _crossings(made),
        "groups": "".join(_group(number, group) for number, group in enumerate(made.groups)),
        "calibration": _calibration(made),
        "facts": f"<dl>{''.join(_fact(name, said) for name, said in facts(made))}</dl>",
        "methods": "".join(f"<p>{html.escape(sentence)}</p>" for sentence in _METHODS),
        "style": source["page.css"],
        "style_hash": _hash(source["page.css"]),
        "script": script,
        "script_hash": _hash(script),
        "content": _json(made),
    }
    text = source["page.html"]
    pieces = text.split("{{")
    filled = [pieces[0]]
    for piece in pieces[1:]:
        name, rest = piece.split("}}", 1)
        filled += [parts[name], rest]
    return "".join(filled)


def _hash(text: str) -> str:
    """The hash by which the content policy of the page allows its style or script."""
    return f"sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _verdict(number: int, sentence: str) -> str:
    """A sentence of the verdict as HTML; the first one is updated by the slider."""
    mark = "" if number else ' id="verdict"'
    return f'<p class="verdict"{mark}>{html.escape(sentence)}</p>'


def _fact(name: str, said: str) -> str:
    return f"<dt>{html.escape(name)}</dt><dd>{html.escape(said)}</dd>"


def _json(made: Content) -> str:
    own = {model.name: one_in(own_prevalence(model.curve)) for model in made.models}
    alike = len(set(own.values())) == 1
    marks = [f"The data have {next(iter(own.values()))}"] if alike else [f"{isolated(n)}: {p}" for n, p in own.items()]
    marks += [f"asked for: {', '.join(map(one_in, made.asked))}"] * bool(made.asked)
    whole = {
        "prevalence": made.prevalence,
        "asked": made.asked,
        "own": list(dict.fromkeys(own_prevalence(model.curve) for model in made.models)),
        "range": numbers(made.span, 17),
        "nodes": numbers(made.span.nodes, 17),
        "recall": RECALL,
        "marks": "; ".join(marks) + ".",
        "grid": numbers(grid(made.span), 17),
        "models": [model.json for model in made.models],
        "crossings": [swap.prevalence for swap in made.lead_changes],
        "groups": made.groups,
        "group_grid": numbers(group_grid(made.span, made.prevalence), 17),
        "verdict": verdict(made)[0],
        "own_rows": OWN_ROWS,
    }
    # No "<" in a name can end the script early.
    return json.dumps(whole, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _crossings(made: Content) -> str:
    if len(made.models) < 2:
        return ""
    if not made.crossings:
        return "<p>By average precision no two models cross.</p>"
    items = "".join(f"<li>{html.escape(sentence)}</li>" for sentence in who_leads_where(made.crossings))
    return f"<p>By average precision:</p><ul>{items}</ul>"


def _group(number: int, group: Json) -> str:
    heading, hint = html.escape(str(group["name"])), _GROUP_HINT + _CHECK_HINT * bool(group["ordered"])
    return (
        f'<section aria-labelledby="group-{number}-head"><h2 id="group-{number}-head">By {heading}</h2>'
        f'<div class="groups"><label>Metric <select id="group-metric-{number}"></select></label>'
        f'<label>Find <input type="search" id="group-find-{number}"></label>'
        f'<label><input type="checkbox" id="group-details-{number}"> intervals and details</label></div>'
        f'<div class="charts"><figure><figcaption>Average precision at the chosen prevalence</figcaption>'
        f'<div id="group-chart-{number}" class="chart"></div></figure></div>'
        f'<div class="legend" role="group" aria-label="Models"></div><div class="scroll" tabindex="0">'
        f'<table id="group-{number}" aria-labelledby="group-{number}-head"></table></div>'
        f'<p class="groups"><output id="group-count-{number}"></output>'
        f'<button type="button" id="group-more-{number}">Show more</button></p>'
        f'<p class="hint">{_COLOUR_HINT} {hint}</p></section>'
    )


def _calibration(made: Content) -> str:
    said = "".join(f"<p>{html.escape(one)}</p>" for model in made.models for one in model.calibration.said)
    shown = [(number, model.name) for number, model in enumerate(made.models) if model.calibration.json]
    if not shown:
        return said
    return (
        f'{said}<div class="scroll" tabindex="0"><table id="probabilities" aria-labelledby="calibration-head"></table>'
        f'</div><p class="hint">{_CALIBRATION_HINT}</p>'
        f'<div class="charts small">{"".join(_diagram(number, name) for number, name in shown)}</div>'
    )


def _diagram(number: int, name: str) -> str:
    heading = html.escape(name)
    return (
        f'<figure><figcaption id="bins-{number}-head">Event rate over mean score: <bdi>{heading}</bdi></figcaption>'
        f'<div id="reliability-{number}" class="chart"></div><div id="shares-{number}" class="chart"></div>'
        f'<details><summary>The bins in numbers</summary><div class="scroll" tabindex="0">'
        f'<table id="bins-{number}" aria-labelledby="bins-{number}-head"></table></div></details></figure>'
    )
