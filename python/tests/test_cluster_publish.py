"""Publishing and adding: old files stay where they are, and no version is half there."""

from __future__ import annotations

import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from conftest import Program, contents, documents, write_jsonl

import warpdex

pytest.importorskip("fsspec")
from clusters import part_folders, run_killed_at, seed, store_bytes

from warpdex import cluster
from warpdex.cluster.__main__ import main


@pytest.fixture
def folders(tmp_path: Path) -> list[Path]:
    """Two indexes."""
    docs = documents(4, 200)
    for number, part in enumerate((docs[:90], docs[90:])):
        warpdex.build(part, tmp_path / f"part{number}")
    return [tmp_path / "part0", tmp_path / "part1"]


def test_indexes_are_published_as_they_are(folders: list[Path], tmp_path: Path) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    made = cluster.publish(folders, store)
    assert (made.number, [part.documents for part in made.parts]) == (1, [90, 110])
    assert cluster.read_version(store) == made
    for own, pulled in zip(folders, part_folders(store, tmp_path / "host")):
        assert contents(own) == contents(pulled)


def test_what_cannot_be_published(folders: list[Path], tmp_path: Path) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    warpdex.build(documents(9, 10), tmp_path / "other", codec="rice")
    with pytest.raises(warpdex.UsageError, match="'codec'"):
        cluster.publish([folders[0], tmp_path / "other"], store)
    with pytest.raises(warpdex.BadDocument, match="'d0'"):
        cluster.publish([folders[0], folders[0]], store)
    with pytest.raises(warpdex.UsageError, match="no index"):
        cluster.publish([tmp_path], store)
    with pytest.raises(warpdex.UsageError, match="one part"):
        cluster.publish([], store)
    with warpdex.Writer(folders[0], journal=True) as writer:
        writer.add({"id": "x", "contents": "x"})
        writer.sync()
        with pytest.raises(warpdex.UsageError, match="journal"):
            cluster.publish(folders, store)
    assert store.versions() == []


def test_removed_documents_do_not_count(folders: list[Path], tmp_path: Path) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    with warpdex.Writer(folders[0]) as writer:
        writer.delete("d7")
    made = cluster.publish(folders, store)
    assert made.parts[0].documents == 89
    searcher = warpdex.Searcher(folders[0], "cpu")
    assert made.parts[0].counts["tokens"] == round(searcher.average_length * 89)
    write_jsonl(tmp_path / "more.jsonl", [{"id": "d7", "contents": "again"}])
    assert cluster.add(str(tmp_path / "more.jsonl"), store, part=1).documents == 1


@pytest.mark.parametrize("keeps", [False, True])
def test_added_documents_are_new_segments(folders: list[Path], tmp_path: Path, keeps: bool) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    cluster.publish(folders, store)
    with warpdex.Writer(folders[0], merges=False) as writer:
        for batch in (documents(5, 30), documents(6, 1)):
            for doc in batch:
                writer.add({**doc, "id": f"{len(batch)}-{doc['id']}"})
            writer.commit()
    before = store_bytes(store)
    work = tmp_path / "work" if keeps else None
    for number, batch in enumerate((documents(5, 30), documents(6, 1))):
        new = [{**doc, "id": f"{len(batch)}-{doc['id']}"} for doc in batch]
        write_jsonl(tmp_path / "more.jsonl", new)
        added = cluster.add(str(tmp_path / "more.jsonl"), store, part=0, work=work)
        assert (added.version, added.part, added.documents) == (2 + number, 0, len(batch))
        after = store_bytes(store)
        assert before.items() <= after.items()  # nothing that was there changed
        news = sum(len(data) for name, data in after.items() if name not in before)
        manifest = len(after[f"cluster-{added.version:06d}.json"])
        assert added.sent == news - manifest
        before = after
    if work:  # the part of the last addition's beginning alone
        assert [path.name for path in work.glob("part-*")] == ["part-0000-000002"]
    made = cluster.read_version(store)
    assert [part.documents for part in made.parts] == [121, 110]
    first = cluster.read_version(store, 1)
    kept = {file.path for file in made.parts[0].files} & {file.path for file in first.parts[0].files}
    assert {path for path in kept if path.startswith("segment-0/")}
    assert made.parts[1] == first.parts[1]
    # The index is that of a writer that had it all the time.
    assert contents(part_folders(store, tmp_path / "host")[0]) == contents(folders[0])


def test_documents_that_cannot_be_added(folders: list[Path], tmp_path: Path) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    cluster.publish(folders, store)
    path = str(tmp_path / "more.jsonl")
    write_jsonl(tmp_path / "more.jsonl", [{"id": "new", "contents": "x"}, {"id": "d150", "contents": "x"}])
    for part in (0, 1):
        with pytest.raises(warpdex.BadDocument, match="d150"):
            cluster.add(path, store, part=part)
    with pytest.raises(warpdex.UsageError, match="no part 2"):
        cluster.add(path, store, part=2)
    assert store.versions() == [1]
    made = cluster.add(path, store, part=1, skip_bad=True)
    assert (made.documents, made.skipped) == (1, 1)
    write_jsonl(tmp_path / "more.jsonl", [])
    assert cluster.add(path, store).version == 2  # nothing new: no version


def test_merged_segments(folders: list[Path], tmp_path: Path) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    cluster.publish(folders, store)
    for number in range(12):
        write_jsonl(tmp_path / "more.jsonl", [{"id": f"n{number}", "contents": "sea"}])
        made = cluster.add(str(tmp_path / "more.jsonl"), store, part=1, merge=True)
    found = cluster.status(store)
    assert made.version == 13 and found["parts"][1]["segments"] < 12
    assert len(warpdex.Searcher(part_folders(store, tmp_path / "host")[1]).search("sea", 20)) == 12


def test_an_addition_begins_again_where_another_was_first(
    folders: list[Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    cluster.publish(folders, store)
    write_jsonl(tmp_path / "a.jsonl", [{"id": "a", "contents": "sea"}])
    write_jsonl(tmp_path / "b.jsonl", [{"id": "b", "contents": "sea"}])
    create = cluster.Store.create_version

    def later(self: cluster.Store, number: int, text: bytes) -> None:
        monkeypatch.setattr(cluster.Store, "create_version", create)
        cluster.add(str(tmp_path / "b.jsonl"), store, part=0)
        create(self, number, text)

    monkeypatch.setattr(cluster.Store, "create_version", later)
    assert cluster.add(str(tmp_path / "a.jsonl"), store, part=0).version == 3
    searcher = warpdex.Searcher(part_folders(store, tmp_path / "host")[0])
    assert searcher.search("sea").ids == ["b", "a"]


ADD = """
cluster.add("{folder}/more.jsonl", "{folder}/store", part=0, work="{folder}/work")
"""


def test_a_publisher_that_is_killed(folders: list[Path], tmp_path: Path) -> None:
    """At every step of the disk: searchers find the old version or the new one, whole."""
    store = cluster.Store(str(tmp_path / "store"))
    cluster.publish(folders, store)
    before = cluster.read_version(store)
    write_jsonl(tmp_path / "more.jsonl", [{"id": "new", "contents": "whale"}])
    code = ADD.format(folder=tmp_path)
    generator = random.Random(seed())
    step, kills = 1, 0
    while run_killed_at(step, code):
        kills += 1
        step += generator.randrange(1, 20)
        if store.versions() != [1]:
            break
        assert cluster.read_version(store) == before and cluster.verify(store) == []
    assert kills > 2
    assert store.versions() == [1, 2] and cluster.verify(store) == []
    searcher = warpdex.Searcher(part_folders(store, tmp_path / "host")[0])
    assert searcher.search("whale").ids == ["new"]


# Status and the command line


def test_status(folders: list[Path], tmp_path: Path) -> None:
    store = cluster.Store(str(tmp_path / "store"))
    cluster.publish(folders, store)
    write_jsonl(tmp_path / "more.jsonl", [{"id": "new", "contents": "whale"}])
    added = cluster.add(str(tmp_path / "more.jsonl"), store)
    found = json.loads(json.dumps(cluster.status(store)))
    assert (found["versions"], found["version"], found["documents"]) == ([1, 2], 2, 201)
    assert [part["documents"] for part in found["parts"]] == [91, 110]
    assert [part["segments"] for part in found["parts"]] == [2, 1]
    assert found["bytes"] == sum(part["bytes"] for part in found["parts"])
    news = [part["new_bytes"] for part in found["parts"]]
    assert 0 < news[0] < added.sent and news[1] == 0
    assert cluster.status(store, 1)["documents"] == 200
    table = cluster.table(found)
    assert "201 documents" in table and table.count("\n") == 5


def test_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_jsonl(tmp_path / "docs.jsonl", documents(4, 200))
    write_jsonl(tmp_path / "more.jsonl", [{"id": "new", "contents": "whale", "title": "x"}])
    where = ["--store", str(tmp_path / "store")]

    def run(*arguments: object) -> str:
        assert main([*map(str, arguments), *where]) == 0
        return capsys.readouterr().out

    docs = ["--input", tmp_path / "docs.jsonl", "--format", "jsonl"]
    assert run("build", *docs, "--parts", 2, "--fields", "title,contents").startswith("version 1: 200")
    more = ["--input", tmp_path / "more.jsonl", "--format", "jsonl"]
    assert json.loads(run("add", *more, "--part", 0, "--json"))["documents"] == 1
    assert "version 2" in run("status")
    assert run("verify") == "all files are sound\n"
    folders = [run("pull", "--part", part, "--into", tmp_path / "host").strip() for part in (0, 1)]
    assert json.loads(run("publish", *folders, "--json"))["version"] == 3
    assert warpdex.Searcher(folders[0]).search("whale").ids == ["new"]
    assert main(["add", *map(str, more), *where]) == 1
    assert "'new'" in capsys.readouterr().err
    for part in ("2", "-1"):
        assert main(["pull", "--part", part, "--into", str(tmp_path), *where]) != 0
        assert "--part is from 0 to 1" in capsys.readouterr().err
    assert main(["status", "--store", str(tmp_path / "empty")]) == 1
    assert "nothing is published" in capsys.readouterr().err


def test_help() -> None:
    def help_of(*command: str) -> str:
        call = [sys.executable, "-m", "warpdex.cluster", *command, "--help"]
        return subprocess.run(call, capture_output=True, text=True, check=True).stdout

    text = help_of()
    commands = re.findall(r"^    (\w+) ", text, flags=re.M)
    assert set(commands) >= {"build", "publish", "add", "pull", "status", "verify"}
    for command in commands:
        assert all(len(line) <= 100 for line in help_of(command).splitlines())
