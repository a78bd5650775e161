"""Curves to draw, and what was drawn."""

import numpy as np

import baserate as br
from helpers.simulated import normal_curve


def sample(seed, n_pos=40, n_neg=200):
    return normal_curve(n_pos, n_neg, 1.5, rng=seed, decimals=1)  # with ties


TIED = br.Curve.from_counts([0.9, 0.5, 0.1], pos=[60, 30, 10], neg=[20, 200, 680])
NO_POSITIVES = br.Curve.from_counts([0.9, 0.1], pos=[0, 0], neg=[5, 95])


def points(line):
    return np.column_stack([np.asarray(axis, float) for axis in line.get_data()])


def corners(filled):
    """The corners of a filled region, as a set."""
    (path,) = filled.get_paths()
    return {tuple(corner) for corner in path.vertices.round(12).tolist()}


def same(place, height):
    """The points in a set, as `corners` gives them."""
    return {tuple(corner) for corner in np.column_stack([place, height]).round(12).tolist()}


def legend_texts(display):
    return [text.get_text() for text in display.ax_.get_legend().get_texts()]


GROUPS_TO_TRY = {"first": sample(0), "second": sample(1, n_pos=100), "third": NO_POSITIVES}


def columns(display):
    """What a Display has drawn, by column: numbers as arrays, text and truth as lists."""
    rows = display.rows()
    named = {name: [row[name] for row in rows] for name in display.frame("pandas")}
    numbers = {name for name, column in named.items() if all(type(one) in (int, float) for one in column)}
    return {name: np.array(column) if name in numbers else column for name, column in named.items()}
