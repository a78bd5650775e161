"""What other programs do with the same rows. Most of them are optional: what is not installed is left out."""

import warnings
from collections.abc import Iterator
from functools import cache, partial
from importlib import import_module
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import numpy as np
from sklearn.metrics import auc, average_precision_score, precision_recall_curve, roc_auc_score, roc_curve
from timing import Runner, Value
from workload import Floats, Labels

SKLEARN = "scikit-learn"
TORCH, TORCH_BINNED = "torchmetrics", "torchmetrics, 200 thresholds"
SCIPY, INTERVALS = "scipy.stats.bootstrap", "confidenceinterval"
NETCAL, RELPLOT = "netcal", "relplot"
OPTIONAL = ("torch", "torchmetrics", "confidenceinterval", "netcal", "relplot")


@cache
def module(name: str) -> Any:
    """An optional module, or None where it is missing or broken; a broken one may fail in any way."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return import_module(name)
    except Exception:
        return None


def versions() -> tuple[list[str], list[str]]:
    """The programs that take part, with their versions, and the names of those that do not."""
    here, missing = [], []
    for name in ("baserate", "numpy", "scipy", SKLEARN, "polars", "duckdb", *OPTIONAL):
        try:
            here.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
            continue
        if name in OPTIONAL and module(name) is None:
            missing.append(here.pop())
    return here, missing


# --- one number from rows -------------------------------------------------------------------------


def average_precision(label: Labels, score: Floats) -> Iterator[Runner]:
    """All who can, exactly or nearly."""
    yield Runner(SKLEARN, partial(average_precision_score, label, score))
    torchmetrics, torch = module("torchmetrics.classification"), module("torch")
    if torchmetrics and torch:
        tensors = torch.from_numpy(score), torch.from_numpy(label)
        for name, thresholds in ((TORCH, None), (TORCH_BINNED, 200)):
            yield Runner(name, partial(_torch_average_precision, torchmetrics, *tensors, thresholds))


def _torch_average_precision(torchmetrics: Any, score: Any, label: Any, thresholds: int | None) -> float:
    metric = torchmetrics.BinaryAveragePrecision(thresholds=thresholds)
    metric.update(score, label)
    return float(metric.compute())


def roc_auc(label: Labels, score: Floats) -> Runner:
    return Runner(SKLEARN, partial(roc_auc_score, label, score))


def pr_curve(label: Labels, score: Floats) -> Runner:
    def run() -> Value:
        precision, recall, _ = precision_recall_curve(label, score)
        return np.concatenate([precision[-2::-1], recall[-2::-1]])  # ours has no point without alerts

    return Runner(SKLEARN, run)


# --- at another prevalence: each row weighted, and all of them sorted again -----------------------


def weights(label: Labels, prevalence: float) -> Floats:
    """Weights that make the positives so large a share."""
    own = label.mean()
    return np.where(label == 1, 1.0, own * (1 - prevalence) / (prevalence * (1 - own)))


def weighted_average_precision(label: Labels, score: Floats, weight: Floats) -> float:
    return float(average_precision_score(label, score, sample_weight=weight))


def weighted_best_f1(label: Labels, score: Floats, weight: Floats) -> float:
    precision, recall, _ = precision_recall_curve(label, score, sample_weight=weight)
    with np.errstate(invalid="ignore"):
        return float(np.nanmax(2 * precision * recall / (precision + recall)))


def weighted_auc_pr(label: Labels, score: Floats, weight: Floats) -> float:
    precision, recall, _ = precision_recall_curve(label, score, sample_weight=weight)
    return float(auc(recall, precision))


def weighted_auc_prg(label: Labels, score: Floats, weight: Floats) -> float:
    """From recall = prevalence on, where the recall gain is 0."""
    fpr, tpr, _ = roc_curve(label, score, sample_weight=weight, drop_intermediate=False)
    eta = weight[label == 1].sum() / weight.sum()
    inside = tpr > eta
    recall = np.append(eta, tpr[inside])
    false_alarms = (1 - eta) * np.append(np.interp(eta, tpr, fpr), fpr[inside])
    precision = eta * recall / (eta * recall + false_alarms)
    precision_gain, recall_gain = ((share - eta) / ((1 - eta) * share) for share in (precision, recall))
    return float(auc(recall_gain, precision_gain))


# --- intervals ------------------------------------------------------------------------------------


def bootstrapped_average_precision(label: Labels, score: Floats, n_resamples: int, whole: int) -> Runner:
    """Rows drawn by scipy within each class and sorted by scikit-learn; of `whole` replicates only some are drawn."""
    import scipy.stats

    classes = score[label == 1], score[label == 0]
    labels = np.repeat([1, 0], [len(own) for own in classes])

    def statistic(positives: Floats, negatives: Floats) -> float:
        return float(average_precision_score(labels, np.concatenate([positives, negatives])))

    def run() -> Value:
        drawn = scipy.stats.bootstrap(
            classes, statistic, n_resamples=n_resamples, vectorized=False, method="percentile", rng=0
        )
        return np.array(drawn.confidence_interval)

    return Runner(SCIPY, run, times=whole / n_resamples)


def roc_auc_interval(label: Labels, score: Floats) -> Iterator[Runner]:
    """DeLong's interval."""
    package = module("confidenceinterval")
    if package:

        def run() -> Value:
            value, interval = package.roc_auc_score(label, score, confidence_level=0.95)
            return np.array([value, *interval])

        yield Runner(INTERVALS, run)


# --- calibration ----------------------------------------------------------------------------------


def ece(label: Labels, score: Floats) -> Iterator[Runner]:
    """In ten bins of equal width."""
    metrics = module("netcal.metrics")
    if metrics:
        yield Runner(NETCAL, lambda: float(metrics.ECE(10).measure(score, label)))
    torchmetrics, torch = module("torchmetrics.functional.classification"), module("torch")
    if torchmetrics and torch:
        tensors = torch.from_numpy(score), torch.from_numpy(label)
        yield Runner(TORCH, lambda: float(torchmetrics.binary_calibration_error(*tensors, n_bins=10)))


def smooth_ece(label: Labels, score: Floats) -> Iterator[Runner]:
    package = module("relplot")
    if package:
        yield Runner(RELPLOT, lambda: float(package.smECE(score, label)))


def reliability(label: Labels, score: Floats) -> Runner:
    """Event rate and mean score of ten bins; scikit-learn gives no intervals with them."""
    from sklearn.calibration import calibration_curve

    return Runner(SKLEARN, lambda: np.concatenate(calibration_curve(label, score, n_bins=10)))
