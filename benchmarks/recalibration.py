"""Recalibration on eight data sets beside scikit-learn's, and how often its intervals hold: docs/recalibration.md.

``python benchmarks/recalibration.py --data FOLDER --write docs/recalibration.md``; the folder has a Parquet file for
each data set, with features and a column ``y``. Without it the data sets are those that come with scikit-learn.
"""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_breast_cancer, load_digits
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import train_test_split
from tables import table

import baserate as br
from baserate.calibration.cross_fitting import folds_of
from baserate.calibration.recalibration import Method

Rows = tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]

# As the files are called behind the name of their collection; all are of different tables.
NAMES = ("magic", "spambase", "phoneme", "ada", "page_blocks0", "satimage", "kc1", "german")
OURS: tuple[Method, ...] = ("none", "logistic", "temperature", "beta", "isotonic", "bins")
THEIRS = ("sigmoid", "isotonic", "temperature")
EPSILON = 2.0**-52  # scikit-learn's log_loss keeps probabilities so far from 0 and 1
BEGIN, END = "<!-- recalibration study -->", "<!-- end of recalibration study -->"


class Loss(NamedTuple):
    """How good probabilities are at a prevalence."""

    log_loss: float
    ece: float


def data_sets(folder: Path | None) -> Iterator[tuple[str, Rows]]:
    """Features and labels by name."""
    if folder is None:
        X, y = load_breast_cancer(return_X_y=True)
        yield "breast_cancer", (X, 1 - y)
        X, digit = load_digits(return_X_y=True)
        yield "digit_8", (X, (digit == 8).astype(np.int64))
        return
    import polars as pl

    for name in NAMES:
        (path,) = folder.glob(f"*__{name}.parquet")
        read = pl.read_parquet(path)
        yield name, (read.drop("y").to_numpy().astype(np.float64), read["y"].to_numpy().astype(np.int64))


def losses(score: npt.NDArray[np.float64], label: npt.NDArray[np.int64], prevalence: float) -> Loss:
    """Log loss and calibration error of probabilities at a prevalence."""
    curve = br.Curve.from_scores(label, score).at_prevalence(prevalence)
    return Loss(br.log_loss(curve, clip=EPSILON), br.ece(curve))


def judged(rows: Rows, seed: int) -> dict[tuple[bool, str], Loss]:
    """One split: half of the rows to fit the model, a quarter to recalibrate, a quarter to judge."""
    X, y = rows
    X_fit, X_rest, y_fit, y_rest = train_test_split(X, y, test_size=0.5, stratify=y, random_state=seed)
    X_cal, X_test, y_cal, y_test = train_test_split(X_rest, y_rest, test_size=0.5, stratify=y_rest, random_state=seed)
    model = HistGradientBoostingClassifier(random_state=seed).fit(X_fit, y_fit)
    curve = br.Curve.from_scores(y_cal, model.predict_proba(X_cal)[:, 1])
    score = model.predict_proba(X_test)[:, 1]
    own = float(y_test.mean())
    others: dict[str, Any] = {
        f"{name} (scikit-learn)": CalibratedClassifierCV(FrozenEstimator(model), method=name).fit(X_cal, y_cal)
        for name in THEIRS
    }
    found: dict[tuple[bool, str], Loss] = {}
    for shifted, prevalence in ((False, own), (True, own / 10)):
        for name in OURS:
            fitted = br.calibration.recalibrate(curve, name)
            moved = fitted.at_prevalence(prevalence) if shifted else fitted
            found[shifted, name] = losses(moved.map(score), y_test, prevalence)
        for whose, other in others.items():
            found[shifted, whose] = losses(other.predict_proba(X_test)[:, 1], y_test, prevalence)
    return found


def compared(folder: Path | None, splits: int) -> str:
    """Two tables: the mean log loss and the mean calibration error over splits."""
    heads = ["data", "rows", "prevalence", *OURS, *(f"{name} (scikit-learn)" for name in THEIRS)]
    lines: dict[str, list[list[str]]] = {"log_loss": [], "ece": []}
    for name, rows in data_sets(folder):
        each = [judged(rows, seed) for seed in range(splits)]
        for shifted in (False, True):
            prevalence = rows[1].mean() / (10 if shifted else 1)
            about = [name, f"{len(rows[1]):,}", f"{prevalence:.3g}{', shifted' * shifted}"]
            for what, of in lines.items():
                means = [float(np.mean([getattr(one[shifted, head], what) for one in each])) for head in heads[3:]]
                best = min(f"{mean:.4f}" for mean in means)
                cells = [f"{mean:.4f}" for mean in means]
                of.append([*about, *(f"**{cell}**" if cell == best else cell for cell in cells)])
        print(name, file=sys.stderr, flush=True)
    return f"Log loss:\n\n{table(heads, lines['log_loss'], words=1)}\n\nECE:\n\n{table(heads, lines['ece'], words=1)}"


# --- how often intervals hold ------------------------------------------------------------------------

# Log-odds of the scores on a fine grid, with their distribution: what is expected is summed, not drawn.
_GRID = np.linspace(-9, 9, 3601)
_SCORE = 1 / (1 + np.exp(-_GRID))


class Population(NamedTuple):
    """The share of each score, and the chance of an event there."""

    share: npt.NDArray[np.float64]
    chance: npt.NDArray[np.float64]

    @property
    def prevalence(self) -> float:
        """The share of events."""
        return float((self.share * self.chance).sum())

    def drawn(self, n: int, rng: np.random.Generator) -> br.Curve:
        """A sample of rows."""
        place = rng.choice(len(_GRID), n, p=self.share)
        return br.Curve.from_scores(rng.random(n) < self.chance[place], _SCORE[place])

    def loss(self, fitted: br.calibration.Recalibration, prevalence: float) -> float:
        """The expected log loss of a map."""
        of_pos, of_neg = fitted.shares(_SCORE)
        pos, neg = self.share * self.chance, self.share * (1 - self.chance)
        own = self.prevalence
        lost = (
            prevalence / own * (pos * np.log(of_pos)).sum()
            + (1 - prevalence) / (1 - own) * (neg * np.log(of_neg)).sum()
        )
        return -float(lost)


def population(centre: float) -> Population:
    """Scores that are too extreme, and too low."""
    share = np.exp(-0.5 * ((_GRID - centre) / 1.5) ** 2)
    return Population(share / share.sum(), 1 / (1 + np.exp(-(0.6 * _GRID + 0.3))))


def covered(whole: Population, n: int, eta: float | None, repeats: int, seed: int) -> float:
    """How often the interval of `choose_recalibration` contains the expected difference of the fitted maps."""
    rng = np.random.default_rng(seed)
    hits = 0
    for _ in range(repeats):
        curve = whole.drawn(n, rng)
        curve = curve if eta is None else curve.at_prevalence(eta)
        found = br.calibration.choose_recalibration(curve, ["none", "beta"], rng=seed)
        dealt, at = folds_of(curve, 5, seed), eta or whole.prevalence
        both: tuple[Method, Method] = ("none", "beta")
        expected = {
            method: np.mean([whole.loss(br.calibration.recalibrate(fold.fitted, method), at) for fold in dealt])
            for method in both
        }
        best, other = found.method
        hits += bool(found.low[1] <= expected[other] - expected[best] <= found.high[1])
    return hits / repeats


def coverage(repeats: int) -> str:
    """A table of coverage."""
    settings = [(n, centre, eta) for n in (500, 4_000) for centre in (0.0, -4.0) for eta in (None, 0.01)]
    rows = []
    for k, (n, centre, eta) in enumerate(settings):
        whole = population(centre)
        share = covered(whole, n, eta, repeats, seed=k)
        read = "own" if eta is None else f"{eta:g}"
        rows.append([f"{n:,}", f"{n * whole.prevalence:,.0f}", read, f"{100 * share:.1f} %"])
    return table(["rows", "positives, about", "read at", "coverage of 95 %"], rows, words=0)


def section(folder: Path | None, splits: int, repeats: int) -> str:
    """What stands on the page."""
    return (
        f"A gradient boosting model was fitted to half of the rows, recalibrated on a quarter and judged on the rest;\n"
        f"means of {splits} splits. *Shifted* is a tenth of the prevalence: our maps, and the scores as they are,\n"
        f"were moved by `at_prevalence`, for which CalibratedClassifierCV has no step. The best of each row is bold."
        f"\n\n{compared(folder, splits)}\n\n"
        f"How often the interval of the difference between no recalibration and `beta` contains the expected\n"
        f"difference of the same maps, in {repeats} simulated test sets whose scores are too extreme and too low:\n\n"
        f"{coverage(repeats)}"
    )


def main() -> None:
    """Print the section, or write it into a page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, help="a folder of Parquet files with features and y")
    parser.add_argument("--write", type=Path, help="the page to write into")
    parser.add_argument("--quick", action="store_true", help="two splits, and few test sets")
    arguments = parser.parse_args()
    made = section(arguments.data, 2 if arguments.quick else 5, 5 if arguments.quick else 400)
    if arguments.write is None:
        print(made)
        return
    page = arguments.write.read_text(encoding="utf-8")
    before, after = page.split(BEGIN)[0], page.split(END)[1]
    arguments.write.write_text(f"{before}{BEGIN}\n\n{made}\n\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
