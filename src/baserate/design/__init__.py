"""Before the data: how many labels a question needs, and what a test set can answer."""

from baserate.design.ap_planning import test_set_like
from baserate.design.planning import test_set
from baserate.design.supporting import supports

__all__ = ["supports", "test_set", "test_set_like"]
