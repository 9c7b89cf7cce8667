"""Changing an index."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest

import warpdex


def test_add_update_delete(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with warpdex.Writer(path, store=["contents"]) as writer:
        for i in range(10):
            writer.add({"id": str(i), "contents": f"fish number{i}"})
    searcher = warpdex.Searcher(path)
    assert len(searcher) == 10
    with warpdex.Writer(path) as writer:
        writer.update({"id": "3", "contents": "a bird"})
        assert writer.delete("4") and not writer.delete("40")
        with pytest.raises(warpdex.BadDocument):
            writer.add({"id": "5", "contents": "again"})
        report = writer.commit()
        writer.merge()
        assert writer.commit().number > report.number
        assert report.notes == []
    assert searcher.refresh()
    assert searcher.search("bird").ids == ["3"]
    assert searcher.stored("3") == {"contents": "a bird"}
    assert len(searcher) == 9 and searcher.find("4") is None


def test_an_index_keeps_its_fields(tmp_path: Path) -> None:
    docs = [{"id": "1", "title": "fish", "contents": "red"}]
    warpdex.build(docs, tmp_path / "index", fields=["title", "contents"], store=["title"])
    with warpdex.Writer(tmp_path / "index") as writer:
        writer.add({"id": "2", "title": "bird", "contents": "blue"})
    searcher = warpdex.Searcher(tmp_path / "index")
    assert searcher.search("bird", fields=["title"])[0].fields == {"title": "bird"}
    assert searcher.search("blue").ids == ["2"]


def test_an_empty_index_keeps_its_fields(tmp_path: Path) -> None:
    warpdex.Writer(tmp_path / "index", fields=["title", "body"], store=["title"]).close()
    with warpdex.Writer(tmp_path / "index") as writer:
        writer.add({"id": "1", "title": "bird", "body": "blue"})
    searcher = warpdex.Searcher(tmp_path / "index")
    assert searcher.search("bird").ids == searcher.search("blue").ids == ["1"]


def test_a_block_that_fails_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with warpdex.Writer(path) as writer:
        writer.add({"id": "1", "contents": "fish"})
    with pytest.raises(KeyError):
        with warpdex.Writer(path) as writer:
            writer.add({"id": "2", "contents": "fish"})
            raise KeyError
    assert len(warpdex.Searcher(path)) == 1
    with warpdex.Writer(path) as writer:
        writer.add({"id": "2", "contents": "fish"})
        writer.rollback()
    assert len(warpdex.Searcher(path)) == 1


def test_synced_changes_outlive_the_writer(tmp_path: Path) -> None:
    path = tmp_path / "index"
    writer = warpdex.Writer(path, journal=True)
    writer.add({"id": "1", "contents": "fish"})
    writer.sync()
    writer.add({"id": "2", "contents": "fish"})
    writer.close()
    assert len(warpdex.Searcher(path)) == 0
    with warpdex.Writer(path) as writer:
        assert writer.recovered == 1
        with pytest.raises(warpdex.UsageError):
            writer.sync()
    assert warpdex.Searcher(path).search("fish").ids == ["1"]


def test_what_a_writer_refuses(tmp_path: Path) -> None:
    path = tmp_path / "index"
    writer = warpdex.Writer(path)
    with pytest.raises(warpdex.IoError):
        warpdex.Writer(path)
    for bad in ({}, {"id": "1"}, {"id": "1", "contents": "\ud800"}, {"id": "a b", "contents": ""}):
        with pytest.raises(warpdex.BadDocument):
            writer.add(bad)
    writer.close()
    writer.close()
    with pytest.raises(warpdex.UsageError):
        writer.add({"id": "1", "contents": "x"})
    with pytest.raises(warpdex.UsageError):
        warpdex.Writer(path, memory="1M")
    with pytest.raises(warpdex.UsageError):
        warpdex.Writer(tmp_path / "other", analyzer="klingon")
    assert not (tmp_path / "other").exists()


def test_vectors_and_weights(tmp_path: Path) -> None:
    with warpdex.Writer(tmp_path / "v", vectors="vec", dimension=2) as writer:
        writer.add({"id": "1", "contents": "fish", "vec": [1.0, 2.0]})
        with pytest.raises(warpdex.BadDocument):
            writer.add({"id": "2", "contents": "fish", "vec": [1.0]})
    assert warpdex.Searcher(tmp_path / "v").vector("1").tolist() == [1, 2]
    with warpdex.Writer(tmp_path / "w", weights="toks") as writer:
        writer.add({"id": "1", "toks": {"sea": 3}})
    assert warpdex.Searcher(tmp_path / "w").search("sea")[0].score == 3


def test_searches_go_on_beside_commits(tmp_path: Path) -> None:
    path = tmp_path / "index"
    with warpdex.Writer(path) as writer:
        writer.add({"id": "0", "contents": "fish"})
    searcher = warpdex.Searcher(path)
    ended = threading.Event()
    failures: list[BaseException] = []

    def search() -> None:
        try:
            while not ended.is_set():
                hits = searcher.search("fish", k=1000)
                assert len(set(hits.ids)) == len(hits) >= 1
        except BaseException as error:  # noqa: BLE001
            failures.append(error)

    threads = [threading.Thread(target=search) for _ in range(8)]
    for thread in threads:
        thread.start()
    with warpdex.Writer(path) as writer:
        for i in range(1, 20):
            writer.add({"id": str(i), "contents": "fish"})
            writer.commit()
            assert searcher.refresh()
    ended.set()
    for thread in threads:
        thread.join()
    assert not failures
    assert len(searcher) == 20


def test_files(tmp_path: Path) -> None:
    path = tmp_path / "index"
    warpdex.build([{"id": "1", "title": "old", "contents": "sea"}], path,
                  fields=["title", "contents"], store=["title"])
    (tmp_path / "more.jsonl").write_text(
        '{"id": "2", "title": "new", "contents": "whale"}\n{"id": "1", "title": "other", '
        '"contents": "gull"}\n', "utf-8"
    )
    (tmp_path / "more.tsv").write_text("3\tsea gull\n", "utf-8")
    searcher = warpdex.Searcher(path)
    with warpdex.Writer(path) as writer:
        with pytest.raises(warpdex.BadDocument, match="more.jsonl:2"):
            writer.add_files(tmp_path / "more.jsonl")
        with pytest.raises(warpdex.IoError):
            writer.add_files([tmp_path / "gone.jsonl"])
        with pytest.raises(TypeError, match="path"):
            writer.add_files([{"id": "4"}])  # type: ignore[list-item]
        writer.commit()
        searcher.refresh()
        assert len(searcher) == 1  # all of a call, or nothing
        report = writer.add_files(str(tmp_path / "more.jsonl"), skip_bad=True)
        assert (report.documents, report.skipped) == (1, 1)
        writer.add_files([tmp_path / "more.jsonl"], update=True)
    assert searcher.refresh()
    assert searcher.search("new whale", fields=["title"])[0].fields == {"title": "new"}
    assert [searcher.search(word).ids for word in ("sea", "gull")] == [[], ["1"]]
    warpdex.build([{"id": "1", "contents": "sea"}], tmp_path / "plain")
    with warpdex.Writer(tmp_path / "plain") as writer:
        assert writer.add_files(tmp_path / "more.tsv", format="tsv").documents == 1
    assert warpdex.Searcher(tmp_path / "plain").search("sea").ids == ["1", "3"]
