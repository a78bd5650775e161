"""Calls of every public function with what nobody should pass: answered, or refused by an error of ours, and in time.

Files that cannot be written are Python's OSError.
"""

import argparse
import contextlib
import datetime
import decimal
import enum
import fractions
import functools
import inspect
import random
import tempfile
import traceback
import warnings
from collections import Counter
from functools import partial
from pathlib import Path

import matplotlib as mpl
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

import baserate as br
from baserate.errors import shown
from helpers import fuzzing_commands
from helpers.in_time import in_time
from helpers.public_names import public_things
from helpers.scripts import script

mpl.use("agg")

EVERY_RESULT = script(Path(__file__).parents[2] / "docs" / "every_result.py").MADE

_RNG = np.random.default_rng(0)
_Y, _P = np.arange(60) < 20, _RNG.random(60).round(2)
CURVES = [
    br.Curve.from_scores(_Y, _P),
    br.Curve.from_scores(_Y, _P).at_prevalence(1e-4),
    br.Curve.from_scores(_Y, _P, weight=_RNG.exponential(size=60)),
    br.Curve.from_counts([0.2, 0.8], [1, 0], [0, 1]),
    br.Curve.from_counts([0.5], [3, ], [7]),
    br.Curve.from_scores([0, 0], [0.1, 0.2]),
    br.Curve.from_scores([1], [0.3]),
    br.Curve.from_rates([0.0, 0.5, 1.0], [0.0, 0.1, 1.0]),
    br.Curve.from_counts([1e300, -1e300], [2**40, 1], [1, 2**40]),
]  # fmt: skip
PAIRS = [
    br.Pair.from_scores(_Y, _P, _P[::-1]),
    br.Pair.from_scores([0, 1], [0.5, 0.5], [0.5, 0.5]),
    br.Pair.from_scores([0, 0, 0], [1, 2, 3], [3, 2, 1]),
]
POINTS = [
    CURVES[0].at_recall(0.6),
    CURVES[0].at_threshold(2.0),
    br.Point.from_counts(tp=1, fp=0, fn=0, tn=1),
    br.Point.from_rates(0.5, 0.0),
    br.Point.from_counts(tp=0, fp=0, fn=0, tn=5),
]
METRICS = [row.function for row in br.METRICS.values()]
OWN = [lambda at: 0.5, lambda at: float("nan"), lambda at: "text", lambda at: None, lambda at: [0.1, 0.2]]

HOSTILE = [
    None, True, 0, 1, -1, 2, 0.0, -0.0, 0.5, 1.0, 1.5, 1e-320, 1e308, float("nan"), float("inf"), float("-inf"), 2**63,
    10**5000, 2**200, 10**400, 1j, "", "f1", "recall=0.6", "best=f1", "best=", "recall >= nan", "1:1000", "0:1", "1:0",
    "1:-1",
    "nan", "a\x00b", "\ud800", "\x1b[31m", "x" * 5000, b"f1", object(), br, br.Curve, [], (), {}, set(), [0.1, 0.2],
    [None], [[]], ["a", 1], [True, False], [0.1, float("nan")], (0.1, 0.2), (0.2, 0.1), (0.1,), {"a": 1}, {1: None},
    {"a": CURVES[0], "b": CURVES[4]}, {"a": CURVES[0]}, {None: CURVES[0]}, {("a",): CURVES[1], 3: CURVES[0]},
    range(3), (k for k in ()), np.array([]), np.array([0.1, 0.9]), np.eye(2), np.array(3.0), np.array(["a", "b"]),
    np.array([None, 0.5]), np.float32(0.1), np.int8(3), np.bool_(True), np.datetime64("2026-01-01"),
    np.ma.masked_array([0.1, 0.2], [True, False]), pd.DataFrame({"y": [0, 1], "p": [0.1, 0.2]}), pd.Series([0.1, None]),
    pd.NA, pd.NaT, decimal.Decimal("0.1"), fractions.Fraction(1, 3), datetime.date(2026, 1, 1), Path("nowhere"),
    br.prior.Beta(2, 98), br.Claim(br.average_precision, at_least=0.5), br.Accumulator(),
    br.calibration.equal_frequency(3),
    np.random.default_rng(0), ValueError("x"), repr, partial(br.f_beta, beta=2), partial(br.f1),
]  # fmt: skip

# Tables that are ones, with columns that nobody should ask for.
_COLUMNS = {
    "y": [0, 1, 0, 1], "yes": [True, False, None, True], "three": [0, 1, 2, 0], "p": [0.1, 0.2, 0.3, 0.4],
    "holes": [0.1, None, 0.3, float("nan")], "ends": [float("inf"), float("-inf"), 1e308, 5e-324],
    "whole": [2**53, 2**53 + 1, -1, 0], "text": ["a", "\x1b[31m", "", None], "lists": [[1], [], None, [1, 2]],
    "structs": [{"a": 1}] * 4, "bytes": [b"a", b"", b"\xff", None], "decimals": [decimal.Decimal("0.1")] * 4,
    "day": [datetime.date(2026, 1, 1), datetime.date(9999, 12, 31), None, datetime.date(1, 1, 1)],
    "time": [datetime.datetime(2026, 1, 1, k) for k in range(4)], "span": [datetime.timedelta(k) for k in range(4)],
    "clock": [datetime.time(k) for k in range(4)], "nothing": [None] * 4, "weight": [1.0, 0.0, -1.0, 2.0], "": [1] * 4,
}  # fmt: skip
_OBJECTS = {"objects": [object() for _ in range(4)], "sets": [{1}] * 4, "mixed": [1, "a", None, 2.5]}
TABLES = [
    pd.DataFrame(_COLUMNS | _OBJECTS), pl.DataFrame(_COLUMNS, strict=False), pl.LazyFrame(_COLUMNS, strict=False),
    pa.table(_COLUMNS), pl.DataFrame({"y": [], "p": []}), pd.DataFrame({"y": [0, 1], "p": [0.1, 0.2]}),
]  # fmt: skip


def curve_of_table(table, label_column, score_column, *, weight_column=None, positive=None, tolerance=1e-4):
    """A table that is one, with columns of all kinds."""
    options = {"weight": weight_column, "positive": positive, "tolerance": tolerance}
    return br.curve(table, label=label_column, score=score_column, **options)


def curves_of_table(table, label_column, score_column, *, key_column=None, time_column=None, unit="month", zone=None):
    """Likewise, in groups."""
    keys = () if key_column is None else (key_column,)
    period = None if time_column is None else (time_column, unit)
    return br.curves_by(table, *keys, label=label_column, score=score_column, period=period, tz=zone)


def owners():
    """Objects whose methods are public."""
    yield from (*CURVES, *POINTS, *PAIRS, br.Accumulator(), br.Claim(br.f1, at_least=0.1, at="recall=0.5"))
    yield from (br.prior.Beta(2, 98), br.Models.from_scores(_Y, {"a": _P, "b": _P[::-1], "c": -_P}))
    displays = ("RocDisplay", "ReliabilityDisplay", "PrecisionRecallDisplay", "PrecisionRecallGainDisplay")
    yield from (getattr(br.plots, name).from_curve(CURVES[0]) for name in displays)
    yield from (make() for makes in EVERY_RESULT.values() for make in makes[:1])


def of_a_store(name):
    """A method of a store, by itself: a fresh one each time, because methods change it and close it."""

    @functools.wraps(getattr(br.monitoring.CurveStore, name))
    def call(*by_place, **by_name):
        Path("fresh.db").unlink(missing_ok=True)
        with br.monitoring.CurveStore("fresh.db") as store:
            store.append(CURVES[0], model="m", period="2026-01")
            return getattr(store, name)(*by_place, **by_name)

    own = inspect.signature(getattr(br.monitoring.CurveStore, name))
    call.__signature__ = own.replace(parameters=list(own.parameters.values())[1:])
    return call


# What fits, by the name of a parameter; of others there is only what is hostile.
GROUPS = [{k: CURVES[k] for k in some} for some in ((0, 1), (0, 2, 4), (5, 6))]
FITTING = {
    name: values
    for names, values in [
        ("curve before after example unlabelled choose judge", CURVES),
        ("at a b", CURVES + POINTS),
        ("metric area", METRICS + OWN),
        ("curves models clusters", GROUPS),
        ("pair", PAIRS),
        ("point", POINTS),
        ("prevalences recalls fprs", [[0.1, 0.01], [0.5], [1e-6, 1 - 1e-6]]),
        ("prevalence low high tpr fpr width", [0.1, 0.9, "1:100", 1e-9]),
        ("n_resamples n_permutations n_draws", [40, 80, 200]),
        ("rng seed", [0, 7]),
        ("confidence_level", [0.9, 0.95, 0.5]),
        ("y_true label labels", [_Y, _Y.astype(int)]),
        ("y_score score score_a score_b scores", [_P, -_P]),
        ("table", TABLES),
        ("label_column score_column weight_column key_column time_column", [*_COLUMNS, *_OBJECTS]),
        ("model period", ["m", "2026-01", "2026-02"]),
        ("line", fuzzing_commands.LINES),
        ("backend", ["pandas", "polars", "pyarrow"]),
    ]
    for name in names.split()
}
ALWAYS = {"n_resamples": [40], "n_permutations": [40], "n_draws": [40]}  # what is slow unless it is told otherwise


def doors():
    """Every public function, maker and method by its name."""
    for name, thing in public_things():
        if inspect.isfunction(thing):
            yield name, thing
        elif inspect.isclass(thing) and not issubclass(thing, BaseException | enum.Enum):
            yield name, thing
            makers = [n for n, f in inspect.getmembers(thing, inspect.ismethod) if not n.startswith("_")]
            yield from ((f"{name}.{n}", getattr(thing, n)) for n in makers)
    for owner in owners():
        for n, _ in inspect.getmembers(type(owner), inspect.isfunction):
            if not n.startswith("_"):
                yield f"{type(owner).__name__}.{n}", getattr(owner, n)
    for n, _ in inspect.getmembers(br.monitoring.CurveStore, inspect.isfunction):
        if not n.startswith("_"):
            yield f"CurveStore.{n}", of_a_store(n)
    for rule in ("recall=0.6", "best=f1", "top_k=3"):
        yield "Rule.on", br.Rule.parse(rule).on
    for _ in range(20):  # there are many of each
        yield from (("curve", curve_of_table), ("curves_by", curves_of_table), ("baserate", fuzzing_commands.command))


def call_of(function, rng):
    """Arguments: each fits, or is hostile, or is left out where it may be."""
    harm = rng.choice([0.1, 0.3, 0.6])
    by_place, by_name = [], {}
    for p in inspect.signature(function).parameters.values():
        optional = p.default is not p.empty
        if p.kind is p.VAR_KEYWORD or (p.kind is p.VAR_POSITIONAL and rng.random() < 0.5):
            continue
        hostile = rng.random() < harm or (p.name not in FITTING and not optional)
        if not hostile and p.name in ALWAYS:
            value = rng.choice(ALWAYS[p.name])
        elif hostile:
            if optional and rng.random() < 0.5 and p.name not in ALWAYS:
                continue
            value = rng.choice(HOSTILE)
        elif p.name in FITTING and (not optional or rng.random() < 0.5):
            value = rng.choice(FITTING[p.name])
        elif optional:
            continue
        if (p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) and not optional) or p.kind is p.VAR_POSITIONAL:
            by_place.append(value)
        elif by_place or p.kind is p.KEYWORD_ONLY or optional:
            by_name[p.name] = value
    return by_place, by_name


def outcome(function, rng):
    """What a call comes to: an answer, refused, or what is wrong with it."""
    by_place, by_name = call_of(function, rng)
    try:
        with warnings.catch_warnings(), in_time(), np.errstate(all="ignore"):
            warnings.simplefilter("ignore", UserWarning)
            warnings.simplefilter("error", RuntimeWarning)
            function(*by_place, **by_name)
    except (br.BaserateError, OSError):
        return "refused", None
    except Exception as error:
        last = traceback.extract_tb(error.__traceback__)[-1]
        what = f"{type(error).__name__}: {str(error)[:120]} at {Path(last.filename).name}:{last.lineno}"
        return "wrong", f"{what} from {[shown(value, 200) for value in (*by_place, *by_name.items())]}"
    return "answered", None


def complaints(n, seed=1):
    """What is wrong with many calls, one of each kind, and how many were answered and refused."""
    fuzzing_commands.prepare()
    known, counts, seen = list(doors()), Counter(), {}
    for k in range(n):
        name, function = known[k % len(known)]
        kind, complaint = outcome(function, random.Random(f"{seed} {k}"))
        counts[kind] += 1
        if complaint:
            seen.setdefault((name, complaint.split(" from ")[0]), f"{k} {name}: {complaint}")
    return list(seen.values()), counts


def main():
    """Many calls."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=100_000)
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        found, counts = complaints(asked.calls, asked.seed)
    print(*found, dict(counts), f"{len({name for name, _ in doors()})} doors", sep="\n")
    raise SystemExit(bool(found))


if __name__ == "__main__":
    main()
