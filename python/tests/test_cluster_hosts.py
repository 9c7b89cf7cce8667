"""Where replicas are: on several hosts of Ray, which this machine imitates by several processes."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from conftest import documents, write_jsonl

import warpdex

pytest.importorskip("fsspec")
ray = pytest.importorskip("ray", reason="Ray is not installed")
from serving import Load, all_ready, wait_until

from warpdex import cluster
from warpdex.cluster import Cluster, places, serve

CPUS = (4, 4, 1)


@pytest.fixture
def hosts() -> Iterator[Any]:
    """Three, with so many processors."""
    from ray import cluster_utils

    made = cluster_utils.Cluster(initialize_head=True, head_node_args={"num_cpus": CPUS[0]})
    for cpus in CPUS[1:]:
        made.add_node(num_cpus=cpus)
    ray.init(address=made.address, log_to_driver=False, logging_level=logging.ERROR)
    made.wait_for_nodes()
    yield made
    ray.shutdown()
    made.shutdown()


def hosts_of(group: Any) -> list[str]:
    """Of its places."""
    return list(ray.util.placement_group_table(group)["bundles_to_node_id"].values())


def is_ready(served: Cluster) -> bool:
    try:
        return all_ready(served)
    except warpdex.IoError:  # the coordinator starts again
        return False


def test_a_host_dies(hosts: Any, tmp_path: Path) -> None:
    """Replicas of a part have hosts of their own, afterwards too, and no answer fails."""
    docs = documents(8, 400)
    write_jsonl(tmp_path / "docs.jsonl", docs)
    cluster.build(str(tmp_path / "docs.jsonl"), str(tmp_path / "store"), parts=2)
    warpdex.build(docs, tmp_path / "one")
    served = serve(tmp_path / "store", name=tmp_path.name, replicas=2, brokers=2, cpus=0.25,
                   threads=1, poll=0.2, folder=str(tmp_path / "hosts"))
    names = [f"{tmp_path.name}/{each}" for each in ("part-0", "part-1", "brokers")]

    def are_apart() -> bool:
        found = [hosts_of(ray.util.get_placement_group(name)) for name in names]
        alive = {node["NodeID"] for node in ray.nodes() if node["Alive"]}
        return all(len(set(each) & alive) == 2 for each in found)

    wait_until(lambda: all_ready(served))
    assert are_apart()
    load = Load(served, tmp_path)
    load.start()
    try:
        here = ray.get_runtime_context().get_node_id()
        dying = next(
            node for node in (hosts.head_node, *hosts.worker_nodes)[::-1] if node.node_id != here
            and any(node.node_id in hosts_of(ray.util.get_placement_group(each)) for each in names))
        hosts.remove_node(dying, allow_graceful=False)
        wait_until(lambda: are_apart() and is_ready(served))
    finally:
        load.stop()
        served.stop()
    for name in names:
        with pytest.raises(ValueError):
            ray.util.get_placement_group(name)


def test_where_there_are_too_few_hosts(hosts: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(places, "PATIENCE", 2.0)
    more = places.group(ray, "more", 4, 0.25)  # than hosts
    assert more.wait(30) and len(set(hosts_of(more))) >= 2
    assert places.group(ray, "more", 4, 0.25).id == more.id
    places.remove(more)
    first = places.group(ray, "first", 3, 0.75)
    assert len(set(hosts_of(first))) == 3
    second = places.group(ray, "second", 3, 0.75)  # for which the third host has no room
    assert second.wait(30) and len(set(hosts_of(second))) == 2
