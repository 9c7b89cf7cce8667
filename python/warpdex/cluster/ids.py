"""Whether a document's id is there twice in a cluster: each part has hashes of its ids, sorted."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt

from .._searcher import Searcher
from .manifest import document_numbers, read_index_manifest

Hashes = npt.NDArray[np.uint64]

# So many ids are compared at once.
CHUNK = 1 << 22


def hash_of(id: str) -> int:
    """64 bits. Two ids with the same are compared themselves."""
    return int.from_bytes(hashlib.blake2b(id.encode(), digest_size=8).digest(), "little")


def live_ids(folder: Path, first: int = 0) -> Iterable[str]:
    """The ids of the live documents of an index, from a docID on, in that order."""
    body = read_index_manifest(folder)
    searcher = Searcher(folder, "cpu", threads=1)
    has_removed = any("removed" in segment for segment in body["segments"])
    for doc in range(first, document_numbers(body)):
        name = searcher.id(doc)
        if not has_removed or searcher.find(name) == doc:
            yield name


def hashes_of(names: Iterable[str]) -> Hashes:
    """Sorted, without repetitions."""
    return np.unique(np.fromiter((hash_of(name) for name in names), np.uint64))


def to_bytes(hashes: Hashes) -> bytes:
    return hashes.astype("<u8").tobytes()


def from_bytes(data: bytes) -> Hashes:
    return np.frombuffer(data, "<u8").astype(np.uint64, copy=False)


def shared_hashes(parts: Sequence[Hashes]) -> dict[int, list[int]]:
    """The hashes that several parts have, and the numbers of these parts. O(n log n) time for n
    hashes, and memory for some millions of them."""
    total = sum(len(part) for part in parts)
    steps = max(1, -(-total // CHUNK))
    edges = [step * 2**64 // steps for step in range(1, steps)]
    places = [[0, *np.searchsorted(part, np.array(edges, np.uint64)), len(part)] for part in parts]
    found: dict[int, list[int]] = {}
    for step in range(steps):
        pieces = [part[at[step]:at[step + 1]] for part, at in zip(parts, places)]
        values, counts = np.unique(np.concatenate(pieces), return_counts=True)
        for value in values[counts > 1]:
            found[int(value)] = [
                number for number, piece in enumerate(pieces)
                if (at := int(np.searchsorted(piece, value))) < len(piece) and piece[at] == value
            ]
    return found
