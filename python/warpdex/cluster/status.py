"""What is published in a store, and whether its files are sound."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .manifest import File, Manifest, read_version
from .store import BLOCK_BYTES, Store, object_name


def status(store: Store | str, version: int | None = None) -> dict[str, Any]:
    """A version of the cluster (None: the last one), as values for JSON: `store`, `versions` (all
    numbers), `version`, `engine`, `made`, `documents`, `tokens`, `bytes`, and `parts`, each with
    `part`, `documents`, `tokens`, `commit`, `segments`, `files`, `bytes` and `new_bytes` (of files
    that the version before does not have)."""
    store = store if isinstance(store, Store) else Store(store)
    numbers = store.versions()
    manifest = read_version(store, version)
    earlier = [number for number in numbers if number < manifest.number]
    known = _checksums(read_version(store, earlier[-1])) if earlier else set()
    parts = [
        {
            "part": number,
            "documents": part.documents,
            "tokens": part.counts["tokens"],
            "commit": part.commit,
            "segments": len({_segment(file.path) for file in part.files} - {None}),
            "files": len(part.files),
            "bytes": part.bytes,
            "new_bytes": sum(file.bytes for file in part.files if file.sha256 not in known),
        }
        for number, part in enumerate(manifest.parts)
    ]
    return {
        "store": store.url,
        "versions": numbers,
        "version": manifest.number,
        "engine": manifest.engine,
        "made": manifest.made,
        "documents": manifest.documents,
        "tokens": sum(part.counts["tokens"] for part in manifest.parts),
        "bytes": sum(part.bytes for part in manifest.parts),
        "parts": parts,
    }


def _checksums(manifest: Manifest) -> set[str]:
    return {file.sha256 for part in manifest.parts for file in part.files}


def _segment(path: str) -> str | None:
    """The segment that a file is of."""
    name = path.partition("/")[0]
    return name.partition(".")[0] if name.startswith("segment-") else None


def table(found: dict[str, Any]) -> str:
    """What status() found, for people."""
    lines = [
        f"{found['store']}: version {found['version']} of {found['made']}, by Warpdex "
        f"{found['engine']}; {found['documents']:,} documents, {found['bytes']:,} bytes",
        f"versions: {', '.join(map(str, found['versions']))}",
        "",
    ]
    heads = ["part", "documents", "tokens", "commit", "segments", "files", "bytes", "new bytes"]
    rows = [[f"{value:,}" for value in part.values()] for part in found["parts"]]
    widths = [max(map(len, column)) for column in zip(heads, *rows)]
    for row in [heads, *rows]:
        lines.append("  ".join(cell.rjust(width) for cell, width in zip(row, widths)))
    return "\n".join(lines)


@dataclass(frozen=True)
class Fault:
    """A file of the store that is not as its version says."""

    part: int
    path: str
    """In the index of the part, as "segment-0/docids"; "ids" beside it."""
    object: str
    """In the store."""
    problem: str


def verify(store: Store | str, version: int | None = None, *, remove: bool = False) -> list[Fault]:
    """Reads all files of a version (None: the last one) and compares their checksums. `remove`
    takes damaged ones away, so that publish() sends them again."""
    store = store if isinstance(store, Store) else Store(store)
    manifest = read_version(store, version)
    seen: dict[str, str | None] = {}
    faults = []
    for number, part in enumerate(manifest.parts):
        for file in (*part.files, part.ids):
            if file.sha256 not in seen:
                seen[file.sha256] = _problem(store, file)
            if problem := seen[file.sha256]:
                faults.append(Fault(number, file.path, object_name(file.sha256), problem))
    if remove:
        _remove(store, faults)
    return faults


def _remove(store: Store, faults: Sequence[Fault]) -> None:
    for name in {fault.object for fault in faults}:
        store.remove(name)


def _problem(store: Store, file: File) -> str | None:
    name = object_name(file.sha256)
    size = store.size(name)
    if size is None:
        return "missing"
    if size != file.bytes:
        return f"{size} bytes, not {file.bytes}"
    total = hashlib.sha256()
    for begin in range(0, size, BLOCK_BYTES):
        total.update(store.read(name, begin, min(begin + BLOCK_BYTES, size)))
    return None if total.hexdigest() == file.sha256 else "its checksum is another"
