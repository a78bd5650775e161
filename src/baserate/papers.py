"""Functions that only the published experiments need."""

from baserate.uncertainty.undersampling import undersampled
from baserate.uncertainty.widths import box_band, box_level, max_width_from_cvs

__all__ = [
    "box_band",
    "box_level",
    "max_width_from_cvs",
    "undersampled",
]
