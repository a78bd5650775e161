"""Judge binary classifiers at the prevalence that matters.

A **Curve** is a table of positives and negatives by score, read at a prevalence. A **metric** is a function
from a Curve to a number.
"""

from importlib.util import find_spec as _find_spec
from typing import TYPE_CHECKING as _TYPE_CHECKING

from baserate import design, examples, plots
from baserate.answers.comparing import compare
from baserate.answers.evaluating import evaluate
from baserate.calibration.adjusting import adjust
from baserate.calibration.decomposition import decompose
from baserate.calibration.goodness_of_fit import hosmer_lemeshow, spiegelhalter
from baserate.calibration.large_and_small import in_the_large, in_the_small
from baserate.calibration.line import cox_calibration
from baserate.calibration.prior_effects import prior_effect
from baserate.calibration.reliability import reliability
from baserate.curves.accumulator import Accumulator
from baserate.curves.bins import Bins, equal_frequency, equal_width
from baserate.curves.curve import Curve
from baserate.curves.one_vs_rest import one_vs_rest
from baserate.curves.pair import Models, Pair
from baserate.curves.point import Point
from baserate.curves.reading import Reading
from baserate.curves.rules import Rule
from baserate.errors import (
    BaserateError,
    CurveFileError,
    DataFileError,
    FewerBinsWarning,
    InputError,
    MissingInformationError,
    NoSuchPointError,
    PrecisionWarning,
    Reason,
    UndefinedMetricWarning,
    UnlabelledWarning,
)
from baserate.ingest.tables import curve, curves_by
from baserate.metrics.areas import auc_pr, auc_prg, average_precision, best_f1, best_f_beta, roc_auc
from baserate.metrics.baselines import (
    chance_average_precision,
    min_auc_pr,
    min_average_precision,
    normalized_auc_pr,
    normalized_average_precision,
)
from baserate.metrics.bounds import bounds
from baserate.metrics.calibration_errors import (
    debiased_ece,
    debiased_rms_calibration_error,
    ece,
    mce,
    rms_calibration_error,
    smooth_ece,
)
from baserate.metrics.costs import expected_cost, net_benefit
from baserate.metrics.gains import (
    chance_precision,
    min_precision,
    modified_f1,
    modified_f_beta,
    precision_gain,
    recall_gain,
)
from baserate.metrics.natural import natural_frequencies
from baserate.metrics.over_prevalence import crossings, mean_over_prevalence, sweep
from baserate.metrics.predictive import accuracy, alert_rate, f1, f_beta, kappa, lift, mcc, npv, precision
from baserate.metrics.probabilities import brier_score, log_loss
from baserate.metrics.rates import balanced_accuracy, lr_negative, lr_positive, recall, specificity, youden_j
from baserate.monitoring.alarms import model_alarms
from baserate.monitoring.change import explain_change, explain_changes
from baserate.claims.claims import Claim, check, read_claims
from baserate.deployment import deploy, worst_case
from baserate.folds import curves_from_cv, mean_over_folds, summary_pr_curve
from baserate.monitoring.groups import by_period, by_slice
from baserate.monitoring.store import CurveStore, Receipt
from baserate.prior.prevalence import estimate_prevalence
from baserate.prior.shift import prior_shift_check
from baserate.registry import METRICS
from baserate.page.page import write_report
from baserate.results import (
    Alarms,
    Band,
    Bounds,
    ChanceTest,
    Change,
    Changes,
    ClaimVerdict,
    CoxCalibration,
    Crossing,
    CrossingEstimate,
    Decomposition,
    Deployment,
    Difference,
    Estimate,
    FoldMean,
    GroupTable,
    HosmerLemeshow,
    InTheLarge,
    InTheSmall,
    IsotonicReliability,
    Lead,
    MaxWidth,
    NaturalFrequencies,
    PointSupport,
    PrevalenceEstimate,
    PriorEffect,
    PriorShiftCheck,
    Ranking,
    Region,
    Reliability,
    Source,
    Spiegelhalter,
    SummaryPRCurve,
    Support,
    Sweep,
    TestSetPlan,
    Undersampled,
)
from baserate.scikit.scorer import scorer
from baserate.uncertainty.bands import pr_band, prg_band, roc_band, sweep_estimates
from baserate.uncertainty.chance import better_than_chance
from baserate.uncertainty.clusters import cluster_estimate
from baserate.uncertainty.difference import difference, swap_test
from baserate.uncertainty.estimate import estimate
from baserate.uncertainty.isotonic_band import isotonic_reliability
from baserate.uncertainty.lead import crossing_estimates, lead, ranking
from baserate.uncertainty.prevalence import Beta
from baserate.uncertainty.undersampling import undersampled
from baserate.uncertainty.widths import affordable_cv, box_band, box_level, max_width, max_width_from_cvs

if _TYPE_CHECKING:
    from baserate.scikit.classifier import PriorShiftClassifier as PriorShiftClassifier

__version__ = "0.1.0"

__all__ = [
    "METRICS",
    "Accumulator",
    "Alarms",
    "Band",
    "BaserateError",
    "Beta",
    "Bins",
    "Bounds",
    "ChanceTest",
    "Change",
    "Changes",
    "Claim",
    "ClaimVerdict",
    "CoxCalibration",
    "Crossing",
    "CrossingEstimate",
    "Curve",
    "CurveFileError",
    "CurveStore",
    "DataFileError",
    "Decomposition",
    "Deployment",
    "Difference",
    "Estimate",
    "FewerBinsWarning",
    "FoldMean",
    "GroupTable",
    "HosmerLemeshow",
    "InTheLarge",
    "InTheSmall",
    "InputError",
    "IsotonicReliability",
    "Lead",
    "MaxWidth",
    "MissingInformationError",
    "Models",
    "NaturalFrequencies",
    "NoSuchPointError",
    "Pair",
    "Point",
    "PointSupport",
    "PrecisionWarning",
    "PrevalenceEstimate",
    "PriorEffect",
    "PriorShiftCheck",
    "Ranking",
    "Reading",
    "Reason",
    "Receipt",
    "Region",
    "Reliability",
    "Rule",
    "Source",
    "Spiegelhalter",
    "SummaryPRCurve",
    "Support",
    "Sweep",
    "TestSetPlan",
    "UndefinedMetricWarning",
    "Undersampled",
    "UnlabelledWarning",
    "accuracy",
    "adjust",
    "affordable_cv",
    "alert_rate",
    "auc_pr",
    "auc_prg",
    "average_precision",
    "balanced_accuracy",
    "best_f1",
    "best_f_beta",
    "better_than_chance",
    "bounds",
    "box_band",
    "box_level",
    "brier_score",
    "by_period",
    "by_slice",
    "chance_average_precision",
    "chance_precision",
    "check",
    "cluster_estimate",
    "compare",
    "cox_calibration",
    "crossing_estimates",
    "crossings",
    "curve",
    "curves_by",
    "curves_from_cv",
    "debiased_ece",
    "debiased_rms_calibration_error",
    "decompose",
    "deploy",
    "design",
    "difference",
    "ece",
    "equal_frequency",
    "equal_width",
    "estimate",
    "estimate_prevalence",
    "evaluate",
    "examples",
    "expected_cost",
    "explain_change",
    "explain_changes",
    "f1",
    "f_beta",
    "hosmer_lemeshow",
    "in_the_large",
    "in_the_small",
    "isotonic_reliability",
    "kappa",
    "lead",
    "lift",
    "log_loss",
    "lr_negative",
    "lr_positive",
    "max_width",
    "max_width_from_cvs",
    "mcc",
    "mce",
    "mean_over_folds",
    "mean_over_prevalence",
    "min_auc_pr",
    "min_average_precision",
    "min_precision",
    "model_alarms",
    "modified_f1",
    "modified_f_beta",
    "natural_frequencies",
    "net_benefit",
    "normalized_auc_pr",
    "normalized_average_precision",
    "npv",
    "one_vs_rest",
    "plots",
    "pr_band",
    "precision",
    "precision_gain",
    "prg_band",
    "prior_effect",
    "prior_shift_check",
    "ranking",
    "read_claims",
    "recall",
    "recall_gain",
    "reliability",
    "rms_calibration_error",
    "roc_auc",
    "roc_band",
    "scorer",
    "smooth_ece",
    "specificity",
    "spiegelhalter",
    "summary_pr_curve",
    "swap_test",
    "sweep",
    "sweep_estimates",
    "undersampled",
    "worst_case",
    "write_report",
    "youden_j",
]


def __getattr__(name: str) -> object:
    """Import what is made of scikit-learn when it is asked for; ``import *`` does not ask."""
    if name == "PriorShiftClassifier":
        from baserate.scikit.classifier import PriorShiftClassifier

        return PriorShiftClassifier
    from baserate.checks.synonyms import no_attribute

    raise no_attribute("baserate", name, __all__)


def __dir__() -> list[str]:
    return sorted([*globals(), *["PriorShiftClassifier"] * (_find_spec("sklearn") is not None)])
