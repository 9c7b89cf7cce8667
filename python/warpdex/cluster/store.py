"""A store of files that all hosts reach: a folder, an object store, whatever fsspec opens.

    objects/SHA256        a file of an index, under the checksum of its bytes; never changed
    cluster-000042.json   a version of the cluster (manifest.py); written once, after its objects
    builds/BUILD/…        what a build that is under way has finished (build.py)
    incoming/…            on a disk: files that are being written, each locked by its writer
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import secrets
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from ..errors import Error, IoError, UsageError

Answer = TypeVar("Answer")

VERSION_NAME = re.compile(r"cluster-(\d{6,})\.json")
BLOCK_BYTES = 8 << 20
LONGEST_START = 60  # seconds, within which a writer has locked its file
# Those that can create a file only where there is none, in one step.
EXCLUSIVE = {"file", "local", "memory", "s3", "s3a", "gs", "gcs"}
# What no second try changes.
LASTING = (FileNotFoundError, FileExistsError, PermissionError, IsADirectoryError,
           NotADirectoryError, NotImplementedError, TypeError, ValueError, LookupError,
           AttributeError, Error)


class VersionTaken(Error):
    """Another publisher made the cluster version first; what it published stands."""


def object_name(sha256: str) -> str:
    """Where a file of that checksum lies in a store."""
    return f"objects/{sha256}"


def version_name(number: int) -> str:
    return f"cluster-{number:06d}.json"


def filesystem(url: str) -> tuple[Any, str]:
    """The file system of fsspec for a path or an URL, and the path in it. Raises UsageError for an
    unknown protocol, ImportError where its package is not installed."""
    import fsspec  # type: ignore[import-not-found,import-untyped,unused-ignore]

    try:
        opened: tuple[Any, str] = fsspec.core.url_to_fs(url)
    except ValueError as error:
        raise UsageError(f"{url!r} cannot be opened: {error}") from error
    return opened


def is_local(fs: Any) -> bool:
    protocol = fs.protocol if isinstance(fs.protocol, str) else fs.protocol[0]
    return protocol in ("file", "local")


@dataclass
class Store:
    """A folder or URL, as "/nfs/cluster" or "s3://bucket/cluster". Pickled, it is opened again.

    Calls that fail are made again until `patience` seconds have gone by, then raise IoError. A file
    that is not there is not waited for, unless the folder of a store on a disk went away.
    Safe to use from several threads.
    """

    url: str
    patience: float = 60.0
    """Seconds."""
    pauses: Callable[[float], None] = field(default=time.sleep, repr=False)
    clock: Callable[[], float] = field(default=time.monotonic, repr=False)

    def __post_init__(self) -> None:
        self.url = os.fspath(self.url)
        self.fs, self.root = filesystem(self.url)
        self.root = self.root.rstrip("/")
        self._is_local = is_local(self.fs)
        self._was_there = not self._is_local or os.path.isdir(self.root)

    def __reduce__(self) -> tuple[Any, ...]:
        return Store, (self.url, self.patience), {"_was_there": True}

    def _path(self, name: str) -> str:
        return f"{self.root}/{name}"

    def _is_away(self, error: Exception) -> bool:
        """Whether a later try may succeed."""
        if self._is_local and isinstance(error, FileNotFoundError):
            return self._was_there and not os.path.isdir(self.root)
        return not isinstance(error, LASTING)

    def attempt(self, what: str, call: Callable[[], Answer]) -> Answer:
        """Calls until it succeeds or patience ends."""
        end = self.clock() + self.patience
        pause = 0.05
        while True:
            try:
                return call()
            except Exception as error:
                if not self._is_away(error):
                    raise
                if self.clock() + pause > end:
                    raise IoError(
                        f"the store {self.url} {what} for {self.patience:g} seconds: {error}"
                    ) from error
            self.pauses(pause)
            pause = min(2 * pause, 5.0)

    def make(self) -> None:
        """Makes the folder of a store on a disk, where there is none, and removes what killed
        writers left in it."""
        if self._is_local:
            for folder in ("objects", "incoming"):
                os.makedirs(self._path(folder), exist_ok=True)
            self._was_there = True
            for name in os.listdir(self._path("incoming")):
                _remove_dead(self._path(f"incoming/{name}"))

    # Files

    def read(self, name: str, begin: int | None = None, end: int | None = None) -> bytes:
        """The bytes of a file, or those from `begin` to `end`, the latter not among them. Raises
        FileNotFoundError where there is none."""
        data = self.attempt(
            "gives no file", lambda: self.fs.cat_file(self._path(name), start=begin, end=end)
        )
        return bytes(data)

    def size(self, name: str) -> int | None:
        """In bytes; None where there is no such file."""
        def ask() -> int:
            self.fs.invalidate_cache()
            return int(self.fs.info(self._path(name))["size"])

        try:
            return self.attempt("does not answer", ask)
        except FileNotFoundError:
            return None

    def write(self, name: str, data: bytes) -> None:
        """Writes a file, in the place of one that is there. Nobody sees half of it."""
        def send() -> None:
            if self._is_local:
                self._replace(name, lambda out: out.write(data))
            else:
                self.fs.pipe_file(self._path(name), data)

        self.attempt("takes no file", send)

    def put(self, source: Path, sha256: str, size: int) -> bool:
        """Sends a file of that checksum and size, unless the store has it. Says whether it did."""
        name = object_name(sha256)
        if self.size(name) == size:
            return False

        def send() -> None:
            if self._is_local:
                self._replace(name, lambda out: _copy(source, out))
            else:
                self.fs.put_file(str(source), self._path(name))

        self.attempt("takes no file", send)
        if self.size(name) != size:
            raise IoError(f"{source} did not arrive whole in {self.url}; publish again")
        return True

    def remove(self, name: str) -> None:
        """Removes a file, where it is there."""
        with contextlib.suppress(FileNotFoundError):
            self.attempt("removes no file", lambda: self.fs.rm_file(self._path(name)))

    def _replace(self, name: str, fill: Callable[[Any], Any]) -> None:
        """On a disk: beside its place, flushed, then renamed."""
        target = self._path(name)
        with self._incoming(target) as out:
            fill(out)
            out.flush()
            os.fsync(out.fileno())
            os.replace(out.name, target)
        _flush_folder(os.path.dirname(target))

    @contextlib.contextmanager
    def _incoming(self, target: str) -> Any:
        """A new file that goes when it is done, unless it was given another name."""
        if not os.path.isdir(self.root):
            raise FileNotFoundError(self.root)  # not to be made anew where a disk is away
        for folder in (os.path.dirname(target), self._path("incoming")):
            os.makedirs(folder, exist_ok=True)
        with open(self._path(f"incoming/{secrets.token_hex(8)}"), "xb") as out:
            fcntl.flock(out, fcntl.LOCK_EX)
            try:
                yield out
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(out.name)

    # Versions

    def versions(self) -> list[int]:
        """The numbers of the cluster's versions, ascending."""
        def ask() -> list[str]:
            self.fs.invalidate_cache()
            return [str(path) for path in self.fs.ls(self.root or "/", detail=False)]

        try:
            paths = self.attempt("lists no files", ask)
        except FileNotFoundError:
            return []
        names = (VERSION_NAME.fullmatch(path.rstrip("/").rpartition("/")[2]) for path in paths)
        return sorted(int(name.group(1)) for name in names if name)

    def create_version(self, number: int, text: bytes) -> None:
        """Writes the file of a version, which nobody has written before. Raises VersionTaken where
        another publisher did."""
        protocol = self.fs.protocol if isinstance(self.fs.protocol, str) else self.fs.protocol[0]
        if protocol not in EXCLUSIVE:
            raise UsageError(
                f"a store of {protocol!r} cannot keep two publishers apart; use a folder, s3 or gs"
            )
        name = version_name(number)

        def create() -> None:
            try:
                self._create(name, text)
            except Exception:
                # An answer may be lost on the way, and the file be ours all the same.
                try:
                    there = bytes(self.fs.cat_file(self._path(name)))
                except Exception:
                    there = None
                if there == text:
                    return
                if there is not None:
                    raise VersionTaken(
                        f"version {number} was published by another meanwhile; read it and publish "
                        "again"
                    ) from None
                raise

        self.attempt("takes no version", create)

    def _create(self, name: str, text: bytes) -> None:
        if not self._is_local:
            self.fs.pipe_file(self._path(name), text, mode="create")
            return
        target = self._path(name)
        with self._incoming(target) as out:
            out.write(text)
            out.flush()
            os.fsync(out.fileno())
            os.link(out.name, target)  # fails where it is there
        _flush_folder(os.path.dirname(target))


def _remove_dead(path: str) -> None:
    """Removes a file whose writer holds its lock no more."""
    with contextlib.suppress(OSError), open(path, "rb") as file:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        if time.time() - os.fstat(file.fileno()).st_mtime > LONGEST_START:
            os.unlink(path)


def _copy(source: Path, out: Any) -> None:
    with open(source, "rb") as read:
        while block := read.read(BLOCK_BYTES):
            out.write(block)


def _flush_folder(path: str) -> None:
    folder = os.open(path, os.O_RDONLY)
    try:
        os.fsync(folder)
    finally:
        os.close(folder)
