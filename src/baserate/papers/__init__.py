"""Functions that only the published experiments need."""

from baserate.design.largest_width import box_band, box_level, max_width_from_cvs
from baserate.papers.undersampling import undersampled

__all__ = [
    "box_band",
    "box_level",
    "max_width_from_cvs",
    "undersampled",
]
