"""Keeps the replicas of a cluster on Ray at the last version of its store."""

from __future__ import annotations

import asyncio
import os
import time
from typing import Any

from .. import _version
from ..errors import UsageError
from . import places
from .broker_actor import BrokerActors
from .manifest import read_version
from .on_ray import connect
from .part_actor import ServeSettings, actor_name, control, make_actor, part_group
from .store import Store


class Coordinator:
    """Keeps the replicas of all parts at the last version of the store."""

    async def __init__(self, name: str, settings: ServeSettings) -> None:  # type: ignore[misc]
        self._ray = connect()
        self._name = name
        self._settings = settings
        self._store = Store(settings.store, patience=1.0)
        self._version = 0  # that is served
        self._wanted = 0
        self._parts = {0: 0}  # of each version
        self._ready: dict[tuple[int, int], list[int]] = {}
        self._under_way: dict[tuple[int, int], int] = {}
        self._problems: dict[tuple[int, int], str] = {}
        self._actors: dict[tuple[int, int], Any] = {}
        self._groups: dict[int, Any] = {}  # of parts: where their replicas are
        self._loading: dict[tuple[int, int], Any] = {}
        self._drained: set[tuple[int, int]] = set()
        self._retired: dict[int, float] = {}
        self._brokers = BrokerActors(self._ray, name, settings)
        self._problem = ""
        self._work = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while True:
            try:
                await self._step()
            except Exception as error:  # noqa: BLE001  told by status(), and tried again
                self._problem = f"{type(error).__name__}: {error}"
            await asyncio.sleep(self._settings.poll)

    async def _step(self) -> None:
        try:
            await asyncio.to_thread(self._read_store)
            self._problem = ""
        except Exception as error:  # noqa: BLE001  told, tried again; replicas are looked after
            self._problem = f"{type(error).__name__}: {error}"
        for version in {self._wanted, self._version} - {0}:
            for part in range(self._parts[version]):
                for replica in range(self._settings.replicas):
                    await self._make(part, replica)
        await asyncio.gather(
            self._brokers.look(), *(self._look_at(place) for place in list(self._actors))
        )
        if self._wanted and all(
            any(self._wanted in self._ready.get((part, i), ())
                for i in range(self._settings.replicas))
            for part in range(self._parts[self._wanted])
        ):
            self._take(self._wanted)

    def _read_store(self) -> None:
        """Looks for a later version."""
        numbers = self._store.versions()
        if numbers and numbers[-1] > self._wanted:
            self._parts[numbers[-1]] = len(read_version(self._store, numbers[-1]).parts)
            self._wanted = numbers[-1]

    async def _make(self, part: int, replica: int) -> None:
        place = (part, replica)
        if place not in self._actors and place not in self._drained:
            if part not in self._groups:
                self._groups[part] = await asyncio.to_thread(
                    part_group, self._ray, self._name, self._settings, part)
            self._actors[place] = make_actor(
                self._ray, self._name, self._settings, self._groups[part], *place)

    async def _look_at(self, place: tuple[int, int]) -> None:
        actor = self._actors[place]
        try:
            async with asyncio.timeout(2.0):
                versions, under_way, problem = await control(actor.state).remote()
        except Exception as error:  # noqa: BLE001  dead, or its host cannot be reached
            # What it had last stays: brokers find out themselves, and sooner, whether it answers.
            if isinstance(error, self._ray.exceptions.ActorDiedError):
                self._actors.pop(place, None)  # for good: another one is made
                self._ready.pop(place, None)
            self._problems[place] = f"{type(error).__name__}: it does not answer"
            return
        self._ready[place], self._under_way[place] = versions, under_way
        self._problems[place] = problem
        open_now = {each for each in (self._wanted, self._version, *self._retired)
                    if each and place[0] < self._parts[each]}
        for version in sorted(open_now - set(versions) - set(self._retired)):
            loading = self._loading.get(place)
            if loading is None or loading.done():
                self._loading[place] = asyncio.ensure_future(self._load(actor, version))
        if set(versions) - open_now:
            control(actor.keep).remote(sorted(open_now))
        if not open_now:  # a later version has fewer parts
            self._ray.kill(self._actors.pop(place))
            self._ready.pop(place, None)
            if (group := self._groups.pop(place[0], None)) is not None:
                places.remove(group)

    async def _load(self, actor: Any, version: int) -> None:
        try:
            await control(actor.load).remote(version)
        except Exception:  # noqa: BLE001  state() tells
            await asyncio.sleep(1.0)

    def _take(self, version: int) -> None:
        now = time.monotonic()
        if self._version not in (0, version):
            self._retired[self._version] = now + self._settings.grace
        self._version = version
        self._retired = {each: end for each, end in self._retired.items()
                         if end > now and each != version}

    # For brokers and people

    async def view(self) -> tuple[int, list[dict[str, Any]]]:
        """The version that is served (0: none yet) and, for each part, the actors that have it, by
        their names."""
        return self._version, [
            {actor_name(self._name, part, i): self._actors[part, i]
             for i in range(self._settings.replicas)
             if self._version in self._ready.get((part, i), ()) and (part, i) in self._actors
             and (part, i) not in self._drained}
            for part in range(self._parts[self._version])
        ]

    async def status(self) -> dict[str, Any]:
        """As values for JSON."""
        parts = max(self._parts[self._version], self._parts[self._wanted])
        replicas = [
            {"part": part, "replica": i, "versions": self._ready.get((part, i), []),
             "under_way": self._under_way.get((part, i), 0),
             "is_drained": (part, i) in self._drained,
             "problem": self._problems.get((part, i), "")}
            for part in range(parts) for i in range(self._settings.replicas)
        ]
        return {"version": self._version, "parts": parts, "problem": self._problem,
                "replicas": replicas, "brokers": self._brokers.status()}

    async def drain(self, part: int, replica: int, seconds: float) -> bool:
        """Sends a replica no more queries, waits up to so many seconds until it has answered what
        it was asked, and ends it. False, and it goes on, where it is its part's only one."""
        place = (part, replica)
        if not (0 <= part < self._parts[self._version] and 0 <= replica < self._settings.replicas):
            raise UsageError(f"there is no replica {replica} of part {part}")
        _, actors = await self.view()
        others = set(actors[part]) - {actor_name(self._name, *place)}
        if not others:
            return False
        self._drained.add(place)
        end = time.monotonic() + seconds
        await asyncio.sleep(2 * self._settings.poll)  # brokers have seen it by then
        while self._under_way.get(place, 0) and time.monotonic() < end:
            await asyncio.sleep(0.1)
        if actor := self._actors.pop(place, None):
            self._ray.kill(actor)
        self._ready.pop(place, None)
        return True

    async def facts(self) -> tuple[str, str, int]:
        """The store, the version of Warpdex, and how many brokers there are."""
        return self._settings.store, _version.version, self._settings.brokers

    async def brokers(self) -> dict[str, Any]:
        """The actors that are ready, by their names."""
        return self._brokers.ready()

    async def pid(self) -> int:
        return os.getpid()

    async def undrain(self, part: int, replica: int) -> None:
        """Starts a replica again that was drained."""
        self._drained.discard((part, replica))

    async def stop(self) -> None:
        """Ends all replicas and brokers."""
        self._work.cancel()
        self._brokers.stop()
        for actor in self._actors.values():
            self._ray.kill(actor)
        for group in self._groups.values():
            places.remove(group)
