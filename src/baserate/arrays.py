"""Names for the kinds of arrays that pass between the rooms."""

from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]
BoolArray = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]

# Whole numbers of cases, or float sums of weights: how a caller sees them, and inside, where whole numbers
# take the narrowest integer that holds them.
CountArray = npt.NDArray[np.int64] | FloatArray
Counts = npt.NDArray[Any]

# A column as it came, of any kind.
Array = npt.NDArray[Any]

# What people pass: lists, tuples, arrays, and series of any dataframe library.
ArrayLike = npt.ArrayLike

# Shares, or texts such as "1 in 1,000".
Prevalences = Iterable[float | str]
