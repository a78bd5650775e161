"""Monitoring: slices and periods compared, changes explained, alarms, and a store of past curves."""

from baserate.monitoring.advice import advise
from baserate.monitoring.alarms import model_alarms
from baserate.monitoring.change import explain_changes
from baserate.monitoring.judging import judge_periods
from baserate.monitoring.label_forecast import expected_labels
from baserate.monitoring.store import CurveStore
from baserate.monitoring.store_appending import Receipt

__all__ = [
    "CurveStore",
    "Receipt",
    "advise",
    "expected_labels",
    "explain_changes",
    "judge_periods",
    "model_alarms",
]
