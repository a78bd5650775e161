"""Judge binary classifiers at the prevalence that matters.

A **Curve** is a table of positives and negatives by score, read at a prevalence. A **metric** is a function
from a Curve to a number.
"""

from baserate import examples
from baserate.curves.accumulator import Accumulator
from baserate.curves.curve import Curve
from baserate.curves.one_vs_rest import one_vs_rest
from baserate.curves.pair import Pair
from baserate.curves.point import Choice, Point
from baserate.curves.reading import Reading
from baserate.errors import (
    BaserateError,
    CurveFileError,
    DataFileError,
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
from baserate.metrics.ranking import ranking
from baserate.metrics.rates import balanced_accuracy, lr_negative, lr_positive, recall, specificity, youden_j
from baserate.registry import METRICS
from baserate.report.page import write_report
from baserate.results import (
    Band,
    Bounds,
    ChanceTest,
    Crossing,
    CrossingEstimate,
    Difference,
    Estimate,
    Lead,
    MaxWidth,
    NaturalFrequencies,
    Ranking,
    Region,
    Sweep,
    Undersampled,
)
from baserate.scorer import scorer
from baserate.uncertainty.bands import pr_band, prg_band, roc_band, sweep_estimates
from baserate.uncertainty.chance import better_than_chance
from baserate.uncertainty.clusters import cluster_estimate
from baserate.uncertainty.difference import difference, swap_test
from baserate.uncertainty.estimate import estimate
from baserate.uncertainty.lead import crossing_estimates, lead
from baserate.uncertainty.prevalence import Beta
from baserate.uncertainty.undersampling import undersampled
from baserate.uncertainty.widths import affordable_cv, box_band, box_level, max_width, max_width_from_cvs

# isort: split
from baserate import plots  # last, so that metrics are registered in the order of the lines above

__version__ = "0.1.0"

__all__ = [
    "METRICS",
    "Accumulator",
    "Band",
    "BaserateError",
    "Beta",
    "Bounds",
    "ChanceTest",
    "Choice",
    "Crossing",
    "CrossingEstimate",
    "Curve",
    "CurveFileError",
    "DataFileError",
    "Difference",
    "Estimate",
    "InputError",
    "Lead",
    "MaxWidth",
    "MissingInformationError",
    "NaturalFrequencies",
    "NoSuchPointError",
    "Pair",
    "Point",
    "PrecisionWarning",
    "Ranking",
    "Reading",
    "Reason",
    "Region",
    "Sweep",
    "UndefinedMetricWarning",
    "Undersampled",
    "UnlabelledWarning",
    "accuracy",
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
    "chance_average_precision",
    "chance_precision",
    "cluster_estimate",
    "crossing_estimates",
    "crossings",
    "curve",
    "curves_by",
    "difference",
    "estimate",
    "examples",
    "expected_cost",
    "f1",
    "f_beta",
    "kappa",
    "lead",
    "lift",
    "lr_negative",
    "lr_positive",
    "max_width",
    "max_width_from_cvs",
    "mcc",
    "mean_over_prevalence",
    "min_auc_pr",
    "min_average_precision",
    "min_precision",
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
    "ranking",
    "recall",
    "recall_gain",
    "roc_auc",
    "roc_band",
    "scorer",
    "specificity",
    "swap_test",
    "sweep",
    "sweep_estimates",
    "undersampled",
    "write_report",
    "youden_j",
]
