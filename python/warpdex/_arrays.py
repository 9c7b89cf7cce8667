"""Arrays in: what is taken, and what is said of the rest."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from .errors import UsageError

Floats = npt.NDArray[np.float32]
Shape = tuple[int, ...]


def positive(k: int, what: str) -> int:
    """A whole number of 1 or more. Raises TypeError and UsageError for others."""
    if isinstance(k, bool) or not isinstance(k, (int, np.integer)):
        raise TypeError(f"{what} must be an int, not {type(k).__name__}")
    if k < 1:
        raise UsageError(f"{what} is {k}; give 1 or more")
    return int(k)


def lies_in_c_order(shape: Shape, strides: Shape) -> bool:
    """Whether an array lies row by row without gaps; strides are in numbers, not bytes."""
    wanted = 1
    for size, stride in zip(reversed(shape), reversed(strides)):
        if size > 1 and stride != wanted:
            return 0 in shape
        wanted *= size
    return True


def check_rows(array: Any, what: str, dimensions: int = 2) -> None:
    """Raises TypeError for what is no numpy array, UsageError for another type than float32 and
    float16, shape or order."""
    if not isinstance(array, np.ndarray):
        raise TypeError(
            f"{what} must be a numpy array, not {type(array).__name__}; of torch's tensors give "
            "tensor.cpu().numpy(), of CuPy's arrays array.get()"
        )
    if array.ndim != dimensions:
        raise UsageError(f"{what} have {array.ndim} dimensions; give an array of {dimensions}")
    if array.dtype != np.float32 and array.dtype != np.float16:
        raise UsageError(
            f"{what} are of type {array.dtype}; give float32 or float16, by "
            "array.astype('float32') say"
        )
    if not array.flags.c_contiguous:
        raise UsageError(
            f"{what} do not lie row by row without gaps; give numpy.ascontiguousarray(array)"
        )
    if array.shape[-1] == 0:
        raise UsageError(f"{what} have no components; give at least one column")


def float_rows(array: Any, what: str, dimensions: int = 2) -> Floats:
    """The array as float32 rows, without a copy where it has them; float16 is widened. Raises as
    check_rows()."""
    check_rows(array, what, dimensions)
    rows: Floats = array.astype(np.float32, copy=False)
    return rows


def one_row(array: Any, what: str) -> Floats:
    """A vector as one row."""
    return float_rows(array, what, 1).reshape(1, -1)
