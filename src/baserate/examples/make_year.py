"""How year.csv.gz was simulated: ``python -m baserate.examples.make_year``."""

import datetime

import numpy as np

from baserate.examples.make_payments import probability, write

_PAYMENTS_PER_MONTH = 2500

# Fraud grows from 1 in 200 to 1 in 33 while the new model, trained on last year's frauds, recognises fewer of them.
_FRAUDS = (13, 14, 16, 19, 22, 26, 31, 37, 44, 53, 63, 75)
_RECOGNISED = (0.8, 0.78, 0.75, 0.7, 0.66, 0.62, 0.57, 0.52, 0.47, 0.42, 0.38, 0.35)


def simulate(rng: np.random.Generator) -> list[tuple[str, str, int, str, str]]:
    """Rows of day, channel, fraud, old_model, new_model."""
    rows = []
    for month, (n_frauds, recognised) in enumerate(zip(_FRAUDS, _RECOGNISED, strict=True), 1):
        fraud = rng.permutation(np.arange(_PAYMENTS_PER_MONTH) < n_frauds)
        day = np.sort(rng.integers(1, 29, len(fraud)))
        channel = np.where(rng.random(len(fraud)) < np.where(fraud, 0.7, 0.4), "web", "shop")
        noise_old, noise_new = rng.normal(size=(2, len(fraud)))
        old = noise_old + 2.3 * fraud
        new = noise_new + np.where(fraud & (rng.random(len(fraud)) < recognised), 4.2, np.where(fraud, 0.5, 0.0))
        scores = (probability(2 * old - 6), probability(2 * new - 7))
        rows += [
            (datetime.date(2025, month, int(on)).isoformat(), str(where), int(is_fraud), f"{a:.4g}", f"{b:.4g}")
            for on, where, is_fraud, a, b in zip(day, channel, fraud, *scores, strict=True)
        ]
    return rows


if __name__ == "__main__":
    simulated = simulate(np.random.default_rng(2025))
    write("year.csv.gz", ["day", "channel", "fraud", "old_model", "new_model"], simulated)
