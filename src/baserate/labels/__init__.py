"""Labels that are sometimes wrong: error rates of a labeller, and numbers corrected for them."""

from baserate.labels.correcting import corrected
from baserate.labels.errors import LabelErrors

__all__ = ["LabelErrors", "corrected"]
