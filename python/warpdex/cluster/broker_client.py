"""Asks brokers that are actors, as if they were one Broker in this process. Where one dies or stands
still, another is asked."""

from __future__ import annotations

import asyncio
import pickle
import struct
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

from ..errors import IoError
from . import answers
from .answers import ClusterAnswer
from .broker import LATE, MERGE_TIME, BrokerSettings, OnMissing
from .fan import Counters, Fan, FanSettings, Replica

# A message begins with its deadline by the client's clock; each broker is told what is left of it.
END = struct.Struct("<d")

# Brokers hedge. So a second one is asked where the first one fails, at half time, and rarely before:
# where it takes longer than all but one in a hundred, and for one in fifty at most.
FAN = FanSettings(hedge_rank=0.99, first_hedge=0.25, hedge_share=0.02)


class BrokerClient:
    """For one event loop. `brokers` tells the actors that are ready, by their names; it is asked
    again and again."""

    def __init__(
        self, brokers: Callable[[], Awaitable[dict[str, Any]]],
        settings: BrokerSettings | None = None,
    ) -> None:
        self.settings = settings or BrokerSettings()
        self.counters = Counters()
        self._brokers = brokers
        self._actors: dict[str, Any] = {}
        self._replicas: dict[str, Replica] = {}
        self._fan = Fan([()], FAN, self.counters)
        self._poller: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Waits for the first broker. Raises IoError where none is ready in time."""
        self.loop = asyncio.get_running_loop()
        end = self.loop.time() + self.settings.open_time
        while not await self._take():
            if self.loop.time() > end:
                raise IoError("no broker is ready; see what `replicas` tells")
            await asyncio.sleep(0.1)
        self._poller = asyncio.ensure_future(self._poll())

    async def stop(self) -> None:
        """Ends it; the brokers go on."""
        if self._poller:
            self._poller.cancel()

    async def _take(self) -> bool:
        """Learns which brokers there are; whether there is any. A coordinator that has just begun
        knows none; those that are known serve on then."""
        async with asyncio.timeout(5.0):
            actors = await self._brokers()
        if not actors:
            return bool(self._actors)
        self._actors = actors
        for name in self._actors:
            if name not in self._replicas:
                self._replicas[name] = Replica(name, self._caller(name))
        self._fan.take([[self._replicas[name] for name in self._actors]])
        return bool(self._actors)

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self.settings.poll)
            try:
                await self._take()
            except Exception:  # noqa: BLE001, S112  those that are known serve on
                continue

    def _caller(self, name: str) -> Callable[[bytes], Awaitable[bytes]]:
        async def call(message: bytes) -> bytes:
            left = END.unpack_from(message)[0] - self.loop.time()
            seconds = left - min(MERGE_TIME, left / 10)
            return bytes(
                await self._actors[name].answer.remote(seconds, message[END.size:]))

        return call

    async def refresh(self) -> bool:
        """Makes all brokers take the present view; whether one has another version now."""
        async with asyncio.timeout(self.settings.open_time):
            found = await asyncio.gather(
                *(actor.refresh.remote() for actor in self._actors.values()),
                return_exceptions=True,
            )
        return any(each is True for each in found)

    async def search(
        self, query: str | None, k: int = 10, *, deadline: float = 1.0,
        on_missing: OnMissing = "error", **options: Any,
    ) -> ClusterAnswer:
        """As Broker.search()."""
        asked = [None] if query is None else [query]
        [answer] = await self._ask(True, asked, k, deadline, on_missing, options)
        return answer

    async def search_batch(
        self, queries: Sequence[str] | None, k: int = 10, *, deadline: float = 1.0,
        on_missing: OnMissing = "error", **options: Any,
    ) -> list[ClusterAnswer]:
        """As Broker.search_batch()."""
        asked = None if queries is None else list(queries)
        return await self._ask(False, asked, k, deadline, on_missing, options)

    async def _ask(
        self, is_alone: bool, queries: list[str] | list[None] | None, k: int, deadline: float,
        on_missing: OnMissing, options: dict[str, Any],
    ) -> list[ClusterAnswer]:
        end = self.loop.time() + deadline
        message = END.pack(end) + pickle.dumps((is_alone, queries, k, on_missing, options))
        [reply] = await self._fan.ask([(0, message)], end + LATE)
        if reply.failure:
            raise IoError(f"no broker: {reply.failure}")
        found = pickle.loads(reply.answer)
        if isinstance(found, Exception):
            raise found
        return answers.from_values(found)
