"""A broker on Ray: an actor, in a process of its own, which keeps nothing. Many clients ask it, so
their queries go together; and the coordinator's list of such actors."""

from __future__ import annotations

import asyncio
import os
import pickle
import threading
from typing import Any

from .. import _version
from ..errors import IoError, UsageError
from . import answers, places
from .broker import Broker
from .part_actor import NAMESPACE, ServeSettings, control
from .pieces import cut
from .ray_views import RayViews

# Threads of a broker's process. One that searches waits for parts most of the time.
GROUPS = {"search": 128, "control": 4}
# It waits most of the time; a place must have some.
CPUS = 0.01


class BrokerActor:
    """A broker, in a process of its own."""

    def __init__(self, name: str, settings: ServeSettings) -> None:
        if settings.engine != _version.version:
            raise UsageError(
                f"this host has Warpdex {_version.version}, and the cluster {settings.engine}; give "
                "all hosts one version"
            )
        self._broker: Broker | None = None
        self._loop = asyncio.new_event_loop()
        threading.Thread(target=self._loop.run_forever, daemon=True).start()
        asyncio.run_coroutine_threadsafe(self._start(name), self._loop)

    async def _start(self, name: str) -> None:
        while self._broker is None:
            try:
                broker = Broker(await asyncio.to_thread(RayViews, name))
                await broker.start()
            except Exception:  # noqa: BLE001  the parts are not ready yet
                await asyncio.sleep(0.1)
                continue
            self._broker = broker

    def answer(self, seconds: float, count: int, *message: bytes) -> bytes | tuple[bytes, ...]:
        """The answers, or the exception, for what a client asks (see BrokerClient), within so many
        seconds. Raises IoError where another broker may answer."""
        return cut(self._answer(seconds, b"".join(message)), count)

    def _answer(self, seconds: float, message: bytes) -> bytes:
        if self._broker is None:
            raise IoError("this broker has just begun")
        is_alone, queries, k, on_missing, options = pickle.loads(message)
        given = {"deadline": seconds, "on_missing": on_missing, **options}
        try:
            if is_alone:
                found = [self._broker.search_on_thread(queries[0], k, **given)]
            else:
                found = self._broker.search_batch_on_thread(queries, k, **given)
        except MemoryError as error:
            raise IoError("this broker has too little memory") from error
        except Exception as error:  # noqa: BLE001  the client raises it
            return pickle.dumps(error)
        return answers.to_bytes(found)

    def refresh(self) -> bool:
        """As Broker.refresh()."""
        if self._broker is None:
            return False
        return asyncio.run_coroutine_threadsafe(self._broker.refresh(), self._loop).result()

    def version(self) -> int:
        """That is searched now; 0: it has just begun."""
        return self._broker.version if self._broker else 0

    def pid(self) -> int:
        return os.getpid()


def broker_name(name: str, number: int) -> str:
    return f"{name}/broker-{number}"


class BrokerActors:
    """Those of a cluster, for its coordinator, which keeps them alive."""

    def __init__(self, ray: Any, name: str, settings: ServeSettings) -> None:
        self._ray = ray
        self._name = name
        self._settings = settings
        self._group: Any = None
        self._actors: dict[int, Any] = {}
        self._versions: dict[int, int] = {}
        self._problems: dict[int, str] = {}

    async def look(self) -> None:
        """Makes those that are not there, and asks all how they are."""
        for number in range(self._settings.brokers):
            if number not in self._actors:
                self._actors[number] = await self._make(number)
        await asyncio.gather(*(self._look_at(number) for number in list(self._actors)))

    async def _make(self, number: int) -> Any:
        if self._group is None:
            self._group = await asyncio.to_thread(
                places.group, self._ray, f"{self._name}/brokers", self._settings.brokers, CPUS)
        return self._ray.remote(concurrency_groups=GROUPS)(BrokerActor).options(
            name=broker_name(self._name, number), namespace=NAMESPACE, lifetime="detached",
            get_if_exists=True, num_cpus=CPUS, max_restarts=-1, max_task_retries=0,
            scheduling_strategy=places.place(self._group, number),
        ).remote(self._name, self._settings)

    async def _look_at(self, number: int) -> None:
        try:
            async with asyncio.timeout(2.0):
                self._versions[number] = await control(self._actors[number].version).remote()
            self._problems[number] = ""
        except Exception as error:  # noqa: BLE001  dead, or its host cannot be reached
            # It stays in the list: clients find out themselves, and sooner, whether it answers.
            if isinstance(error, self._ray.exceptions.ActorDiedError):
                self._actors.pop(number, None)  # for good: another one is made
                self._versions.pop(number, None)
            self._problems[number] = f"{type(error).__name__}: it does not answer"

    def ready(self) -> dict[str, Any]:
        """By their names."""
        return {broker_name(self._name, number): self._actors[number]
                for number, version in self._versions.items() if version}

    def status(self) -> list[dict[str, Any]]:
        """As values for JSON."""
        return [{"broker": number, "version": self._versions.get(number, 0),
                 "problem": self._problems.get(number, "")}
                for number in range(self._settings.brokers)]

    def stop(self) -> None:
        """Ends them."""
        for actor in self._actors.values():
            self._ray.kill(actor)
        if self._group is not None:
            places.remove(self._group)
