"""Many classes as one curve each."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.datasets import load_iris
from sklearn.metrics import average_precision_score
from sklearn.naive_bayes import GaussianNB

import baserate as br

X, Y = load_iris(return_X_y=True)
SCORES = GaussianNB().fit(X[:, :2], Y).predict_proba(X[:, :2])


def test_each_class_against_the_rest():
    curves = br.one_vs_rest(Y, SCORES)
    assert list(curves) == [0, 1, 2]
    for name, curve in curves.items():
        assert br.average_precision(curve) == pytest.approx(
            average_precision_score(name == Y, SCORES[:, name]), rel=1e-14
        )


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_a_frame_named_like_the_classes_says_which_is_which(frame):
    turned = {str(name): SCORES[:, name] for name in (2, 0, 1)}
    curves, expected = br.one_vs_rest(Y, frame(turned)), br.one_vs_rest(Y, SCORES)
    assert all(curves[name] == expected[name] for name in (0, 1, 2))
    unnamed = br.one_vs_rest(Y, frame({f"p{name}": SCORES[:, name] for name in (0, 1, 2)}))
    assert unnamed == expected


def test_numbers_as_categories_keep_their_order():
    labels = pd.Series([2, 10, 11]).astype("category")
    assert list(br.one_vs_rest(labels, np.eye(3))) == [2, 10, 11]


def test_names_order_prevalences_and_weights():
    text = np.array(["setosa", "versicolor", "virginica"])[Y]
    weight = np.linspace(1, 2, len(Y))
    curves = br.one_vs_rest(
        text,
        SCORES[:, ::-1],
        classes=["virginica", "versicolor", "setosa"],
        prevalences={"setosa": "1:99"},
        weight=weight,
    )
    assert curves["setosa"].prevalence == 0.01
    assert curves["virginica"].given_prevalence is None
    expected = average_precision_score(Y == 2, SCORES[:, 2], sample_weight=weight)
    assert br.average_precision(curves["virginica"]) == pytest.approx(expected, rel=1e-13)
