"""Searching: hits, batches, results in other forms."""

from __future__ import annotations

import asyncio
import pickle
from pathlib import Path

import numpy as np
import pytest

import warpdex


def test_hits(books: Path) -> None:
    searcher = warpdex.Searcher(books)
    hits = searcher.search("sailing the sea")
    assert [hit.id for hit in hits] == hits.ids == ["7", "moby"]
    assert hits[0].score > hits[1].score > 0
    assert hits[-1].id == "moby"
    assert [hit.id for hit in hits[::-1]] == ["moby", "7"] and hits[5:] == []
    assert hits[0].doc == 2
    assert hits[0].fields == {}
    with pytest.raises(IndexError):
        hits[2]
    assert searcher.search("nothing").ids == []
    assert len(searcher) == searcher.documents == 3
    assert "moby" in repr(hits) and "moby" in repr(hits[1])


def test_fields_and_snippets(books: Path) -> None:
    searcher = warpdex.Searcher(books)
    hit = searcher.search("island", fields=["title"], snippets=True)[0]
    assert hit.fields == {"title": "Treasure & Island"}
    assert hit.snippets == {"title": "Treasure &amp; <em>Island</em>"}
    plain = searcher.search(
        "island", fields=["title"], snippets=True, html=False, before="[", after="]"
    )
    assert plain[0].snippets == {"title": "Treasure & [Island]"}
    pieces = searcher.search("treas* isl*", syntax="lucene", fields=["title"], snippets=True,
                             snippet_bytes=8, snippet_fragments=3)
    assert pieces[0].snippets == {"title": "<em>Treasure</em>…<em>Island</em>"}


def test_explanations_add_up(books: Path) -> None:
    searcher = warpdex.Searcher(books)
    for options in ({}, {"k1": 1.7, "b": 0.2}, {"scorer": "qld", "mu": 50},
                    {"scorer": "bm25+", "delta": 0.5}, {"scorer": "qljm"}, {"scorer": "pl2"}, {"scorer": "bm25-lucene"}):
        for hit in searcher.search("sea sail^2", **options):
            why = hit.explain()
            total = np.float32(0)
            for term in why.terms:
                total += np.float32(term.score)
            assert why.score == hit.score == total
            assert why.id == hit.id and hit.id in why.to_json()
            assert searcher.score("sea sail^2", hit.id, **options) == hit.score
            alone = searcher.explain("sea sail^2", hit.id, **options)
            assert (alone.searched_by, why.searched_by) == ("engine", "cpu engine")
            assert str(alone).splitlines()[1:] == str(why).splitlines()[1:]


def test_modes_and_counts(books: Path) -> None:
    searcher = warpdex.Searcher(books)
    assert searcher.search("sea sail", mode="and").ids == ["7"]
    assert searcher.search("+sail -sea").ids == ["moby"]
    assert sorted(searcher.search("+sail -sea", syntax="plain").ids) == ["7", "moby"]
    both = searcher.search("sister sea", mode="and-or")
    assert both.fell_back_to_or and len(both) == 2
    counted = searcher.search("sail", k=1, count=True)
    assert (counted.matches, counted.matches_exact, len(counted)) == (2, True, 1)
    assert counted.is_complete and not counted.scores_are_distances


def test_batch(books: Path) -> None:
    searcher = warpdex.Searcher(books)
    result = searcher.search_batch(["sea", "nothing", "sail"], k=5)
    assert len(result) == 3
    assert result.scores.shape == result.docs.shape == (3, 5)
    assert (result.scores.dtype, result.docs.dtype) == (np.float32, np.uint32)
    assert result.counts.tolist() == [1, 0, 2]
    assert result.ids == [["7"], [], ["7", "moby"]]
    assert result.qids == ["0", "1", "2"]
    assert not result.scores[1].any() and (result.docs[1] == 2**32 - 1).all()
    for query, hits in zip(["sea", "nothing", "sail"], result):
        assert hits == [(hit.id, hit.score) for hit in searcher.search(query, k=5)]
    assert result[-1][1].id == "moby" and result.is_complete and result.commit == searcher.commit
    assert len(searcher.search_batch([])) == 0
    assert searcher.search_batch([]).scores.shape == (0, 10)


@pytest.mark.parametrize("k", [1, 10, 5000])
def test_a_batch_with_fields_and_counts(many: Path, k: int) -> None:
    searcher = warpdex.Searcher(many)
    queries = [f"w{i % 70} w{i * 7 % 50} -w{i % 11}" for i in range(30)] + ["nothing", ""]
    plain = searcher.search_batch(queries, k=k)
    result = searcher.search_batch(queries, k=k, fields=["title"], count=True, snippets=True)
    assert (result.docs == plain.docs).all() and (result.scores == plain.scores).all()
    assert (result.counts == plain.counts).all() and result.ids == plain.ids
    assert result.commit == plain.commit and result.is_complete
    assert result.matches.dtype == np.uint64 and len(result.hits) == len(queries)
    for query, hits, matches in zip(queries, result.hits, result.matches):
        alone = searcher.search(query, k=k, fields=["title"], count=True)
        assert hits.ids == alone.ids and matches == alone.matches and hits.matches_exact
        assert [hit.fields for hit in hits] == [hit.fields for hit in alone]
        assert all(hit.explain().score == hit.score for hit in hits[:2])
        assert all(hit.fields["title"] == f"number {hit.id[1:]}" for hit in hits)
    with pytest.raises(warpdex.UsageError):
        plain.hits
    with pytest.raises(warpdex.UsageError):
        plain.matches
    with pytest.raises(warpdex.UsageError):
        searcher.search_batch(queries, k=k, fields=["gone"])
    assert searcher.search_batch([], fields=["title"]).hits == []


def test_batch_in_other_forms(books: Path, tmp_path: Path) -> None:
    searcher = warpdex.Searcher(books)
    result = searcher.search_batch({"a": "sail", "b": "nothing", "c": "sister"})
    scores = result.to_dict()
    assert list(scores) == ["a", "b", "c"]
    assert scores["b"] == {} and list(scores["c"]) == ["alice"]
    assert scores["a"] == {hit.id: hit.score for hit in searcher.search("sail")}
    result.save_trec(tmp_path / "run", tag="mine")
    lines = (tmp_path / "run").read_text("utf-8").splitlines()
    assert [line.split()[:4] for line in lines] == [
        ["a", "Q0", "7", "1"], ["a", "Q0", "moby", "2"], ["c", "Q0", "alice", "1"],
    ]
    assert lines[0].endswith(" mine")
    with pytest.raises(warpdex.IoError):
        result.save_trec(tmp_path / "gone" / "run")
    with pytest.raises(warpdex.UsageError):
        searcher.search_batch(["sea", "sea"], qids=["1", "1"]).save_trec(tmp_path / "run")


def test_tables(books: Path) -> None:
    result = warpdex.Searcher(books).search_batch(["sail", "sister"], qids=["a", "b"])
    pandas = pytest.importorskip("pandas")
    frame = result.to_pandas()
    assert list(frame.columns) == ["qid", "docno", "score", "rank"]
    assert frame.qid.tolist() == ["a", "a", "b"]
    assert frame.docno.tolist() == ["7", "moby", "alice"]
    assert frame["rank"].tolist() == [0, 1, 0]
    assert isinstance(frame, pandas.DataFrame)
    pytest.importorskip("pyarrow")
    assert result.to_arrow().to_pydict() == frame.to_dict("list")


def test_threads_give_the_same(many: Path) -> None:
    searcher = warpdex.Searcher(many, threads=1)
    queries = [f"w{i % 50} w{i * 7 % 50} -w{i % 11}" for i in range(1000)]
    results = [searcher.search_batch(queries, threads=threads) for threads in (0, 1, 2, 3)]
    for result in results[1:]:
        assert (result.docs == results[0].docs).all()
        assert (result.scores == results[0].scores).all()


def test_async(many: Path) -> None:
    searcher = warpdex.Searcher(many)

    async def search_some() -> list[list[str]]:
        found = await asyncio.gather(*(searcher.search_async(f"w{i}") for i in range(20)))
        return [hits.ids for hits in found]

    assert asyncio.run(search_some()) == [searcher.search(f"w{i}").ids for i in range(20)]


def test_phrases(tmp_path: Path) -> None:
    docs = {"a": "the old ship sails", "b": "a ship so old", "c": "old and grey ship"}
    texts = [{"id": name, "contents": text} for name, text in docs.items()]
    warpdex.build(texts, tmp_path / "built", positions=True, progress=False)
    with warpdex.Writer(tmp_path / "written", positions=True) as writer:
        for text in texts:
            writer.add(text)
    for folder in ("built", "written"):
        searcher = warpdex.Searcher(tmp_path / folder)
        for query, found in {'"old ship"': "a", '"old ship"~2': "ac", '"old ship"~3': "abc",
                             '+"old ship"~3 -sails': "bc"}.items():
            assert {hit.id for hit in searcher.search(query, syntax="lucene")} == set(found), query
    warpdex.build(texts, tmp_path / "without", progress=False)
    with pytest.raises(warpdex.InputError, match="positions"):
        warpdex.Searcher(tmp_path / "without").search('"old ship"', syntax="lucene")


def test_a_new_commit(tmp_path: Path) -> None:
    with warpdex.Writer(tmp_path / "index") as writer:
        writer.add({"id": "1", "contents": "red fish"})
    searcher = warpdex.Searcher(tmp_path / "index")
    old = searcher.search("fish")
    with warpdex.Writer(tmp_path / "index") as writer:
        writer.add({"id": "2", "contents": "blue fish"})
    assert len(searcher) == 1 and searcher.document_frequency("fish") == 1
    assert searcher.refresh() and not searcher.refresh()
    assert sorted(searcher.search("fish").ids) == ["1", "2"]
    assert sorted(searcher.search_batch(["fish"], threads=2).ids[0]) == ["1", "2"]
    assert searcher.document_frequency("fish") == 2
    assert old.ids == ["1"] and old[0].explain().documents == 1


def test_words_and_vectors(tmp_path: Path) -> None:
    vectors = np.eye(3, dtype=np.float32)
    docs = [{"id": str(i), "contents": text} for i, text in enumerate(["red", "blue", "red blue"])]
    warpdex.build(docs, tmp_path / "index", vectors=vectors, store=["contents"])
    searcher = warpdex.Searcher(tmp_path / "index")
    assert searcher.search(None, k=1, vector=vectors[1]).ids == ["1"]
    assert searcher.search("red", k=1, vector=vectors[2], fusion="rerank").ids == ["2"]
    both = searcher.search_batch(["red", "blue"], vectors=vectors[:2], fusion="convex", weight=0.5)
    assert both.counts.tolist() == [3, 3]
    for row, query in enumerate(["red", "blue"]):
        alone = searcher.search(query, vector=vectors[row], fusion="convex", weight=0.5)
        assert both[row] == [(hit.id, hit.score) for hit in alone]
    assert searcher.search_batch(None, vectors=vectors.astype(np.float16), k=1).ids == [
        ["0"], ["1"], ["2"],
    ]
    assert searcher.vector("2").tolist() == [0, 0, 1]
    for texts in (["red", "blue", "red"], None):
        arrays = searcher.search_batch(texts, vectors=vectors, k=2)
        shown = searcher.search_batch(texts, vectors=vectors, k=2, fields=["contents"])
        assert arrays.ids == shown.ids and (arrays.scores == shown.scores).all()
        assert shown.hits[0][0].fields["contents"] == "red"
    with pytest.raises(warpdex.UsageError):
        searcher.search_batch(["red"], vectors=vectors, fields=["contents"])
    with pytest.raises(warpdex.UsageError):
        alone[0].explain()


def test_a_fusion_is_as_deep_as_the_answer(tmp_path: Path) -> None:
    vectors = np.arange(2400, dtype=np.float32).reshape(1200, 2)
    docs = [{"id": str(i), "contents": "sea"} for i in range(1200)]
    warpdex.build(docs, tmp_path / "index", vectors=vectors)
    searcher = warpdex.Searcher(tmp_path / "index")
    for fusion in ("rerank", "neighbors"):
        found = searcher.search("sea", 1200, vector=np.ones(2, np.float32), fusion=fusion)
        assert len(found) == 1200
    assert len(searcher.search("sea", 1200, vector=vectors[0], fusion="rerank", depth=1000)) == 1000


def test_document_blocks(tmp_path: Path, books: Path) -> None:
    """Documents and weights are made of numbers, so that each answer can be added up here."""
    weights = [{f"t{(i * j) % 40}": (i * 7 + j * 13) % 255 + 1 for j in range(1, 9)}
               for i in range(600)]
    docs = [{"id": str(i), "w": row} for i, row in enumerate(weights)]
    warpdex.build(docs, tmp_path / "index", weights="w", progress=False)
    plain = warpdex.Searcher(tmp_path / "index", "cpu")
    blocks = pickle.loads(pickle.dumps(warpdex.Searcher(tmp_path / "index", "cpu",
                                                        document_blocks=True)))
    for start in range(12):
        terms = {f"t{(start + 3 * i) % 40}": 1.0 + i for i in range(7)}
        scores = sorted((sum(weight * row.get(term, 0) for term, weight in terms.items())
                         for row in weights), reverse=True)
        hits = blocks.search_terms(terms, 20)
        assert [hit.score for hit in hits] == scores[:20]
        assert hits.ids == plain.search_terms(terms, 20).ids
    with pytest.raises(warpdex.UsageError, match="impacts"):
        warpdex.Searcher(books, "cpu", document_blocks=True)
