"""Serves a cluster on Ray: an actor for each replica of each part, and a coordinator that keeps
them at the last version. Searches go from a client's broker to the actors, past the coordinator.

The coordinator's state is the store and the actors' names, so it may die: Ray starts it again, and
searches go on meanwhile.
"""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from typing import Any

from ..errors import UsageError
from .manifest import read_version
from .on_ray import connect
from .part_host import PartHost
from .session import Endpoint, View
from .store import Store

NAMESPACE = "warpdex"
GROUPS = {"search": 16, "control": 4}  # threads of a replica's process


@dataclass(frozen=True)
class ServeSettings:
    """How a cluster is served."""

    store: str
    replicas: int = 2
    """Of each part; Ray spreads them over hosts."""
    cpus: float = 1
    """Of each replica."""
    threads: int = 0
    """That search in a replica; 0: as many as the process may run on."""
    folder: str = "/tmp/warpdex-parts"
    """Of each host, for the files of its parts."""
    poll: float = 0.5
    """Seconds between two looks at the store and the replicas."""
    grace: float = 10.0
    """Seconds for which a version stays open after the next one serves."""
    patience: float = 60.0
    """Seconds for which the store may be away."""


class PartActor:
    """A replica, in a process of its own."""

    def __init__(self, settings: ServeSettings, part: int) -> None:
        folder = os.path.join(settings.folder, f"part-{part:04d}")
        store = Store(settings.store, settings.patience)
        self._host = PartHost(store, part, folder, settings.threads)
        for version in self._host.remembered():
            try:
                self._host.load(version)
            except Exception:  # noqa: BLE001, S112  the coordinator asks again
                continue

    def answer(self, version: int, message: bytes) -> bytes:
        return self._host.answer(version, message)

    def load(self, version: int) -> None:
        self._host.load(version)

    def keep(self, versions: list[int]) -> None:
        self._host.keep(set(versions))

    def state(self) -> tuple[list[int], int, str]:
        return self._host.state()

    def pid(self) -> int:
        return os.getpid()


def actor_name(name: str, part: int, replica: int) -> str:
    return f"{name}/part-{part}/replica-{replica}"


def _make_actor(ray: Any, name: str, settings: ServeSettings, part: int, replica: int) -> Any:
    return ray.remote(concurrency_groups=GROUPS)(PartActor).options(
        name=actor_name(name, part, replica), namespace=NAMESPACE, lifetime="detached",
        get_if_exists=True, num_cpus=settings.cpus, max_restarts=-1,
        max_task_retries=0, scheduling_strategy="SPREAD",
    ).remote(settings, part)


def _control(method: Any) -> Any:
    """A call that does not wait for searches."""
    return method.options(concurrency_group="control")


class Coordinator:
    """Keeps the replicas of all parts at the last version of the store."""

    async def __init__(self, name: str, settings: ServeSettings) -> None:  # type: ignore[misc]
        self._ray = connect()
        self._name = name
        self._settings = settings
        self._store = Store(settings.store, settings.patience)
        self._version = 0
        self._parts = 0
        self._ready: dict[tuple[int, int], list[int]] = {}
        self._under_way: dict[tuple[int, int], int] = {}
        self._problems: dict[tuple[int, int], str] = {}
        self._actors: dict[tuple[int, int], Any] = {}
        self._loading: dict[tuple[int, int], Any] = {}
        self._drained: set[tuple[int, int]] = set()
        self._retired: dict[int, float] = {}
        self._problem = ""
        self._work = asyncio.ensure_future(self._run())

    async def _run(self) -> None:
        while True:
            try:
                await self._step()
                self._problem = ""
            except Exception as error:  # noqa: BLE001  told by status(), and tried again
                self._problem = f"{type(error).__name__}: {error}"
            await asyncio.sleep(self._settings.poll)

    async def _step(self) -> None:
        wanted = await asyncio.to_thread(read_version, self._store)
        self._parts = len(wanted.parts)
        places = [(part, replica) for part in range(self._parts)
                  for replica in range(self._settings.replicas)]
        for place in places:
            if place not in self._actors and place not in self._drained:
                self._actors[place] = _make_actor(self._ray, self._name, self._settings, *place)
        await asyncio.gather(*(self._look_at(place, wanted.number) for place in self._actors))
        if all(any(wanted.number in self._ready.get((part, i), ())
                   for i in range(self._settings.replicas)) for part in range(self._parts)):
            self._take(wanted.number)

    async def _look_at(self, place: tuple[int, int], wanted: int) -> None:
        actor = self._actors[place]
        try:
            async with asyncio.timeout(2.0):
                versions, under_way, problem = await _control(actor.state).remote()
        except Exception as error:  # noqa: BLE001  dead, or its host cannot be reached
            # What it had last stays: brokers find out themselves, and sooner, whether it answers.
            if isinstance(error, self._ray.exceptions.ActorDiedError):
                self._actors.pop(place, None)  # for good: another one is made
                self._ready.pop(place, None)
            self._problems[place] = f"{type(error).__name__}: it does not answer"
            return
        self._ready[place], self._under_way[place] = versions, under_way
        self._problems[place] = problem
        for version in {wanted, self._version} - {0}:
            loading = self._loading.get(place)
            if version not in versions and (loading is None or loading.done()):
                self._loading[place] = asyncio.ensure_future(self._load(actor, version))
        open_now = {wanted, self._version, *self._retired} - {0}
        if set(versions) - open_now:
            _control(actor.keep).remote(sorted(open_now))

    async def _load(self, actor: Any, version: int) -> None:
        try:
            await _control(actor.load).remote(version)
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
            for part in range(self._parts)
        ]

    async def status(self) -> dict[str, Any]:
        """As values for JSON."""
        replicas = [
            {"part": part, "replica": i, "versions": self._ready.get((part, i), []),
             "under_way": self._under_way.get((part, i), 0),
             "is_drained": (part, i) in self._drained,
             "problem": self._problems.get((part, i), "")}
            for part in range(self._parts) for i in range(self._settings.replicas)
        ]
        return {"version": self._version, "parts": self._parts, "problem": self._problem,
                "replicas": replicas}

    async def drain(self, part: int, replica: int, seconds: float) -> bool:
        """Sends a replica no more queries, waits up to so many seconds until it has answered what
        it was asked, and ends it. False, and it goes on, where it is its part's only one."""
        place = (part, replica)
        if not (0 <= part < self._parts and 0 <= replica < self._settings.replicas):
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

    async def store(self) -> str:
        return self._settings.store

    async def pid(self) -> int:
        return os.getpid()

    async def undrain(self, part: int, replica: int) -> None:
        """Starts a replica again that was drained."""
        self._drained.discard((part, replica))

    async def stop(self) -> None:
        """Ends all replicas."""
        self._work.cancel()
        for actor in self._actors.values():
            self._ray.kill(actor)


def start(name: str, settings: ServeSettings) -> Any:
    """The coordinator of that name, which begins to serve; the one that is there already, if any.
    Raises UsageError where that one serves another store."""
    ray = connect()
    made = ray.remote(Coordinator).options(
        name=name, namespace=NAMESPACE, lifetime="detached", get_if_exists=True, num_cpus=0,
        max_restarts=-1, max_task_retries=0, max_concurrency=100,
    ).remote(name, settings)
    served = ray.get(made.store.remote())
    if served != settings.store:
        raise UsageError(f"{name!r} serves {served}; give another name")
    return made


class RayViews:
    """Asks a coordinator who answers now."""

    def __init__(self, name: str) -> None:
        self.ray = connect()
        try:
            self.coordinator = self.ray.get_actor(name, namespace=NAMESPACE)
        except ValueError:
            raise UsageError(f"nothing is served under the name {name!r}; serve a store") from None
        self._endpoints: dict[str, _RayEndpoint] = {}

    async def __call__(self) -> View:
        async with asyncio.timeout(5.0):
            version, parts = await self.coordinator.view.remote()
        return View(version, tuple(
            {name: self._endpoint(name, actor) for name, actor in actors.items()}
            for actors in parts
        ))

    def _endpoint(self, name: str, actor: Any) -> Endpoint:
        """The same one for a name, of the actor that has it now."""
        if name not in self._endpoints:
            self._endpoints[name] = _RayEndpoint()
        endpoint = self._endpoints[name]
        endpoint.method = actor.answer.options(concurrency_group="search")
        return endpoint


class _RayEndpoint:
    method: Any

    async def __call__(self, version: int, message: bytes) -> bytes:
        return bytes(await self.method.remote(version, message))
