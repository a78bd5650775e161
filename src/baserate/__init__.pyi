"""What type checkers see of the package; __init__.py loads the same names when they are asked for."""

from baserate import calibration as calibration
from baserate import costs as costs
from baserate import design as design
from baserate import errors as errors
from baserate import examples as examples
from baserate import folds as folds
from baserate import labels as labels
from baserate import monitoring as monitoring
from baserate import native as native
from baserate import papers as papers
from baserate import plots as plots
from baserate import prior as prior
from baserate import results as results
from baserate.answers.comparing import compare as compare
from baserate.answers.evaluating import evaluate as evaluate
from baserate.calibration.adjusting import adjust as adjust
from baserate.calibration.reliability import reliability as reliability
from baserate.claims.claims import Claim as Claim
from baserate.claims.claims import check as check
from baserate.claims.claims_file import read_claims as read_claims
from baserate.curves.accumulator import Accumulator as Accumulator
from baserate.curves.curve import Curve as Curve
from baserate.curves.one_vs_rest import one_vs_rest as one_vs_rest
from baserate.curves.pair import Models as Models
from baserate.curves.pair import Pair as Pair
from baserate.curves.point import Point as Point
from baserate.curves.rules import Rule as Rule
from baserate.deployment import deploy as deploy
from baserate.deployment import worst_case as worst_case
from baserate.errors import BaserateError as BaserateError
from baserate.errors import Reason as Reason
from baserate.ingest.tables import curve as curve
from baserate.ingest.tables import curves_by as curves_by
from baserate.metrics import METRICS as METRICS
from baserate.metrics.areas import auc_pr as auc_pr
from baserate.metrics.areas import auc_prg as auc_prg
from baserate.metrics.areas import average_precision as average_precision
from baserate.metrics.areas import best_f1 as best_f1
from baserate.metrics.areas import best_f_beta as best_f_beta
from baserate.metrics.areas import roc_auc as roc_auc
from baserate.metrics.baselines import chance_average_precision as chance_average_precision
from baserate.metrics.baselines import min_auc_pr as min_auc_pr
from baserate.metrics.baselines import min_average_precision as min_average_precision
from baserate.metrics.baselines import normalized_auc_pr as normalized_auc_pr
from baserate.metrics.baselines import normalized_average_precision as normalized_average_precision
from baserate.metrics.bounds import bounds as bounds
from baserate.metrics.calibration_errors import debiased_ece as debiased_ece
from baserate.metrics.calibration_errors import debiased_rms_calibration_error as debiased_rms_calibration_error
from baserate.metrics.calibration_errors import ece as ece
from baserate.metrics.calibration_errors import mce as mce
from baserate.metrics.calibration_errors import rms_calibration_error as rms_calibration_error
from baserate.metrics.calibration_errors import smooth_ece as smooth_ece
from baserate.metrics.costs import expected_cost as expected_cost
from baserate.metrics.costs import net_benefit as net_benefit
from baserate.metrics.gains import chance_precision as chance_precision
from baserate.metrics.gains import min_precision as min_precision
from baserate.metrics.gains import modified_f1 as modified_f1
from baserate.metrics.gains import modified_f_beta as modified_f_beta
from baserate.metrics.gains import precision_gain as precision_gain
from baserate.metrics.gains import recall_gain as recall_gain
from baserate.metrics.natural import natural_frequencies as natural_frequencies
from baserate.metrics.over_prevalence import crossings as crossings
from baserate.metrics.over_prevalence import mean_over_prevalence as mean_over_prevalence
from baserate.metrics.over_prevalence import sweep as sweep
from baserate.metrics.predictive import accuracy as accuracy
from baserate.metrics.predictive import alert_rate as alert_rate
from baserate.metrics.predictive import f1 as f1
from baserate.metrics.predictive import f_beta as f_beta
from baserate.metrics.predictive import kappa as kappa
from baserate.metrics.predictive import lift as lift
from baserate.metrics.predictive import mcc as mcc
from baserate.metrics.predictive import npv as npv
from baserate.metrics.predictive import precision as precision
from baserate.metrics.probabilities import brier_score as brier_score
from baserate.metrics.probabilities import log_loss as log_loss
from baserate.metrics.rates import balanced_accuracy as balanced_accuracy
from baserate.metrics.rates import lr_negative as lr_negative
from baserate.metrics.rates import lr_positive as lr_positive
from baserate.metrics.rates import recall as recall
from baserate.metrics.rates import specificity as specificity
from baserate.metrics.rates import youden_j as youden_j
from baserate.monitoring.change import explain_change as explain_change
from baserate.monitoring.groups import by_period as by_period
from baserate.monitoring.groups import by_slice as by_slice
from baserate.page.reporting import report as report
from baserate.page.reporting import write_report as write_report
from baserate.published.auditing import audit as audit
from baserate.scikit.classifier import PriorShiftClassifier as PriorShiftClassifier
from baserate.scikit.recalibrated import RecalibratedClassifier as RecalibratedClassifier
from baserate.scikit.scorer import scorer as scorer
from baserate.uncertainty.bands import pr_band as pr_band
from baserate.uncertainty.bands import prg_band as prg_band
from baserate.uncertainty.bands import roc_band as roc_band
from baserate.uncertainty.bands import sweep_estimates as sweep_estimates
from baserate.uncertainty.chance import better_than_chance as better_than_chance
from baserate.uncertainty.clusters import cluster_estimate as cluster_estimate
from baserate.uncertainty.difference import difference as difference
from baserate.uncertainty.difference import swap_test as swap_test
from baserate.uncertainty.estimate import estimate as estimate
from baserate.uncertainty.lead import crossing_estimates as crossing_estimates
from baserate.uncertainty.lead import lead as lead
from baserate.uncertainty.lead import ranking as ranking

__version__: str
__all__ = [
    "METRICS",
    "Accumulator",
    "BaserateError",
    "Claim",
    "Curve",
    "Models",
    "Pair",
    "Point",
    "Reason",
    "Rule",
    "accuracy",
    "adjust",
    "alert_rate",
    "auc_pr",
    "auc_prg",
    "audit",
    "average_precision",
    "balanced_accuracy",
    "best_f1",
    "best_f_beta",
    "better_than_chance",
    "bounds",
    "brier_score",
    "by_period",
    "by_slice",
    "calibration",
    "chance_average_precision",
    "chance_precision",
    "check",
    "cluster_estimate",
    "compare",
    "costs",
    "crossing_estimates",
    "crossings",
    "curve",
    "curves_by",
    "debiased_ece",
    "debiased_rms_calibration_error",
    "deploy",
    "design",
    "difference",
    "ece",
    "errors",
    "estimate",
    "evaluate",
    "examples",
    "expected_cost",
    "explain_change",
    "f1",
    "f_beta",
    "folds",
    "kappa",
    "labels",
    "lead",
    "lift",
    "log_loss",
    "lr_negative",
    "lr_positive",
    "mcc",
    "mce",
    "mean_over_prevalence",
    "min_auc_pr",
    "min_average_precision",
    "min_precision",
    "modified_f1",
    "modified_f_beta",
    "monitoring",
    "native",
    "natural_frequencies",
    "net_benefit",
    "normalized_auc_pr",
    "normalized_average_precision",
    "npv",
    "one_vs_rest",
    "papers",
    "plots",
    "pr_band",
    "precision",
    "precision_gain",
    "prg_band",
    "prior",
    "ranking",
    "read_claims",
    "recall",
    "recall_gain",
    "reliability",
    "report",
    "results",
    "rms_calibration_error",
    "roc_auc",
    "roc_band",
    "scorer",
    "smooth_ece",
    "specificity",
    "swap_test",
    "sweep",
    "sweep_estimates",
    "worst_case",
    "write_report",
    "youden_j",
]
