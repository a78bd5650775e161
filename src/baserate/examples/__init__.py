"""Example data."""

import csv
import gzip
from importlib.resources import files

import numpy as np

from baserate.arrays import Array


def payments() -> dict[str, Array]:
    """Twelve thousand simulated card payments, 300 of them frauds, scored by two models.

    One array per column: ``month``, ``channel``, ``fraud`` (0/1), ``old_model`` and ``new_model`` (scores in
    [0, 1]). The test set is enriched: 1 in 40 is a fraud, where production sees one in some thousands. The old model
    gives all frauds somewhat higher scores; the new one gives most of them very high scores, and misses the rest.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.payments()
    >>> br.Curve.from_scores(data["fraud"], data["new_model"])
    Curve(300 pos, 11,700 neg, prevalence 1 in 40)
    """
    return _columns("payments.csv.gz")


def year() -> dict[str, Array]:
    """Thirty thousand simulated card payments of the twelve months of 2025, scored by two models.

    One array per column: ``day`` (dates as text), ``channel``, ``fraud`` (0/1), ``old_model`` and ``new_model``. Over
    the year frauds grow from 1 in 192 to 1 in 33, and the new model, which was far better at first, recognises fewer
    and fewer of them.

    Examples
    --------
    >>> import baserate as br
    >>> data = br.examples.year()
    >>> br.Curve.from_scores(data["fraud"], data["new_model"])
    Curve(413 pos, 29,587 neg, prevalence 1 in 72.64)
    """
    return _columns("year.csv.gz")


def _columns(name: str) -> dict[str, Array]:
    with gzip.open(str(files(__name__) / name), "rt", newline="") as file:
        rows = list(csv.DictReader(file))
    columns = {name: np.array([row[name] for row in rows]) for name in rows[0]}
    kinds = {"fraud": np.int64, "old_model": np.float64, "new_model": np.float64}
    return {name: column.astype(kinds.get(name, np.str_)) for name, column in columns.items()}
