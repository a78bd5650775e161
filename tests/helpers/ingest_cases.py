"""What is asked of every engine, and the answer worked out from plain Python rows."""

import calendar
import datetime as dt
import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable
from dataclasses import dataclass, replace
from decimal import Decimal
from zoneinfo import ZoneInfo

import numpy as np
import pyarrow as pa

import baserate as br
from baserate.ingest.groups import EXACT, GroupReader
from baserate.ingest.request import Columns, request
from baserate.ingest.stretches import MANY_RANGES
from helpers.engine_buckets import engine_bucket

INF, NAN = math.inf, math.nan
TINY = 5e-324


@dataclass(frozen=True)
class Case:
    """A question to a table and its answer; `refused` is what the sentence must say where there is none."""

    name: str
    table: str
    ask: Callable
    answer: object = None
    refused: str | None = None
    unlabelled: int = 0  # rows, in the warning
    needs_dates: bool = False
    on_slow: bool = True  # whether it adds anything but time on Dask and Spark


# --- rows of all kinds of scores --------------------------------------------------------------------

# A case is a group: (label, score) each. None is an unlabelled row, which may lack a score.
GROUPS = {
    "ties": [(1, 0.5), (0, 0.5), (1, 0.5), (0, 0.25), (0, 0.25), (1, 0.25), (0, 0.125)],
    "zeros": [(1, -0.0), (0, 0.0), (0, -0.0), (1, 0.0), (0, TINY), (1, -TINY)],
    "ends": [(1, 1.0), (0, 0.0), (0, 1.0), (1, 1 - 2**-53), (0, 1 + 2**-52), (1, 0.0)],
    "infinite": [(1, INF), (0, INF), (0, -INF), (1, -INF), (1, 1e308), (0, -1e308)],
    "extreme": [(1, 1.7e308), (0, -1.7e308), (1, 2.3e-308), (0, TINY), (1, 2.0**64), (0, 2.0**-192), (0, 1e16)],
    "margins": [(1, 3.25), (0, -3.25), (1, 1.0000000000000002), (0, -0.1), (1, 17.0), (0, -17.0), (0, 3.25)],
    "neighbours": [(y, 0.1 + k * 2**-56) for k, y in enumerate((0, 1, 1, 0, 1, 0))],
    "unlabelled": [(None, 0.5), (1, 0.5), (None, NAN), (0, 0.5), (None, None), (None, INF)],
    "only unlabelled": [(None, 0.5), (None, 0.25)],
    "positives only": [(1, 0.5), (1, 0.75)],
    None: [(1, 0.3), (0, 0.1), (1, 0.1)],
}
LABELS, SCORES, GROUP = [], [], []
for _name, _rows in GROUPS.items():
    for _label, _score in _rows:
        LABELS.append(_label)
        SCORES.append(_score)
        GROUP.append(_name)
N = len(LABELS)
LABELLED = [k for k in range(N) if LABELS[k] is not None]
UNLABELLED = N - len(LABELLED)

WEIGHTS = [(0.1, 0.0, 1.0, 2.5, 1e-9, 1e9)[k % 6] for k in range(N)]
SMALL = [float(np.float32(0.1 * (k % 7) - 0.2)) for k in range(N)]
WHOLE = [(k % 5 - 2) * 2**51 + k % 3 for k in range(N)]
NUMBER = [(None, 3, -1, 2**40)[k % 4] for k in range(N)]
FLAG = [(True, False, None)[k % 3] for k in range(N)]


def _labels(negative, positive):
    return [None if label is None else (negative, positive)[label] for label in LABELS]


def _spoiled(values, bad, count=2):
    """The same with some labelled rows spoiled."""
    spoiled = [0.5 if value is None or value != value else value for value in values]
    for k in LABELLED[3 : 3 + count]:
        spoiled[k] = bad
    return spoiled


ROWS = pa.table(
    {
        "label": pa.array(LABELS, pa.int64()),
        "label_bool": pa.array(_labels(False, True), pa.bool_()),
        "label_float": pa.array([NAN if k % 2 and y is None else y for k, y in enumerate(LABELS)], pa.float64()),
        "label_text": pa.array(_labels("no", "yes"), pa.string()),
        "label_decimal": pa.array(_labels(Decimal("0.00"), Decimal("1.00")), pa.decimal128(5, 2)),
        "label_category": pa.array(_labels("no", "yes"), pa.string()).dictionary_encode(),
        "label_sign": pa.array(_labels(-1, 1), pa.int64()),
        "label_three": pa.array([k % 3 for k in range(N)], pa.int64()),
        "score": pa.array(SCORES, pa.float64()),
        "score_small": pa.array(SMALL, pa.float32()),
        "score_whole": pa.array(WHOLE, pa.int64()),
        "score_bool": pa.array([k % 3 == 0 for k in range(N)], pa.bool_()),
        "score_nan": pa.array(_spoiled(SCORES, NAN), pa.float64()),
        "score_null": pa.array(_spoiled(SCORES, None), pa.float64()),
        "score_nan_small": pa.array(_spoiled(SMALL, NAN), pa.float32()),
        "score_too_whole": pa.array([2**53 + 2 * (k % 2) for k in range(N)], pa.int64()),
        "score_decimal": pa.array([Decimal("0.25")] * N, pa.decimal128(5, 2)),
        "weight": pa.array(WEIGHTS, pa.float64()),
        "weight_whole": pa.array([k % 4 for k in range(N)], pa.int64()),
        "weight_negative": pa.array(_spoiled(WEIGHTS, -0.5, 1), pa.float64()),
        "weight_nan": pa.array(_spoiled(WEIGHTS, NAN, 1), pa.float64()),
        "weight_null": pa.array(_spoiled(WEIGHTS, None, 1), pa.float64()),
        "weight_infinite": pa.array(_spoiled(WEIGHTS, INF, 1), pa.float64()),
        "group": pa.array(GROUP, pa.string()),
        "category": pa.array(GROUP, pa.string()).dictionary_encode(),
        "number": pa.array(NUMBER, pa.int64()),
        "flag": pa.array(FLAG, pa.bool_()),
    }
)


def curve_of(rows, scores=SCORES, weights=None, labels=LABELS):
    """The curve of some of the rows."""
    kept = [k for k in rows if labels[k] is not None]
    weight = None if weights is None else [weights[k] for k in kept]
    found = br.Curve.from_scores([labels[k] for k in kept], [scores[k] for k in kept], weight=weight)
    return replace(found, unlabelled=len(rows) - len(kept))


def curves_of(keys, scores=SCORES, weights=None, labels=LABELS):
    """The curves of the rows with equal keys."""
    members = defaultdict(list)
    for k, key in enumerate(keys):
        members[key].append(k)
    return {key: curve_of(rows, scores, weights, labels) for key, rows in members.items()}


def one(**columns):
    """One curve, every score kept."""
    return lambda frame: br.curve(frame, **_with_defaults(columns))


def many(*keys, **columns):
    return lambda frame: br.curves_by(frame, *keys, **_with_defaults(columns))


def _with_defaults(columns):
    columns = {"label": "label", "score": "score", "tolerance": 0, **columns}
    sampled = columns.keys() & {"sampled", "stratum", "inclusion", "missing"}
    return columns if sampled or columns["label"] is None else columns | {"missing": "later"}


def _labels_cases():
    for column, positive in {
        "label_bool": None,
        "label_float": None,
        "label_sign": None,
        "label_decimal": None,
        "label_text": "yes",
        "label_category": "yes",
    }.items():
        ask, on_slow = one(label=column, positive=positive), column not in {"label_sign", "label_category"}
        yield Case(column, "rows", ask, curve_of(range(N)), unlabelled=UNLABELLED, on_slow=on_slow)
    yield Case("label_int", "rows", one(tolerance=1e-4), curve_of(range(N)), unlabelled=UNLABELLED)
    yield Case("three labels", "rows", one(label="label_three"), refused="two classes", on_slow=False)
    sentence = "unless positive= names the positive label"
    yield Case("text labels", "rows", one(label="label_text"), refused=sentence, on_slow=False)


def _score_cases():
    whole = {"score_small": SMALL, "score_whole": WHOLE, "score_bool": [float(k % 3 == 0) for k in range(N)]}
    for column, scores in whole.items():
        answer = curve_of(range(N), scores)
        yield Case(column, "rows", one(score=column), answer, unlabelled=UNLABELLED)
    for column in ("score_nan", "score_null", "score_nan_small"):
        sentence = f"'{column}' must have no missing values, got 2 rows"
        yield Case(column, "rows", one(score=column), refused=sentence)
    sentence = "'score_nan' must have no missing values, got 2 rows"
    yield Case("score_nan in buckets", "rows", one(score="score_nan", tolerance=1e-4), refused=sentence)
    yield Case("score_too_whole", "rows", one(score="score_too_whole"), refused="without new ties")
    yield Case("score_decimal", "rows", one(score="score_decimal"), refused="score must be .*numbers, got")


def _weight_cases():
    answer = curves_of(GROUP, weights=WEIGHTS)
    yield Case("weight", "rows", many("group", weight="weight"), answer, unlabelled=UNLABELLED)
    answer = curve_of(range(N), weights=[float(k % 4) for k in range(N)])
    yield Case("weight_whole", "rows", one(weight="weight_whole"), answer, unlabelled=UNLABELLED, on_slow=False)
    for column in ("weight_negative", "weight_nan", "weight_null", "weight_infinite"):
        sentence = f"the weight '{column}' must be finite and not negative"
        on_slow = column in {"weight_nan", "weight_null"}
        yield Case(column, "rows", one(weight=column), refused=sentence, on_slow=on_slow)


def _key_cases():
    yield Case("groups", "rows", many("group"), curves_of(GROUP), unlabelled=UNLABELLED)
    # The same by way of a first look at buckets.
    ask = many("group", tolerance=1e-4)
    yield Case("groups, looked at", "rows", ask, curves_of(GROUP), unlabelled=UNLABELLED, on_slow=False)
    yield Case("categories", "rows", many("category"), curves_of(GROUP), unlabelled=UNLABELLED)
    both = list(zip(NUMBER, FLAG, strict=True))
    yield Case("two keys", "rows", many("number", "flag"), curves_of(both), unlabelled=UNLABELLED)


def _no_labels_cases():
    """Without labels every row is a negative, those that have none in the table included."""
    none = [0] * N
    answer = curves_of(GROUP, SMALL, labels=none)
    yield Case("no labels", "rows", many("group", label=None, score="score_small"), answer)
    ask = one(label=None, score="score_small", weight="weight")
    yield Case("no labels, weights", "rows", ask, curve_of(range(N), SMALL, WEIGHTS, none))
    sentence = "'score' must have no missing values, got 2 rows without a score"
    yield Case("no labels, no scores", "rows", one(label=None), refused=sentence)
    names = [name_of(time, "month") for time in YEAR.clock]
    answer = curves_of(names, YEAR.score, labels=[0] * len(names))
    yield Case("no labels by month", "year", many(label=None, period=("clock", "month")), answer, on_slow=False)


# --- times ------------------------------------------------------------------------------------------

# Midnights that do not exist, exist twice or are near such, and the turn of a year whose last day is in week 1.
CLOCKS = {
    "America/Sao_Paulo": [(2018, 2, 18), (2018, 11, 4), (2018, 11, 5)],
    "America/Havana": [(2018, 3, 11), (2018, 11, 4), (2018, 11, 5)],
    "Asia/Beirut": [(2018, 3, 25), (2018, 4, 1), (2018, 10, 28)],
    "Europe/Prague": [(2018, 3, 26), (2018, 10, 29), (2018, 12, 31), (2019, 1, 1)],
    "Asia/Kathmandu": [(2018, 7, 1), (2018, 11, 1), (2018, 12, 31)],
    "UTC": [(2018, 4, 1), (2018, 11, 1), (2019, 1, 1)],
}
MIDNIGHTS = [dt.datetime(*day, tzinfo=ZoneInfo(zone)) for zone, days in CLOCKS.items() for day in days]
BESIDE = [dt.timedelta(hours=-1), dt.timedelta(microseconds=-1), dt.timedelta(0), dt.timedelta(hours=1)]


class Times:
    """Instants around the midnights, what a clock without a zone shows, and the days, each with missing ones."""

    def __init__(self, midnights):
        instants = [midnight.astimezone(dt.UTC) + beside for midnight in midnights for beside in BESIDE]
        # The last two are in no zone's day in some zones, and one to every clock without a zone.
        clock = [t.replace(tzinfo=None) for t in instants] + [
            None,
            dt.datetime(2018, 11, 4),
            dt.datetime(2018, 11, 4, 0, 30),
        ]
        self.instant = [*instants, None, None, None]
        self.clock = clock
        self.day = [None if t is None else t.date() for t in clock]
        self.label = [k % 2 for k in range(len(clock))]
        self.score = [(k % 7) / 8 for k in range(len(clock))]
        self.odd = [k % 2 == 1 for k in range(len(clock))]

    def table(self):
        return pa.table(
            {
                "label": pa.array(self.label, pa.int64()),
                "score": pa.array(self.score, pa.float64()),
                "instant": pa.array(self.instant, pa.timestamp("us", "UTC")),
                "clock": pa.array(self.clock, pa.timestamp("us")),
                "day": pa.array(self.day, pa.date32()),
                "odd": pa.array(self.odd, pa.bool_()),
            }
        )


YEAR = Times(MIDNIGHTS)
FORTNIGHT = Times([midnight for midnight in MIDNIGHTS if (2018, 10, 20) < midnight.timetuple()[:3] < (2018, 11, 10)])

# Ends of months, of years and of centuries, to the microsecond, also before 1970 and before zones had whole hours.
_MIDNIGHTS = [
    dt.datetime(year, month, day)
    for year in (1699, 1700, 1899, 1900, 1968, 1969, 1970, 1972, 1999, 2000, 2001, 2024, 2100, 2199)
    for month, day in ((1, 1), (2, 28), (2, 29), (3, 1), (7, 1), (10, 1), (12, 30), (12, 31))
    if (month, day) != (2, 29) or calendar.isleap(year)
]
_NEAR = [dt.timedelta(microseconds=-1), dt.timedelta(0), dt.timedelta(microseconds=1), dt.timedelta(hours=23)]
CENTURIES = [midnight + near for midnight in _MIDNIGHTS for near in _NEAR]
_CENTURIES = pa.table(
    {
        "label": pa.array([k % 2 for k in range(len(CENTURIES))], pa.int64()),
        "score": pa.array([0.5] * len(CENTURIES), pa.float64()),
        "clock": pa.array(CENTURIES, pa.timestamp("us")),
        "instant": pa.array(CENTURIES, pa.timestamp("us", "UTC")),
    }
)

NAMES = {
    "day": "{day:%Y-%m-%d}",
    "week": "{day:%G-W%V}",
    "month": "{day:%Y-%m}",
    "quarter": "{day:%Y}-Q{quarter}",
    "year": "{day:%Y}",
}


def name_of(time, length, zone=None):
    """The period of a time, or None."""
    if time is None:
        return None
    day = time.astimezone(ZoneInfo(zone)) if zone else time
    return NAMES[length].format(day=day, quarter=math.ceil(day.month / 3))


def _period_cases():
    def case(column, length, zone=None, **more):
        table = "fortnight" if length == "day" else "year"  # so many days would take Dask long
        times = FORTNIGHT if length == "day" else YEAR
        names = [name_of(time, length, zone) for time in getattr(times, column)]
        answer = curves_of(names, times.score, labels=times.label)
        ask = many(period=(column, length), tz=zone)
        return Case(f"{column} by {length}{f', {zone}' if zone else ''}", table, ask, answer, **more)

    for number, length in enumerate(NAMES):
        yield case("clock", length, on_slow=length == "day")
        yield case("day", length, needs_dates=True, on_slow=length == "week")
        for k, zone in enumerate(CLOCKS):
            if length == "day" or k % 4 == number - 1:
                on_slow = (length, zone) in {("day", "America/Sao_Paulo"), ("quarter", "Asia/Beirut")}
                yield case("instant", length, zone, on_slow=on_slow)
    months = [name_of(time, "month", "Europe/Prague") for time in YEAR.instant]
    answer = curves_of(list(zip(YEAR.odd, months, strict=True)), YEAR.score, labels=YEAR.label)
    yield Case("key and month", "year", many("odd", period=("instant", "month"), tz="Europe/Prague"), answer)
    yield Case("no zone", "year", many(period=("instant", "day")), refused="no tz=")
    yield Case("too much of a zone", "year", many(period=("clock", "day"), tz="UTC"), refused="leave tz= out")


# --- buckets ----------------------------------------------------------------------------------------


def _edges():
    """Scores on both sides of where buckets begin."""
    powers = [2.0**k for k in (-1074, -1022, -193, -192, -191, -129, -128, -64, -9, -2, -1, 0, 1, 9, 63, 64, 65, 1023)]
    near_one = [1 - 2.0**-k for k in (1, 2, 3, 9, 12, 13, 52, 53)] + [1 + 2.0**-k for k in (2, 9, 52)]
    parts = [0.25 * (1 + k / 4096) for k in (1, 255, 256, 4095)] + [0.1, 0.3, 1 / 3, 2 / 3, 0.9, 7.1, 1e300]
    middle = powers + near_one + parts
    around = [np.nextafter(x, side) for x in middle for side in (-INF, INF)]
    positive = [float(x) for x in [*middle, *around, 0.0, INF, 1.7976931348623157e308]]
    return [*sorted({*positive, *(-x for x in positive)}), -0.0]


def _crowded():
    """Scores close to 0 and to 1, to every order of magnitude, and margins."""
    rng = np.random.default_rng(12)
    near_zero, margins = 10.0 ** rng.uniform(-320, 0, 120), rng.normal(size=40) * 10.0 ** rng.integers(-3, 9, 40)
    return [
        *near_zero.tolist(),
        *(1 - 10.0 ** rng.uniform(-16, 0, 40)).tolist(),
        *margins.tolist(),
        *(-near_zero).tolist(),
    ]


EDGES = [*sorted({*_edges()[:-1], *_crowded()}), -0.0]
FLOATS = pa.table(
    {
        "label": pa.array([k % 2 for k in range(len(EDGES))], pa.int64()),
        "score": pa.array(EDGES, pa.float64()),
    }
)


def _bucket_cases():
    for bits in (0, 4, 16, 48):
        cells = defaultdict(list)
        for k, score in enumerate(EDGES):
            cells[k % 2 == 1, engine_bucket(score, bits)].append(score)
        answer = {key: (min(scores), max(scores), len(scores)) for key, scores in cells.items()}
        yield Case(f"buckets of {bits} bits", "floats", _cells(bits), answer, on_slow=bits > 4)
    # Buckets are looked into again by their ends, to the last bit.
    step = len(EDGES) // (MANY_RANGES - 2)  # as many ranges as a query ever has
    pairs = list(zip(EDGES[31:-1:step], EDGES[33:-1:step], strict=False))
    ranges = [(-INF, EDGES[20]), (EDGES[30], EDGES[30]), *pairs[: MANY_RANGES - 2]]
    inside = Counter((k % 2 == 1, score) for k, score in enumerate(EDGES) if any(a <= score <= b for a, b in ranges))
    answer = {key: (key[1], key[1], rows) for key, rows in inside.items()}
    yield Case("ranges", "floats", _cells(EXACT, ranges), answer)


def _cells(bits, ranges=None):
    def ask(frame):
        cells = GroupReader(request(frame, Columns("label", ("score",)))).read(bits, ranges)
        keys = zip(cells.positive.tolist(), cells.bucket.tolist(), strict=True)
        found = zip(keys, zip(cells.low.tolist(), cells.high.tolist(), cells.rows.tolist(), strict=True), strict=True)
        return dict(sorted(found))

    return ask


# --- more scores than may come back -----------------------------------------------------------------


def _many_scores():
    rng = np.random.default_rng(5)
    group = np.where(rng.random(2000) < 0.3, "a", "b")
    label = (rng.random(2000) < np.where(group == "a", 0.1, 0.3)).astype(int)
    score = 1 / (1 + np.exp(2 - rng.normal(size=2000) - 2 * label))
    label = [None if k % 50 == 0 else y for k, y in enumerate(label.tolist())]
    return pa.table({"group": group.tolist(), "label": pa.array(label, pa.int64()), "score": score})


MANY = _many_scores()


@dataclass(frozen=True)
class InBuckets:
    """The answer to a question with less room than scores: buckets of which every count is true."""

    table: pa.Table

    def __eq__(self, found):
        rows = self.table.to_pydict()
        assert list(found) == ["a", "b"]
        for key, curve in found.items():
            mine = [k for k, group in enumerate(rows["group"]) if group == key]
            by_hand = Counter()
            for k in mine:
                bucket = np.flatnonzero((curve.score <= rows["score"][k]) & (rows["score"][k] <= curve.top))
                if rows["label"][k] is not None:
                    (place,) = bucket.tolist()
                    by_hand[place, rows["label"][k]] += 1
            assert curve.bucketed
            assert curve.unlabelled == sum(rows["label"][k] is None for k in mine)
            assert curve.pos.tolist() == [by_hand[k, 1] for k in range(len(curve))]
            assert curve.neg.tolist() == [by_hand[k, 0] for k in range(len(curve))]
            assert br.bounds(br.average_precision, curve).width <= 0.01
            assert {*curve.score.tolist(), *curve.top.tolist()} <= {rows["score"][k] for k in mine}
        return True

    __hash__ = None


def _room_cases():
    ask = many("group", tolerance=0.01, max_scores=1200)
    yield Case("little room", "many", ask, InBuckets(MANY), unlabelled=40, on_slow=False)


# --- rows that were sampled for labelling -----------------------------------------------------------


def _sampled_rows():
    """All scores from 1 on have a label, one in four of the others."""
    rng = np.random.default_rng(8)
    positive = rng.random(400) < 0.2
    score = np.round(rng.normal(size=400) + positive, 1)
    known = (score >= 1) | (rng.random(400) < 0.25)
    label = [int(y) if there else None for y, there in zip(positive, known, strict=True)]
    return pa.table(
        {
            "label": pa.array(label, pa.int64()),
            "label_float": pa.array([NAN if y is None and k % 2 else y for k, y in enumerate(label)], pa.float64()),
            "score": pa.array(score.tolist(), pa.float64()),
            "stratum": pa.array(np.where(score >= 1, "alert", "rest").tolist(), pa.string()),
            "inclusion": pa.array(np.where(score >= 1, 1.0, 0.25).tolist(), pa.float64()),
            "no_stratum": pa.array([None] * 5 + ["rest"] * 395, pa.string()),
            "group": pa.array([("a", "b", None)[k % 3] for k in range(400)], pa.string()),
        }
    )


SAMPLED = _sampled_rows()
RULE = "all >= 1, else 1 in 4"


def sampled_curve(rows=range(400), **said):
    """The curve of some of the rows, from arrays."""
    rows, columns = list(rows), SAMPLED.to_pydict()
    label, score = ([columns[name][k] for k in rows] for name in ("label", "score"))
    said = {name: text if name == "rule" else [columns[text][k] for k in rows] for name, text in said.items()}
    return br.Curve.from_sampled(label, score, **said)


def _sampled_cases():
    yield Case("sampled by a rule", "sampled", one(sampled=RULE), sampled_curve(rule=RULE))
    yield Case("sampled, nan", "sampled", one(sampled=RULE, label="label_float"), sampled_curve(rule=RULE))
    for column in ("stratum", "inclusion"):
        yield Case(column, "sampled", one(**{column: column}), sampled_curve(**{column: column}), on_slow=False)
    answer = {key: sampled_curve(range(k, 400, 3), rule=RULE) for k, key in enumerate(("a", "b", None))}
    yield Case("sampled, by group", "sampled", many("group", sampled=RULE), answer)
    answer = {key: sampled_curve(range(k, 400, 3), stratum="stratum") for k, key in enumerate(("a", "b", None))}
    yield Case("strata by group", "sampled", many("group", stratum="stratum"), answer, on_slow=False)
    for name, said, refused in (
        ("a rate that is none", {"sampled": "all >= 1, else 1 %"}, "the share of labelled rows must be as declared"),
        ("no stratum", {"stratum": "no_stratum"}, "'no_stratum' must say of every row how it was sampled"),
        ("no reason", {"missing": None}, r"why rows have no label must be said, got \d+ of 400 rows without one"),
        ("two reasons", {"sampled": RULE, "missing": "later"}, "must be said once, got sampled= and missing="),
        ("sampled, weights", {"sampled": RULE, "weight": "score"}, "weighted or sampled for labelling, got both"),
    ):
        yield Case(name, "sampled", one(**said), refused=refused, on_slow=False)


MONTHS = [dt.date(1940 + k // 12, 1 + k % 12, 1) for k in range(250)]
_MONTHS = pa.table(
    {
        "label": pa.array([k % 2 for k in range(len(MONTHS))], pa.int64()),
        "score": pa.array([k / 256 for k in range(len(MONTHS))], pa.float64()),
        "day": pa.array(MONTHS, pa.date32()),
    }
)

TABLES = {
    "months": _MONTHS,
    "centuries": _CENTURIES,
    "rows": ROWS,
    "fortnight": FORTNIGHT.table(),
    "year": YEAR.table(),
    "floats": FLOATS,
    "many": MANY,
    "sampled": SAMPLED,
}
CASES = list(
    itertools.chain(
        _labels_cases(),
        _score_cases(),
        _weight_cases(),
        _key_cases(),
        _no_labels_cases(),
        _period_cases(),
        _bucket_cases(),
        _room_cases(),
        _sampled_cases(),
    )
)
