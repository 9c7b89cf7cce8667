"""Serving on Ray: replicas are killed, versions change, and answers stay one index's."""

from __future__ import annotations

import json
import os
import signal
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import documents, write_jsonl

import warpdex

pytest.importorskip("fsspec")
pytest.importorskip("ray", reason="Ray is not installed")
from clusters import flip, ray_here, run_killed_at
from serving import Load, all_ready, pid_of, wait_until

from warpdex import cluster
from warpdex.cluster import Cluster, connect, serve
from warpdex.cluster.__main__ import main
from warpdex.cluster.part_actor import NAMESPACE

ray = pytest.fixture(scope="module")(ray_here)


@pytest.fixture
def served(ray: Any, tmp_path: Path) -> Iterator[Cluster]:
    """Two parts with two replicas each; one index of the same documents beside the store."""
    docs = documents(8, 400)
    write_jsonl(tmp_path / "docs.jsonl", docs)
    store = str(tmp_path / "store")
    cluster.build(str(tmp_path / "docs.jsonl"), store, parts=2)
    warpdex.build(docs, tmp_path / "one")
    made = serve(store, name=tmp_path.name, replicas=2, cpus=0.25, threads=1, poll=0.2, grace=1,
                 folder=str(tmp_path / "hosts"))
    yield made
    made.stop()


def with_one_more(folder: Path) -> None:
    """The input of an addition, and the index that the cluster must then equal."""
    new = [{"id": "new", "contents": "w0 w1 whale"}]
    write_jsonl(folder / "more.jsonl", new)
    docs = documents(8, 400)
    store = cluster.Store(str(folder / "store"))
    counts = [part.documents for part in cluster.read_version(store, 1).parts]
    at = counts[0] if counts[0] <= counts[1] else 400  # behind the part that takes it
    warpdex.build([*docs[:at], *new, *docs[at:]], folder / "two")


def test_replicas_are_killed_and_versions_change(
    ray: Any, served: Cluster, tmp_path: Path
) -> None:
    load = Load(served, tmp_path)
    load.start()
    try:
        time.sleep(1)
        for part, replica in ((0, 0), (1, 1)):
            os.kill(pid_of(ray, tmp_path.name, part, replica), signal.SIGKILL)
            time.sleep(1)

        wait_until(lambda: all_ready(served))
        # One stands still: a hedge goes to the other.
        pid = pid_of(ray, tmp_path.name, 0, 1)
        os.kill(pid, signal.SIGSTOP)
        time.sleep(2)
        os.kill(pid, signal.SIGCONT)
        with_one_more(tmp_path)
        load.knows(2, tmp_path / "two")
        cluster.add(str(tmp_path / "more.jsonl"), str(tmp_path / "store"))
        wait_until(lambda: served.broker.version == 2)
        assert served.search("whale", deadline=10).ids == ["new"]
        time.sleep(2)
    finally:
        load.stop()
    assert load.versions == {1, 2}
    print(f"{len(load.seconds)} batches, longest {max(load.seconds):.3f} s; {served.broker.counters}")


ADD = """
cluster.add("{folder}/more.jsonl", "{folder}/store", work="{folder}/work")
"""
BUILD = """
cluster.build("{folder}/docs.jsonl", "{folder}/store", parts=2, codec="rice", work="{folder}/work")
"""


def test_faults_of_store_disk_and_publishers_stop_no_search(
    ray: Any, served: Cluster, tmp_path: Path
) -> None:
    with_one_more(tmp_path)
    load = Load(served, tmp_path)
    load.knows(2, tmp_path / "two")
    load.start()

    try:
        wait_until(lambda: all_ready(served))
        # A byte flips on a host; then the process dies, and the next one reads the file again.
        store = cluster.Store(str(tmp_path / "store"))
        file = max(cluster.read_version(store).parts[0].files, key=lambda each: each.bytes)
        flip(tmp_path / "hosts" / "part-0000" / "objects" / file.sha256, 70)
        os.kill(pid_of(ray, tmp_path.name, 0, 0), signal.SIGKILL)
        time.sleep(2)
        wait_until(lambda: all_ready(served))
        # The store is away, and a replica dies meanwhile.
        (tmp_path / "store").rename(tmp_path / "away")
        os.kill(pid_of(ray, tmp_path.name, 1, 0), signal.SIGKILL)
        time.sleep(2)
        wait_until(lambda: all_ready(served))  # by the files of its host
        assert "lists no files" in served.status()["problem"]
        (tmp_path / "away").rename(tmp_path / "store")
        # A builder and a publisher die, again and again.
        assert run_killed_at(20, BUILD.format(folder=tmp_path))
        kills = 0
        while store.versions() == [1]:
            kills += run_killed_at(1 + 6 * kills, ADD.format(folder=tmp_path))
        assert kills > 1
        wait_until(lambda: served.broker.version == 2)
        time.sleep(1)
    finally:
        load.stop()
    assert load.versions == {1, 2} and cluster.verify(store) == []


def test_a_part_with_one_replica_dies(ray: Any, tmp_path: Path) -> None:
    """An error or what the others found, by choice; and it is back within seconds."""
    docs = documents(8, 300)
    write_jsonl(tmp_path / "docs.jsonl", docs)
    cluster.build(str(tmp_path / "docs.jsonl"), str(tmp_path / "store"), parts=2)
    served = serve(tmp_path / "store", name=tmp_path.name, replicas=1, cpus=0.25, threads=1,
                   poll=0.2, folder=str(tmp_path / "hosts"))
    whole = served.search("w0 w1", deadline=10)
    os.kill(pid_of(ray, tmp_path.name, 1, 0), signal.SIGKILL)
    with pytest.raises(warpdex.IoError, match="part 1"):
        served.search("w0 w1", deadline=0.1)
    part = served.search("w0 w1", deadline=0.1, on_missing="partial")
    if not part.is_complete:  # it may be back already
        assert [number for number, _ in part.coverage.missing] == [1]
        assert {hit.part for hit in part.hits} == {0}

    def is_back() -> bool:
        try:
            return served.search("w0 w1", deadline=5).hits == whole.hits
        except warpdex.IoError:
            return False

    print(f"back after {wait_until(is_back):.1f} s")
    served.stop()


def test_another_number_of_parts(ray: Any, served: Cluster, tmp_path: Path) -> None:
    load = Load(served, tmp_path)
    for version in (2, 3):
        load.knows(version, tmp_path / "one")
    load.start()
    try:
        for version, parts in ((2, 3), (3, 1)):
            cluster.build(str(tmp_path / "docs.jsonl"), str(tmp_path / "store"), parts=parts)
            wait_until(lambda: served.broker.version == version)
        wait_until(lambda: len(served.status()["replicas"]) == 2)
        time.sleep(2)  # old versions are closed
    finally:
        load.stop()
    assert load.versions == {1, 2, 3}
    assert [each["versions"] for each in served.status()["replicas"]] == [[3], [3]]


def test_commands(ray: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    docs = documents(8, 100)
    write_jsonl(tmp_path / "docs.jsonl", docs)
    warpdex.build(docs, tmp_path / "one")
    store = str(tmp_path / "store")
    cluster.build(str(tmp_path / "docs.jsonl"), store, parts=2)

    def run(*arguments: object, status: int = 0) -> str:
        assert main([*map(str, arguments), "--name", tmp_path.name]) == status
        return capsys.readouterr().out

    run("serve", "--store", store, "--replicas", 1, "--cpus", 0.25, "--threads", 1, "--folder",
        tmp_path / "hosts")
    found = json.loads(run("search", "w1 w2", "w3", "-k", 5, "--deadline", 20, "--json"))
    one = warpdex.Searcher(tmp_path / "one", "cpu")
    for each in found:
        assert [hit["id"] for hit in each["hits"]] == one.search(each["query"], 5).ids
        assert each["coverage"]["searched"] == 100
    assert f"  {found[0]['hits'][0]['id']}" in run("search", "w1 w2", "--deadline", 20)
    assert len(json.loads(run("replicas", "--json"))["replicas"]) == 2
    assert "goes on" in run("drain", "--part", 0, "--replica", 0, status=1)
    assert main(["drain", "--part", "9", "--replica", "0", "--name", tmp_path.name]) == 1
    assert capsys.readouterr().err == "warpdex.cluster: there is no replica 0 of part 9\n"
    run("stop")
    assert main(["search", "w1", "--name", tmp_path.name]) == 1
    assert "nothing is served" in capsys.readouterr().err


def test_a_replica_is_drained(ray: Any, served: Cluster, tmp_path: Path) -> None:
    load = Load(served, tmp_path)
    load.start()
    try:
        wait_until(lambda: all_ready(served))
        assert served.drain(1, 0)
        replicas = served.status()["replicas"]
        assert [each["is_drained"] for each in replicas] == [False, False, True, False]
        assert not served.drain(1, 1)  # the last one
        with pytest.raises(warpdex.UsageError, match="no replica 2"):
            served.drain(1, 2)
        with pytest.raises(warpdex.UsageError, match="nothing is served"):
            connect("another")
        with pytest.raises(warpdex.UsageError, match="another name"):
            serve(tmp_path / "elsewhere", name=tmp_path.name)
        time.sleep(1)
        served.undrain(1, 0)
        wait_until(lambda: all_ready(served))
    finally:
        load.stop()


def test_the_coordinator_is_killed(ray: Any, served: Cluster, tmp_path: Path) -> None:
    load = Load(served, tmp_path)
    load.start()
    try:
        coordinator = ray.get_actor(tmp_path.name, namespace=NAMESPACE)
        os.kill(ray.get(coordinator.pid.remote()), signal.SIGKILL)
        time.sleep(3)
        wait_until(lambda: served.status()["version"] == 1)
    finally:
        load.stop()


def test_damage_in_the_store_stops_no_search(ray: Any, served: Cluster, tmp_path: Path) -> None:
    """A version that cannot be pulled is not served; the one before goes on."""
    load = Load(served, tmp_path)
    load.start()
    try:
        write_jsonl(tmp_path / "more.jsonl", [{"id": "new", "contents": "whale"}])
        store = cluster.Store(str(tmp_path / "store"))
        create = cluster.Store.create_version

        def damaged(self: cluster.Store, number: int, text: bytes) -> None:
            before = {file.sha256 for part in cluster.read_version(store).parts for file in part.files}
            for path in (tmp_path / "store" / "objects").iterdir():
                if path.name not in before and path.stat().st_size > 200:
                    data = bytearray(path.read_bytes())
                    data[150] ^= 1
                    path.write_bytes(data)
            create(self, number, text)

        cluster.Store.create_version = damaged  # type: ignore[method-assign]
        try:
            cluster.add(str(tmp_path / "more.jsonl"), store)
        finally:
            cluster.Store.create_version = create  # type: ignore[method-assign]
        wait_until(lambda: any("segment" in each["problem"] or "manifest" in each["problem"]
                               for each in served.status()["replicas"]))
        time.sleep(1)
        assert served.status()["version"] == 1
    finally:
        load.stop()
    assert load.versions == {1}
