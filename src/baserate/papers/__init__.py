"""Functions that ask what the published experiments ask."""

from baserate.design.largest_width import box_band, box_level, max_width_from_cvs
from baserate.papers.ranks import agreement
from baserate.papers.undersampling import undersampled

__all__ = [
    "agreement",
    "box_band",
    "box_level",
    "max_width_from_cvs",
    "undersampled",
]
