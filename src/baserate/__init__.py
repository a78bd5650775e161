"""Judge binary classifiers at the prevalence that matters.

A **Curve** is a table of positives and negatives by score, read at a prevalence. A **metric** is a function
from a Curve to a number.
"""

from importlib import import_module as _import_module
from importlib.util import find_spec as _find_spec

__version__ = "0.1.0"

# Where each name is defined. A module is loaded when a name of it is first asked for, so that a start is quick. Type
# checkers read __init__.pyi; a test holds the two together.
_HOMES = {
    "answers.comparing": "compare",
    "answers.evaluating": "evaluate",
    "calibration.adjusting": "adjust",
    "calibration.reliability": "reliability",
    "claims.claims": "Claim check",
    "claims.claims_file": "read_claims",
    "curves.accumulator": "Accumulator",
    "curves.curve": "Curve",
    "curves.one_vs_rest": "one_vs_rest",
    "curves.pair": "Models Pair",
    "curves.point": "Point",
    "curves.rules": "Rule",
    "deployment": "deploy worst_case",
    "errors": "BaserateError Reason",
    "ingest.tables": "curve curves_by",
    "metrics": "METRICS",
    "metrics.areas": "auc_pr auc_prg average_precision best_f1 best_f_beta roc_auc",
    "metrics.baselines": "chance_average_precision min_auc_pr min_average_precision normalized_auc_pr "
    "normalized_average_precision",
    "metrics.bounds": "bounds",
    "metrics.calibration_errors": "debiased_ece debiased_rms_calibration_error ece mce rms_calibration_error "
    "smooth_ece",
    "metrics.costs": "expected_cost net_benefit",
    "metrics.gains": "chance_precision min_precision modified_f1 modified_f_beta precision_gain recall_gain",
    "metrics.natural": "natural_frequencies",
    "metrics.over_prevalence": "crossings mean_over_prevalence sweep",
    "metrics.predictive": "accuracy alert_rate f1 f_beta kappa lift mcc npv precision",
    "metrics.probabilities": "brier_score log_loss",
    "metrics.rates": "balanced_accuracy lr_negative lr_positive recall specificity youden_j",
    "monitoring.change": "explain_change",
    "monitoring.groups": "by_period by_slice",
    "page.reporting": "report write_report",
    "published.auditing": "audit",
    "scikit.classifier": "PriorShiftClassifier",
    "scikit.recalibrated": "RecalibratedClassifier",
    "scikit.scorer": "scorer",
    "uncertainty.bands": "pr_band prg_band roc_band sweep_estimates",
    "uncertainty.chance": "better_than_chance",
    "uncertainty.clusters": "cluster_estimate",
    "uncertainty.difference": "difference swap_test",
    "uncertainty.estimate": "estimate",
    "uncertainty.lead": "crossing_estimates lead ranking",
}
_HOME = {name: module for module, names in _HOMES.items() for name in names.split()}

# Names that are not needed daily: br.calibration.decompose, br.results.Estimate, ...
_ROOMS = (
    *("calibration", "costs", "design", "errors", "examples", "folds", "labels", "monitoring", "native", "papers"),
    *("plots", "prior", "results"),
)

# What is made of scikit-learn, which need not be installed; ``import *`` does not ask for it.
_OPTIONAL = {"PriorShiftClassifier": "sklearn", "RecalibratedClassifier": "sklearn"}

__all__ = sorted(  # noqa: PLE0605
    [name for name in (*_HOME, *_ROOMS) if name not in _OPTIONAL],
    key=lambda name: (not name.isupper(), not name[0].isupper(), name),
)


def __getattr__(name: str) -> object:
    """Import a name when it is asked for."""
    if name in _ROOMS:
        return _import_module(f"baserate.{name}")
    if name in _HOME:
        value = globals()[name] = getattr(_import_module(f"baserate.{_HOME[name]}"), name)
        return value
    if name.startswith("_") or _find_spec(f"baserate.{name}") is not None:  # a module, which is imported after this
        raise AttributeError(f"module 'baserate' has no attribute {name!r}")
    raise _no_attribute(name)


def _no_attribute(name: str) -> AttributeError:
    """The error for an unknown name, with a hint at a similar one."""
    known = [*__all__, *(f"{room}.{one}" for room in _ROOMS for one in getattr(__getattr__(room), "__all__", ()))]
    in_a_room = next((one for one in known if one.endswith(f".{name}")), None)
    if in_a_room is not None:
        return AttributeError(f"module 'baserate' has no attribute {name!r}; it is baserate.{in_a_room}")
    error: AttributeError = _import_module("baserate.checks.synonyms").no_attribute("baserate", name, known)
    return error


def __dir__() -> list[str]:
    optional = [name for name, needed in _OPTIONAL.items() if _find_spec(needed) is not None]
    return sorted([*globals(), *__all__, *optional])
