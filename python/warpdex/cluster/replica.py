"""A host's copies of parts: what they lack is pulled from the store, and checked before it is used.

    objects/SHA256          a file of an index, whole when it has this name
    objects/SHA256.part     one that is being pulled
    part-0003-000042/       the index of part 3 in version 42: links to the files above
    cluster-000042.json     the manifest of version 42
"""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import re
import shutil
import threading
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ..errors import FormatError, IoError
from .manifest import File, Manifest, parse_manifest, read_version, sha256_of
from .store import BLOCK_BYTES, VERSION_NAME, Store, object_name, version_name

FILES_AT_ONCE = 4
FOLDER = re.compile(r"part-(\d{4,})-(\d{6,})")


@dataclass(frozen=True)
class Pulled:
    """An index that is whole on this host."""

    folder: Path
    bytes: int
    """That came from the store now."""
    mended: tuple[str, ...]
    """Files that were damaged here and came again."""


class Replica:
    """The copies below a folder. Several processes may use one folder at a time."""

    def __init__(self, store: Store, folder: str | os.PathLike[str]) -> None:
        self.store = store
        self.folder = Path(folder)
        self._objects = self.folder / "objects"

    def manifest(self, number: int) -> Manifest:
        """A version's manifest: this host's copy, else the store's. A version never changes."""
        path = self.folder / version_name(number)
        with contextlib.suppress(FileNotFoundError, FormatError):
            return parse_manifest(path.read_bytes(), str(path))
        manifest = read_version(self.store, number)
        self.folder.mkdir(parents=True, exist_ok=True)
        beside = path.with_suffix(f".{os.getpid()}.{threading.get_ident()}")
        beside.write_bytes(manifest.to_bytes())
        beside.replace(path)
        return manifest

    def lacks(self, manifest: Manifest, part: int) -> list[File]:
        """The files of a part that are not here, each one once."""
        files = {file.sha256: file for file in manifest.parts[part].files}
        return [file for file in files.values() if not self._is_here(file)]

    def _is_here(self, file: File) -> bool:
        with contextlib.suppress(FileNotFoundError):
            return (self._objects / file.sha256).stat().st_size == file.bytes
        return False

    def pull(self, manifest: Manifest, part: int) -> Pulled:
        """Makes the index of a part: pulls what is not here, then reads all of its files and
        compares their checksums. A damaged one is pulled once more. Killed, it goes on where it was
        when it is called again.

        Raises:
            FormatError: the store's file is damaged, cut short or missing; the message names part,
                segment and file.
            IoError: the store is away, or the disk refuses.
        """
        self._objects.mkdir(parents=True, exist_ok=True)
        with self._held(fcntl.LOCK_SH):
            return self._pull(manifest, part)

    def _pull(self, manifest: Manifest, part: int) -> Pulled:
        lacking = self.lacks(manifest, part)
        files = {file.sha256: file for file in manifest.parts[part].files}
        with ThreadPoolExecutor(FILES_AT_ONCE) as threads:
            came = sum(threads.map(lambda file: self._pull_file(part, file), lacking))
            bad = [file for file, is_sound in
                   zip(files.values(), threads.map(self._is_sound, files.values())) if not is_sound]
            for file in bad:
                (self._objects / file.sha256).unlink(missing_ok=True)
            came += sum(threads.map(lambda file: self._pull_file(part, file), bad))
        for file in bad:
            if not self._is_sound(file):
                raise IoError(
                    f"{self._objects / file.sha256} was written and is damaged when it is read; "
                    "look at the disk of this host"
                )
        return Pulled(self._link(manifest, part), came, tuple(file.path for file in bad))

    def _is_sound(self, file: File) -> bool:
        path = self._objects / file.sha256
        return self._is_here(file) and sha256_of(path) == file.sha256

    # One file

    def _pull_file(self, part: int, file: File) -> int:
        """How many bytes came from the store."""
        target = self._objects / file.sha256
        with _locked(target.with_name(target.name + ".part"), target) as out:
            if out is None:
                return 0  # another process pulled it
            came = self._fill(out, part, file)
            out.flush()
            os.fsync(out.fileno())
            os.rename(out.name, target)
        return came

    def _fill(self, out: Any, part: int, file: File) -> int:
        """Completes a file that has its first bytes, perhaps; from its beginning where these were
        wrong."""
        came = 0
        for begin in (min(os.fstat(out.fileno()).st_size, file.bytes), 0):
            out.truncate(begin)
            out.seek(0)
            total = hashlib.sha256()
            while block := out.read(BLOCK_BYTES):
                total.update(block)
            place = begin
            while place < file.bytes:
                block = self._read(part, file, place, min(place + BLOCK_BYTES, file.bytes))
                out.write(block)
                total.update(block)
                place += len(block)
            came += place - begin
            if total.hexdigest() == file.sha256:
                return came
            if begin == 0:
                break
        out.truncate(0)
        raise FormatError(f"{self._name(part, file)} is damaged; {MEND}")

    def _read(self, part: int, file: File, begin: int, end: int) -> bytes:
        try:
            block = self.store.read(object_name(file.sha256), begin, end)
        except FileNotFoundError:
            raise FormatError(f"{self._name(part, file)} is missing; {MEND}") from None
        if len(block) != end - begin:
            raise FormatError(
                f"{self._name(part, file)} is cut short: it must have {file.bytes} bytes; {MEND}"
            )
        return block

    def _name(self, part: int, file: File) -> str:
        return f"part {part}, {file.path} ({self.store.url}/{object_name(file.sha256)})"

    # Folders

    @contextlib.contextmanager
    def _held(self, kind: int) -> Iterator[None]:
        """While files are pulled, none is removed."""
        with open(self.folder / "lock", "ab") as lock:
            fcntl.flock(lock, kind)
            yield

    def _link(self, manifest: Manifest, part: int) -> Path:
        target = self.folder / f"part-{part:04d}-{manifest.number:06d}"
        if self._is_linked(target, manifest.parts[part].files):
            return target
        making = self.folder / f".{target.name}.{os.getpid()}"
        shutil.rmtree(making, ignore_errors=True)
        for file in manifest.parts[part].files:
            path = making / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            os.link(self._objects / file.sha256, path)
        shutil.rmtree(target, ignore_errors=True)
        try:
            os.rename(making, target)
        except OSError:  # another process made it meanwhile
            shutil.rmtree(making)
        return target

    def _is_linked(self, folder: Path, files: Iterable[File]) -> bool:
        """Whether it has these files, and they are those that were checked."""
        there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
        return there == {file.path for file in files} and all(
            os.path.samefile(folder / file.path, self._objects / file.sha256) for file in files
        )

    def drop(self, keep: set[int]) -> int:
        """Removes the indexes of other versions, and files that no index has any more. An index
        that is open stays whole. Returns how many bytes were removed."""
        with self._held(fcntl.LOCK_EX):
            return self._drop(keep)

    def _drop(self, keep: set[int]) -> int:
        for path in list(self.folder.iterdir()):
            if (name := FOLDER.fullmatch(path.name)) and int(name.group(2)) not in keep:
                shutil.rmtree(path, ignore_errors=True)
            if (name := VERSION_NAME.fullmatch(path.name)) and int(name.group(1)) not in keep:
                path.unlink(missing_ok=True)
        freed = 0
        for path in list(self._objects.iterdir()):
            with contextlib.suppress(FileNotFoundError):
                if path.suffix != ".part" and path.stat().st_nlink == 1:
                    freed += path.stat().st_size
                    path.unlink()
        return freed


MEND = "remove it there by `verify --remove`, and publish again from a sound copy"


@contextlib.contextmanager
def _locked(path: Path, done: Path) -> Iterator[Any]:
    """The file, open for one process at a time; None once `done` is there."""
    while True:
        with open(path, "a+b") as out:
            fcntl.flock(out, fcntl.LOCK_EX)
            if done.exists():
                if _is_same(path, out):
                    path.unlink()
                yield None
                return
            if _is_same(path, out):
                yield out
                return


def _is_same(path: Path, opened: Any) -> bool:
    """Whether the path still leads to the open file."""
    with contextlib.suppress(FileNotFoundError):
        return os.path.samestat(os.stat(path), os.fstat(opened.fileno()))
    return False
