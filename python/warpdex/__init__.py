"""Warpdex: a search engine for text and vectors, on the CPU and the GPU.

    import warpdex

    warpdex.build([{"id": "1", "contents": "tropical fish"}], "fish.index")
    for hit in warpdex.Searcher("fish.index").search("fish"):
        print(hit.id, hit.score)
"""

from __future__ import annotations

from typing import Any, overload

import numpy as np
import numpy.typing as npt

from ._module import gpu_problem  # first: it chooses the extension module
from . import _core, _gpu_arrays, _version, errors, query, vectors
from ._arrays import float_rows, positive
from ._build import BuildReport, build
from ._core import ClauseExplanation, Explanation, Hit, Hits, Synonyms, TermExplanation
from ._gpu_arrays import GpuArray
from ._results import BatchResult, Scored
from ._searcher import SearchOptions, Searcher, TermStatistics
from ._writer import CommitReport, FilesReport, Writer
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

__version__: str = _version.version

__all__ = [
    "BadDocument",
    "BatchResult",
    "BuildReport",
    "CancelledError",
    "ClauseExplanation",
    "CommitReport",
    "CudaError",
    "Error",
    "Explanation",
    "FilesReport",
    "FormatError",
    "GpuArray",
    "Hit",
    "Hits",
    "InputError",
    "IoError",
    "Scored",
    "SearchOptions",
    "Searcher",
    "Synonyms",
    "TermExplanation",
    "TermStatistics",
    "UsageError",
    "Writer",
    "build",
    "errors",
    "gpu_problem",
    "query",
    "select_k",
    "vectors",
]


@overload
def select_k(
    values: npt.NDArray[np.float32], k: int, largest: bool = False
) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.int64]]: ...
@overload
def select_k(values: vectors.GpuQueries, k: int, largest: bool = False) -> tuple[Any, Any]: ...
def select_k(values: Any, k: int, largest: bool = False) -> tuple[Any, Any]:
    """The k best values of each row (rows x columns), and their columns; rows x k each.

    Best first; of equal values the smaller column first; NaN after every number. k may be above
    the number of columns: places that no value takes have the worst infinity and -1. The smallest
    values are best, or the largest. Values in GPU memory stay there, and so do the answers, as in
    `vectors.Index.search()`. Raises UsageError for a k of 0 and for an array of another type, shape
    or order.
    """
    if _gpu_arrays.is_in_gpu_memory(values):
        return _gpu_arrays.select_k(values, positive(k, "k"), largest)
    return _core.select_k(float_rows(values, "the values"), k, largest)
