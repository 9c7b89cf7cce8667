"""Searches a cluster: batches queries, asks the parts' replicas in time, and joins the answers to
those of one index. It knows neither Ray nor where replicas are; it may live in a client."""

from __future__ import annotations

import asyncio
import json
import math
import threading
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, Literal

from .._arrays import Floats, float_rows, one_row
from .._searcher import Vectors
from ..errors import IoError, UsageError
from .answers import ClusterAnswer
from .replicas import ReplicaCounters, ReplicaSettings
from .session import Session, VersionGone, View

OnMissing = Literal["error", "partial"]

# Seconds of a deadline that are left for joining answers, and by which one is late at most.
MERGE_TIME = 0.02
LATE = 0.01


@dataclass(frozen=True)
class BrokerSettings:
    """Times in seconds."""

    batch_time: float = 0.001
    """For which a query waits for others, where one is under way."""
    batch_size: int = 256
    """Queries that do not wait any longer."""
    poll: float = 0.5
    """How often it is asked for another version and other replicas."""
    threads: int = 16
    """Batches under way that an event loop asked for."""
    open_time: float = 30.0
    """To ask the parts of a new version what they are."""
    replicas: ReplicaSettings = ReplicaSettings()


@dataclass
class _Batch:
    """Queries that are asked together."""

    texts: list[str] = field(default_factory=list)
    answers: list[asyncio.Future[ClusterAnswer]] = field(default_factory=list)
    end: float = math.inf
    """The first of their deadlines, by the loop's clock."""
    is_sent: bool = False


class Broker:
    """For one event loop, and for other threads what its name says. `views` says who answers now; it
    is asked again and again."""

    def __init__(
        self, views: Callable[[], Awaitable[View]], settings: BrokerSettings | None = None
    ) -> None:
        self.settings = settings or BrokerSettings()
        self.counters = ReplicaCounters()
        self._views = views
        self._threads = ThreadPoolExecutor(self.settings.threads, "warpdex-broker")
        self._session: Session | None = None
        self._changing = asyncio.Lock()
        self._batches: dict[str, _Batch] = {}
        self._sent = 0  # batches of single queries under way
        self._alone = threading.Lock()  # of the thread whose query is under way without others
        self._poller: asyncio.Task[None] | None = None

    async def start(self) -> None:
        """Waits for the first version. Raises what the views raise, and IoError where a part does
        not answer."""
        self.loop = asyncio.get_running_loop()
        await self.refresh()
        self._poller = asyncio.ensure_future(self._poll())

    async def stop(self) -> None:
        """Ends it; searches under way are not waited for."""
        if self._poller:
            self._poller.cancel()
        if self._session:
            self._session.close()
        self._threads.shutdown(wait=False, cancel_futures=True)

    @property
    def version(self) -> int:
        """That is searched now."""
        return self._session.version if self._session else 0

    async def refresh(self) -> bool:
        """Takes the present view; whether its version is another. Batches under way end on the
        version that they began with."""
        async with self._changing:
            view = await self._views()
            session = self._session
            if view.version == 0 and session is not None:
                return False  # who tells it has just begun
            if session is not None and session.version == view.version:
                session.take(view)
                return False
            # On a thread that no search can hold.
            self._session = await asyncio.to_thread(
                Session, view, self.settings.replicas, self.counters, self.settings.open_time)
            return True

    async def _poll(self) -> None:
        while True:
            await asyncio.sleep(self.settings.poll)
            try:
                await self.refresh()
            except Exception:  # noqa: BLE001, S112  the present version serves on
                continue

    async def search(
        self, query: str | None, k: int = 10, *, vector: Vectors | None = None,
        deadline: float = 1.0, on_missing: OnMissing = "error", **options: Any,
    ) -> ClusterAnswer:
        """One query, which is sent with others that come meanwhile, unless it has a vector. As
        search_batch()."""
        if query is None or vector is not None:
            row = None if vector is None else one_row(vector, "the vector")
            texts = None if query is None else [query]
            end = time.monotonic() + deadline
            [found] = await self._search(texts, k, end, on_missing, options, row)
            return found
        # Deadlines that differ by a tenth at most go together.
        about = round(10 * math.log(min(max(deadline, 1e-3), 1e6)))
        key = json.dumps([k, about, on_missing, options], sort_keys=True)
        batch = self._batches.get(key)
        if batch is None or batch.is_sent or len(batch.texts) >= self.settings.batch_size:
            batch = self._batches[key] = _Batch()
            asyncio.ensure_future(self._send(key, batch, k, on_missing, options))
        answer: asyncio.Future[ClusterAnswer] = self.loop.create_future()
        batch.end = min(batch.end, time.monotonic() + deadline)
        batch.texts.append(query)
        batch.answers.append(answer)
        return await answer

    async def _send(
        self, key: str, batch: _Batch, k: int, on_missing: OnMissing, options: Mapping[str, Any],
    ) -> None:
        # One that comes alone need not wait.
        waits = self._sent > 0 or self._alone.locked()
        await asyncio.sleep(self.settings.batch_time if waits else 0)
        batch.is_sent = True
        end = batch.end
        if self._batches.get(key) is batch:
            del self._batches[key]
        self._sent += 1
        try:
            found = await self._search(batch.texts, k, end, on_missing, options)
        except Exception as error:  # noqa: BLE001
            if len(batch.texts) > 1 and not isinstance(error, IoError):
                # One that is no query must not fail the others.
                await asyncio.gather(*(
                    self._send_alone(text, answer, k, end, on_missing, options)
                    for text, answer in zip(batch.texts, batch.answers)
                ))
                return
            for answer in batch.answers:
                if not answer.done():
                    answer.set_exception(error)
            return
        finally:
            self._sent -= 1
        for answer, each in zip(batch.answers, found):
            if not answer.done():
                answer.set_result(each)

    async def _send_alone(
        self, text: str, answer: asyncio.Future[ClusterAnswer], k: int, end: float,
        on_missing: OnMissing, options: Mapping[str, Any],
    ) -> None:
        try:
            [found] = await self._search([text], k, end, on_missing, options)
        except Exception as error:  # noqa: BLE001
            if not answer.done():
                answer.set_exception(error)
            return
        if not answer.done():
            answer.set_result(found)

    async def search_batch(
        self, queries: Sequence[str] | None, k: int = 10, *, vectors: Vectors | None = None,
        deadline: float = 1.0, on_missing: OnMissing = "error", **options: Any,
    ) -> list[ClusterAnswer]:
        """The k best documents for each query, of one version of the cluster.

        Args:
            queries: texts; None: the vectors alone.
            k: documents, 1 to 10,000.
            vectors: a row for each query. Words and vectors are joined by fusion= "rrf" or
                "convex". The parts compare all of their vectors.
            deadline: in seconds.
            on_missing: where a part does not answer in time: "error", or "partial": the answers of
                the others, with what is missing in `coverage`.
            options: those of warpdex.SearchOptions but timeout, probes and refine; query_fields,
                sort and synonyms as a str.

        Raises:
            IoError: a part did not answer in time.
            InputError, UsageError: as warpdex.Searcher.search().
        """
        rows = None if vectors is None else float_rows(vectors, "the vectors")
        end = time.monotonic() + deadline
        return await self._search(queries, k, end, on_missing, options, rows)

    def search_on_thread(
        self, query: str | None, k: int = 10, *, vector: Vectors | None = None,
        deadline: float = 1.0, on_missing: OnMissing = "error", **options: Any,
    ) -> ClusterAnswer:
        """As search(), on another thread than the loop's."""
        if self._sent == 0 and self._alone.acquire(blocking=False):
            try:
                [answer] = self._search_here(
                    None if query is None else [query], k, time.monotonic() + deadline, on_missing,
                    options, None if vector is None else one_row(vector, "the vector"))
                return answer
            finally:
                self._alone.release()
        return asyncio.run_coroutine_threadsafe(
            self.search(query, k, vector=vector, deadline=deadline, on_missing=on_missing, **options),
            self.loop).result()

    def search_batch_on_thread(
        self, queries: Sequence[str] | None, k: int = 10, *, vectors: Vectors | None = None,
        deadline: float = 1.0, on_missing: OnMissing = "error", **options: Any,
    ) -> list[ClusterAnswer]:
        """As search_batch(), on another thread than the loop's."""
        end = time.monotonic() + deadline
        rows = None if vectors is None else float_rows(vectors, "the vectors")
        return self._search_here(queries, k, end, on_missing, options, rows)

    async def _search(
        self, texts: Sequence[str] | None, k: int, end: float, on_missing: OnMissing,
        options: Mapping[str, Any], vectors: Floats | None = None,
    ) -> list[ClusterAnswer]:
        work = self.loop.run_in_executor(
            self._threads, self._search_here, texts, k, end, on_missing, options, vectors)
        try:
            async with asyncio.timeout(end - time.monotonic() + LATE):
                return await work
        except TimeoutError:
            raise IoError("no answer in time: this broker is busy; ask fewer at once") from None

    def _search_here(
        self, texts: Sequence[str] | None, k: int, end: float, on_missing: OnMissing,
        options: Mapping[str, Any], vectors: Floats | None,
    ) -> list[ClusterAnswer]:
        """On a thread."""
        if texts is None and vectors is None:
            raise UsageError("there is nothing to search for; give queries or vectors")
        if on_missing not in ("error", "partial"):
            raise UsageError(f"on_missing is {on_missing!r}; give 'error' or 'partial'")
        while True:
            session = self._session
            if session is None:
                raise UsageError("the broker has not started; await start() first")
            left = end - time.monotonic()
            try:
                return session.search(texts, k, on_missing == "partial", options,
                                      left - min(MERGE_TIME, left / 10), vectors)
            except VersionGone as gone:
                # The batch begins anew, as a whole, on the version that is there.
                if time.monotonic() >= end:
                    if gone.answers is not None:
                        return gone.answers
                    raise
                if not self._has_changed(session, end):
                    time.sleep(min(0.05, max(0.0, end - time.monotonic())))

    def _has_changed(self, session: Session, end: float) -> bool:
        if self._session is not session:
            return True
        asked = asyncio.run_coroutine_threadsafe(self.refresh(), self.loop)
        try:
            return asked.result(max(0.0, end - time.monotonic()))
        except Exception:  # noqa: BLE001
            return False
