"""Warpdex: a search engine for text and vectors, on the CPU and the GPU.

    import warpdex

    warpdex.build([{"id": "1", "contents": "tropical fish"}], "fish.index")
    for hit in warpdex.Searcher("fish.index").search("fish"):
        print(hit.id, hit.score)
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from . import _core, errors, vectors
from ._arrays import float_rows
from ._build import BuildReport, build
from ._core import Explanation, Hit, Hits, TermExplanation
from ._results import BatchResult, Scored
from ._searcher import SearchOptions, Searcher, TermStatistics
from ._writer import CommitReport, Writer
from .errors import (
    BadDocument,
    CancelledError,
    CudaError,
    Error,
    FormatError,
    InputError,
    IoError,
    UsageError,
)

__version__: str = _core.version

__all__ = [
    "BadDocument",
    "BatchResult",
    "BuildReport",
    "CancelledError",
    "CommitReport",
    "CudaError",
    "Error",
    "Explanation",
    "FormatError",
    "Hit",
    "Hits",
    "InputError",
    "IoError",
    "Scored",
    "SearchOptions",
    "Searcher",
    "TermExplanation",
    "TermStatistics",
    "UsageError",
    "Writer",
    "build",
    "errors",
    "select_k",
    "vectors",
]


def select_k(
    values: npt.NDArray[np.float32], k: int, largest: bool = False
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]:
    """The k best values of each row (rows x columns), and their columns; rows x k each.

    Best first; of equal values the smaller column first; NaN after every number. k may be above
    the number of columns: places that no value takes have the worst infinity and -1. The smallest
    values are best, or the largest. Raises UsageError for a k of 0 and for an array of another
    type, shape or order.
    """
    return _core.select_k(float_rows(values, "the values"), k, largest)
