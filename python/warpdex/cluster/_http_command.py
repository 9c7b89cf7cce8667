"""The command of a cluster over HTTP: http."""

from __future__ import annotations

import argparse
import queue
import signal
import sys
from typing import Any

from ..errors import Error, UsageError
from .broker import Broker
from .client import connect
from .http import HttpServer, HttpSettings
from .on_ray import connect as connect_ray


def add_options(parser: argparse.ArgumentParser) -> None:
    """Of the command."""
    parser.add_argument("--listen", default="127.0.0.1:7700", metavar="ADDRESS:PORT",
                        help="port 0: a free one. Other addresses than this machine's own need "
                        "--keys (default: %(default)s)")
    parser.add_argument("--keys", metavar="FILE",
                        help="as of `warpdex serve` (default: everyone may ask)")
    parser.add_argument("--host", action="append", default=[], metavar="NAME",
                        help="a name by which this server is called, beside IP addresses and "
                        "localhost; may be repeated")
    parser.add_argument("--max-queue", type=int, default=1024, metavar="N",
                        help="searches that may be under way; others get 429 (default: 1024)")
    parser.add_argument("--max-search-time", type=float, default=5000, metavar="MS",
                        help="for a search that asks for no shorter deadline (default: 5000)")
    parser.add_argument("--drain", type=float, default=30_000, metavar="MS",
                        help="after SIGTERM, how long requests under way may take "
                        "(default: 30000)")


def _settings(given: argparse.Namespace) -> HttpSettings:
    address, colon, port = given.listen.rpartition(":")
    if not colon or not port.isdecimal() or int(port) > 65535:
        raise UsageError(f"--listen is {given.listen!r}; give ADDRESS:PORT")
    return HttpSettings(
        address=address.removeprefix("[").removesuffix("]"), port=int(port), keys=given.keys,
        hosts=given.host, queue=given.max_queue, search_time=given.max_search_time / 1000)


def run(given: argparse.Namespace) -> tuple[Any, str, int]:
    """Serves until SIGTERM or SIGINT; SIGHUP reads the keys again."""
    settings = _settings(given)
    connect_ray(starts=False)
    with connect(given.name, wait=given.wait, own_broker=True) as cluster:
        assert isinstance(cluster.broker, Broker)
        server = HttpServer(given.name, cluster.broker, settings)
        port = cluster.run(server.start())
        signals: queue.SimpleQueue[int] = queue.SimpleQueue()
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            signal.signal(number, lambda number, _: signals.put(number))
        print(f"http://{settings.address}:{port}/v1/{given.name}/search", flush=True)
        while signals.get() == signal.SIGHUP:
            try:
                server.keys.reload()
            except (Error, OSError) as error:
                print(f"warpdex.cluster: {error}", file=sys.stderr)
        cluster.run(server.drain(given.drain / 1000))
    return {"port": port}, "ended", 0
