"""Cuts a collection of files into the inputs of parts: the same cuts whoever makes them.

The files are one row of bytes, in the order of their inputs and, within one, of their names. It is
cut into parts of about the same number of bytes. A file of lines is cut where a line begins; one
that is packed, or whose documents are no lines, goes to one part as a whole.
"""

from __future__ import annotations

import bisect
import os
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import InputError, UsageError
from .store import BLOCK_BYTES, filesystem, is_local

LINES = {"jsonl", "tsv"}
NAMED = {"text", "html"}
FILES = NAMED | {"csv", "trec"}
PACKED_NAMES = (".gz", ".zst", ".xz")
PACKED_STARTS = (b"\x1f\x8b", b"\x28\xb5\x2f\xfd", b"\xfd7zXZ\x00")
WINDOW = 1 << 16
HIDDEN = re.compile(r"(^|/)\.")
# What file systems say of a file that changes with it, the surest first.
STAMPS = ("ETag", "etag", "md5Hash", "mtime", "LastModified", "created")


@dataclass(frozen=True)
class Source:
    """A file of the collection."""

    input: int
    """The number of the input that led to it."""
    url: str
    name: str
    """Below the folder of its input; of `text` and `html` the document's id."""
    size: int
    """In bytes."""
    stamp: str
    """Changes when the file does."""

    @property
    def weight(self) -> int:
        """In cuts; an empty file may be a document."""
        return max(self.size, 1)


@dataclass(frozen=True)
class Piece:
    """The bytes of a file from `begin` to `end`, the latter not among them."""

    source: Source
    begin: int
    end: int


def find_sources(inputs: Sequence[str], format: str) -> list[Source]:
    """The files of paths, URLs and patterns ("s3://bucket/crawl/*.jsonl"), sorted by the bytes of
    their names. Folders stand for the files below them, but for those whose names begin with a dot.

    Raises UsageError for a format that a cluster does not build, InputError for an input that leads
    to no file, ImportError where a protocol's package is not installed.
    """
    if format not in LINES | FILES:
        what = "its weights are scaled by the largest of all, which no part knows; " * (
            format == "sparse"
        )
        raise UsageError(
            f"a cluster cannot be built of {format!r}: {what}give one of "
            + ", ".join(sorted(LINES | FILES))
        )
    found = [source for number, text in enumerate(inputs)
             for source in _sources_of(number, os.fspath(text))]
    if not found:
        raise InputError("there is no input; name files")
    return found


def _sources_of(number: int, text: str) -> list[Source]:
    fs, path = filesystem(text)
    if fs.isfile(path):
        return [_source(fs, number, path, path.rpartition("/")[2])]
    if any(mark in path for mark in "*?["):
        paths = [str(each) for each in fs.glob(path) if fs.isfile(each)]
        root = path[: min(path.find(mark) for mark in "*?[" if mark in path)].rpartition("/")[0]
    else:
        paths, root = [str(each) for each in fs.find(path)], path.rstrip("/")
    named = {each[len(root):].lstrip("/"): each for each in paths}
    seen = sorted((name for name in named if not HIDDEN.search(name)), key=os.fsencode)
    if not seen:
        raise InputError(f"{text} leads to no file")
    return [_source(fs, number, named[name], name) for name in seen]


def _source(fs: Any, number: int, path: str, name: str) -> Source:
    info = fs.info(path)
    stamp = next(str(info[mark]) for mark in STAMPS if mark in info)
    return Source(number, fs.unstrip_protocol(path), name, int(info["size"]), stamp)


def check_unchanged(source: Source) -> None:
    """Raises InputError where the file is another than it was."""
    fs, path = filesystem(source.url)
    fs.invalidate_cache()
    try:
        now = _source(fs, source.input, path, source.name)
    except FileNotFoundError:
        raise InputError(f"{source.url} is not there; all hosts must reach it by this name") from None
    if now != source:
        raise InputError(f"{source.url} changed while it was read; build again")


def cut(sources: Sequence[Source], format: str, parts: int) -> list[list[Piece]]:
    """The pieces of each part. Some parts have none where there are few bytes or few files.
    Reads about a line at each cut."""
    if parts < 1:
        raise UsageError(f"parts is {parts}; give 1 or more")
    starts = [0]
    for source in sources:
        starts.append(starts[-1] + source.weight)
    edges = [0]
    for number in range(1, parts):
        edge = _edge(sources, starts, starts[-1] * number // parts, format)
        edges.append(max(edge, edges[-1]))
    edges.append(starts[-1])
    return [_pieces(sources, starts, edges[i], edges[i + 1]) for i in range(parts)]


def _edge(sources: Sequence[Source], starts: Sequence[int], wanted: int, format: str) -> int:
    """Where the row of bytes may be cut, near `wanted`."""
    at = bisect.bisect_right(starts, wanted) - 1
    if at == len(sources):
        return starts[-1]
    start, end = starts[at], starts[at + 1]
    if wanted > start and _has_lines(sources[at], format):
        return start + line_start(sources[at], wanted - start)
    return start if wanted - start < end - wanted else end


def _has_lines(source: Source, format: str) -> bool:
    if format not in LINES or source.name.endswith(PACKED_NAMES):
        return False
    fs, path = filesystem(source.url)
    return not bytes(fs.cat_file(path, start=0, end=6)).startswith(PACKED_STARTS)


def line_start(source: Source, place: int) -> int:
    """The first place from `place` on where a line begins, or the file's end."""
    fs, path = filesystem(source.url)
    place -= 1  # a line begins behind a line feed
    while place < source.size:
        block = bytes(fs.cat_file(path, start=place, end=min(place + WINDOW, source.size)))
        if not block:
            raise InputError(f"{source.url} changed while it was read; build again")
        if (at := block.find(b"\n")) >= 0:
            return place + at + 1
        place += len(block)
    return source.size


def _pieces(
    sources: Sequence[Source], starts: Sequence[int], begin: int, end: int
) -> list[Piece]:
    found = []
    for source, start in zip(sources, starts):
        first, last = max(begin, start), min(end, start + source.weight)
        if first < last:
            found.append(Piece(source, first - start, min(last - start, source.size)))
    return found


def stage(pieces: Sequence[Piece], folder: Path, format: str) -> list[str]:
    """Brings pieces onto this host, and says what `warpdex index` reads for them. A file that lies
    here whole is read in its place. Raises InputError for a file that changed."""
    if format in NAMED:  # ids are paths below the folder of their input
        for piece in pieces:
            _bring(piece, folder / f"{piece.source.input:06d}" / piece.source.name)
        return [str(each) for each in sorted(folder.iterdir())] if pieces else []
    return [
        _bring(piece, folder / f"{number:06d}-{piece.source.name.rpartition('/')[2]}")
        for number, piece in enumerate(pieces)
    ]


def _bring(piece: Piece, target: Path) -> str:
    """Where the piece lies now: in its own place, or at the target."""
    fs, path = filesystem(piece.source.url)
    check_unchanged(piece.source)
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_local(fs) and piece.end - piece.begin == piece.source.size:
        target.symlink_to(path)
        return str(target)
    with open(target, "xb") as out:
        for begin in range(piece.begin, piece.end, BLOCK_BYTES):
            end = min(begin + BLOCK_BYTES, piece.end)
            out.write(fs.cat_file(path, start=begin, end=end))
    check_unchanged(piece.source)
    return str(target)
