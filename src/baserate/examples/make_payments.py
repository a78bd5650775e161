"""How payments.csv.gz was simulated: ``python -m baserate.examples.make_payments``."""

import csv
import gzip
import io
from pathlib import Path

import numpy as np

from baserate.arrays import FloatArray

_MONTHS = ("2026-01", "2026-02", "2026-03", "2026-04", "2026-05", "2026-06")
_FRAUDS = (30, 40, 40, 50, 60, 80)  # the base rate rises over the months
_PAYMENTS_PER_MONTH = 2000


def simulate(rng: np.random.Generator) -> list[tuple[str, str, int, str, str]]:
    """Rows of month, channel, fraud, old_model, new_model."""
    rows = []
    for month, n_frauds in zip(_MONTHS, _FRAUDS, strict=True):
        fraud = rng.permutation(np.arange(_PAYMENTS_PER_MONTH) < n_frauds)
        channel = np.where(rng.random(len(fraud)) < np.where(fraud, 0.7, 0.4), "web", "shop")
        noise_old, noise_new = rng.normal(size=(2, len(fraud)))
        old = noise_old + 2.3 * fraud
        seen = rng.random(len(fraud)) < 0.6  # the frauds the new model has learnt to recognise
        new = noise_new + np.where(fraud & seen, 4.2, np.where(fraud, 0.5, 0.0))
        scores = (probability(2 * old - 6), probability(2 * new - 7))
        rows += [
            (month, str(where), int(is_fraud), f"{a:.4g}", f"{b:.4g}")
            for where, is_fraud, a, b in zip(channel, fraud, *scores, strict=True)
        ]
    return rows


def probability(log_odds: FloatArray) -> FloatArray:
    """The logistic function."""
    return 1 / (1 + np.exp(-log_odds))


def write(name: str, columns: list[str], rows: list[tuple[str, str, int, str, str]]) -> None:
    """Write a file next to this one, the same bytes for the same rows."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)
    Path(__file__).with_name(name).write_bytes(gzip.compress(text.getvalue().encode(), mtime=0))


if __name__ == "__main__":
    simulated = simulate(np.random.default_rng(2026))
    write("payments.csv.gz", ["month", "channel", "fraud", "old_model", "new_model"], simulated)
