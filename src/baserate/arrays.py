"""Names for what people pass, and for the kinds of arrays that pass between the rooms."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, Protocol

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

# A share, or text such as "1 in 1,000", "0.5 %" or "1:999".
Prevalence = float | str
Prevalences = Iterable[Prevalence]
PrevalenceRange = tuple[float, float]


class Frame(Protocol):
    """A dataframe, or a table of an engine: pandas, polars, pyarrow, DuckDB, Dask, PySpark, Ibis."""

    @property
    def columns(self) -> Any:
        """What all of them have."""


# A table, or files that hold one: a path, a folder, a pattern, or several.
FilePath = str | os.PathLike[str]
Table = Frame | FilePath | Sequence[FilePath]


class Classifier(Protocol):
    """A fitted classifier, as scikit-learn and others make them."""

    @property
    def classes_(self) -> Any:
        """The labels that it tells apart."""


# Features, which go to a classifier as they are: an array, a dataframe, a sparse matrix, a list of texts.
Features = Any
