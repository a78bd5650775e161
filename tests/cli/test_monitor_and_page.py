"""The page and `baserate monitor` judge the same months alike: whole curves, and those that a store has made small."""

import datetime
import json

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.page.judged import judged

pytestmark = pytest.mark.slow

MONTHS = 12
# The prevalence by month, and by how much the distance of the classes falls from the eighth month on.
STORIES = {
    "falling": (1 - np.arange(MONTHS) / 6, 0.0),
    "seasonal": (np.sin(np.arange(MONTHS)), 0.0),
    "worse while rising": (np.arange(MONTHS) / 6 - 1, 1.2),
}


def log_of(story, digits):
    """4,000 rows a month."""
    rng = np.random.default_rng(3)
    logs, (shape, lost) = [], STORIES[story]
    for number, move in enumerate(shape):
        y = rng.random(4_000) < 0.03 * 2.5**move
        score = rng.normal(size=len(y)) + (2.5 - lost * (number >= 7)) * y
        day = datetime.date(2026, number + 1, 5)
        logs.append(pl.DataFrame({"y": y, "p": score.round(digits), "ts": [day] * len(y)}))
    return pl.concat(logs)


@pytest.mark.parametrize("digits", [2, 15], ids=["whole", "made small"])
@pytest.mark.parametrize("story", STORIES)
def test_page_and_command_agree_on_every_month(ask, tmp_path, story, digits):
    rows, store = tmp_path / "rows.parquet", tmp_path / "monitor.db"
    log_of(story, digits).write_parquet(rows)
    columns = ("--label", "y", "--score", "p", "--period", "ts:month")
    done = ask("monitor", str(rows), "--store", str(store), *columns, "--until", "2027-01-31", "--json")
    told = json.loads(done.out)
    months = br.curves_by(str(rows), label="y", score="p", period=("ts", "month"))
    (found,) = judged({"p": months}, None, 100)
    periods = found.verdict.periods
    assert [row["alarm"] for row in told["periods"]] == [one.alarm for one in periods]
    assert told["verdicts"][0]["verdict"] == found.verdict.verdict
    assert (found.verdict.verdict == "model") == (story == "worse while rising")
    with br.monitoring.CurveStore(store) as opened:
        small = any(curve.bucketed for curve in opened.curves(model="p").values())
    assert small == (digits == 15)
    if not small:
        assert told["verdicts"][0]["sentence"] == f"p: {found.verdict.sentence}"
        seen = [(one.statistic, one.limit) for one in periods[3:]]
        assert [(row["statistic"], row["limit"]) for row in told["periods"][3:]] == seen
