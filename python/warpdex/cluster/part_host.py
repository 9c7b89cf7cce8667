"""A replica of a part: pulls versions of it, opens them, answers messages."""

from __future__ import annotations

import json
import os
import threading
from pathlib import Path

from .. import _core
from .replica import Replica
from .replicas import LacksVersion
from .store import Store


class PartHost:
    """Safe to use from several threads. `folder`: of this host, for this part's files; several
    replicas may share it."""

    def __init__(
        self, store: Store, part: int, folder: str | os.PathLike[str], threads: int = 0,
        gpus: int = 0, document_blocks: bool = False,
    ) -> None:
        self.part = part
        self._threads = threads
        self._gpus = list(range(gpus))
        self._document_blocks = document_blocks
        self._replica = Replica(store, folder)
        self._servers: dict[int, _core.PartServer] = {}
        self._loading = threading.Lock()
        self._counting = threading.Lock()
        self._under_way = 0
        self._problem = ""

    def load(self, version: int) -> None:
        """Brings a version here, checks all of its bytes and opens it, beside those that are open.
        Raises as Replica.pull() does."""
        with self._loading:
            if version in self._servers:
                return
            try:
                pulled = self._replica.pull(self._replica.manifest(version), self.part)
                self._servers[version] = _core.PartServer(
                    str(pulled.folder), self._threads, self._gpus, self._document_blocks
                )
                self._problem = ""
            except Exception as error:
                self._problem = str(error)
                raise
            self._remember()

    def _memory(self) -> Path:
        return self._replica.folder / "serving.json"

    def _remember(self) -> None:
        """So that a process that takes this one's place begins where it was."""
        beside = self._memory().with_suffix(f".{os.getpid()}")
        beside.write_text(json.dumps(sorted(self._servers)), "utf-8")
        beside.replace(self._memory())

    def remembered(self) -> list[int]:
        """The versions that were open here last."""
        try:
            return [int(each) for each in json.loads(self._memory().read_text("utf-8"))]
        except (OSError, ValueError, TypeError):
            return []

    def keep(self, versions: set[int]) -> None:
        """Closes other versions; messages under way are answered. Their files go."""
        with self._loading:
            for version in set(self._servers) - versions:
                del self._servers[version]
            self._remember()
            self._replica.drop(versions | set(self._servers))

    def answer(self, version: int, message: bytes) -> bytes:
        """Raises LacksVersion."""
        server = self._servers.get(version)
        if server is None:
            raise LacksVersion(f"version {version} is not open here; {sorted(self._servers)} are")
        with self._counting:
            self._under_way += 1
        try:
            return server.answer(message)
        finally:
            with self._counting:
                self._under_way -= 1

    def state(self) -> tuple[list[int], int, str]:
        """The versions that are open, messages under way, and why the last load failed."""
        return sorted(self._servers), self._under_way, self._problem
