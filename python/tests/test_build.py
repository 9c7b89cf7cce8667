"""Building from dicts, tables and files; what goes wrong leaves nothing behind."""

from __future__ import annotations

import gzip
import threading
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from conftest import contents, documents, write_jsonl

import warpdex


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_an_iterable_is_read_once_in_the_calling_thread(tmp_path: Path) -> None:
    threads = set()

    def stream() -> Iterator[dict[str, str]]:
        for doc in documents(2, 3000):
            threads.add(threading.get_ident())
            yield doc

    report = warpdex.build(stream(), tmp_path / "index", analyzer="whitespace")
    assert report.documents == 3000 and report.postings > 3000 and report.seconds > 0
    assert threads == {threading.get_ident()}
    assert names(tmp_path) == ["index"]


def test_an_index_is_replaced(tmp_path: Path) -> None:
    for count in (5, 3):
        warpdex.build(documents(3, count), tmp_path / "index")
        assert len(warpdex.Searcher(tmp_path / "index")) == count


def test_halves_are_the_floats_that_they_stand_for(tmp_path: Path) -> None:
    docs = documents(3, 700)
    halves = np.random.default_rng(1).standard_normal((700, 5)).astype(np.float16)
    halves[0] = [0, -0.0, 65504, 6e-8, 1]
    for store in ("float", "half"):
        made = []
        for rows in (halves, halves.astype(np.float32)):
            folder = tmp_path / f"{store} {rows.dtype}"
            warpdex.build(docs, folder, vectors=rows, vector_store=store)
            made.append(contents(folder))
        assert made[0] == made[1]
    bad = halves.copy()
    bad[699, 4] = np.nan
    with pytest.raises(warpdex.InputError):
        warpdex.build(docs, tmp_path / "bad", vectors=bad)


def test_vectors_in_lists(tmp_path: Path) -> None:
    docs = documents(3, 4200, 5)
    rows = np.random.default_rng(2).standard_normal((4200, 6)).astype(np.float32)
    warpdex.build(docs, tmp_path / "flat", vectors=rows, metric="l2")
    kind = {"kind": "ivf-pq", "lists": 30, "pq_bytes": 3}
    warpdex.build(docs, tmp_path / "listed", vectors=rows, metric="l2", vector_index=kind)
    flat = warpdex.Searcher(tmp_path / "flat").search_batch(None, vectors=rows[:9], k=50)
    listed = warpdex.Searcher(tmp_path / "listed")
    whole = listed.search_batch(None, vectors=rows[:9], k=50, probes=30, refine=4200)
    assert whole.to_dict() == flat.to_dict()
    few = listed.search_batch(None, vectors=rows[:9], k=50, probes=1)
    assert few.to_dict() != flat.to_dict()
    with pytest.raises(warpdex.UsageError, match="trees"):
        warpdex.build(docs, tmp_path / "no", vectors=rows, vector_index="trees")
    with pytest.raises(TypeError, match="vector_index"):
        warpdex.build(docs, tmp_path / "no", vectors=rows, vector_index=3)  # type: ignore[arg-type]


@pytest.mark.parametrize("before", [0, 1, 5000])
def test_a_generator_that_raises_leaves_nothing(tmp_path: Path, before: int) -> None:
    def stream() -> Iterator[dict[str, str]]:
        yield from documents(4, before)
        raise LookupError("the database is gone")

    with pytest.raises(LookupError, match="the database is gone"):
        warpdex.build(stream(), tmp_path / "index")
    assert names(tmp_path) == []
    warpdex.build(documents(4, 2), tmp_path / "index")
    with pytest.raises(LookupError):
        warpdex.build(stream(), tmp_path / "index")
    assert names(tmp_path) == ["index"]
    assert len(warpdex.Searcher(tmp_path / "index")) == 2


BAD = {
    "no id": {"contents": "x"},
    "an id with a space": {"id": "a b", "contents": "x"},
    "an empty id": {"id": "", "contents": "x"},
    "an id of another type": {"id": 1.5, "contents": "x"},
    "a bool": {"id": True, "contents": "x"},
    "the same id": {"id": "d0", "contents": "x"},
    "no field": {"id": "x", "text": "x"},
    "a field that is None": {"id": "x", "contents": None},
    "a field of another type": {"id": "x", "contents": ["x"]},
    "a lone surrogate": {"id": "x", "contents": "\ud800"},
    "a lone surrogate in its id": {"id": "\udfff", "contents": "x"},
    "NUL": {"id": "x", "contents": "a\0b"},
    "a stored field of another type": {"id": "x", "contents": "x", "title": ["x"]},
    "no dict": ["x"],
}


@pytest.mark.parametrize("name", BAD)
def test_bad_documents(tmp_path: Path, name: str) -> None:
    docs = [*documents(5, 3), BAD[name], {"id": "last", "contents": "x"}]
    with pytest.raises(warpdex.BadDocument, match="<documents>:4"):
        warpdex.build(docs, tmp_path / "index", store=["title"])  # type: ignore[arg-type]
    assert names(tmp_path) == []
    options = {"store": ["title"], "skip_bad": True}
    report = warpdex.build(docs, tmp_path / "index", **options)  # type: ignore[arg-type]
    assert (report.documents, report.skipped) == (4, 1)


def test_ids_and_stored_values(tmp_path: Path) -> None:
    docs = [
        {"id": 5, "_id": "x", "contents": "one", "year": 1999},
        {"id": None, "_id": "six", "contents": "one", "year": 2.5},
        {"docno": "seven", "contents": "one \u00e9 \U0001f40b", "year": None},
    ]
    warpdex.build(docs, tmp_path / "index", store=["year", "contents"])
    searcher = warpdex.Searcher(tmp_path / "index")
    assert searcher.search("one").ids == ["5", "six", "seven"]
    assert searcher.stored("5") == {"year": "1999", "contents": "one"}
    assert searcher.stored("six")["year"] == "2.5"
    assert searcher.stored("seven") == {"contents": "one \u00e9 \U0001f40b"}


def test_files(tmp_path: Path) -> None:
    docs = documents(6, 50)
    write_jsonl(tmp_path / "a.jsonl", docs[:20])
    packed = gzip.compress(write_jsonl(tmp_path / "b.jsonl", docs[20:]).read_bytes())
    (tmp_path / "b.jsonl.gz").write_bytes(packed)
    report = warpdex.build([tmp_path / "a.jsonl", tmp_path / "b.jsonl.gz"], tmp_path / "index")
    assert report.documents == 50
    (tmp_path / "c.tsv").write_text("1\tred fish\n2\tblue fish\n", "utf-8")
    warpdex.build(tmp_path / "c.tsv", tmp_path / "index", format="tsv")
    assert warpdex.Searcher(tmp_path / "index").search("blue").ids == ["2"]
    with pytest.raises(warpdex.IoError):
        warpdex.build(tmp_path / "gone.jsonl", tmp_path / "index")
    assert len(warpdex.Searcher(tmp_path / "index")) == 2


def test_weights(tmp_path: Path) -> None:
    docs = [{"id": "1", "toks": {"sea": 3, "##ing": 1}}, {"id": "2", "toks": {"sea": 7}}]
    warpdex.build(docs, tmp_path / "index", weights="toks")
    searcher = warpdex.Searcher(tmp_path / "index")
    assert [(hit.id, hit.score) for hit in searcher.search("sea")] == [("2", 7), ("1", 3)]
    for bad in ({}, {"sea": "x"}, {"sea": -1}, {"sea": float("nan")}):
        with pytest.raises(warpdex.BadDocument):
            warpdex.build([{"id": "1", "toks": bad}], tmp_path / "index", weights="toks")


def test_vectors(tmp_path: Path) -> None:
    vectors = np.arange(12, dtype=np.float32).reshape(3, 4)
    docs = documents(7, 3)
    warpdex.build(docs, tmp_path / "array", vectors=vectors.astype(np.float16))
    with_vectors = [{**doc, "vec": row.tolist()} for doc, row in zip(docs, vectors)]
    warpdex.build(iter(with_vectors), tmp_path / "member", vectors="vec")
    for made in ("array", "member"):
        assert warpdex.Searcher(tmp_path / made).vector("d1").tolist() == [4, 5, 6, 7]
    for rows in (2, 4):
        with pytest.raises(warpdex.InputError):
            warpdex.build(docs, tmp_path / "other", vectors=np.zeros((rows, 4), np.float32))
    with pytest.raises(warpdex.InputError):
        warpdex.build(docs, tmp_path / "other", vectors=np.full((3, 4), np.nan, np.float32))
    with pytest.raises(warpdex.InputError):
        warpdex.build(docs, tmp_path / "other", vectors="vec")
    assert names(tmp_path) == ["array", "member"]


def test_tables(tmp_path: Path) -> None:
    docs = documents(8, 30)
    docs[3]["title"] = None  # type: ignore[assignment]
    pandas = pytest.importorskip("pandas")
    warpdex.build(pandas.DataFrame(docs), tmp_path / "pandas", store=["title"])
    pyarrow = pytest.importorskip("pyarrow")
    warpdex.build(pyarrow.Table.from_pylist(docs), tmp_path / "arrow", store=["title"])
    warpdex.build(docs, tmp_path / "dicts", store=["title"])
    for made in ("pandas", "arrow"):
        assert contents(tmp_path / made) == contents(tmp_path / "dicts")


def test_what_cannot_be_taken(tmp_path: Path) -> None:
    path = tmp_path / "index"
    docs = documents(9, 2)
    for options in (
        {"analyzer": "klingon"}, {"codec": "zip"}, {"memory": "1X"}, {"memory": 5},
        {"metric": "far"}, {"fields": []}, {"format": "pdf"}, {"threads": -1}, {"static_scores": tmp_path / "gone"},
        {"vectors": np.zeros((2, 4))}, {"vectors": np.zeros(4, np.float32)},
        {"vectors": np.zeros((4, 2), np.float32).T},
    ):
        with pytest.raises((warpdex.UsageError, warpdex.IoError)):
            warpdex.build(docs, path, **options)  # type: ignore[arg-type]
    for wrong in (5, None, {"id": "1", "contents": "x"}):
        with pytest.raises(TypeError):
            warpdex.build(wrong, path)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        warpdex.build(docs, path, fields="contents")
    with pytest.raises(TypeError):
        warpdex.build(docs, path, colour="red")  # type: ignore[call-arg]
    assert names(tmp_path) == []
