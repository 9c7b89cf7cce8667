"""One version of a cluster, as a broker searches it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from typing import Any

from .. import _core
from .._arrays import Floats
from ..errors import IoError
from .answers import ClusterAnswer, Coverage
from .replicas import ReplicaCounters, Replicas, ReplicaSettings

# Begins to ask a message of a version. It may stand still where a host is cut off.
Endpoint = Callable[[int, bytes], "Future[bytes]"]


@dataclass(frozen=True)
class View:
    """Who answers for each part now: of one version, replicas by their names."""

    version: int
    parts: tuple[Mapping[str, Endpoint], ...]


class VersionGone(IoError):
    """A batch met a part without the version that it was to be answered by."""

    answers: list[ClusterAnswer] | None = None
    """Of the other parts, where these were asked for."""


class Session:
    """One version: its parts' searcher, with what it knows of terms, and the replicas. For any
    number of threads."""

    def __init__(
        self, view: View, settings: ReplicaSettings, counters: ReplicaCounters, seconds: float,
    ) -> None:
        """Asks the parts what they are, for up to so many seconds. Raises IoError where one does not
        answer."""
        self.version = view.version
        self._replicas = Replicas(len(view.parts), settings, counters, are_of_parts=True)
        self.take(view)
        self._searcher = _core.PartedSearcher(self._replicas.set, seconds)

    def take(self, view: View) -> None:
        """Other replicas of the same version, perhaps."""
        self._replicas.take([
            {name: partial(endpoint, self.version) for name, endpoint in part.items()}
            for part in view.parts
        ])

    def close(self) -> None:
        """Nothing is answered any more."""
        self._replicas.close()

    def search(
        self, texts: Sequence[str] | None, k: int, is_partial: bool, options: Mapping[str, Any],
        seconds: float, vectors: Floats | None = None,
    ) -> list[ClusterAnswer]:
        """Within so many seconds. Raises VersionGone."""
        found = self._searcher.search(
            None if texts is None else list(texts), k, is_partial, vectors, dict(options), seconds
        )
        if why := found["gone"]:
            gone = VersionGone(why)
            gone.answers = self._answers(found) if "ids" in found else None
            raise gone
        return self._answers(found)

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
