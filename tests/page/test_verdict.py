"""The verdict decides with the certainty the data give, and says whether it is the model or the base rate."""

import json
import re
from pathlib import Path

import numpy as np
import polars as pl
import pytest

import baserate as br
from baserate.page import content as contents
from baserate.page.versus import SURE
from baserate.results import CrossingEstimate
from helpers.npm import node

pytestmark = pytest.mark.slow  # together, these take long


def made(models, prevalence, **options):
    curves = dict(zip(models.names, models.curves, strict=True))
    return contents.content("Title", curves, [prevalence], {}, rows=models, n_resamples=300, **options)


@pytest.fixture(scope="module")
def payments():
    data = br.examples.payments()
    return br.Models.from_scores(data["fraud"], {"old": data["old_model"], "new": data["new_model"]})


def test_a_model_leads_with_the_probability_that_lead_gives(payments):
    found = made(payments, 0.001)
    said = contents.main_sentence(found)
    assert said.startswith("At a prevalence of 1 in 1,000, new leads old (more than 99 % sure): average precision 0.49")
    pair = br.Pair.from_scores(payments.positive, *payments.scores, names=("old", "new"))
    versus = found.compared.versus
    places = 1 / (1 + np.exp(-versus.nodes))
    lead = br.lead(br.average_precision, pair, places, n_resamples=300, rng=0)
    assert versus.better[0, 1] == pytest.approx(lead.probability, abs=0.02)
    assert versus.apart[0, 1] == pytest.approx((lead.high - lead.low) / 2, rel=0.02)


def test_at_a_tie_no_winner_is_named():
    rng = np.random.default_rng(4)
    y = rng.random(4_000) < 0.1
    shared = rng.normal(size=4_000) + 1.5 * y
    scores = {name: shared + 0.7 * rng.normal(size=4_000) for name in ("left", "right")}
    models = br.Models.from_scores(y, scores | {"weak": rng.normal(size=4_000) + 0.5 * y})
    found = made(models, 0.1)
    areas = {model.name: model.area.value for model in found.models}
    assert areas["left"] != areas["right"]
    said = contents.main_sentence(found)
    assert "cannot be told apart: average precision 0." in said
    assert "weak trails (more than 99 % sure)" in said
    assert " best " not in said
    assert " leads " not in said


def test_equal_models_are_never_told_apart(payments):
    twice = br.Models.from_scores(payments.positive, {"a": payments.scores[0], "b": payments.scores[0]})
    found = made(twice, 0.01)
    assert (found.compared.versus.better[0, 1] == 0.5).all()
    assert "a and b cannot be told apart" in contents.main_sentence(found)
    assert "more positives" not in contents.main_sentence(found)


def test_what_is_undecided_says_how_many_positives_would_decide(payments):
    found = made(payments, 0.04)
    standing = found.compared.versus.at(np.log(0.04 / 0.96), [model.area.value for model in found.models])
    assert standing.ahead == (1, 0)
    k = int(np.argmin(np.abs(found.compared.versus.nodes - np.log(0.04 / 0.96))))
    apart = found.compared.versus.apart[0, 1, k]
    times = (apart / (found.models[1].area.value - found.models[0].area.value)) ** 2
    assert standing.more == pytest.approx(300 * (times - 1))
    assert "If the difference stays, about 4,000 more positives would decide." in contents.main_sentence(found)


def test_crossings_have_the_intervals_of_the_library(payments):
    (swap,) = made(payments, 0.001).crossings
    assert isinstance(swap, CrossingEstimate)
    pair = br.Pair.from_scores(payments.positive, *payments.scores, names=("old", "new"))
    (known,) = br.crossing_estimates(br.average_precision, pair, low=1e-6, high=0.9, n_resamples=300, rng=0)
    assert swap.prevalence == known.prevalence
    ends = np.log([swap.low, swap.high])
    assert ends == pytest.approx(np.log([known.low, known.high]), abs=0.1)


def test_curves_without_rows_are_told_apart_only_where_their_intervals_do_not_overlap(payments):
    curves = dict(zip(payments.names, payments.curves, strict=True))
    at = {}
    for prevalence in (0.5, 0.04):
        found = contents.content("Title", curves, [prevalence], {}, n_resamples=300)
        at[prevalence] = contents.main_sentence(found)
    assert "old leads new (their own intervals do not overlap)" in at[0.5]
    assert "new and old cannot be told apart by their own intervals" in at[0.04]


def test_of_many_models_those_nearest_to_the_best_are_compared_on_their_rows():
    rng = np.random.default_rng(0)
    y = rng.random(2_000) < 0.2
    scores = {f"m{k}": rng.normal(size=2_000) + (2.5 - 0.3 * k) * y for k in range(9)}
    found = made(br.Models.from_scores(y, scores), 0.2)
    versus = found.compared.versus
    assert len(versus.compared) == 6
    assert 0 in versus.compared
    assert versus.best[0, versus.nodes.searchsorted(np.log(0.25))] >= SURE
    assert "m0 leads all 8 others (their own intervals do not overlap)" in contents.main_sentence(found) or (
        "cannot be told apart" in contents.main_sentence(found)
    )


def test_the_page_knows_who_leads_as_the_library_does():
    rng = np.random.default_rng(1)
    y = rng.random(2_000) < 0.1
    shared = rng.normal(size=2_000) + 1.5 * y
    scores = {f"m{k}": shared + (0.2 + 0.25 * k) * rng.normal(size=2_000) for k in range(4)}
    found = made(br.Models.from_scores(y, scores), 0.1)
    places = np.append(rng.uniform(*found.span, 50), found.compared.versus.nodes[::4])
    asked = [
        (
            place,
            [float(br.average_precision(one.curve.at_prevalence(1 / (1 + np.exp(-place))))) for one in found.models],
        )
        for place in places.tolist()
    ]
    # The page has its numbers as text with few digits.
    shown = json.loads(json.dumps({"pairs": found.compared.versus.json, "asked": asked}))
    said = json.loads(node(Path(__file__).with_name("versus.mjs"), text=json.dumps(shown)).stdout)
    for (place, values), one in zip(asked, said, strict=True):
        known = found.compared.versus.at(place, values)
        assert (tuple(one["ahead"]), tuple(one["behind"]), one["paired"]) == (known.ahead, known.behind, known.paired)
        if known.behind:
            assert one["sure"] == pytest.approx(known.sure, abs=1e-3)
        assert (one["more"] is None) == (known.more is None)
    assert len({known["ahead"][0] for known in said}) > 1 or len({len(one["ahead"]) for one in said}) > 1


# --- the model or the base rate -------------------------------------------------------------------


@pytest.fixture(scope="module")
def year(tmp_path_factory):
    path = tmp_path_factory.mktemp("year") / "year.parquet"
    pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date()).write_parquet(path)
    return path


@pytest.fixture(scope="module")
def report_of_year(year):
    names = ["old_model", "new_model"]
    return br.report(
        year, label="fraud", score=names, prevalence=0.001, period=("day", "month"), by="channel", quick=True
    )


def test_the_year_of_the_demo_names_the_month_and_does_not_blame_the_model_for_the_growth(report_of_year):
    first, second, third, *_ = report_of_year.verdict.split("\n")
    assert first.startswith("new_model has become worse: first alarm in 2025-12. At a prevalence of 1 in 1,000")
    assert "Numbers of all periods together average over this break." in first
    assert second.startswith("The prevalence has grown from 1 in 192 in 2025-01 to 1 in 33 in 2025-12.")
    assert "That is not the models' doing" in second
    assert "For old_model no change was detected at a common prevalence." in second
    assert third.startswith("All periods together: at a prevalence of 1 in 1,000, new_model leads old_model")


def test_parts_of_a_change_are_those_of_the_library(report_of_year):
    rows = {(row["model"], row["period"]): row for row in report_of_year.tables()["changes"]}
    table = pl.DataFrame(br.examples.year()).with_columns(pl.col("day").str.to_date())
    months = br.curves_by(table, label="fraud", score="new_model", period=("day", "month"))
    before = br.Curve.pool([months[key] for key in ("2025-01", "2025-02", "2025-03")])
    change = br.explain_change(br.average_precision, before, months["2025-12"], n_resamples=200, rng=0)
    row = rows["new_model", "2025-12"]
    for part, name in (("total", "change"), ("prior", "prior_part"), ("model", "model_part")):
        assert row[name] == pytest.approx(getattr(change, part).value, rel=1e-5)
    assert row["alarm"]
    assert not rows["old_model", "2025-12"]["alarm"]


def test_small_periods_that_are_pooled_and_rows_without_a_time_are_no_periods():
    good = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
    bad = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[20, 30, 50], neg=[80, 200, 620])
    months = {f"2026-{k:02}": good for k in range(1, 7)} | {"2026-07": bad, "2026-08": bad}
    tiny = br.Curve.from_scores([0, 1] * 3, [0.2, 0.7] * 3)
    groups = {"month": {"m": months | {None: good, "2026-09": tiny, "2026-10": tiny}}}
    found = contents.content("Title", {"m": good}, [], groups, n_resamples=100, min_cases=5)
    (series,) = found.series
    assert [period.key for period in series.verdict.periods] == [*months]
    assert "m has become worse: first alarm in 2026-07." in contents.verdict(found)[0]


def test_every_number_has_one_interval_on_the_whole_page(report_of_year):
    """Where it was asked: in the verdict, the tables, the timeline, and the slices."""
    made = report_of_year._content
    found = json.loads(re.search(r'id="content">(.*?)</script>', report_of_year.html, re.DOTALL)[1])
    asked = np.log(0.001 / 0.999)
    node = found["grid"].index(min(found["grid"], key=lambda place: abs(place - asked)))
    assert found["grid"][node] == pytest.approx(asked, abs=1e-12)
    for model, kept in zip(made.models, found["models"], strict=True):
        band = kept["bands"]["average_precision"]
        ends = [model.area.value * band[end][node] for end in ("low", "high")]
        assert ends == pytest.approx([model.area.low, model.area.high], rel=1e-6)
        at = kept["points"]
        k = next(k for k, tpr in enumerate(at["tpr"]) if tpr >= 0.5)
        right = [at[f"ratio_{end}"][k] / (at[f"ratio_{end}"][k] + 999) for end in ("low", "high")]
        assert right == pytest.approx([model.right.low, model.right.high], rel=1e-5)
        known = br.estimate(br.precision, model.curve.at_threshold(at["threshold"][k]).at_prevalence(0.001))
        assert right == pytest.approx([known.low, known.high], rel=1e-5)
    of_months = next(group for group in found["groups"] if group["ordered"])
    here = found["group_grid"].index(min(found["group_grid"], key=lambda place: abs(place - asked)))
    for series in found["series"]:
        column = of_months["models"].index(series["name"])
        for row, period in zip(of_months["rows"], series["periods"], strict=True):
            cell = row["models"][column]
            ends = [cell["here"] * cell[end][here] for end in ("low", "high")]
            assert [cell["here"], *ends] == pytest.approx(period["common"], rel=1e-3)
