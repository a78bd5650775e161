"""Content to one HTML file that opens anywhere, without a network."""

import base64
import hashlib
import html
import json
import zlib
from collections.abc import Sequence
from importlib.resources import files

from baserate.page.calibration import BINS, OWN_ROWS
from baserate.page.content import (
    DRAWS_OF_GROUPS,
    Content,
    main_sentence,
    verdict,
)
from baserate.page.facts import facts, own_prevalence
from baserate.page.groups import RECALL, grid, group_grid
from baserate.page.judged import JudgedSeries
from baserate.page.modules import inlined
from baserate.page.verdicts import pair_of, who_leads_where
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
    "precision, recall and likelihood ratios are those of br.estimate at the threshold. For precision they are "
    "computed at each whole percent of recall, and interpolated in between. Intervals of F1 and of costs come from "
    "exact intervals of both rates at a joint level of 95 %.",
    "Models on the same rows are compared in pairs, by the paired bootstrap with an unseen negative (br.lead). A model "
    "leads if it is better than all others with a probability of 95 %; else those that it is not surely better than "
    "cannot be told apart from it. How many more positives would decide assumes that the difference stays, and that "
    "the width of its interval falls with the square root of the number of rows.",
)


# Content of more bytes is compressed, which makes it a third as large.
_LARGE = 1_000_000

_COLOUR_HINT = (
    '<span class="key above"></span> above all rows of the model, <span class="key below"></span> below them. ▲ and ▼ '
    "mark cells whose interval does not reach the value of all rows, even widened for the number of cells (Bonferroni)."
)
_GROUP_HINT = (
    f"Intervals have a level of 95 %. They come from few drawn populations (at most {DRAWS_OF_GROUPS}) and are "
    "interpolated (≈) between prevalences."
)
# Charts of more models than this would bury the sentences, and so would more sentences about pairs of models.
_MOST_SERIES = 6
_FEW_SENTENCES = 6

_PARTS_HINT = (
    "Average precision at the prevalence of each period has changed since the first periods by the sum of these parts: "
    '<span class="key prior"></span> what the prevalence did, <span class="key model"></span> what the model did; '
    "a threshold has no part in an area. Beside them each period is read at one common prevalence, where only the "
    "model matters. Hollow marks are the reference. Upright lines are alarms of "
    "br.monitoring.judge_periods: all models together raise a false one in 5 % of series, however long. "
    "Lines through marks and bars are 95 % intervals."
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


def page(made: Content) -> str:
    """The whole file as text."""
    source = {name: (files("baserate.page") / name).read_text("utf-8") for name in ("page.html", "page.css")}
    script = inlined("page.js")
    content_type, text_of_content = _embedded(_json(made))
    parts = {
        "title": html.escape(made.title),
        "verdict": "".join(_verdict(sentence, made) for sentence in verdict(made)),
        "compared": "Which model, where?" if len(made.models) > 1 else "How does it change with the prevalence?",
        "compared_short": "Which model" if len(made.models) > 1 else "By prevalence",
        "crossings": _crossings(made),
        "judged": _judged(made),
        "groups": "".join(
            [
                *(_group(number, group) for number, group in enumerate(made.groups)),
                *(_multiples(number, one) for number, one in enumerate(made.multiples)),
            ]
        ),
        "calibration": _calibration(made),
        "facts": f"<dl>{''.join(_fact(name, said) for name, said in facts(made))}</dl>",
        "methods": "".join(f"<p>{html.escape(sentence)}</p>" for sentence in _METHODS),
        "style": source["page.css"],
        "style_hash": _hash(source["page.css"]),
        "script": script,
        "script_hash": _hash(script),
        "content_type": content_type,
        "content": text_of_content,
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


def _verdict(sentence: str, made: Content) -> str:
    """A sentence of the verdict as HTML; the main one is updated by the slider."""
    mark = ' id="verdict"' if sentence == main_sentence(made, together=made.broken) else ""
    return f'<p class="verdict"{mark}>{html.escape(sentence)}</p>'


def _fact(name: str, said: str) -> str:
    return f"<dt>{html.escape(name)}</dt><dd>{html.escape(said)}</dd>"


def _embedded(content: str) -> tuple[str, str]:
    """The content as it stands in the page, with its type: many models and slices are compressed."""
    if len(content) <= _LARGE:
        return "application/json", content
    return "application/zlib", base64.b64encode(zlib.compress(content.encode(), 9)).decode()


def _json(made: Content) -> str:
    own = {model.name: one_in(own_prevalence(model.curve)) for model in made.models}
    alike = len(set(own.values())) == 1
    marks = [f"The data have {next(iter(own.values()))}"] if alike else [f"{isolated(n)}: {p}" for n, p in own.items()]
    marks += [f"asked for: {', '.join(map(one_in, made.asked))}"] * bool(made.asked)
    if made.quick_draws is not None:
        marks.append(
            f"made quickly: intervals come from {made.quick_draws:,} drawn populations, so their ends are rough"
        )
    whole = {
        "prevalence": made.prevalence,
        "asked": made.asked,
        "own": list(dict.fromkeys(own_prevalence(model.curve) for model in made.models)),
        "range": numbers(made.span, 17),
        "nodes": numbers(made.span.nodes, 17),
        "recall": RECALL,
        "marks": "; ".join(marks) + ".",
        "grid": numbers(grid(made.span, made.asked or (made.prevalence,)), 17),
        "models": [model.json for model in made.models],
        "crossings": [swap.prevalence for swap in made.lead_changes],
        "groups": made.groups,
        "multiples": made.multiples,
        "group_grid": numbers(group_grid(made.span, made.prevalence), 17),
        "verdict": main_sentence(made, together=made.broken),
        "broken": made.broken,
        "pairs": made.compared.versus.json,
        "series": [one.json for one in made.series],
        "own_rows": OWN_ROWS,
    }
    # No "<" in a name can end the script early.
    return json.dumps(whole, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def _judged(made: Content) -> str:
    """The section on whether it is the model or the base rate; nothing without periods."""
    if not made.series:
        return ""
    # Who broke comes first, and only so many have charts.
    order = sorted(range(len(made.series)), key=lambda k: not made.series[k].broken)
    figures = "".join(_series(k, made.series[k]) for k in order[:_MOST_SERIES])
    sentences = [made.series[k].said for k in order]
    shown = max(_FEW_SENTENCES, sum(one.broken for one in made.series))
    said = _folded(sentences[:shown], sentences[shown:], "other models, of which none has changed")
    return (
        '<section id="judged" aria-labelledby="judged-head"><h2 id="judged-head" data-short="Model or base rate">Is it '
        f'the model or the base rate?</h2>{said}<p class="hint">{_PARTS_HINT}</p>{figures}'
        '<div class="charts"><figure><figcaption>Prevalence (line) and cases (bars) of each period</figcaption>'
        '<div id="moving" class="chart"></div></figure></div></section>'
    )


def _series(number: int, series: JudgedSeries) -> str:
    name, where = html.escape(series.name), series.verdict.prevalence
    common = "at one prevalence" if where is None else f"at {one_in(where)}"
    alarm = ""
    if series.verdict.first_alarm is not None:
        first = html.escape(str(series.verdict.first_alarm))
        alarm = f' <span class="alarmed">First alarm in {first}.</span>'
    return (
        f'<div class="charts"><figure><figcaption><bdi>{name}</bdi>: what has changed since the first periods'
        f'</figcaption><div id="change-{number}" class="chart"></div></figure>'
        f"<figure><figcaption><bdi>{name}</bdi>, each period {common}.{alarm}</figcaption>"
        f'<div id="timeline-{number}" class="chart"></div></figure></div>'
    )


def _crossings(made: Content) -> str:
    if len(made.models) < 2:
        return ""
    if not made.crossings:
        return "<p>By average precision no two models cross.</p>"
    leading = {pair_of(swap) for swap in made.lead_changes}
    first, rest = (
        who_leads_where([swap for swap in made.crossings if (pair_of(swap) in leading) == at_the_top], made.ends)
        for at_the_top in (True, False)
    )
    constant = "" if first else " the same model leads at all prevalences; these pairs cross"
    return f"<p>By average precision{constant}:</p>{_folded(first, rest, 'other pairs that cross')}"


def _folded(first: Sequence[str], rest: Sequence[str], what: str) -> str:
    """A list of sentences; if the rest are many, they are folded away."""
    if len(rest) <= _FEW_SENTENCES:
        return _items([*first, *rest])
    return f"{_items(first)}<details><summary>{len(rest)} {what}</summary>{_items(rest)}</details>"


def _items(sentences: Sequence[str]) -> str:
    return f"<ul>{''.join(f'<li>{html.escape(sentence)}</li>' for sentence in sentences)}</ul>" if sentences else ""


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


def _multiples(number: int, found: Json) -> str:
    rows, heading = found["rows"], html.escape(str(found["name"]))
    assert isinstance(rows, list)
    figures = "".join(
        f"<figure><figcaption>{html.escape(row['key'])}</figcaption>"
        f'<div id="multiple-{number}-{k}" class="chart"></div></figure>'
        for k, row in enumerate(rows)
    )
    few = "" if len(rows) == found["all"] else f" Of {found['all']:,} slices, these have changed most."
    where = one_in(float(str(found["prevalence"])))
    return (
        f'<section aria-labelledby="multiples-{number}-head">'
        f'<h2 id="multiples-{number}-head" data-short="{heading} × period">By {heading} and period'
        f'</h2><p class="hint">Average precision at {where}; what has changed most comes first.{few}</p>'
        f'<div class="charts multiples">{figures}</div><div class="legend" role="group" aria-label="Models"></div>'
        "</section>"
    )


def _calibration(made: Content) -> str:
    said = "".join(
        f'<p id="probabilities-{number}">{html.escape(" ".join(model.calibration.said))}</p>'
        for number, model in enumerate(made.models)
    )
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
