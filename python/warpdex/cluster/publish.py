"""Publishes indexes as a version of the cluster."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping, Sequence
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from .. import _version
from ..errors import BadDocument, FormatError, UsageError
from . import ids
from .manifest import File, Manifest, Part, index_settings, read_index_manifest
from .replica import Replica
from .store import Store, object_name
from .tasks import send_index, work_folder


def next_number(store: Store) -> int:
    """The number of the version that comes next."""
    return (store.versions() or [0])[-1] + 1


def check_settings(settings: Sequence[Mapping[str, Any]]) -> None:
    """Raises UsageError where the parts were indexed in different ways."""
    if not settings:
        raise UsageError("a cluster has one part or more")
    first = settings[0]
    for number, other in enumerate(settings):
        for name in sorted({*first, *other}):
            if first.get(name) != other.get(name):
                raise UsageError(
                    f"parts 0 and {number} differ in their {name!r} ({first.get(name)!r} and "
                    f"{other.get(name)!r}); index all parts in the same way"
                )


def publish_parts(
    store: Store, number: int, parts: Sequence[Part], settings: Mapping[str, Any]
) -> Manifest:
    """Makes version `number` of parts whose files are in the store. Raises VersionTaken where the
    version is there."""
    made = datetime.now(timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    manifest = Manifest(number, _version.version, made, settings, tuple(parts))
    store.create_version(number, manifest.to_bytes())
    return manifest


def publish(folders: Sequence[str | os.PathLike[str]], store: Store | str) -> Manifest:
    """Publishes indexes that lie here, in this order, as the parts of the next version. Files that
    the store has are not sent again.

    Raises:
        BadDocument: two of them have a document of the same id.
        UsageError: they were indexed in different ways, or changed meanwhile.
        VersionTaken: another publisher made the version meanwhile.
        IoError: the store is away.
    """
    store = store if isinstance(store, Store) else Store(store)
    store.make()
    number = next_number(store)
    paths = [Path(folder) for folder in folders]
    settings = [index_settings(read_index_manifest(path)) for path in paths]
    check_settings(settings)
    parts = [send_index(path, store)[0] for path in paths]
    check_ids(store, parts)
    return publish_parts(store, number, parts, settings[0])


def check_ids(store: Store, parts: Sequence[Part], work: str | None = None) -> None:
    """Raises BadDocument where two parts have a document of the same id. Reads eight bytes a
    document; the parts themselves only where hashes are equal."""
    hashes = [read_ids(store, part.ids) for part in parts]
    shared = ids.shared_hashes(hashes)
    if not shared:
        return
    names: dict[str, int] = {}
    with work_folder(work) as folder:
        manifest = Manifest(0, "", "", {}, tuple(parts))
        replica = Replica(store, folder / "parts")
        for number in sorted({each for numbers in shared.values() for each in numbers}):
            for name in ids.live_ids(replica.pull(manifest, number).folder):
                if ids.hash_of(name) not in shared:
                    continue
                if name in names:
                    raise BadDocument(
                        f"parts {names[name]} and {number} have a document with the id {name!r}; "
                        "give each document an id of its own"
                    )
                names[name] = number


def read_ids(store: Store, file: File) -> ids.Hashes:
    """The hashes of a part's ids. Raises FormatError where they are damaged."""
    data = store.read(object_name(file.sha256))
    if hashlib.sha256(data).hexdigest() != file.sha256:
        raise FormatError(f"{store.url}/{object_name(file.sha256)} is damaged; publish it again")
    return ids.from_bytes(data)
