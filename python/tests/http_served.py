"""What the tests of clusters over HTTP share: a server over replicas in this process."""

from __future__ import annotations

import asyncio
import http.client
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from clusters import PARTS, HostsHere
from conftest import documents, write_jsonl

import warpdex
from warpdex import cluster
from warpdex.cluster import Broker
from warpdex.cluster.http import HttpServer, HttpSettings

JSON = {"Content-Type": "application/json"}
LINES = {"Content-Type": "application/x-ndjson"}


class Served:
    """A server over replicas in this process, on a thread."""

    def __init__(self, replicas: HostsHere, **settings: Any) -> None:
        self.replicas = replicas
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._loop.run_forever)
        self._thread.start()
        self.broker = Broker(replicas.view)
        self.run(self.broker.start())
        self.http = HttpServer("one", self.broker, HttpSettings(port=0, **settings))
        self.port = self.run(self.http.start())

    def run(self, work: Any) -> Any:
        return asyncio.run_coroutine_threadsafe(work, self._loop).result(60)

    async def _end_all(self) -> None:
        """Messages that nobody waits for."""
        others = asyncio.all_tasks() - {asyncio.current_task()}
        for each in others:
            each.cancel()
        await asyncio.gather(*others, return_exceptions=True)

    def stop(self) -> None:
        self.run(self.http.drain(5))
        self.run(self.broker.stop())
        self.run(self._end_all())
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()
        self._loop.close()


@pytest.fixture(scope="module")
def hosts(tmp_path_factory: pytest.TempPathFactory) -> tuple[HostsHere, Path]:
    """A cluster, and one index of the same documents."""
    folder = tmp_path_factory.mktemp("http")
    docs = documents(8, 600)
    write_jsonl(folder / "docs.jsonl", docs)
    store = cluster.Store(str(folder / "store"))
    cluster.build(str(folder / "docs.jsonl"), store, parts=PARTS)
    warpdex.build(docs, folder / "indexes" / "one")
    return HostsHere(store, folder), folder


Start = Callable[..., Served]


@pytest.fixture
def start(hosts: tuple[HostsHere, Path]) -> Iterator[Start]:
    """Starts servers, with settings."""
    made: list[Served] = []

    def begin(**settings: Any) -> Served:
        hosts[0].dead, hosts[0].delays = set(), {}
        made.append(Served(hosts[0], **settings))
        return made[-1]

    yield begin
    for each in made:
        each.stop()


def ask(port: int, method: str, path: str, body: bytes | None = None,
        headers: dict[str, str] | None = None) -> tuple[int, bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    try:
        connection.request(method, path, body, headers or {})
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()
