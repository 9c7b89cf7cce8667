"""Asks brokers that are actors, as if they were one Broker in this process. Where one dies or stands
still, another is asked."""

from __future__ import annotations

import asyncio
import pickle
import struct
import time
from collections.abc import Awaitable, Callable, Sequence
from concurrent.futures import Future
from functools import partial
from typing import Any

from ..errors import IoError
from . import answers, pieces
from .answers import ClusterAnswer
from .broker import LATE, MERGE_TIME, BrokerSettings, OnMissing
from .part_actor import control
from .replicas import ReplicaCounters, Replicas, ReplicaSettings

# A message begins with its deadline by the client's clock; each broker is told what is left of it.
END = struct.Struct("<d")

# Brokers hedge. So a second one is asked where the first one fails, at half time, and rarely before:
# where it takes longer than all but one in a hundred, and for one in fifty at most.
HEDGES = ReplicaSettings(hedge_rank=0.99, first_hedge=0.25, hedge_share=0.02)


class BrokerClient:
    """Starts and ends on one event loop; any number of other threads search. `brokers` tells the
    actors that are ready, by their names; it is asked again and again."""

    def __init__(
        self, brokers: Callable[[], Awaitable[dict[str, Any]]],
        settings: BrokerSettings | None = None,
    ) -> None:
        self.settings = settings or BrokerSettings()
        self.counters = ReplicaCounters()
        self._brokers = brokers
        self._actors: dict[str, Any] = {}
        self._replicas = Replicas(1, HEDGES, self.counters, are_of_parts=False)
        self._poller: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Waits for the first broker. Raises IoError where none is ready in time."""
        end = time.monotonic() + self.settings.open_time
        while not await self._take():
            if time.monotonic() > end:
                raise IoError("no broker is ready; see what `replicas` tells")
            await asyncio.sleep(0.1)
        self._poller = asyncio.ensure_future(self._poll())

    async def stop(self) -> None:
        """Ends it; the brokers go on."""
        if self._poller:
            self._poller.cancel()
        self._replicas.close()

    async def _take(self) -> bool:
        """Learns which brokers there are; whether there is any. A coordinator that has just begun
        knows none; those that are known serve on then."""
        async with asyncio.timeout(5.0):
            actors = await self._brokers()
        if not actors:
            return bool(self._actors)
        self._actors = actors
        self._replicas.take([{name: partial(self._send, name) for name in actors}])
        return True

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self.settings.poll)
            try:
                await self._take()
            except Exception:  # noqa: BLE001, S112  those that are known serve on
                continue

    def _send(self, name: str, message: bytes) -> Future[bytes]:
        left = END.unpack_from(message)[0] - time.monotonic()
        seconds = left - min(MERGE_TIME, left / 10)
        return pieces.ask(
            self._actors[name].answer, seconds, message[END.size:], concurrency_group="search")

    async def refresh(self) -> bool:
        """Makes all brokers take the present view; whether one has another version now."""
        async with asyncio.timeout(self.settings.open_time):
            found = await asyncio.gather(
                *(control(actor.refresh).remote() for actor in self._actors.values()),
                return_exceptions=True,
            )
        return any(each is True for each in found)

    def search_on_thread(
        self, query: str | None, k: int = 10, *, deadline: float = 1.0,
        on_missing: OnMissing = "error", **options: Any,
    ) -> ClusterAnswer:
        """As Broker's."""
        asked = [None] if query is None else [query]
        [answer] = self._ask(True, asked, k, deadline, on_missing, options)
        return answer

    def search_batch_on_thread(
        self, queries: Sequence[str] | None, k: int = 10, *, deadline: float = 1.0,
        on_missing: OnMissing = "error", **options: Any,
    ) -> list[ClusterAnswer]:
        """As Broker's."""
        asked = None if queries is None else list(queries)
        return self._ask(False, asked, k, deadline, on_missing, options)

    def _ask(
        self, is_alone: bool, queries: list[str] | list[None] | None, k: int, deadline: float,
        on_missing: OnMissing, options: dict[str, Any],
    ) -> list[ClusterAnswer]:
        end = time.monotonic() + deadline
        message = END.pack(end) + pickle.dumps((is_alone, queries, k, on_missing, options))
        [(answer, failure)] = self._replicas.set.ask([(0, message)], deadline + LATE)
        if failure:
            raise IoError(f"no broker: {failure}")
        found = pickle.loads(answer)
        if isinstance(found, Exception):
            raise found
        return answers.from_values(found)
