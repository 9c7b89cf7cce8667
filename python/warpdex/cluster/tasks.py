"""Builds one part. A task is pure: whoever runs it, and however often, it gives the same files."""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import shutil
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any, BinaryIO

from .. import _version
from .._build import build as build_index
from ..errors import UsageError
from . import ids
from .cut import Piece, check_unchanged, stage
from .manifest import (
    File,
    Part,
    index_settings,
    live_counts,
    read_index_manifest,
    sha256_of,
)
from .store import Store

FILES_AT_ONCE = 4


@dataclass(frozen=True)
class PartTask:
    """What a part is built of, and how."""

    number: int
    pieces: Sequence[Piece]
    format: str
    options: Mapping[str, Any]
    """Of warpdex.build()."""
    store: Store
    engine: str
    """The version of Warpdex that all tasks must have."""
    work: str | None = None
    """A folder for temporary files; None: the system's."""


@dataclass(frozen=True)
class BuiltPart:
    """A part whose files are in the store."""

    part: Part
    settings: Mapping[str, Any]
    skipped: int
    """Bad documents that were left out."""
    sent: int
    """Bytes that the store did not have."""


def build_part(task: PartTask) -> BuiltPart:
    """Indexes the pieces and sends the index to the store. The bytes are those of `warpdex index`
    over the same documents.

    Raises as warpdex.build() does, InputError for a file that changed since it was cut, UsageError
    on a host with another version of Warpdex, IoError where the store is away.
    """
    if task.engine != _version.version:
        raise UsageError(
            f"this host has Warpdex {_version.version}, and the build {task.engine}; give all "
            "hosts one version"
        )
    with work_folder(task.work) as folder:
        (folder / "input").mkdir()
        inputs = stage(task.pieces, folder / "input", task.format)
        options = {**task.options, "format": task.format, "progress": False}
        report = build_index(inputs or iter(()), folder / "index", **options)
        for piece in task.pieces:
            check_unchanged(piece.source)
        part, sent = send_index(folder / "index", task.store)
        settings = index_settings(read_index_manifest(folder / "index"))
        return BuiltPart(part, settings, report.skipped, sent)


def send_index(folder: Path, store: Store, hashes: ids.Hashes | None = None) -> tuple[Part, int]:
    """Sends the files of an index that the store lacks; how many bytes these have. `hashes`: of
    its live documents' ids, where they are known. Raises UsageError for an index with changes that
    are not committed, and for one that changes meanwhile."""
    before = (folder / "manifest.json").read_bytes()
    body = read_index_manifest(folder)
    names = sorted(path.relative_to(folder).as_posix()
                   for path in folder.rglob("*") if path.is_file())
    if "journal" in names:
        raise UsageError(f"{folder} has changes in its journal; commit them by `warpdex merge`")
    with ThreadPoolExecutor(FILES_AT_ONCE) as threads:
        files = list(threads.map(lambda name: _described(folder / name, name), names))
        sent = sum(threads.map(
            lambda file: file.bytes * store.put(folder / file.path, file.sha256, file.bytes), files
        ))
    if hashes is None:
        hashes = ids.hashes_of(ids.live_ids(folder))
    with tempfile.NamedTemporaryFile() as out:
        out.write(ids.to_bytes(hashes))
        out.flush()
        known = _described(Path(out.name), "ids")
        sent += known.bytes * store.put(Path(out.name), known.sha256, known.bytes)
    if (folder / "manifest.json").read_bytes() != before:
        raise UsageError(f"{folder} was changed while it was sent; publish it again")
    return Part(int(body.get("commit", 0)), live_counts(body), tuple(files), known), sent


def _described(path: Path, name: str) -> File:
    return File(name, path.stat().st_size, sha256_of(path))


@contextlib.contextmanager
def work_folder(parent: str | None) -> Iterator[Path]:
    """A temporary folder, which goes at the end. Those that killed processes left below the same
    parent go first."""
    above = Path(parent or tempfile.gettempdir())
    above.mkdir(parents=True, exist_ok=True)
    for ending in ("new", "lock"):
        for lock in above.glob(f"warpdex-work-*.{ending}"):
            _remove_dead(lock)
    held, folder = _locked_name(above)
    with held:
        folder.mkdir()
        try:
            yield folder
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            folder.with_name(folder.name + ".lock").unlink()


def _locked_name(above: Path) -> tuple[BinaryIO, Path]:
    """The name of a folder to be made, and its lock, which lives with the file that is returned."""
    while True:
        folder = above / f"warpdex-work-{secrets.token_hex(8)}"
        held = open(folder.with_name(folder.name + ".new"), "xb")
        try:
            fcntl.flock(held, fcntl.LOCK_EX)
            os.rename(held.name, folder.with_name(folder.name + ".lock"))
            return held, folder
        except FileNotFoundError:  # another process took it for a dead one's, before it was locked
            held.close()


def _remove_dead(lock: Path) -> None:
    """Removes the lock, and the folder, of a process that holds it no more."""
    with contextlib.suppress(OSError), open(lock, "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if lock.suffix == ".lock":  # a new one has no folder yet
            shutil.rmtree(lock.with_suffix(""), ignore_errors=True)
        lock.unlink()
