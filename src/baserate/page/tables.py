"""The numbers of a page as tables."""

import math
from typing import Any

import numpy as np

from baserate.metrics.areas import auc_pr, auc_prg, average_precision, best_f1, roc_auc
from baserate.metrics.baselines import normalized_auc_pr
from baserate.page.content import Content
from baserate.page.groups import group_grid
from baserate.page.judged import PARTS
from baserate.results.base import Row
from baserate.results.intervals import Estimate

_AREAS = (average_precision, auc_pr, normalized_auc_pr, auc_prg, best_f1, roc_auc)


def tables(made: Content) -> dict[str, list[Row]]:
    """A list of rows by the name of the table."""
    found = {"models": _models(made)}
    if len(made.models) > 1:
        found |= {"leads": _leads(made), "crossings": [row for swap in made.crossings for row in swap.rows()]}
    changes = [row for one in made.series for row in _changes(one.name, one.json)]
    if changes:
        found["changes"] = changes
    return found | {str(group["name"]): _groups(made, group) for group in made.groups}


def _models(made: Content) -> list[Row]:
    rows: list[Row] = []
    for prevalence in made.asked or (made.prevalence,):
        for model in made.models:
            here = model.curve.at_prevalence(prevalence)
            row: Row = {"model": model.name, "prevalence": prevalence}
            row |= {area.__name__: float(area(here)) for area in _AREAS}
            if prevalence == made.prevalence:
                row |= _ends("average_precision", model.area)
                row |= {"precision_at_half_recall": model.right.value, **_ends("precision_at_half_recall", model.right)}
            rows.append(row)
    return rows


def _ends(name: str, one: Estimate) -> Row:
    return {f"{name}_low": _known(one.low), f"{name}_high": _known(one.high)}


def _known(value: float) -> float | None:
    return None if math.isnan(value) else value


def _leads(made: Content) -> list[Row]:
    """The leader at each prevalence asked for."""
    rows: list[Row] = []
    for prevalence in made.asked or (made.prevalence,):
        values = [float(average_precision(model.curve.at_prevalence(prevalence))) for model in made.models]
        standing = made.compared.versus.at(float(np.log(prevalence) - np.log1p(-prevalence)), values)
        for k, model in enumerate(made.models):
            row: Row = {"prevalence": prevalence, "model": model.name, "average_precision": values[k]}
            rows.append(row | {"ahead": k in standing.ahead, "told_apart": len(standing.ahead) == 1})
    return rows


def _changes(name: str, series: dict[str, Any]) -> list[Row]:
    rows: list[Row] = []
    for one in series["periods"]:
        own, common, change = one["own"], one["common"] or [None] * 3, one["change"] or {}
        row: Row = {"model": name, "period": one["key"], "prevalence": one["prevalence"]}
        row |= dict(zip(("own", "own_low", "own_high"), own, strict=True))
        row |= dict(zip(("common", "common_low", "common_high"), common, strict=True))
        for part in PARTS:
            names = ("change" if part == "total" else f"{part}_part", f"{part}_low", f"{part}_high")
            row |= dict(zip(names, change.get(part, [None] * 3), strict=True))
        rows.append(row | {"alarm": one["alarm"]})
    return rows


def _groups(made: Content, group: dict[str, Any]) -> list[Row]:
    """Average precision of each slice or period, with its interval, at the prevalence that the page opens with."""
    place = int(
        np.argmin(np.abs(group_grid(made.span, made.prevalence) - np.log(made.prevalence / (1 - made.prevalence))))
    )
    rows: list[Row] = []
    for one in group["rows"]:
        for name, cell in zip(group["models"], one["models"], strict=True):
            row: Row = {str(group["name"]): one["key"], "model": name, "prevalence": made.prevalence}
            rows.append(row | (_cell(cell, place) if "reason" not in cell else {"reason": cell["reason"]}))
    return rows


def _cell(cell: dict[str, Any], place: int) -> Row:
    value = float(cell["here"])
    row: Row = {"average_precision": value}
    for name in ("low", "high"):
        end = cell[name][place] if name in cell else None
        row[f"average_precision_{name}"] = None if end is None else min(1.0, value * end)
    return row | {"own": cell["own"]}
