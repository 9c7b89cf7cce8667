"""A cluster that is served, for programs: searches by a broker of its own, on a thread."""

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
from .part_actor import ServeSettings
from .serve_on_ray import RayViews, start
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
        settings: of ServeSettings: replicas, cpus, threads, folder, poll, grace, patience.

    Raises:
        IoError: it is not ready in time; the message says what it lacks.
        UsageError: another store is served under that name.
        ImportError: without Ray.
    """
    start(name, ServeSettings(os.fspath(store), **settings))
    return connect(name, wait=wait)


def connect(
    name: str = "warpdex", *, wait: float = 60.0, settings: BrokerSettings | None = None
) -> Cluster:
    """A cluster that is served under that name. Raises UsageError where there is none."""
    return Cluster(name, wait, settings)


class Cluster:
    """For any number of threads. As a context manager it is left at the end; it is served on."""

    def __init__(self, name: str, wait: float, settings: BrokerSettings | None) -> None:
        self._views = RayViews(name)
        self._coordinator = self._views.coordinator
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever, daemon=True)
        self._thread.start()
        self.broker = Broker(self._views, settings)
        try:
            self._wait_until_ready(time.monotonic() + wait)
            self._run(self.broker.start())
        except BaseException:
            self.close()
            raise

    def _run(self, work: Coroutine[Any, Any, Answer]) -> Answer:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result()

    def _wait_until_ready(self, end: float) -> None:
        while True:
            view: View = self._run(self._views())
            if view.version and all(view.parts):
                return
            if time.monotonic() > end:
                raise IoError(f"the cluster is not ready: {self.status()}")
            time.sleep(0.1)

    def search(self, query: str | None, k: int = 10, **options: Any) -> ClusterAnswer:
        """As Broker.search()."""
        return self._run(self.broker.search(query, k, **options))

    def search_batch(
        self, queries: Sequence[str] | None, k: int = 10, **options: Any
    ) -> list[ClusterAnswer]:
        """As Broker.search_batch()."""
        return self._run(self.broker.search_batch(queries, k, **options))

    def refresh(self) -> bool:
        """Takes the version that is served now; whether it is another. Else it is taken within
        BrokerSettings.poll."""
        return self._run(self.broker.refresh())

    def _ask(self, method: str, *arguments: Any) -> Any:
        """What the coordinator answers; raises what it raises."""
        async def ask() -> Any:
            return await getattr(self._coordinator, method).remote(*arguments)

        try:
            return self._run(ask())
        except self._views.ray.exceptions.RayTaskError as error:
            raise error.cause from error

    def status(self) -> dict[str, Any]:
        """The version that is served, and what each replica has and does, as values for JSON."""
        return dict(self._ask("status"))

    def drain(self, part: int, replica: int, *, seconds: float = 30.0) -> bool:
        """Ends a replica without failing a query: it gets no more, and answers those that it has.
        False where it is its part's only one; it then goes on."""
        return bool(self._ask("drain", part, replica, seconds))

    def undrain(self, part: int, replica: int) -> None:
        """Starts a replica again that was drained."""
        self._ask("undrain", part, replica)

    def stop(self) -> None:
        """Ends serving: all replicas and the coordinator."""
        self._ask("stop")
        self._views.ray.kill(self._coordinator)
        self.close()

    def close(self) -> None:
        """Leaves the cluster, which is served on."""
        if self._loop.is_running():
            self._run(self.broker.stop())
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
