"""A replica of a part on Ray: an actor, in a process of its own."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Any

from .. import _version
from ..errors import UsageError
from . import places
from .part_host import PartHost
from .pieces import cut
from .store import Store

NAMESPACE = "warpdex"
GROUPS = {"search": 16, "control": 4}  # threads of a replica's process


@dataclass(frozen=True)
class ServeSettings:
    """How a cluster is served."""

    store: str
    replicas: int = 2
    """Of each part; Ray spreads them over hosts."""
    brokers: int = 0
    """Actors that clients ask; 0: each client has a broker of its own."""
    cpus: float = 1
    """Of each replica."""
    threads: int = 0
    """That search in a replica; 0: as many as the process may run on."""
    gpus: int = 0
    """Of each replica, which cut its part into shards; 0: the CPU searches."""
    document_blocks: bool = False
    """Of parts that hold impacts: as Searcher's."""
    folder: str = "/tmp/warpdex-parts"
    """Of each host, for the files of its parts."""
    poll: float = 0.5
    """Seconds between two looks at the store and the replicas."""
    grace: float = 10.0
    """Seconds for which a version stays open after the next one serves."""
    patience: float = 60.0
    """Seconds for which the store may be away."""
    engine: str = _version.version
    """The version of Warpdex, which all hosts must have."""


class PartActor:
    """A replica, in a process of its own."""

    def __init__(self, settings: ServeSettings, part: int) -> None:
        if settings.engine != _version.version:
            raise UsageError(
                f"this host has Warpdex {_version.version}, and the cluster {settings.engine}; give "
                "all hosts one version"
            )
        folder = os.path.join(settings.folder, f"part-{part:04d}")
        store = Store(settings.store, settings.patience)
        self._host = PartHost(
            store, part, folder, settings.threads, settings.gpus, settings.document_blocks
        )
        for version in self._host.remembered():
            try:
                self._host.load(version)
            except Exception:  # noqa: BLE001, S112  the coordinator asks again
                continue

    def answer(self, version: int, count: int, *message: bytes) -> bytes | tuple[bytes, ...]:
        return cut(self._host.answer(version, b"".join(message)), count)

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


def part_group(ray: Any, name: str, settings: ServeSettings, part: int) -> Any:
    """The places of a part's replicas. Waits as places.group() does."""
    cpus = max(settings.cpus, 0.001)  # a place must have some
    return places.group(ray, f"{name}/part-{part}", settings.replicas, cpus, settings.gpus)


def make_actor(
    ray: Any, name: str, settings: ServeSettings, group: Any, part: int, replica: int
) -> Any:
    return ray.remote(concurrency_groups=GROUPS)(PartActor).options(
        name=actor_name(name, part, replica), namespace=NAMESPACE, lifetime="detached",
        get_if_exists=True, num_cpus=settings.cpus, num_gpus=settings.gpus, max_restarts=-1,
        max_task_retries=0, scheduling_strategy=places.place(group, replica),
    ).remote(settings, part)


def control(method: Any) -> Any:
    """A call that does not wait for searches."""
    return method.options(concurrency_group="control")
