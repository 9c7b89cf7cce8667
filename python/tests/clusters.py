"""What the tests of clusters share."""

from __future__ import annotations

import json
import logging
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any

from conftest import Program, contents

from warpdex import cluster
from warpdex.cluster import View
from warpdex.cluster.part_host import PartHost
from warpdex.cluster.store import object_name

PARTS, REPLICAS = 3, 2
NEVER = 1000.0  # a delay, in seconds
OPTIONS: dict[str, Any] = {"fields": ["title", "contents"], "store_fields": ["title"]}
LINE = ["--fields", "title,contents", "--store", "title"]


class HostsHere:
    """Replicas in this process, which a test slows down, stops and kills."""

    def __init__(self, store: cluster.Store, folder: Path) -> None:
        self.store = store
        self.hosts = {
            (part, i): PartHost(store, part, folder / f"host-{part}-{i}", threads=1)
            for part in range(PARTS) for i in range(REPLICAS)
        }
        self.dead: set[tuple[int, int]] = set()
        self.delays: dict[tuple[int, int], float] = {}
        self.answered: list[int] = []
        self.version = 0
        self.move(1)

    def move(self, version: int) -> None:
        for host in self.hosts.values():
            host.load(version)
        self.version = version

    async def view(self) -> View:
        return View(self.version, tuple(
            {f"{part}/{i}": self._endpoint((part, i)) for i in range(REPLICAS)}
            for part in range(PARTS)
        ))

    def _endpoint(self, place: tuple[int, int]) -> Callable[[int, bytes], Future[bytes]]:
        def answer(version: int, message: bytes, answered: Future[bytes]) -> None:
            try:
                if place in self.dead:
                    raise ConnectionError("killed")
                self.answered.append(version)
                answered.set_result(self.hosts[place].answer(version, message))
            except Exception as error:  # noqa: BLE001
                answered.set_exception(error)

        def ask(version: int, message: bytes) -> Future[bytes]:
            answered: Future[bytes] = Future()
            if (delay := self.delays.get(place, 0)) < NEVER:
                threading.Timer(delay, answer, (version, message, answered)).start()
            return answered

        return ask


def part_folders(store: cluster.Store, folder: Path, version: int | None = None) -> list[Path]:
    """The indexes of all parts, pulled."""
    manifest = cluster.read_version(store, version)
    replica = cluster.Replica(store, folder)
    return [replica.pull(manifest, part).folder for part in range(len(manifest.parts))]


def check_lines(
    program: Program, store: cluster.Store, lines: list[str], folder: Path, *options: object
) -> list[int]:
    """Each part is, byte for byte, the index of its lines. Returns how many documents each has."""
    manifest = cluster.read_version(store)
    counts = [part.documents for part in manifest.parts]
    assert sum(counts) == len(lines)
    begin = 0
    for number, made in enumerate(part_folders(store, folder / "pulled")):
        own = folder / f"lines-{number}.jsonl"
        own.write_text("".join(lines[begin:begin + counts[number]]), "utf-8")
        program("index", "--input", own, "--format", "jsonl", "--output", folder / f"line-{number}",
                "--quiet", *options)
        assert contents(made) == contents(folder / f"line-{number}"), number
        begin += counts[number]
    return counts


def flip(path: Path, place: int) -> None:
    """Turns one bit of a file."""
    data = bytearray(path.read_bytes())
    data[place] ^= 1 << place % 8
    path.unlink()  # links elsewhere keep their bytes
    path.write_bytes(data)


def objects(store: cluster.Store) -> Path:
    return Path(store.root) / object_name("")


def store_bytes(store: cluster.Store) -> dict[str, bytes]:
    return contents(Path(store.root))


KILLED_AT = """
import json, os, signal, sys
from warpdex import cluster
from warpdex.cluster import store as stores

limit, calls = int(sys.argv[1]), 0

def count(function):
    def counted(*arguments, **named):
        global calls
        calls += 1
        if calls == limit:
            os.kill(os.getpid(), signal.SIGKILL)
        return function(*arguments, **named)
    return counted

for name in ("fsync", "link", "rename", "replace"):
    setattr(os, name, count(getattr(os, name)))
exec(sys.argv[2])
"""


def run_killed_at(call: int, code: str) -> bool:
    """Runs a program that kills itself at its call-th step on the disk: right before a flush, a
    link or a rename. Whether it came to that."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED_AT, str(call), code], capture_output=True, text=True,
        check=False,
    )
    if done.returncode == -signal.SIGKILL:
        return True
    assert done.returncode == 0, done.stderr
    return False


def as_lines(docs: list[dict[str, str]]) -> list[str]:
    return [json.dumps(doc) + "\n" for doc in docs]


def ray_here() -> Iterator[Any]:
    """Ray on this host, with two processors."""
    import ray

    ray.init(address="local", num_cpus=2, include_dashboard=False, log_to_driver=False,
             logging_level=logging.ERROR)
    yield ray
    ray.shutdown()


def seed() -> int:
    """Of random tests; printed, so that it can be set again."""
    chosen = int(os.environ.get("WARPDEX_TEST_SEED") or int.from_bytes(os.urandom(4), "little"))
    print(f"WARPDEX_TEST_SEED={chosen}")
    return chosen
