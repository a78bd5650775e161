"""Study design: the sample size of a test set, and what an existing test set can show."""

from baserate.design.ap_planning import test_set_like
from baserate.design.drawing import curve_of_drawn, draw_rows
from baserate.design.label_planning import labelling
from baserate.design.largest_width import affordable_cv, max_width
from baserate.design.planning import test_set
from baserate.design.supporting import supports

__all__ = [
    "affordable_cv",
    "curve_of_drawn",
    "draw_rows",
    "labelling",
    "max_width",
    "supports",
    "test_set",
    "test_set_like",
]
