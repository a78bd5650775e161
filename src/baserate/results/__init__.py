"""Results: frozen values with texts, tables and JSON."""

from baserate.results.agreements import ClaimVerdict, Deployment, FoldMean, SummaryPRCurve
from baserate.results.answers import Answer, BestRange, Comparison, Evaluation, GroupCrossing
from baserate.results.audits import Audit, ImpliedRange
from baserate.results.base import Result
from baserate.results.calibration_tests import (
    CoxCalibration,
    HosmerLemeshow,
    InTheLarge,
    InTheSmall,
    Spiegelhalter,
)
from baserate.results.changes import Alarms, Change, Changes, GroupTable
from baserate.results.comparisons import CrossingEstimate, Difference, Lead, Ranking, Region
from baserate.results.costs import CostCurve, CostMap
from baserate.results.designs import PointSupport, Support, TestSetPlan
from baserate.results.intervals import Band, Bounds, Estimate, MaxWidth
from baserate.results.isotonic import Decomposition, IsotonicReliability
from baserate.results.labelling import LabellingPlan, PlannedStratum, RowsToLabel
from baserate.results.labels import LabelForecast
from baserate.results.metric_agreements import MetricAgreement
from baserate.results.mislabelled import CorrectedRate, CorrectedRates
from baserate.results.priors import PrevalenceEstimate, PriorShiftCheck
from baserate.results.readings import Crossing, NaturalFrequencies, Sweep
from baserate.results.reliability import PriorEffect, Reliability
from baserate.results.resampled import ChanceTest, Undersampled
from baserate.results.sources import Source
from baserate.results.verdicts import Advice, PeriodReading, SeriesVerdict

__all__ = [
    "Advice",
    "Alarms",
    "Answer",
    "Audit",
    "Band",
    "BestRange",
    "Bounds",
    "ChanceTest",
    "Change",
    "Changes",
    "ClaimVerdict",
    "Comparison",
    "CorrectedRate",
    "CorrectedRates",
    "CostCurve",
    "CostMap",
    "CoxCalibration",
    "Crossing",
    "CrossingEstimate",
    "Decomposition",
    "Deployment",
    "Difference",
    "Estimate",
    "Evaluation",
    "FoldMean",
    "GroupCrossing",
    "GroupTable",
    "HosmerLemeshow",
    "ImpliedRange",
    "InTheLarge",
    "InTheSmall",
    "IsotonicReliability",
    "LabelForecast",
    "LabellingPlan",
    "Lead",
    "MaxWidth",
    "MetricAgreement",
    "NaturalFrequencies",
    "PeriodReading",
    "PlannedStratum",
    "PointSupport",
    "PrevalenceEstimate",
    "PriorEffect",
    "PriorShiftCheck",
    "Ranking",
    "Region",
    "Reliability",
    "Result",
    "RowsToLabel",
    "SeriesVerdict",
    "Source",
    "Spiegelhalter",
    "SummaryPRCurve",
    "Support",
    "Sweep",
    "TestSetPlan",
    "Undersampled",
]
