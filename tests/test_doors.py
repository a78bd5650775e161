"""Every public function refuses what is not the object it takes, in one sentence with the right call in it."""

import inspect
import re

import numpy as np
import pandas as pd
import pytest

import baserate as br
from baserate import plots
from helpers.public_names import public_things

CURVE = br.Curve.from_counts([0.1, 0.3, 0.6, 0.9], [1, 4, 6, 9], [40, 17, 6, 1])
POINT = CURVE.at_recall(0.5)
PAIR = br.Pair.from_scores([0, 1] * 10, [k % 7 / 7 for k in range(20)], [k % 5 / 5 for k in range(20)])
FRAME = pd.DataFrame({"y": [0, 1], "p": [0.1, 0.2]})
CURVES = {"2026-01": CURVE, "2026-02": CURVE}

# An argument for each parameter that has no default; the ones in `OBJECTS` are replaced by what is none.
GOOD = {
    **dict.fromkeys(["curve", "at", "a", "b", "before", "after", "choose", "judge", "example"], CURVE),
    **dict.fromkeys(["curves", "clusters", "models"], CURVES),
    "metric": br.average_precision,
    "area": br.average_precision,
    "like": CURVE,
    "pair": PAIR,
    "point": POINT,
    "claim": br.Claim(br.average_precision, at_least=0.5),
    "other": br.Accumulator(),
    "changes": None,
    "path": "a path",
    "prevalences": [0.1, 0.2],
    "unlabelled": [0.1, 0.2, 0.3],
    **dict.fromkeys(["prevalence", "low", "width", "ap_width"], 0.1),
    "high": 0.2,
    "tpr": (0.5, 0.6),
    "fpr": (0.01, 0.02),
    "model": "m",
    "period": "2026-01",
}
OBJECTS = set(GOOD) - {"prevalences", "unlabelled", "prevalence", "low", "high", "width", "ap_width", "tpr", "fpr"}
BAD = {
    "text": "f1",
    "nothing": None,
    "table": FRAME,
    "list": [0.1, 0.2],
    "number": 3,
    "class": br.Curve,
    "matrix": np.eye(2),
}

# Where something of BAD is welcome: (function, parameter, what).
WELCOME = {
    ("bounds", "at", "text"),
    ("design.labelling", "like", "nothing"),
    ("PrecisionRecallDisplay.from_curve", "area", "text"),
    *((name, "path", "text") for name in ("Curve.load", "Curve.save", "Accumulator.load", "Accumulator.save")),
    *((name, "path", "text") for name in ("write_report", "read_claims", "CurveStore")),
    *((f"CurveStore.{name}", parameter, "text") for name in ("append", "curve") for parameter in ("model", "period")),
    *((f"CurveStore.{name}", "model", "text") for name in ("curves", "history", "keys")),
}


def functions():
    """Each public function and method by its name, those of classes bound to an object."""
    for name, thing in public_things():
        if inspect.isfunction(thing) and name != "design.test_set":  # which takes numbers only
            yield name, thing
    yield "CurveStore", br.monitoring.CurveStore
    yield "Claim", br.Claim
    for owner in (CURVE, br.Accumulator()):
        for name in ("best", "save", "load", "pool", "merge"):
            if hasattr(owner, name):
                yield f"{type(owner).__name__}.{name}", getattr(owner, name)
    for name in plots.__all__:
        display = getattr(plots, name)
        for made in ("from_curve", "from_curves", "from_changes"):
            if hasattr(display, made):
                yield f"{name}.{made}", getattr(display, made)


def cases():
    for name, function in functions():
        for parameter in inspect.signature(function).parameters.values():
            # A rule by which to choose is not an object of ours; it has a check of its own.
            if parameter.name in OBJECTS and not (parameter.name == "at" and parameter.default is not parameter.empty):
                for what, value in BAD.items():
                    if (name, parameter.name, what) not in WELCOME:
                        yield pytest.param(function, parameter.name, value, id=f"{name}-{parameter.name}-{what}")


def arguments(function, given, value):
    """A call of the function in which only one argument is wrong: positional ones, and those by keyword."""
    parameters = inspect.signature(function).parameters.values()
    needed = [p for p in parameters if p.default is p.empty and p.kind not in (p.VAR_KEYWORD, p.VAR_POSITIONAL)]
    named = {p.name: GOOD.get(p.name) for p in needed} | {given: value}
    by_place = [p.name for p in needed if p.kind is not p.KEYWORD_ONLY]
    return [named.pop(name) for name in by_place], named


@pytest.mark.parametrize(("function", "parameter", "value"), list(cases()))
def test_what_is_not_the_object_is_refused(function, parameter, value):
    positional, named = arguments(function, parameter, value)
    with pytest.raises(br.BaserateError) as caught:
        function(*positional, **named)
    message = str(caught.value)
    assert "; " in message  # the rule, and what to do
    assert "\n" not in message
    assert len(message) < 400


def test_every_parameter_that_takes_an_object_is_walked():
    """A new function with a parameter of another name has to be added to the tables above."""
    for name, function in functions():
        for parameter in inspect.signature(function).parameters.values():
            if re.search(r"\b(Curve|Pair|Point|Claim|Accumulator)\b", str(parameter.annotation)):
                rules_and_tables = {"agreed", "against", "at", "data", "groups", "reference", "unlabelled"}
                known = OBJECTS | rules_and_tables
                assert parameter.name in known, f"{name} has {parameter.name}"


SENTENCES = {
    "labels and scores": (
        lambda: br.average_precision([0, 1], [0.1, 0.2]),
        "average_precision reads one Curve, got 2 positional arguments; pass it as "
        "br.average_precision(br.Curve.from_scores(y_true, y_score)).",
    ),
    "a metric by its name": (
        lambda: br.sweep("f1", POINT, [0.1]),
        "metric must be a function of a Curve, got 'f1'; pass br.f1, not its name.",
    ),
    "the best by name": (
        lambda: CURVE.best("f1"),
        "metric must be a function of a Curve, got 'f1'; pass br.f1, not its name.",
    ),
    "a page of a table": (
        lambda: br.write_report("page.html", FRAME, prevalence=[0.1]),
        "label and score must name columns of the table, got label=None and score=None; name both.",
    ),
    "a page of tables": (
        lambda: br.write_report("page.html", {"new": FRAME}, prevalence=[0.1]),
        "data must be a table, a path, a Curve or Curves by name, got a DataFrame at 'new'; build one with "
        "br.Curve.from_scores(y_true, y_score).",
    ),
    "probabilities of both classes": (
        lambda: br.Curve.from_scores([0, 1, 0], np.full((3, 2), 0.5)),
        "y_score must be one-dimensional, got shape (3, 2); pass that of the positive class, predict_proba(X)[:, 1], "
        "or use one_vs_rest for a score matrix.",
    ),
    "a list of keys": (
        lambda: br.curves_by(FRAME, ["y"], label="y", score="p"),
        "each of by must be text, got a list; pass one name in quotes.",
    ),
    "a pool of numbers": (
        lambda: br.Curve.pool(k for k in (1, 2)),
        "each of curves must be a Curve, got 1; build one with br.Curve.from_scores(y_true, y_score).",
    ),
    "an area of a pair": (
        lambda: br.estimate(br.average_precision, PAIR),
        "at must be a Curve or a Point, got a Pair; build one with br.Curve.from_scores(y_true, y_score).",
    ),
    "a curve for a table": (
        lambda: br.reliability(FRAME),
        "curve must be a Curve, got a DataFrame; build one with br.curve(table, label=…, score=…).",
    ),
    "a metric without what it needs": (
        lambda: CURVE.best(br.expected_cost),
        "expected_cost needs cost_fn and cost_fp, got none; pass cost_fn=…, cost_fp=… or, where a metric is passed, "
        "functools.partial(br.expected_cost, cost_fn=…, "
        "cost_fp=…).",
    ),
    "a metric over prevalences without what it needs": (
        lambda: br.sweep(br.best_f_beta, CURVE, [0.1]),
        "best_f_beta needs beta, got none; pass beta=… or, where a metric is passed, functools.partial(br.best_f_beta, "
        "beta=…).",
    ),
    "a metric of many numbers for folds": (
        lambda: br.folds.mean_over_folds(br.f1, CURVES),
        "mean_over_folds needs a metric of the whole curve, got f1, a metric at a threshold; pass an area, or a "
        "function such as lambda curve: br.f1(curve.at_recall(0.6)).",
    ),
    "a name that no file can have": (
        lambda: CURVE.save("a\0b"),
        "path must be a path, got 'a\\x00b'; pass the name of a file.",
    ),
    "a density that is a number": (
        lambda: br.mean_over_prevalence(br.f1, POINT, low=0.1, high=0.2, density=0.5),
        "density must be a function, got 0.5; pass a function.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", SENTENCES)
def test_the_right_call_is_in_the_sentence(name):
    attempt, sentence = SENTENCES[name]
    with pytest.raises(br.errors.InputError) as caught:
        attempt()
    assert str(caught.value) == sentence


def test_what_is_kept_has_to_be_a_curve(tmp_path):
    with br.monitoring.CurveStore(tmp_path / "store.db") as store:
        with pytest.raises(br.errors.InputError, match="curve must be a Curve, got 'x'; build one with"):
            store.append("x")
        with pytest.raises(br.errors.InputError, match="model must be text, got a list; pass one name in quotes"):
            store.append(CURVE, model=["new"], period="2026-01")
        with pytest.raises(br.errors.InputError, match=r"a key must be \(model, period, slice\), got 'new'"):
            store.append_many({"new": CURVE})
        with pytest.raises(
            br.errors.InputError, match="must be a mapping of names to Curves, got a dict with 3 at 'new'"
        ):
            store.append_many({"new": 3})


@pytest.mark.parametrize("value", [FRAME, np.eye(2), ["threshold"], 3, None])
def test_what_is_not_one_of_the_choices_is_refused(value):
    """Tables and arrays have an answer of their own to whether they equal something."""
    with pytest.raises(br.errors.InputError, match="about must be one of 'threshold', 'rule', got"):
        br.estimate(br.f1, POINT, about=value)


@pytest.mark.parametrize("value", [FRAME, [0.1], {}, np.eye(2)])
def test_a_common_prevalence_that_can_be_no_key_is_refused(value):
    with pytest.raises(br.errors.InputError, match="prevalence must be"):
        br.by_slice(br.average_precision, CURVES, prevalence=value)
