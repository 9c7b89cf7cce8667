"""Serves a cluster on Ray: an actor for each replica of each part, and a coordinator that keeps
them at the last version. Searches go from a client's broker to the actors, past the coordinator.

The coordinator's state is the store and the actors' names, so it may die: Ray starts it again, and
searches go on meanwhile.
"""

from __future__ import annotations

import asyncio
from typing import Any

from .. import _version
from ..errors import UsageError
from .coordinator import Coordinator
from .on_ray import connect
from .part_actor import NAMESPACE, ServeSettings
from .session import Endpoint, View


def start(name: str, settings: ServeSettings) -> Any:
    """The coordinator of that name, which begins to serve; the one that is there already, if any.
    Raises UsageError where that one serves another store."""
    ray = connect()
    made = ray.remote(Coordinator).options(
        name=name, namespace=NAMESPACE, lifetime="detached", get_if_exists=True, num_cpus=0,
        max_restarts=-1, max_task_retries=0, max_concurrency=100,
    ).remote(name, settings)
    served, _ = ray.get(made.facts.remote())
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
        _, engine = self.ray.get(self.coordinator.facts.remote())
        if engine != _version.version:
            raise UsageError(
                f"this client has Warpdex {_version.version}, and {name!r} is served by {engine}; "
                "give both one version"
            )
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
