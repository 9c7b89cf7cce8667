"""Asks the coordinator of a cluster on Ray who answers now."""

from __future__ import annotations

import asyncio
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from .. import _version
from ..errors import UsageError
from . import pieces
from .on_ray import connect
from .part_actor import NAMESPACE
from .session import Endpoint, View


class RayViews:
    """The views of a broker."""

    def __init__(self, name: str) -> None:
        """Waits for the coordinator. Raises UsageError where nothing is served under that name, and
        where it is of another version of Warpdex."""
        self.ray = connect()
        try:
            self.coordinator = self.ray.get_actor(name, namespace=NAMESPACE)
        except ValueError:
            raise UsageError(f"nothing is served under the name {name!r}; serve a store") from None
        _, engine, self.brokers = self.ray.get(self.coordinator.facts.remote())
        if engine != _version.version:
            raise UsageError(
                f"this client has Warpdex {_version.version}, and {name!r} is served by {engine}; "
                "give both one version"
            )
        self._endpoints: dict[str, _RayEndpoint] = {}
        # Where a host is cut off, remote() itself may stand still for seconds.
        self._thread = ThreadPoolExecutor(1, "warpdex-view")

    async def __call__(self) -> View:
        async with asyncio.timeout(5.0):
            loop = asyncio.get_running_loop()
            asked = await loop.run_in_executor(self._thread, self.coordinator.view.remote)
            version, parts = await asked
        return View(version, tuple(
            {name: self._endpoint(name, actor) for name, actor in actors.items()}
            for actors in parts
        ))

    def _endpoint(self, name: str, actor: Any) -> Endpoint:
        """The same one for a name, of the actor that has it now."""
        if name not in self._endpoints:
            self._endpoints[name] = _RayEndpoint()
        self._endpoints[name].actor = actor
        return self._endpoints[name]


class _RayEndpoint:
    """A replica, whatever actor it is now."""

    actor: Any

    def __call__(self, version: int, message: bytes) -> Future[bytes]:
        return pieces.ask(self.actor.answer, version, message, concurrency_group="search")
