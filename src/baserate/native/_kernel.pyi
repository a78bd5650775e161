"""What _kernel.c offers. Arrays are one-dimensional, contiguous and in the machine's own byte order."""

import numpy as np
import numpy.typing as npt

from baserate.arrays import Array, FloatArray

_Whole = npt.NDArray[np.int64]
_Sums = npt.NDArray[np.uint64]
_Counts = npt.NDArray[np.uint32]

def ones(labels: Array, /) -> tuple[int, int]: ...
def split(scores: Array, labels: Array, pos: FloatArray, neg: FloatArray, /) -> tuple[int, int]: ...
def tally(scores: Array, labels: Array, score: FloatArray, rows: _Whole, /) -> tuple[int, int]: ...
def corners(pos: FloatArray, neg: FloatArray, tp: _Counts, fp: _Counts, tied: _Counts, /) -> int: ...
def count(pos: FloatArray, neg: FloatArray, score: FloatArray, n_pos: _Counts, n_neg: _Counts, /) -> int: ...
def bin_sums(
    rows: FloatArray,
    edges: FloatArray,
    special: FloatArray,
    sums: _Sums,
    n: _Whole,
    ends: FloatArray,
    met: npt.NDArray[np.uint8],
    right_closed: bool,
    /,
) -> None: ...
def bin_squares(
    rows: FloatArray, edges: FloatArray, units: FloatArray, sums: _Sums, right_closed: bool, lacking: bool, /
) -> None: ...
def place(score: FloatArray, rows: FloatArray, counts: _Counts, /) -> None: ...
def invert(
    uniform: FloatArray, law: _Whole, lowest: _Whole, cdf: FloatArray, guide: _Whole, found: _Whole, /
) -> None: ...
