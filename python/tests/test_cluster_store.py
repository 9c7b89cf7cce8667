"""Stores: a folder, memory, S3; versions are made once; what is away is waited for."""

from __future__ import annotations

import fcntl
import hashlib
import os
import random
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import warpdex

pytest.importorskip("fsspec")
from clusters import seed

from warpdex import cluster
from warpdex.cluster import manifest as manifests
from warpdex.cluster.store import Store, object_name


@pytest.fixture(scope="session")
def bucket() -> Iterator[str]:
    """A bucket of a server that speaks S3."""
    pytest.importorskip("s3fs", reason="s3fs is not installed")
    servers = pytest.importorskip("moto.server", reason="moto[server] is not installed")
    import s3fs

    server = servers.ThreadedMotoServer(port=0, verbose=False)
    server.start()
    host, port = server.get_host_and_port()
    os.environ |= {
        "AWS_ENDPOINT_URL": f"http://{host}:{port}", "AWS_ACCESS_KEY_ID": "a",
        "AWS_SECRET_ACCESS_KEY": "b", "AWS_DEFAULT_REGION": "us-east-1",
    }
    s3fs.S3FileSystem().mkdir("bucket")
    yield "s3://bucket"
    server.stop()


@pytest.fixture(params=["folder", "memory", "s3"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Store:
    url = {"folder": lambda: str(tmp_path / "store"), "memory": lambda: f"memory://{tmp_path}",
           "s3": lambda: request.getfixturevalue("bucket") + "/" + tmp_path.name}
    made = Store(url[request.param](), patience=5)
    made.make()
    return made


def file_of(folder: Path, data: bytes) -> tuple[Path, str, int]:
    path = folder / "file"
    path.write_bytes(data)
    return path, hashlib.sha256(data).hexdigest(), len(data)


@pytest.mark.parametrize("size", [0, 1, 127, 128, 129, 100_000])
def test_files_go_and_come(store: Store, tmp_path: Path, size: int) -> None:
    data = random.Random(size).randbytes(size)
    path, checksum, length = file_of(tmp_path, data)
    name = object_name(checksum)
    assert store.size(name) is None
    with pytest.raises(FileNotFoundError):
        store.read(name)
    assert store.put(path, checksum, length)
    assert not store.put(path, checksum, length)
    assert store.size(name) == size and store.read(name) == data
    if size > 2:
        assert store.read(name, 1, size - 1) == data[1:-1]
    store.remove(name)
    store.remove(name)
    assert store.size(name) is None


def test_a_file_of_another_size_is_sent_again(store: Store, tmp_path: Path) -> None:
    path, checksum, length = file_of(tmp_path, b"whole")
    store.write(object_name(checksum), b"who")
    assert store.put(path, checksum, length)
    assert store.read(object_name(checksum)) == b"whole"


def test_a_version_is_made_once(store: Store) -> None:
    assert store.versions() == []
    store.create_version(1, b"one")
    store.create_version(1, b"one")  # as where the first answer was lost
    with pytest.raises(cluster.VersionTaken, match="version 1"):
        store.create_version(1, b"two")
    store.create_version(1_000_000, b"late")
    store.create_version(2, b"two")
    store.write("cluster-x.json", b"none of them")
    assert store.versions() == [1, 2, 1_000_000]
    assert store.read("cluster-000001.json") == b"one"


def test_one_of_many_publishers_wins(store: Store) -> None:
    for number in range(1, 11):
        begin = threading.Barrier(4)
        won: list[bytes] = []

        def publish(text: bytes) -> None:
            begin.wait()
            try:
                store.create_version(number, text)
                won.append(text)
            except cluster.VersionTaken:
                pass

        threads = [threading.Thread(target=publish, args=(b"%d" % i,)) for i in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        if not store.url.startswith("memory"):  # which has no such step
            assert len(won) == 1
        assert store.read(f"cluster-{number:06d}.json") in won


def test_a_store_without_such_a_step_takes_no_versions(tmp_path: Path) -> None:
    store = Store(f"dir::file://{tmp_path}")
    with pytest.raises(warpdex.UsageError, match="two publishers"):
        store.create_version(1, b"one")


def test_an_unknown_protocol() -> None:
    with pytest.raises(warpdex.UsageError, match="nowhere"):
        Store("nowhere://x")


class Clock:
    """Time passes in pauses alone."""

    def __init__(self) -> None:
        self.now = 0.0
        self.at: dict[float, Any] = {}

    def __call__(self) -> float:
        return self.now

    def pause(self, seconds: float) -> None:
        self.now += seconds
        for moment in [each for each in self.at if each <= self.now]:
            self.at.pop(moment)()


@pytest.mark.parametrize("away", [29, 61])
def test_a_folder_that_is_away_for_a_while(tmp_path: Path, away: float) -> None:
    clock = Clock()
    store = Store(str(tmp_path / "store"), patience=60, pauses=clock.pause, clock=clock)
    store.make()
    store.write("name", b"data")
    for call in (lambda: store.read("name"), lambda: store.write("other", b"x"),
                 lambda: store.create_version(1 + len(store.versions()), b"x")):
        (tmp_path / "store").rename(tmp_path / "away")
        clock.at[clock.now + away] = lambda: (tmp_path / "away").rename(tmp_path / "store")
        if away < 60:
            call()
        else:
            with pytest.raises(warpdex.IoError, match="for 60 seconds"):
                call()
            (tmp_path / "away").rename(tmp_path / "store")
            clock.at.clear()
    with pytest.raises(FileNotFoundError):  # which nobody waits for
        store.read("gone")
    assert list((tmp_path / "store" / "incoming").iterdir()) == []


def test_files_under_way_stay(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    store.make()
    paths = [tmp_path / "store" / "incoming" / name for name in ("dead", "locked", "new")]
    for path in paths:
        path.write_bytes(b"x")
        os.utime(path, (0, 0))
    paths[2].touch()
    with open(paths[1], "rb") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        store.make()
        assert [path.exists() for path in paths] == [False, True, True]


def test_a_service_that_is_away_for_a_while(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = Clock()
    store.clock, store.pauses = clock, clock.pause
    store.write("name", b"data")
    failures = iter([OSError("away"), TimeoutError(), RuntimeError("no route")] * 2)
    whole = store.fs.cat_file

    def sometimes(*arguments: Any, **options: Any) -> bytes:
        for failure in failures:
            raise failure
        return whole(*arguments, **options)  # type: ignore[no-any-return]

    monkeypatch.setattr(store.fs, "cat_file", sometimes)
    assert store.read("name") == b"data"
    assert clock.now > 1


# Manifests


def sample() -> cluster.Manifest:
    def file(number: int) -> cluster.File:
        return cluster.File(f"segment-{number}/docids", number, f"{number:064x}")

    parts = tuple(
        cluster.Part(i, {"documents": i, "tokens": 10 * i}, tuple(map(file, range(i))), file(9))
        for i in range(3)
    )
    return cluster.Manifest(7, "0.1.0", "2026-11-29T18:00:00Z", {"codec": {"name": "rice"}}, parts)


def test_a_manifest_is_what_it_was() -> None:
    made = sample()
    assert manifests.parse_manifest(made.to_bytes(), "x") == made
    assert made.documents == 3


def test_no_damage_of_a_manifest_passes() -> None:
    data = sample().to_bytes()
    for end in range(len(data) - 1):
        with pytest.raises(warpdex.FormatError):
            manifests.parse_manifest(data[:end], "x")
    generator = random.Random(seed())
    for place in range(len(data) - 1):  # the last byte is a line feed
        bad = bytearray(data)
        bad[place] ^= 1 << generator.randrange(8)
        try:
            read = manifests.parse_manifest(bytes(bad), "x")
        except (warpdex.FormatError, warpdex.UsageError):
            continue
        assert read == sample(), place  # white space between members


@pytest.mark.parametrize("path", ["../x", "/x", "a/../b", ".hidden", "a/b/c", "a//b", ""])
def test_paths_that_lead_elsewhere(path: str) -> None:
    made = sample()
    part = cluster.Part(1, {"documents": 1, "tokens": 1},
                        (cluster.File(path, 1, "0" * 64),), made.parts[0].ids)
    bad = cluster.Manifest(1, "", "", {}, (part,))
    with pytest.raises(warpdex.FormatError, match="no file of an index"):
        manifests.parse_manifest(bad.to_bytes(), "x")


def test_a_later_format_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(manifests, "FORMAT_VERSION", 2)
    data = sample().to_bytes()
    monkeypatch.undo()
    with pytest.raises(warpdex.UsageError, match="format 2"):
        manifests.parse_manifest(data, "x")


def test_versions_are_read_by_number(tmp_path: Path) -> None:
    store = Store(str(tmp_path / "store"))
    store.make()
    with pytest.raises(warpdex.UsageError, match="nothing is published"):
        cluster.read_version(store)
    store.create_version(7, sample().to_bytes())
    assert cluster.read_version(store) == sample() == cluster.read_version(store, 7)
    with pytest.raises(warpdex.UsageError, match="no version 8"):
        cluster.read_version(store, 8)
    store.create_version(8, sample().to_bytes())
    with pytest.raises(warpdex.FormatError, match="another name"):
        cluster.read_version(store)
