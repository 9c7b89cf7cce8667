"""Replicas: what they lack comes from the store, and damaged bytes are never used."""

from __future__ import annotations

import random
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import contents, documents, write_jsonl

import warpdex

pytest.importorskip("fsspec")
from clusters import flip, objects, run_killed_at, seed

from warpdex import cluster


@pytest.fixture
def store(tmp_path: Path) -> cluster.Store:
    """Version 1 in three parts."""
    write_jsonl(tmp_path / "docs.jsonl", documents(4, 300))
    made = cluster.Store(str(tmp_path / "store"))
    cluster.build(str(tmp_path / "docs.jsonl"), made, parts=3)
    return made


def whole(store: cluster.Store, part: int) -> dict[str, bytes]:
    """The files of a part's index, from its manifest."""
    files = cluster.read_version(store).parts[part].files
    return {file.path: (objects(store) / file.sha256).read_bytes() for file in files}


def test_only_what_is_lacking_comes(store: cluster.Store, tmp_path: Path) -> None:
    manifest = cluster.read_version(store)
    replica = cluster.Replica(store, tmp_path / "host")
    different = {file.sha256: file.bytes for file in manifest.parts[1].files}
    assert sum(file.bytes for file in replica.lacks(manifest, 1)) == sum(different.values())
    first = replica.pull(manifest, 1)
    assert first.bytes == sum(different.values()) and first.mended == ()
    assert contents(first.folder) == whole(store, 1)
    assert len(warpdex.Searcher(first.folder, "cpu")) == manifest.parts[1].documents
    assert replica.lacks(manifest, 1) == []
    again = replica.pull(manifest, 1)
    assert (again.folder, again.bytes) == (first.folder, 0)


def test_damage_in_the_store_is_named_and_never_used(store: cluster.Store, tmp_path: Path) -> None:
    generator = random.Random(seed())
    manifest = cluster.read_version(store)
    for number, file in enumerate(manifest.parts[0].files):
        kept = (objects(store) / file.sha256).read_bytes()
        for damage in ("flip", "cut", "longer", "missing"):
            path = objects(store) / file.sha256
            if damage == "flip" and kept:
                flip(path, generator.randrange(len(kept)))
            elif damage == "cut" and kept:
                path.write_bytes(kept[: generator.randrange(len(kept))])
            elif damage == "missing":
                path.unlink()
            else:
                continue
            replica = cluster.Replica(store, tmp_path / "host" / f"{number}-{damage}")
            with pytest.raises(warpdex.FormatError, match=f"part 0, {file.path} "):
                replica.pull(manifest, 0)
            assert not list(replica.folder.glob("part-*"))
            faults = {fault.path for fault in cluster.verify(store)}
            assert file.path in faults
            path.write_bytes(kept)
            assert contents(replica.pull(manifest, 0).folder) == whole(store, 0)
    assert cluster.verify(store) == []


def test_damage_on_a_host_is_mended(store: cluster.Store, tmp_path: Path) -> None:
    generator = random.Random(seed())
    manifest = cluster.read_version(store)
    replica = cluster.Replica(store, tmp_path / "host")
    replica.pull(manifest, 2)
    for file in manifest.parts[2].files:
        if not file.bytes:
            continue
        path = replica.folder / "objects" / file.sha256
        data = bytearray(path.read_bytes())
        data[generator.randrange(len(data))] ^= 1
        with open(path, "r+b") as here:  # in place: the index's folder has it, too
            here.write(data)
        pulled = replica.pull(manifest, 2)
        assert file.path in pulled.mended and pulled.bytes == file.bytes
        assert contents(pulled.folder) == whole(store, 2)


def test_what_is_removed_is_published_again(store: cluster.Store, tmp_path: Path) -> None:
    manifest = cluster.read_version(store)
    replica = cluster.Replica(store, tmp_path / "host")
    folders = [replica.pull(manifest, part).folder for part in range(3)]
    file = max(manifest.parts[1].files, key=lambda each: each.bytes)
    flip(objects(store) / file.sha256, 70)
    [fault] = cluster.verify(store, remove=True)
    assert (fault.part, fault.path) == (1, file.path)
    assert [each.problem for each in cluster.verify(store)] == ["missing"]
    cluster.publish(folders, store)
    assert cluster.verify(store, 1) == cluster.verify(store, 2) == []


PULL = """
store = cluster.Store("{folder}/store")
cluster.Replica(store, "{folder}/host").pull(cluster.read_version(store), 0)
"""


def test_a_pull_that_is_killed_goes_on(store: cluster.Store, tmp_path: Path) -> None:
    code = PULL.format(folder=tmp_path)
    manifest = cluster.read_version(store)
    step = 0
    lacking = []
    while run_killed_at(step := step + 9, code):
        replica = cluster.Replica(store, tmp_path / "host")
        lacking.append(len(replica.lacks(manifest, 0)))
        assert not list(replica.folder.glob("part-*"))
    assert len(lacking) > 2 and lacking == sorted(lacking, reverse=True)
    assert contents(tmp_path / "host" / "part-0000-000001") == whole(store, 0)


def test_a_file_goes_on_where_it_was(
    store: cluster.Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    manifest = cluster.read_version(store)
    file = max(manifest.parts[0].files, key=lambda each: each.bytes)
    data = (objects(store) / file.sha256).read_bytes()
    for sound in (True, False):
        replica = cluster.Replica(store, tmp_path / f"host-{sound}")
        begun = replica.folder / "objects" / f"{file.sha256}.part"
        begun.parent.mkdir(parents=True)
        begun.write_bytes(data[:1000] if sound else b"x" * 1000)
        everything = sum(each.bytes for each in replica.lacks(manifest, 0))
        pulled = replica.pull(manifest, 0)
        assert pulled.bytes == everything + (-1000 if sound else len(data) - 1000)
        assert contents(pulled.folder) == whole(store, 0)


def test_several_processes_pull_at_once(store: cluster.Store, tmp_path: Path) -> None:
    code = "from warpdex import cluster\n" + PULL.format(folder=tmp_path)
    running = [subprocess.Popen([sys.executable, "-c", code]) for _ in range(4)]
    assert [each.wait(60) for each in running] == [0] * 4
    assert contents(tmp_path / "host" / "part-0000-000001") == whole(store, 0)
    assert not list((tmp_path / "host" / "objects").glob("*.part"))


def test_old_versions_go(store: cluster.Store, tmp_path: Path) -> None:
    replica = cluster.Replica(store, tmp_path / "host")
    first = cluster.read_version(store)
    old = replica.pull(first, 0).folder
    searcher = warpdex.Searcher(old, "cpu")
    write_jsonl(tmp_path / "more.jsonl", [{"id": "new", "contents": "whale"}])
    cluster.add(str(tmp_path / "more.jsonl"), store, part=0)
    second = cluster.read_version(store)
    new = replica.pull(second, 0).folder
    assert replica.drop({1, 2}) == 0
    freed = replica.drop({2})
    assert not old.exists() and freed > 0 and replica.lacks(second, 0) == []
    assert len(searcher.search("w0")) > 0
    assert warpdex.Searcher(new, "cpu").search("whale").ids == ["new"]
    shutil.rmtree(new)
    assert replica.pull(second, 0).bytes == 0
