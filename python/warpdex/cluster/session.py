"""One version of a cluster, as a broker searches it."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .. import _core
from .._arrays import Floats
from ..errors import IoError
from .answers import ClusterAnswer, Coverage
from .fan import Counters, Fan, FanSettings, Replica, Reply

# Answers a message of a version.
Endpoint = Callable[[int, bytes], Awaitable[bytes]]


@dataclass(frozen=True)
class View:
    """Who answers for each part now: of one version, replicas by their names."""

    version: int
    parts: tuple[Mapping[str, Endpoint], ...]


class VersionGone(IoError):
    """A batch met a part without the version that it was to be answered by."""

    answers: list[ClusterAnswer] | None = None
    """Of the other parts, where these were asked for."""


class Asker:
    """Sends messages to the replicas of one version. It knows neither broker nor searcher: the
    latter holds it from C++, where nobody finds circles."""

    def __init__(
        self, view: View, loop: asyncio.AbstractEventLoop, settings: FanSettings, counters: Counters
    ) -> None:
        self._loop = loop
        self._version = view.version
        self._of_thread = threading.local()
        self._replicas: dict[tuple[int, str], Replica] = {}
        self._fan = Fan([()] * len(view.parts), settings, counters)
        self.take(view)

    def take(self, view: View) -> None:
        """Other replicas of the same version, perhaps."""
        names = {(part, name) for part, each in enumerate(view.parts) for name in each}
        if names == set(self._replicas):
            return
        known, self._replicas = self._replicas, {}
        parts: list[list[Replica]] = []
        for number, endpoints in enumerate(view.parts):
            for name, endpoint in endpoints.items():
                replica = known.get((number, name)) or Replica(name, self._caller(endpoint))
                self._replicas[number, name] = replica
            parts.append([self._replicas[number, name] for name in endpoints])
        self._fan.take(parts)

    def _caller(self, endpoint: Endpoint) -> Callable[[bytes], Awaitable[bytes]]:
        async def call(message: bytes) -> bytes:
            answer = await endpoint(self._version, message)
            if fault := _core.fault_of_copy(answer):
                raise IoError(fault)  # another replica may answer
            return answer

        return call

    def begin(self, deadline: float) -> None:
        """Of what this thread asks next."""
        self._of_thread.deadline = deadline
        self._of_thread.is_gone = False

    @property
    def is_gone(self) -> bool:
        """Whether a part lacked the version since begin()."""
        return bool(self._of_thread.is_gone)

    def __call__(self, messages: list[tuple[int, bytes]]) -> list[tuple[bytes, str]]:
        asked = asyncio.run_coroutine_threadsafe(
            self._fan.ask(messages, self._of_thread.deadline), self._loop
        )
        replies: list[Reply] = asked.result()
        if not all(reply.is_of_version for reply in replies):
            self._of_thread.is_gone = True
        return [(reply.answer, reply.failure) for reply in replies]


class Session:
    """One version: its parts' searcher, with what it knows of terms, and the replicas."""

    def __init__(
        self, view: View, loop: asyncio.AbstractEventLoop, settings: FanSettings,
        counters: Counters, seconds: float,
    ) -> None:
        """On a thread. Asks the parts what they are, for up to so many seconds. Raises IoError
        where one does not answer."""
        self.version = view.version
        self.asker = Asker(view, loop, settings, counters)
        self.asker.begin(loop.time() + seconds)
        self._searcher = _core.PartedSearcher(len(view.parts), self.asker)

    def search(
        self, texts: Sequence[str] | None, k: int, is_partial: bool, options: Mapping[str, Any],
        deadline: float, vectors: Floats | None = None,
    ) -> list[ClusterAnswer]:
        """On a thread. `deadline`: by the loop's clock. Raises VersionGone."""
        self.asker.begin(deadline)
        try:
            found = self._searcher.search(
                None if texts is None else list(texts), k, is_partial, vectors, dict(options)
            )
        except IoError as error:
            if self.asker.is_gone:
                raise VersionGone(str(error)) from None
            raise
        answers = self._answers(found)
        if self.asker.is_gone:
            gone = VersionGone("a part has another version now")
            gone.answers = answers
            raise gone
        return answers

    def _answers(self, found: Mapping[str, Any]) -> list[ClusterAnswer]:
        coverage = Coverage(self.version, found["documents"], found["searched"],
                            tuple(found["missing"]), found["has_whole_statistics"])
        scores, parts, docs, _ = found["arrays"]
        are_distances = found["scores_are_distances"]
        k = scores.shape[1]
        answers = []
        for ids, facts, score, part, doc, cursors, shown in zip(
            found["ids"], found["facts"], scores, parts, docs, found["cursors"], found["fields"]
        ):
            if (count := len(ids)) < k:
                score, part, doc = score[:count], part[:count], doc[:count]
            answers.append(ClusterAnswer(ids, score, part, doc, coverage,
                                         *(*facts, cursors, shown, are_distances)))
        return answers
