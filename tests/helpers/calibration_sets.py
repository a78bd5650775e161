"""Three sets of scores and labels, and what other tools say of them."""

import json
from pathlib import Path

import numpy as np

import baserate as br

GOLDEN = json.loads((Path(__file__).parents[1] / "golden" / "calibration.json").read_text(encoding="utf-8"))
NAMES = ["breast_cancer", "payments", "simulated"]


def rows(name):
    """Scores and labels; those of breast cancer are kept with the numbers, as a fit may change with its library."""
    if name == "breast_cancer":
        kept = GOLDEN["breast_cancer_rows"]
        return np.array(kept["score"]), np.array([int(label) for label in kept["label"]])
    if name == "payments":
        data = br.examples.payments()
        return data["new_model"], data["fraud"]
    rng = np.random.default_rng(20240607)
    score = np.round(rng.random(3000) ** 3, 2)
    return score, (rng.random(3000) < 0.9 * score**0.8).astype(int)


def counts(name, clip=0.0):
    """Ascending distinct scores, and the positives and negatives at each."""
    score, label = rows(name)
    distinct, place = np.unique(np.clip(score, clip, 1 - clip), return_inverse=True)
    return distinct, np.bincount(place, label), np.bincount(place, 1 - label)


def inside(name):
    """Scores strictly between 0 and 1, and labels."""
    score, label = rows(name)
    return np.clip(score, 1e-6, 1 - 1e-6), np.asarray(label, int)


def curve(name):
    """The curve of these."""
    score, label = inside(name)
    return br.Curve.from_scores(label, score)
