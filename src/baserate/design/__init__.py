"""Before the data: how many labels a question needs, and what a test set can answer."""

from baserate.design.ap_planning import test_set_like
from baserate.design.planning import test_set
from baserate.design.supporting import supports
from baserate.uncertainty.widths import affordable_cv, max_width

__all__ = [
    "affordable_cv",
    "max_width",
    "supports",
    "test_set",
    "test_set_like",
]
