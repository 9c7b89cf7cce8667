"""Brokers that are processes of their own: they die and stand still, and no answer fails."""

from __future__ import annotations

import asyncio
import json
import os
import random
import signal
import subprocess
import sys
import time
import types
import urllib.request
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from conftest import documents, words, write_jsonl

import warpdex

pytest.importorskip("fsspec")
pytest.importorskip("ray", reason="Ray is not installed")
from clusters import ray_here, seed
from serving import Load, all_ready, wait_until

from warpdex import cluster
from warpdex.cluster import BrokerSettings, Cluster, ClusterAnswer, answers, connect, pieces, serve
from warpdex.cluster.__main__ import main
from warpdex.cluster.broker_actor import broker_name
from warpdex.cluster.broker_client import BrokerClient
from warpdex.cluster.part_actor import NAMESPACE

ray = pytest.fixture(scope="module")(ray_here)


@pytest.fixture
def served(ray: Any, tmp_path: Path) -> Iterator[Cluster]:
    """Two parts with two replicas each, and two brokers; one index of the same documents."""
    docs = documents(8, 400)
    write_jsonl(tmp_path / "docs.jsonl", docs)
    store = str(tmp_path / "store")
    cluster.build(str(tmp_path / "docs.jsonl"), store, parts=2)
    warpdex.build(docs, tmp_path / "one")
    made = serve(store, name=tmp_path.name, replicas=2, brokers=2, cpus=0.25, threads=1, poll=0.2,
                 folder=str(tmp_path / "hosts"))
    yield made
    made.stop()


def broker_pid(ray: Any, name: str, number: int) -> int:
    actor = ray.get_actor(broker_name(name, number), namespace=NAMESPACE)
    return int(ray.get(actor.pid.remote()))


def are_ready(served: Cluster) -> bool:
    return all(each["version"] and not each["problem"] for each in served.status()["brokers"])


def test_brokers_are_killed_and_stand_still(ray: Any, served: Cluster, tmp_path: Path) -> None:
    wait_until(lambda: are_ready(served) and all_ready(served))
    load = Load(served, tmp_path)
    load.start()
    try:
        for number in (0, 1):
            time.sleep(1)
            os.kill(broker_pid(ray, tmp_path.name, number), signal.SIGKILL)
            time.sleep(1)
            wait_until(lambda: are_ready(served))
        pid = broker_pid(ray, tmp_path.name, 0)
        os.kill(pid, signal.SIGSTOP)
        begin = time.monotonic()
        assert served.search_batch(["w0 w1"] * 3, deadline=2)[2].ids  # one of these meets it
        assert served.search("w0 w1", deadline=2).ids
        assert time.monotonic() - begin < 4
        os.kill(pid, signal.SIGCONT)
        coordinator = ray.get_actor(tmp_path.name, namespace=NAMESPACE)
        os.kill(ray.get(coordinator.pid.remote()), signal.SIGKILL)
        time.sleep(2)
        wait_until(lambda: are_ready(served))
    finally:
        load.stop()
    assert load.versions == {1}
    print(f"{len(load.seconds)} batches, longest {max(load.seconds):.3f} s; {served.broker.counters}")


def test_queries_of_many_clients(ray: Any, served: Cluster, tmp_path: Path) -> None:
    """What is asked of a broker elsewhere is answered as by one here, refusals too."""
    one = warpdex.Searcher(tmp_path / "one", "cpu", threads=1)
    generator = random.Random(seed())
    with connect(tmp_path.name) as other, ThreadPoolExecutor(8) as threads:
        queries = [words(generator, 4) for _ in range(200)]
        found = list(threads.map(
            lambda i: (served, other)[i % 2].search(queries[i], 5, deadline=30), range(200)))
        for query, answer in zip(queries, found):
            hits = one.search(query, 5)
            assert answer.ids == hits.ids
            assert [np.float32(hit.score) for hit in answer.hits] == [
                np.float32(hit.score) for hit in hits]
        assert other.search_batch([], deadline=30) == []
        for wrong in ({"k": 0}, {"mode": "x"}, {"on_missing": "x"}, {"sort": "year"}):
            with pytest.raises(warpdex.UsageError):
                other.search("w1", deadline=30, **wrong)
        with pytest.raises(warpdex.InputError):
            other.search("\udfff", deadline=30)
        with pytest.raises(TypeError, match="no option 'x'"):
            other.search_batch(["w1"], deadline=30, x=1)
        write_jsonl(tmp_path / "more.jsonl", [{"id": "new", "contents": "whale"}])
        cluster.add(str(tmp_path / "more.jsonl"), str(tmp_path / "store"))
        wait_until(lambda: served.status()["version"] == 2)
        other.refresh()
        assert other.search("whale", deadline=30).ids == ["new"]
        assert {each["version"] for each in served.status()["brokers"]} <= {1, 2}


def test_http(ray: Any, served: Cluster, tmp_path: Path) -> None:
    """The command: a server before the brokers, which ends as it is told."""
    one = warpdex.Searcher(tmp_path / "one", "cpu", threads=1)
    running = subprocess.Popen(
        [sys.executable, "-m", "warpdex.cluster", "http", "--name", tmp_path.name, "--listen",
         "127.0.0.1:0"],
        stdout=subprocess.PIPE, text=True,
        env={**os.environ, "RAY_ADDRESS": ray.get_runtime_context().gcs_address})
    try:
        assert running.stdout
        url = running.stdout.readline().strip()
        assert url.endswith(f"/v1/{tmp_path.name}/search")
        for query in ("w0+w1", "w3"):
            with urllib.request.urlopen(f"{url}?q={query}&k=7&deadline=60000", timeout=60) as answer:
                hits = json.load(answer)["hits"]
            assert [hit["document"] for hit in hits] == one.search(query.replace("+", " "), 7).ids
        running.terminate()
        assert running.stdout.read() == "ended\n" and running.wait(60) == 0
    finally:
        running.kill()
        running.communicate()
    assert main(["http", "--name", "another", "--listen", "7700"]) == 1


def a_batch(generator: random.Random, count: int) -> list[ClusterAnswer]:
    coverage = cluster.Coverage(3, 100, 90, ((1, "away"),), False)
    made = []
    for _ in range(count):
        hits = generator.randrange(4)
        numbers = np.array([generator.randrange(1 << 32) for _ in range(3 * hits)], np.uint32)
        made.append(ClusterAnswer(
            [f"d{i}" for i in numbers[:hits]], numbers[:hits].view(np.float32),
            numbers[hits:2 * hits], numbers[2 * hits:], coverage, generator.randrange(99),
            generator.random() < 0.5, generator.random() < 0.5, generator.random()))
    return made


def same_bits(mine: ClusterAnswer, its: ClusterAnswer) -> bool:
    return (mine.ids, mine.coverage, mine.matches, mine.fell_back_to_or, mine.is_complete,
            mine.max_missing_score) == (
        its.ids, its.coverage, its.matches, its.fell_back_to_or, its.is_complete,
        its.max_missing_score) and all(
            getattr(mine, name).dtype == getattr(its, name).dtype
            and getattr(mine, name).tobytes() == getattr(its, name).tobytes()
            for name in ("scores", "parts", "docs"))


class Method:
    """A method of an actor, which is none."""

    def __init__(self, answer: Any) -> None:
        self._answer = answer

    def options(self, concurrency_group: str, num_returns: int = 1) -> Any:
        def remote(seconds: float, count: int, *message: bytes) -> Any:
            assert count == num_returns and all(len(each) <= pieces.PIECE for each in message)
            answered = self._answer(seconds, b"".join(message))

            def piece(number: int) -> Future[bytes]:
                made: Future[bytes] = Future()

                def take(done: Future[bytes]) -> None:
                    cut = pieces.cut(done.result(), count)
                    made.set_result(cut if isinstance(cut, bytes) else cut[number])

                answered.add_done_callback(take)
                return made

            references = [types.SimpleNamespace(future=partial(piece, i)) for i in range(count)]
            return references[0] if count == 1 else references

        return types.SimpleNamespace(remote=remote)


class FakeActor:
    def __init__(self, answer: Any) -> None:
        self.answer = Method(answer)


def test_pieces_are_the_whole() -> None:
    for size in (0, 1, pieces.PIECE - 1, pieces.PIECE, pieces.PIECE + 1, 8 * pieces.PIECE,
                 8 * pieces.PIECE + 1):
        answer = os.urandom(size)
        assert pieces.cut(answer, 1) == answer
        found = pieces.cut(answer, 8)
        assert len(found) == 8 and b"".join(found) == answer  # type: ignore[arg-type]
        assert size > 8 * pieces.PIECE or all(len(each) <= pieces.PIECE for each in found)  # type: ignore[arg-type]


def test_answers_come_over_whole_and_others_are_asked() -> None:
    """Without Ray: the bits of answers, and who is asked when."""
    generator = random.Random(seed())
    asked: list[tuple[str, float]] = []
    given: list[ClusterAnswer] = []

    def good(seconds: float, message: bytes) -> Future[bytes]:
        asked.append(("good", seconds))
        answered: Future[bytes] = Future()
        answered.set_result(answers.to_bytes(given))
        return answered

    def dead(seconds: float, message: bytes) -> Future[bytes]:
        asked.append(("dead", seconds))
        raise ConnectionError("it has died")

    def stopped(seconds: float, message: bytes) -> Future[bytes]:
        asked.append(("stopped", seconds))
        return Future()

    async def work() -> None:
        actors: dict[str, Any] = {}

        async def brokers() -> dict[str, Any]:
            return dict(actors)

        client = BrokerClient(brokers, BrokerSettings(open_time=0.2, poll=0.01))
        with pytest.raises(warpdex.IoError, match="no broker is ready"):
            await client.start()
        actors["good"] = FakeActor(good)
        await client.start()
        for count in (0, 1, 2, 31, 32, 33, 128):
            given[:] = a_batch(generator, count)
            query = "w" * generator.choice([1, 9999])  # in pieces
            found = client.search_batch_on_thread([query] * count, deadline=5)
            assert len(found) == count and all(map(same_bits, found, given))
        given[:] = a_batch(generator, 1)
        for bad in (dead, stopped):
            actors[bad.__name__] = FakeActor(bad)
            await client._take()
            asked.clear()
            for _ in range(64):
                assert same_bits(client.search_on_thread("w", deadline=0.4), given[0])
            assert bad.__name__ in [name for name, _ in asked]
            # A broker is told the time that is left for it, and not all of that.
            assert all(0 < seconds < 0.4 for _, seconds in asked)
            del actors[bad.__name__]
        known = dict(actors)
        actors.clear()  # a coordinator that has just begun
        await client._take()
        assert same_bits(client.search_on_thread("w", deadline=5), given[0])
        actors.update(known)
        actors["good"] = FakeActor(dead)
        await client._take()
        begin = time.monotonic()
        with pytest.raises(warpdex.IoError, match="it has died"):
            client.search_on_thread("w", deadline=0.3)
        assert time.monotonic() - begin < 2  # of a machine that does other things as well
        await client.stop()

    asyncio.run(work())
