"""The addresses that a cluster answers, and how."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any

from ...errors import Error
from ..answers import ClusterAnswer
from ..broker import Broker
from .errors import HttpError, of_exception, too_busy, unavailable
from .message import JSON, LINES, Request, Response
from .metrics import Metrics
from .parameters import Parameters, parse_json
from .search import SearchCall, answer_json, read_search

# Lines of a batch that are searched together, and hits that their answers have at most, all together.
WINDOW = 256
MOST_HITS = 1 << 18
# Batches that are answered at a time.
BATCHES = 64
PROBE_TIME = 1.0  # seconds

Handler = Callable[["Routes", Request, float], Awaitable[Response]]


@dataclass(frozen=True)
class Route:
    """`pattern`: a path, whose {name} stands for the cluster's name."""

    method: str
    pattern: str
    handler: Handler
    body: str = ""
    """The Content-Type of its body; empty: it takes none."""
    is_open: bool = False
    """Needs no key."""


class Routes:
    """For one event loop."""

    def __init__(self, name: str, broker: Broker, queue: int, longest: float) -> None:
        """`queue`: searches that may be under way; others are refused. `longest`: seconds that a
        search may take."""
        self.metrics = Metrics()
        self.is_draining = False
        self.connections = 0
        self._name = name
        self._broker = broker
        self._queue = queue
        self._longest = longest
        self._under_way = 0
        self._batches = 0

    def find(self, request: Request) -> Route:
        """Raises HttpError: 404, 405."""
        parts = request.path.split("/")
        index = parts[2] if len(parts) > 2 and parts[1] == "v1" else ""
        if index:
            parts[2] = "{index}"
        pattern = "/".join(parts)
        found = {each.method: each for each in ROUTES if each.pattern == pattern}
        if not found:
            raise HttpError(404, "not_found", "a cluster has no such address; there are " +
                            ", ".join(sorted({each.pattern for each in ROUTES})))
        method = "GET" if request.method == "HEAD" else request.method
        if method not in found:
            allowed = ", ".join(sorted(found))
            raise HttpError(405, "method_not_allowed", f"this address takes {allowed} only",
                            Allow=allowed)
        if index and index != self._name:
            raise HttpError(404, "index_not_found", f"there is no index '{index}'")
        return found[method]

    # The cluster

    async def _facts(self) -> tuple[int, int]:
        """Its documents and version. Asks all parts; raises HttpError (503) where one is silent."""
        try:
            answer = await self._broker.search("", 1, deadline=PROBE_TIME)
        except Error as error:
            raise unavailable(str(error)) from error
        return answer.coverage.documents, answer.coverage.version

    async def health(self, request: Request, arrival: float) -> Response:
        _none(request)
        return _json({"status": "ok"})

    async def readiness(self, request: Request, arrival: float) -> Response:
        _none(request)
        if self.is_draining:
            raise unavailable("the server is ending")
        await self._facts()
        return _json({"status": "ready"})

    async def show_metrics(self, request: Request, arrival: float) -> Response:
        _none(request)
        facts = None
        try:
            facts = (self._name, *await self._facts())
        except HttpError:
            pass  # told by their absence
        text = self.metrics.text(self.connections, self._under_way, self._broker.counters, facts)
        return Response(text, content_type="text/plain; version=0.0.4; charset=utf-8")

    async def _index(self) -> dict[str, Any]:
        documents, version = await self._facts()
        return {"name": self._name, "content": "documents", "documents": documents,
                "commit": version, "read_only": True}

    async def indexes(self, request: Request, arrival: float) -> Response:
        _none(request)
        return _json({"indexes": [await self._index()], "not_open": []})

    async def index(self, request: Request, arrival: float) -> Response:
        _none(request)
        return _json(await self._index())

    # Searches

    async def search_by_address(self, request: Request, arrival: float) -> Response:
        return await self._search(_of_address(request), arrival)

    async def search_by_body(self, request: Request, arrival: float) -> Response:
        _none(request)
        body = parse_json(request.body, "the body")
        return await self._search(Parameters(body, "the body"), arrival)

    async def _search(self, parameters: Parameters, arrival: float) -> Response:
        if self._under_way >= self._queue:
            self.metrics.refused += 1
            raise too_busy("too many searches are under way; try again")
        call = read_search(parameters, self._longest)
        return Response(await self._answer(call, arrival) + "\n")

    async def _answer(self, call: SearchCall, arrival: float) -> str:
        self._under_way += 1
        try:
            answer: ClusterAnswer = await self._broker.search(
                call.text, call.k, deadline=call.deadline,
                on_missing="partial" if call.is_partial else "error", **call.options)
        finally:
            self._under_way -= 1
        return answer_json(call, answer, time.monotonic() - arrival)

    async def search_batch(self, request: Request, arrival: float) -> Response:
        _none(request)
        if self._batches >= BATCHES:
            self.metrics.refused += 1
            raise too_busy("too many batches are under way; try again")
        return Response(content_type=LINES, parts=self._batch(request))

    async def _batch(self, request: Request) -> AsyncIterator[str]:
        self._batches += 1
        try:
            window: list[SearchCall | HttpError] = []
            hits = 0
            for number, line in enumerate(request.body.split(b"\n"), 1):
                if not line.strip():
                    continue
                call = self._read_line(line, f"line {number}")
                wanted = call.k if isinstance(call, SearchCall) else 0
                if len(window) == WINDOW or (window and hits + wanted > MOST_HITS):
                    yield await self._answers(window, request.id)
                    window, hits = [], 0
                window.append(call)
                hits += wanted
            if window:
                yield await self._answers(window, request.id)
        finally:
            self._batches -= 1

    def _read_line(self, line: bytes, what: str) -> SearchCall | HttpError:
        try:
            return read_search(Parameters(parse_json(line, what), what), self._longest)
        except HttpError as error:
            return error

    async def _answers(self, calls: Sequence[SearchCall | HttpError], request_id: str) -> str:
        """A line for each."""
        arrival = time.monotonic()

        async def line(call: SearchCall | HttpError) -> str:
            try:
                if isinstance(call, HttpError):
                    raise call
                return await self._answer(call, arrival) + "\n"
            except Exception as error:  # noqa: BLE001  a line of its own
                return of_exception(error).body(request_id)

        return "".join(await asyncio.gather(*map(line, calls)))


def _json(values: dict[str, Any]) -> Response:
    return Response(json.dumps(values, ensure_ascii=False, separators=(",", ":")) + "\n")


def _of_address(request: Request) -> Parameters:
    return Parameters(dict(request.query), "the address", is_address=True)


def _none(request: Request) -> None:
    """Raises HttpError for parameters of an address that takes none."""
    _of_address(request).finish()


ROUTES = (
    Route("GET", "/healthz", Routes.health, is_open=True),
    Route("GET", "/readyz", Routes.readiness, is_open=True),
    Route("GET", "/metrics", Routes.show_metrics),
    Route("GET", "/v1", Routes.indexes),
    Route("GET", "/v1/{index}", Routes.index),
    Route("GET", "/v1/{index}/search", Routes.search_by_address),
    Route("POST", "/v1/{index}/search", Routes.search_by_body, JSON),
    Route("POST", "/v1/{index}/search/batch", Routes.search_batch, LINES),
)
