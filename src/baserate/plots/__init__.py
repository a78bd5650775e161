"""Plots: Displays as in scikit-learn, drawn by matplotlib when `plot` is called."""

from baserate.plots.change import ChangeDisplay
from baserate.plots.gain import PrecisionRecallGainDisplay
from baserate.plots.precision_recall import PrecisionRecallDisplay
from baserate.plots.prevalence import PrevalenceDisplay
from baserate.plots.reliability import ReliabilityDisplay
from baserate.plots.roc import RocDisplay
from baserate.plots.slices import SlicesDisplay
from baserate.plots.timeline import TimelineDisplay

__all__ = [
    "ChangeDisplay",
    "PrecisionRecallDisplay",
    "PrecisionRecallGainDisplay",
    "PrevalenceDisplay",
    "ReliabilityDisplay",
    "RocDisplay",
    "SlicesDisplay",
    "TimelineDisplay",
]
