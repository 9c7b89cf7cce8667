"""The exceptions of the library. Each message is a sentence that says what to do."""

from __future__ import annotations


class Error(Exception):
    """Base of every exception that Warpdex raises on purpose."""


class UsageError(Error, ValueError):
    """An option or argument that cannot be taken (a negative k1, an unknown analyzer)."""


class InputError(Error, ValueError):
    """Input that cannot be understood: a document, a query, an array with a NaN."""


class BadDocument(InputError):
    """A document that cannot be indexed; the message says which."""


class IoError(Error, OSError):
    """The operating system refused: a missing folder, a full disk, no permission."""


class FormatError(Error):
    """Index bytes that are damaged, cut short, or not an index at all."""


class CudaError(Error):
    """A CUDA call that failed, or a GPU that is not there."""

    code: int = 0
    """CUDA's own number; -1 where this build has no CUDA."""


class CancelledError(Error):
    """A search that its caller stopped."""
