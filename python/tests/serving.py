"""What the tests of served clusters share: a load whose answers are checked, and what one waits for."""

from __future__ import annotations

import random
import threading
import time
from pathlib import Path
from typing import Any

import numpy as np
from clusters import seed
from conftest import words

import warpdex
from warpdex.cluster import Cluster
from warpdex.cluster.part_actor import NAMESPACE, actor_name


class Load(threading.Thread):
    """Asks all the time, and compares each answer with one index's."""

    def __init__(self, served: Cluster, folder: Path) -> None:
        super().__init__()
        self._served = served
        self._ones = {1: warpdex.Searcher(folder / "one", "cpu", threads=1)}
        self._generator = random.Random(seed())
        self.is_over = threading.Event()
        self.failures: list[str] = []
        self.seconds: list[float] = []
        self.versions: set[int] = set()

    def knows(self, version: int, path: Path) -> None:
        self._ones[version] = warpdex.Searcher(path, "cpu", threads=1)

    def run(self) -> None:
        while not self.is_over.is_set():
            queries = [words(self._generator, 4) for _ in range(5)]
            begin = time.monotonic()
            try:
                answers = self._served.search_batch(queries, 10, deadline=10)
            except Exception as error:  # noqa: BLE001
                self.failures.append(repr(error))
                continue
            self.seconds.append(time.monotonic() - begin)
            for query, answer in zip(queries, answers):
                version = answer.coverage.version
                self.versions.add(version)
                hits = self._ones[version].search(query, 10)
                same = answer.ids == hits.ids and all(
                    np.float32(mine.score) == np.float32(its.score)
                    for mine, its in zip(answer.hits, hits))
                if not same:
                    self.failures.append(f"wrong: {version} {query}")

    def stop(self) -> None:
        self.is_over.set()
        self.join()
        assert self.failures == [] and self.seconds


def pid_of(ray: Any, name: str, part: int, replica: int) -> int:
    actor = ray.get_actor(actor_name(name, part, replica), namespace=NAMESPACE)
    return int(ray.get(actor.pid.options(concurrency_group="control").remote()))


def all_ready(served: Cluster) -> bool:
    return all(each["versions"] and not each["problem"] for each in served.status()["replicas"])


def wait_until(is_so: Any, seconds: float = 60) -> float:
    begin = time.monotonic()
    while not is_so():
        assert time.monotonic() - begin < seconds
        time.sleep(0.05)
    return time.monotonic() - begin
