"""Costs of mistakes: one family of metrics, cost curves, the H-measure, and which model costs least."""

from baserate.costs.curves import brier_curve, cost_curve, h_measure
from baserate.costs.family import family_cells, share_of_value
from baserate.costs.leading import cost_map

__all__ = ["brier_curve", "cost_curve", "cost_map", "family_cells", "h_measure", "share_of_value"]
