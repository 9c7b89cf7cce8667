"""Answers connections of HTTP, on the event loop of a broker."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from dataclasses import dataclass

from ...errors import UsageError
from ..broker import Broker
from .errors import HttpError, bad_request, of_exception, unavailable
from .guard import Keys, check_origin, is_loopback
from .message import JSON, Request, Response, parse, read_head, to_bytes
from .routes import Route, Routes

HEADER_BYTES = 16 << 10


@dataclass(frozen=True)
class HttpSettings:
    """As of `warpdex serve`; times in seconds."""

    address: str = "127.0.0.1"
    port: int = 7700
    """0: a free one."""
    keys: str | None = None
    """A file; None: everyone may ask."""
    hosts: Sequence[str] = ()
    """Names by which the server is called, beside IP addresses and localhost."""
    queue: int = 1024
    """Searches that are under way; others get 429."""
    search_time: float = 5.0
    """For a search that asks for no shorter deadline."""
    connections: int = 1000
    body_bytes: int = 64 << 20
    waiting_bytes: int = 512 << 20
    """Of all bodies that are not answered yet."""
    read_timeout: float = 30.0
    send_timeout: float = 30.0
    idle_timeout: float = 120.0


class HttpServer:
    """For one event loop, which is the broker's."""

    def __init__(
        self, name: str, broker: Broker, settings: HttpSettings | None = None
    ) -> None:
        """`name`: of the index that is answered for. Raises UsageError for an address of others
        without keys, InputError and OSError for a file of keys that is none."""
        self.settings = settings or HttpSettings()
        if not is_loopback(self.settings.address) and self.settings.keys is None:
            raise UsageError(f"{self.settings.address} can be reached by others; give keys")
        self.keys = Keys(self.settings.keys)
        self._routes = Routes(name, broker, self.settings.queue, self.settings.search_time)
        self._waiting_bytes = 0
        self._tasks: set[asyncio.Task[None]] = set()
        self._idle: set[asyncio.Task[None]] = set()

    async def start(self) -> int:
        """Listens; the port. Raises OSError where the address is taken."""
        self._server = await asyncio.start_server(
            self._connection, self.settings.address, self.settings.port, limit=HEADER_BYTES,
        )
        return int(self._server.sockets[0].getsockname()[1])

    async def drain(self, seconds: float) -> None:
        """Takes no more connections and requests, and waits up to so many seconds until those under
        way are answered; then cuts them off."""
        self._routes.is_draining = True
        self._server.close()
        for task in list(self._idle):
            task.cancel()
        if self._tasks:
            _, left = await asyncio.wait(self._tasks, timeout=seconds)
            for task in left:
                task.cancel()

    async def _connection(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter
    ) -> None:
        task = asyncio.current_task()
        assert task
        routes = self._routes
        if routes.connections >= self.settings.connections or routes.is_draining:
            writer.close()
            return
        routes.connections += 1
        self._tasks.add(task)
        try:
            while await self._exchange(reader, writer, task):
                pass
        except (OSError, TimeoutError, asyncio.CancelledError):
            writer.transport.abort()  # the client has gone or is too slow, or the server ends
        finally:
            routes.connections -= 1
            self._tasks.discard(task)
            writer.close()

    async def _exchange(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter,
        task: asyncio.Task[None],
    ) -> bool:
        """A request and its answer; whether the connection may have another."""
        settings = self.settings
        request = Request("", "", [], {}, False, id=secrets.token_hex(8))
        length, stays, route, arrival = 0, False, None, time.monotonic()
        try:
            self._idle.add(task)
            try:
                head = await read_head(
                    reader, settings.idle_timeout, settings.read_timeout, HEADER_BYTES)
            finally:
                self._idle.discard(task)
            if head is None:
                return False
            arrival = time.monotonic()
            request = parse(head, request.id)
            length = self._body_bytes(request)
            self._waiting_bytes += length
            route = self._route(request, length)
            await self._read_body(reader, writer, request, length)
            stays = request.stays
            arrival = time.monotonic()
            response = await route.handler(self._routes, request, arrival)
        except Exception as error:  # noqa: BLE001
            if isinstance(error, (ConnectionError, asyncio.IncompleteReadError)):
                self._waiting_bytes -= length
                return False
            failure = of_exception(error)
            stays = stays or (not length and failure.status in (401, 403, 404, 405)
                              and request.stays)
            response = Response(failure.body(request.id), failure.status, headers=failure.headers)
        try:
            stays = stays and not self._routes.is_draining
            await self._send(writer, request, response, stays)
        finally:
            self._waiting_bytes -= length
            self._routes.metrics.add(
                request.method if route else "", route.pattern if route else "none",
                response.status, time.monotonic() - arrival)
        return stays and (response.parts is None or not request.is_http_1_0)

    def _body_bytes(self, request: Request) -> int:
        length = request.body_bytes(self.settings.body_bytes)
        if self._waiting_bytes + length > self.settings.waiting_bytes:
            raise unavailable("too many bodies wait; try again")
        return length

    def _route(self, request: Request, length: int) -> Route:
        """Who may ask, and what for, before the body is read. Raises HttpError."""
        check_origin(request, self.settings.hosts)
        route = self._routes.find(request)
        if not route.is_open:
            self.keys.check(request)
        if length and not route.body:
            raise bad_request("this address takes no body; leave it out")
        kind = request.header("content-type").partition(";")[0].strip().lower()
        if length and kind not in (route.body, JSON):  # a line may be called JSON, too
            raise HttpError(415, "unsupported_media_type",
                            f"the body must come with the Content-Type {route.body}")
        return route

    async def _read_body(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, request: Request,
        length: int,
    ) -> None:
        if not length:
            return
        if request.header("expect").lower() == "100-continue":
            writer.write(b"HTTP/1.1 100 Continue\r\n\r\n")
        try:
            async with asyncio.timeout(self.settings.read_timeout):
                request.body = await reader.readexactly(length)
        except TimeoutError:
            raise HttpError(408, "request_timeout", "the body came too slowly") from None

    async def _send(
        self, writer: asyncio.StreamWriter, request: Request, response: Response, stays: bool
    ) -> None:
        in_chunks = not request.is_http_1_0
        stays = stays and (response.parts is None or in_chunks)
        head = response.head(request.id, stays=stays, in_chunks=in_chunks)
        is_head = request.method == "HEAD"
        if response.parts is None:
            await self._write(writer, head + (b"" if is_head else to_bytes(response.body)))
            return
        await self._write(writer, head)
        async for part in response.parts:
            data = to_bytes(part)
            await self._write(
                writer, b"%x\r\n%b\r\n" % (len(data), data) if in_chunks else data)
        if in_chunks:
            await self._write(writer, b"0\r\n\r\n")

    async def _write(self, writer: asyncio.StreamWriter, data: bytes) -> None:
        writer.write(data)
        async with asyncio.timeout(self.settings.send_timeout):
            await writer.drain()
