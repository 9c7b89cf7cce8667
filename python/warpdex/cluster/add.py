"""Adds documents to a cluster: they become new segments of one part."""

from __future__ import annotations

import contextlib
import os
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from .._build import as_bytes
from .._searcher import Searcher
from .._writer import Writer
from ..errors import BadDocument, UsageError
from . import ids
from .cut import Piece, find_sources, stage
from .manifest import Manifest, document_numbers, read_index_manifest, read_version
from .publish import publish_parts, read_ids
from .replica import Replica
from .store import Store, VersionTaken
from .tasks import send_index, work_folder

ATTEMPTS = 5


@dataclass(frozen=True)
class AddResult:
    """What was added."""

    version: int
    part: int
    """That took the documents."""
    documents: int
    """Added."""
    skipped: int
    """Bad documents that were left out."""
    sent: int
    """Bytes that the store did not have."""


def add(
    inputs: Sequence[str] | str,
    store: Store | str,
    *,
    format: str = "jsonl",
    vectors: str | None = None,
    part: int | None = None,
    merge: bool = False,
    skip_bad: bool = False,
    memory: int | str = "256M",
    threads: int = 0,
    work: str | os.PathLike[str] | None = None,
) -> AddResult:
    """Adds documents to the last version, and publishes that as the next one. Where another
    publisher comes first, it begins again on what that one published.

    Args:
        inputs: as of build().
        vectors: the member that is a document's vector.
        part: that takes the documents; None: the one with the fewest.
        merge: merges small segments of the part meanwhile. Merged segments are sent as new ones.
        memory: in bytes or as "1G"; 128 MiB or more.
        threads: 0: one for each processor.
        work: a folder that keeps the part's files for the next time; None: a temporary one, and
            the part is pulled each time.

    Raises:
        BadDocument: a document that cannot be indexed, or whose id the cluster has.
        FormatError: a file of the part is damaged in the store.
        IoError, UsageError: as publish().
    """
    store = store if isinstance(store, Store) else Store(store)
    texts = [inputs] if isinstance(inputs, (str, os.PathLike)) else list(inputs)
    pieces = [Piece(each, 0, each.size) for each in find_sources(texts, format)]
    options = {"vectors": vectors, "memory": as_bytes(memory), "threads": threads}
    settings = {"format": format, "skip_bad": skip_bad, "merge": merge}
    with work_folder(None if work is None else os.fspath(work)) as folder:
        (folder / "input").mkdir()
        files = stage(pieces, folder / "input", format)
        replica = Replica(store, folder if work is None else work)
        for attempt in range(1, ATTEMPTS):
            with contextlib.suppress(VersionTaken):
                return _add(replica, part, folder / f"index-{attempt}", files, settings, options)
        return _add(replica, part, folder / "index", files, settings, options)


def _add(
    replica: Replica,
    part: int | None,
    folder: Path,
    files: Sequence[str],
    settings: Mapping[str, Any],
    options: Mapping[str, Any],
) -> AddResult:
    """Adds to the version that is the last one now, working in `folder`."""
    store, base = replica.store, read_version(replica.store)
    taken = _choose(base, part)
    # Links: a writer never changes a file that is there.
    shutil.copytree(replica.pull(base, taken).folder, folder, copy_function=os.link)
    before = document_numbers(read_index_manifest(folder))
    with Writer(folder, merges=False, **options) as writer:
        report = writer.add_files(list(files), format=settings["format"],
                                  skip_bad=settings["skip_bad"])
    if report.documents == 0:
        return AddResult(base.number, taken, 0, report.skipped, 0)
    new = list(ids.live_ids(folder, before))
    _check_new(replica, base, taken, new)
    if settings["merge"]:
        _merge(folder, options)
    hashes = np.union1d(read_ids(store, base.parts[taken].ids), ids.hashes_of(new))
    grown, sent = send_index(folder, store, hashes)
    parts = list(base.parts)
    parts[taken] = grown
    made = publish_parts(store, base.number + 1, parts, base.settings)
    replica.drop({base.number})  # of additions before this one
    return AddResult(made.number, taken, report.documents, report.skipped, sent)


def _choose(manifest: Manifest, part: int | None) -> int:
    """The part that was asked for, or the first of those with the fewest documents."""
    parts = manifest.parts
    if part is None:
        return min(range(len(parts)), key=lambda number: parts[number].documents)
    if not 0 <= part < len(parts):
        raise UsageError(f"there is no part {part}; they count from 0 to {len(parts) - 1}")
    return part


def _merge(folder: Path, options: Mapping[str, Any]) -> None:
    with Writer(folder, merges=True, **options) as writer:
        writer.finish_merges()


def _check_new(replica: Replica, base: Manifest, taken: int, new: Sequence[str]) -> None:
    """Raises BadDocument where another part has an id of these. Reads that part only where it has
    the same hash."""
    hashes = ids.hashes_of(new)
    for number, other in enumerate(base.parts):
        both = np.intersect1d(hashes, read_ids(replica.store, other.ids))
        if number == taken or not len(both):
            continue
        there = Searcher(replica.pull(base, number).folder, "cpu", threads=1)
        for name in new:
            if ids.hash_of(name) in both and there.find(name) is not None:
                raise BadDocument(
                    f"part {number} has a document with the id {name!r}; give each document an id "
                    "of its own"
                )
