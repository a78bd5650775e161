"""Many curves: slices, periods and folds compared, changes explained, claims checked, the past kept."""

from baserate.monitoring.alarms import model_alarms
from baserate.monitoring.change import explain_changes
from baserate.monitoring.store import CurveStore, Receipt

__all__ = [
    "CurveStore",
    "Receipt",
    "explain_changes",
    "model_alarms",
]
