"""What a version of the cluster is made of: its parts, their files, their checksums."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from ..errors import FormatError, UsageError
from .store import BLOCK_BYTES, Store, version_name

FORMAT = "warpdex-cluster"
FORMAT_VERSION = 1
# A file of an index lies in its folder or in that of a segment.
PATH = re.compile(r"(?!\.)[\w.-]+(/(?!\.)[\w.-]+)?", re.ASCII)
SHA256 = re.compile(r"[0-9a-f]{64}")
CHECKSUM = ', "checksum": "'


@dataclass(frozen=True)
class File:
    """A file, wherever it lies."""

    path: str
    """In the folder of the index, as "segment-0/docids"."""
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Part:
    """One index of the cluster. Documents of an earlier part come before those of a later one."""

    commit: int
    """How often the index was changed since it was built."""
    counts: Mapping[str, int]
    """Of live documents: "documents", "tokens", and of text fields "documents_1" and so on."""
    files: tuple[File, ...]
    ids: File
    """Hashes of the documents' ids (ids.py)."""

    @property
    def documents(self) -> int:
        return self.counts["documents"]

    @property
    def bytes(self) -> int:
        return sum(file.bytes for file in self.files)


@dataclass(frozen=True)
class Manifest:
    """A version of the cluster. It never changes."""

    number: int
    engine: str
    """The version of Warpdex that published it."""
    made: str
    """When, in UTC, as "2026-11-29T18:00:00Z"."""
    settings: Mapping[str, Any]
    """How the parts were indexed, the same for all: analyzer, codec, schema and so on."""
    parts: tuple[Part, ...]

    @property
    def documents(self) -> int:
        """Live ones, of all parts."""
        return sum(part.documents for part in self.parts)

    def to_bytes(self) -> bytes:
        """As JSON, with its checksum as the last member."""
        body = {"format": FORMAT, "version": FORMAT_VERSION, **asdict(self)}
        text = json.dumps(body)
        checksum = hashlib.sha256(text.encode()).hexdigest()
        return f'{text[:-1]}{CHECKSUM}{checksum}"}}\n'.encode()


def parse_manifest(data: bytes, name: str) -> Manifest:
    """A manifest that to_bytes() made. Raises FormatError, with `name` in its message, for any
    other bytes, and UsageError for a later version of the format."""
    try:
        text = data.decode()
        body = json.loads(text)
        said = body["checksum"]
        is_ours = body["format"] == FORMAT
        version = body["version"]
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{name} is damaged, or no version of a cluster: {error!r}") from error
    if not is_ours:
        raise FormatError(f"{name} is no version of a cluster")
    if version != FORMAT_VERSION:
        raise UsageError(
            f"{name} is of format {version}, and this program reads {FORMAT_VERSION}; give all "
            "hosts the same version of Warpdex"
        )
    text, _, _ = text.rpartition(CHECKSUM)
    if hashlib.sha256(f"{text}}}".encode()).hexdigest() != said:
        raise FormatError(f"{name} is damaged: its checksum is another")
    try:
        parts = tuple(_part(part) for part in body["parts"])
        number = _whole(body["number"])
        return Manifest(number, str(body["engine"]), str(body["made"]), body["settings"], parts)
    except (ValueError, KeyError, TypeError) as error:
        raise FormatError(f"{name} is no version of a cluster: {error!r}") from error


def _whole(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{value!r} is no count")
    return value


def _file(body: Mapping[str, Any]) -> File:
    if not PATH.fullmatch(body["path"]) or not SHA256.fullmatch(body["sha256"]):
        raise ValueError(f"{body['path']!r} is no file of an index")
    return File(body["path"], _whole(body["bytes"]), body["sha256"])


def _part(body: Mapping[str, Any]) -> Part:
    counts = {str(name): _whole(count) for name, count in body["counts"].items()}
    counts["documents"], counts["tokens"]
    files = tuple(_file(file) for file in body["files"])
    return Part(_whole(body["commit"]), counts, files, _file(body["ids"]))


def part_from_dict(body: Mapping[str, Any]) -> Part:
    """Of what dataclasses.asdict() made."""
    return _part(body)


def read_version(store: Store, number: int | None = None) -> Manifest:
    """A version of the cluster; None: the last one. Raises UsageError where there is none."""
    if number is None:
        numbers = store.versions()
        if not numbers:
            raise UsageError(f"nothing is published in {store.url}; build or publish an index first")
        number = numbers[-1]
    name = version_name(number)
    try:
        data = store.read(name)
    except FileNotFoundError:
        raise UsageError(f"{store.url} has no version {number}") from None
    manifest = parse_manifest(data, f"{store.url}/{name}")
    if manifest.number != number:
        raise FormatError(f"{store.url}/{name} is version {manifest.number} under another name")
    return manifest


# The folder of an index


def sha256_of(path: Path) -> str:
    """The checksum of a file's bytes, in hexadecimal."""
    total = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(BLOCK_BYTES):
            total.update(block)
    return total.hexdigest()


def read_index_manifest(folder: Path) -> dict[str, Any]:
    """manifest.json of an index of text. Raises UsageError for another folder."""
    try:
        body = json.loads((folder / "manifest.json").read_bytes())
    except FileNotFoundError:
        raise UsageError(f"{folder} is no index") from None
    except ValueError as error:
        raise FormatError(f"{folder}/manifest.json is damaged: {error}") from error
    if body.get("format") != "warpdex" or "kind" in body or "segments" not in body:
        raise UsageError(f"{folder} is no index of text that a cluster can take")
    return dict(body)


def index_settings(body: Mapping[str, Any]) -> dict[str, Any]:
    """What all parts of a cluster must have in common, of the manifest of an index."""
    own = {"commit", "next_segment", "segments", "checksum"}
    return {name: value for name, value in body.items() if name not in own}


def live_counts(body: Mapping[str, Any]) -> dict[str, int]:
    """Documents and tokens, without those that were removed, of the manifest of an index."""
    total: dict[str, int] = {"documents": 0, "tokens": 0}
    wanted = re.compile(r"(documents|tokens)(_\d+)?")
    for segment in body["segments"]:
        removed = segment.get("removed", {}).get("counts", {})
        for name, count in segment["counts"].items():
            if wanted.fullmatch(name):
                total[name] = total.get(name, 0) + count - removed.get(name, 0)
    return total


def document_numbers(body: Mapping[str, Any]) -> int:
    """How many docIDs the index has, with those of removed documents."""
    return sum(int(segment["counts"]["documents"]) for segment in body["segments"])
