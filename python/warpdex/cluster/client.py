"""A cluster that is served, for programs: searches by a broker of its own, on a thread, or by those
that are actors."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import Coroutine, Sequence
from types import TracebackType
from typing import Any, TypeVar

from ..errors import IoError
from .answers import ClusterAnswer
from .broker import Broker, BrokerSettings
from .broker_client import BrokerClient
from .part_actor import ServeSettings
from .ray_views import RayViews
from .serve_on_ray import start
from .session import View

Answer = TypeVar("Answer")


def serve(
    store: str | os.PathLike[str], *, name: str = "warpdex", wait: float = 60.0, **settings: Any
) -> Cluster:
    """Serves the cluster of a store on Ray, by actors that outlive this process, and connects to
    it. Where one of that name is served already, that one goes on as it is.

    Args:
        store: a folder or URL that all hosts reach.
        wait: seconds, until all parts have a replica that is ready.
        settings: of ServeSettings: replicas, brokers, cpus, gpus, document_blocks, threads,
            folder, poll, grace, patience.

    Raises:
        IoError: it is not ready in time; the message says what it lacks.
        UsageError: another store is served under that name.
        ImportError: without Ray.
    """
    start(name, ServeSettings(os.fspath(store), **settings))
    return connect(name, wait=wait)


def connect(
    name: str = "warpdex", *, wait: float = 60.0, own_broker: bool = False,
    settings: BrokerSettings | None = None,
) -> Cluster:
    """A cluster that is served under that name. `own_broker`: also where it has brokers, which takes
    less time for a query. Raises UsageError where there is none."""
    return Cluster(name, wait, own_broker, settings)


class Cluster:
    """For any number of threads. As a context manager it is left at the end; it is served on."""

    def __init__(
        self, name: str, wait: float, own_broker: bool, settings: BrokerSettings | None
    ) -> None:
        self._views = RayViews(name)
        self._coordinator = self._views.coordinator
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.broker: Broker | BrokerClient = (
            BrokerClient(self._brokers, settings) if self._views.brokers and not own_broker
            else Broker(self._views, settings)
        )
        try:
            self._wait_until_ready(time.monotonic() + wait)
            self.run(self.broker.start())
        except BaseException:
            self.close()
            raise

    def run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        """What it returns, on the event loop of the broker."""
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    async def _brokers(self) -> dict[str, Any]:
        return dict(await self._coordinator.brokers.remote())

    def _wait_until_ready(self, end: float) -> None:
        while True:
            try:
                view: View = self.run(self._views())
                if view.version and all(view.parts):
                    return
            except (TimeoutError, self._views.ray.exceptions.RayError):
                pass  # the coordinator is busy, or starts again
            if time.monotonic() > end:
                raise IoError(f"the cluster is not ready: {self.status()}")
            time.sleep(0.1)

    def search(self, query: str | None, k: int = 10, **options: Any) -> ClusterAnswer:
        """As Broker.search()."""
        return self.broker.search_on_thread(query, k, **options)

    def search_batch(
        self, queries: Sequence[str] | None, k: int = 10, **options: Any
    ) -> list[ClusterAnswer]:
        """As Broker.search_batch()."""
        return self.broker.search_batch_on_thread(queries, k, **options)

    def refresh(self) -> bool:
        """Takes the version that is served now; whether it is another. Else it is taken within
        BrokerSettings.poll."""
        return self.run(self.broker.refresh())

    def _ask(self, method: str, *arguments: Any, seconds: float = 30.0) -> Any:
        """What the coordinator answers; raises what it raises, and IoError where it is silent."""
        async def ask() -> Any:
            async with asyncio.timeout(seconds):
                return await getattr(self._coordinator, method).remote(*arguments)

        try:
            return self.run(ask())
        except self._views.ray.exceptions.RayTaskError as error:
            raise error.cause from error
        except (TimeoutError, self._views.ray.exceptions.RayError) as error:
            raise IoError("the coordinator does not answer; it may be starting again") from error

    def status(self) -> dict[str, Any]:
        """The version that is served, and what each replica has and does, as values for JSON."""
        return dict(self._ask("status"))

    def drain(self, part: int, replica: int, *, seconds: float = 30.0) -> bool:
        """Ends a replica without failing a query: it gets no more, and answers those that it has.
        False where it is its part's only one; it then goes on."""
        return bool(self._ask("drain", part, replica, seconds, seconds=seconds + 30))

    def undrain(self, part: int, replica: int) -> None:
        """Starts a replica again that was drained."""
        self._ask("undrain", part, replica)

    def stop(self) -> None:
        """Ends serving: all replicas and brokers, and the coordinator."""
        self._ask("stop")
        self._views.ray.kill(self._coordinator)
        self.close()

    def close(self) -> None:
        """Leaves the cluster, which is served on."""
        if self._loop.is_running():
            self.run(self.broker.stop())
            self._loop.call_soon_threadsafe(self._loop.stop)
            self._thread.join()
            self._loop.close()

    def __enter__(self) -> Cluster:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
