"""What users write, for type checkers: no line of it is an error but those that say so."""

from typing import assert_type

import numpy as np
import polars as pl

import baserate as br

labels, scores = [0, 1, 1, 0], [0.1, 0.7, 0.8, 0.4]
curve = br.Curve.from_scores(labels, scores).at_prevalence("1:1000")
curve = br.Curve.from_scores(np.array(labels), np.array(scores), weight=[1.0, 2.0, 1.0, 1.0])
curve = br.Curve.from_scores(pl.Series(labels), pl.Series(scores), positive=1)
curve = br.curve(pl.DataFrame({"y": labels, "p": scores}), label="y", score="p")
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
br.write_report("page.html", curve)  # expected: no such name
