"""What users write, for type checkers: no line of it is an error but those that say so."""

from pathlib import Path
from typing import assert_type

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import baserate as br

labels, scores = [0, 1, 1, 0], [0.1, 0.7, 0.8, 0.4]
curve = br.Curve.from_scores(labels, scores).at_prevalence("1:1000")
curve = br.Curve.from_scores(np.array(labels), np.array(scores), weight=[1.0, 2.0, 1.0, 1.0])
curve = br.Curve.from_scores(pl.Series(labels), pl.Series(scores), positive=1)
curve = br.curve(pl.DataFrame({"y": labels, "p": scores}), label="y", score="p")
files = [Path("may.csv"), Path("june.csv")]
curve = br.curve(files, label="y", score="p").at_prevalence("1 in 1,000")
by_month = br.curves_by("2026/*.parquet", label="y", score="p", period=("day", "month"))
assert_type(br.evaluate(pd.DataFrame({"y": labels, "p": scores}), label="y", score="p"), br.results.Evaluation)
br.evaluate(pa.table({"y": labels, "p": scores}), label="y", score="p", prevalence=[0.1, "1:1000"])
br.evaluate(duckdb.sql("select 1 as y, 0.5 as p"), label="y", score="p")
br.evaluate(pl.LazyFrame({"y": labels, "p": scores}), label="y", score="p")
br.evaluate(curve, prevalence="1:1000")
br.evaluate(by_month)
br.compare({"old": curve, "new": curve}, prevalence=0.01)
br.compare("scores.parquet", label="y", score=["old", "new"])
br.prior.estimate_prevalence(curve, scores)
br.prior.estimate_prevalence(curve, pl.Series(scores))
br.prior.estimate_prevalence(curve, br.curve("june.csv", label=None, score="p"))
model = LogisticRegression().fit([[score] for score in scores], labels)
br.plots.RocDisplay.from_estimator(model, [[score] for score in scores], labels, prevalence="1:1000")
br.plots.RocDisplay.from_estimator(make_pipeline(StandardScaler(), model), pd.DataFrame({"p": scores}), labels)
assert_type(br.average_precision(curve), float)
assert_type(br.precision(curve.at_recall(0.6)), float)
found = br.estimate(br.average_precision, curve, rng=0)
assert_type(found, br.results.Estimate)
assert_type(found.low, float)
swept = br.sweep(br.f1, curve.at_threshold(0.5), [0.5, "1:100"])
pair = br.Pair.from_scores(labels, scores, scores[::-1])
assert_type(br.difference(br.roc_auc, pair), br.results.Difference)
try:
    br.Curve.from_scores(labels, scores, positive="yes")
except br.errors.InputError as error:
    assert_type(error, br.errors.InputError)
with br.monitoring.CurveStore("monitor.db") as store:
    store.append(curve, model="fraud", period="2026-05")

br.estimate("average_precision", curve)  # expected: a name is no metric
br.average_precision(labels, scores)  # expected: rows are no curve
br.Curve.from_scores(labels)  # expected: no scores
br.estimate(br.average_precision, curve, level=0.9)  # expected: no such parameter
br.save_report("page.html", curve)  # expected: no such name
br.curve(labels, label="y", score="p")  # expected: a column is no table
br.curves_by({"y": labels, "p": scores}, "y", label="y", score="p")  # expected: a mapping is no table
br.evaluate(labels, label="y", score="p")  # expected: neither a table nor curves
br.evaluate({"new": pair})  # expected: a pair is no curve
br.compare(curve)  # expected: one curve is none to compare
br.prior.estimate_prevalence(curve, pair)  # expected: neither scores nor a curve
br.plots.RocDisplay.from_estimator(curve, scores, labels)  # expected: a curve is no classifier
curve.at_prevalence(["1:1000"])  # expected: one prevalence
