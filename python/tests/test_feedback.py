"""Searches for weighted terms; RM3 and Rocchio against references that are written apart."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import warpdex
from conftest import documents
from warpdex import _feedback

DOCS = [{**doc, "contents": doc["contents"].replace("w", "word")} for doc in documents(5, 800)]


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> warpdex.Searcher:
    path = tmp_path_factory.mktemp("feedback") / "index"
    warpdex.build(DOCS, path, analyzer="whitespace", store=["title"])
    return warpdex.Searcher(path)


def test_weights_of_one_are_words(searcher: warpdex.Searcher) -> None:
    for k in (1, 10, 1000):
        words = searcher.search("word3 word40", k)
        terms = searcher.search_terms({"word3": 1, "word40": 1, "word7": 0}, k)
        assert [(hit.id, hit.score) for hit in terms] == [(hit.id, hit.score) for hit in words]


def test_weights_are_those_of_the_syntax(searcher: warpdex.Searcher) -> None:
    words = searcher.search("word3^2.5 word40^0.25", 50, scorer="qld", fields=["title"])
    options = warpdex.SearchOptions(scorer="qld", fields=["title"])
    terms = searcher.search_terms({"word3": 2.5, "word40": 0.25}, 50, **options)
    assert [(hit.id, hit.score, hit.fields) for hit in terms] == [
        (hit.id, hit.score, hit.fields) for hit in words
    ]
    assert terms[0].explain().score == terms[0].score


def test_many_queries_of_terms(searcher: warpdex.Searcher) -> None:
    queries = [{f"word{i}": 1 + i / 7, "word2": 0.5} for i in range(40)]
    for threads in (0, 1, 2):
        found = searcher.search_terms_batch(queries, 20, threads)
        for hits, query in zip(found, queries, strict=True):
            one = searcher.search_terms(query, 20)
            assert [(a.id, a.score) for a in hits] == [(b.id, b.score) for b in one]
    assert searcher.search_terms_batch([]) == []
    assert len(searcher.search_terms({})) == 0


def test_learned_weights_with_vectors(tmp_path: Path) -> None:
    rows = np.eye(4, dtype=np.float32)
    docs = [
        {"id": str(i), "toks": {"sea": 1 + i, "##ing": 4, "+^": 2, "-x": i}} for i in range(4)
    ]
    warpdex.build(docs, tmp_path / "index", weights="toks", vectors=rows)
    searcher = warpdex.Searcher(tmp_path / "index")
    hits = searcher.search_terms({"sea": 2, "+^": 0.5, "-x": 10, "absent": 3})
    assert [(hit.id, hit.score) for hit in hits] == [
        (str(i), 2 * (1 + i) + 1 + 10 * i) for i in (3, 2, 1, 0)
    ]
    both = searcher.search_terms({"sea": 2}, vector=rows[0], fusion="convex", weight=0.0)
    assert both[0].id == "0"
    assert [h.ids[0] for h in searcher.search_terms_batch(
        [{"sea": 1}] * 4, vectors=rows, fusion="convex", weight=0.0)] == ["0", "1", "2", "3"]


@pytest.mark.parametrize("weight", [-1, math.nan, math.inf, 1e10, 1e-10])
def test_bad_weights(searcher: warpdex.Searcher, weight: float) -> None:
    with pytest.raises(warpdex.InputError, match="weight of the term 'word1'"):
        searcher.search_terms({"word1": weight})


def test_bad_terms(searcher: warpdex.Searcher) -> None:
    with pytest.raises(TypeError):
        searcher.search_terms({"word1": "2"})  # type: ignore[dict-item]
    with pytest.raises(TypeError):
        searcher.search_terms({1: 2})  # type: ignore[dict-item]
    with pytest.raises(warpdex.InputError):
        searcher.search_terms({"\ud800": 1})
    with pytest.raises(warpdex.InputError, match="at most"):
        searcher.search_terms({f"x{i}": 1 for i in range(70_000)})
    with pytest.raises(warpdex.UsageError):
        searcher.search_terms({"word1": 1}, k=0)
    with pytest.raises(warpdex.UsageError):
        searcher.search_terms({"word1": 1}, vector=np.zeros(3, np.float32))


class Reference:
    """Feedback by the formulas, over the documents' texts."""

    def __init__(self, query: str, docs: int, terms: int) -> None:
        self.words = query.split()
        self.terms = terms
        self.texts = {doc["id"]: doc["contents"].split() for doc in DOCS}
        self.df = {
            term: sum(term in text for text in self.texts.values())
            for term in {term for text in self.texts.values() for term in text}
        }
        counts = {word: float(self.words.count(word)) for word in self.words}
        scores = {id: self.bm25(counts, id) for id in self.texts}
        order = sorted((id for id in scores if scores[id] > 0), key=lambda id: -scores[id])
        self.top = {id: scores[id] for id in order[:docs]}

    def bm25(self, weights: dict[str, float], id: str) -> float:
        n = len(self.texts)
        average = sum(map(len, self.texts.values())) / n
        text = self.texts[id]
        total = 0.0
        for term, weight in weights.items():
            tf = text.count(term)
            if tf:
                df = self.df[term]
                idf = math.log(1 + (n - df + 0.5) / (df + 0.5))
                total += weight * idf * tf / (tf + 0.9 * (0.6 + 0.4 * len(text) / average))
        return total

    def cut(self, vector: dict[str, float]) -> dict[str, float]:
        names = sorted(sorted(vector), key=lambda term: vector[term], reverse=True)
        return {term: vector[term] for term in names[: self.terms]}

    def vector(self, id: str) -> dict[str, float]:
        text = self.texts[id]
        return self.cut({
            term: float(text.count(term))
            for term in set(text)
            if re.fullmatch("[a-z0-9]{2,20}", term) and self.df[term] / len(self.texts) <= 0.1
        })

    def rm3(self, share: float) -> dict[str, float]:
        vectors = {id: self.vector(id) for id in self.top}
        model: dict[str, float] = {}
        for term in {term for vector in vectors.values() for term in vector}:
            model[term] = sum(
                score * vectors[id].get(term, 0) / sum(vectors[id].values())
                for id, score in self.top.items() if vectors[id]
            )
        model = self.cut(model)
        sum_of_model = sum(model.values())
        return {
            term: share * self.words.count(term) / len(self.words)
            + (1 - share) * model.get(term, 0) / sum_of_model
            for term in {*model, *self.words}
        }

    def rocchio(self, alpha: float, beta: float) -> dict[str, float]:
        vectors = [self.vector(id) for id in self.top]
        mean = {
            term: sum(
                vector.get(term, 0) / math.sqrt(sum(x * x for x in vector.values()))
                for vector in vectors if vector
            ) / len(vectors)
            for term in {term for vector in vectors for term in vector}
        }
        mean = self.cut(mean)
        length = math.sqrt(sum(x * x for x in mean.values()))
        words = {word: self.words.count(word) for word in self.words}
        norm = math.sqrt(sum(x * x for x in words.values()))
        return {
            term: alpha * words.get(term, 0) / norm + beta * mean.get(term, 0) / length
            for term in {*mean, *words}
        }


QUERIES = ["word30", "word5 word51 word44", "word9 word9 word58", "word0 word1 word2 word33"]


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(("docs", "terms", "share"), [(10, 10, 0.5), (3, 25, 0.8), (40, 4, 0.0)])
def test_rm3(
    searcher: warpdex.Searcher, query: str, docs: int, terms: int, share: float
) -> None:
    reference = Reference(query, docs, terms)
    wanted = {term: weight for term, weight in reference.rm3(share).items() if weight > 0}
    found = searcher.rm3_terms(
        query, fb_docs=docs, fb_terms=terms, original_query_weight=share
    )
    assert found == pytest.approx(wanted, rel=1e-5)
    assert sum(found.values()) == pytest.approx(1)
    hits = searcher.rm3(query, 30, fb_docs=docs, fb_terms=terms, original_query_weight=share)
    check_hits(hits, lambda id: reference.bm25(wanted, id))


@pytest.mark.parametrize("query", QUERIES)
@pytest.mark.parametrize(("docs", "terms", "beta"), [(10, 10, 0.75), (2, 30, 2.0)])
def test_rocchio(
    searcher: warpdex.Searcher, query: str, docs: int, terms: int, beta: float
) -> None:
    reference = Reference(query, docs, terms)
    wanted = reference.rocchio(1, beta)
    found = searcher.rocchio_terms(query, top_fb_docs=docs, top_fb_terms=terms, beta=beta)
    assert found == pytest.approx(wanted, rel=1e-5)
    hits = searcher.rocchio(query, 30, top_fb_docs=docs, top_fb_terms=terms, beta=beta)
    check_hits(hits, lambda id: reference.bm25(wanted, id))


def check_hits(hits: warpdex.Hits, score: Callable[[str], float]) -> None:
    """The best scores of all, and the right ones. Ids of equal scores may be others."""
    assert [hit.score for hit in hits] == pytest.approx([score(hit.id) for hit in hits], rel=1e-4)
    best = sorted((score(doc["id"]) for doc in DOCS), reverse=True)[: len(hits)]
    assert [hit.score for hit in hits] == pytest.approx(best, rel=1e-4)


def test_original_query_alone(searcher: warpdex.Searcher) -> None:
    words = searcher.search("word5 word44", 100)
    terms = searcher.rm3("word5 word44", 100, original_query_weight=1)
    assert terms.ids == words.ids
    assert searcher.rocchio("word5 word44", 100, beta=0).ids == words.ids
    assert searcher.rocchio("word5 word44", 100, beta=1e-300).ids == words.ids


def test_modes_are_of_the_first_search(searcher: warpdex.Searcher) -> None:
    query = "word5 word51 word44"
    terms = searcher.rm3_terms(query, mode="and")
    assert terms != searcher.rm3_terms(query)
    assert searcher.rm3(query, 100, mode="and").ids == searcher.search_terms(terms, 100).ids


def test_feedback_without_answers(searcher: warpdex.Searcher) -> None:
    assert len(searcher.rm3("absent")) == 0
    assert searcher.rm3_terms("absent") == {"absent": 0.5}
    assert searcher.rm3_terms("") == {}
    assert len(searcher.rocchio("")) == 0
    shown = searcher.rm3("word30", fields=["title"])
    assert shown[0].fields["title"].startswith("number")


def test_bad_feedback(searcher: warpdex.Searcher, tmp_path: Path) -> None:
    for bad in ({"fb_terms": 0}, {"fb_docs": 0}, {"original_query_weight": 1.5},
                {"original_query_weight": math.nan}, {"syntax": "signed"}):
        with pytest.raises(warpdex.UsageError):
            searcher.rm3("word1", **bad)  # type: ignore[arg-type]
    with pytest.raises(warpdex.UsageError):
        searcher.rocchio("word1", beta=-1)
    with pytest.raises(TypeError):
        searcher.rm3("word1", fb_term=3)  # type: ignore[call-arg]
    warpdex.build(DOCS[:3], tmp_path / "index", forward=False)
    with pytest.raises(warpdex.UsageError):
        warpdex.Searcher(tmp_path / "index").rm3("number word1 word2 word3")


def test_stemmed_terms(tmp_path: Path) -> None:
    """Terms of the index are not stemmed again."""
    texts = ["universities universe agreed", "agreed communities", "sailing communities generic"]
    docs = [{"id": str(i), "contents": text} for i, text in enumerate(texts * 20)]
    docs += [{"id": f"x{i}", "contents": f"another text{i}"} for i in range(1000)]
    warpdex.build(docs, tmp_path / "index")
    searcher = warpdex.Searcher(tmp_path / "index")
    terms = searcher.rm3_terms("sailing")
    assert set(terms) == {term for each in ("sailing", texts[2]) for term in searcher.analyze(each)}
    assert all(searcher.document_frequency(term) > 0 for term in terms)
    assert set(searcher.rm3("sailing", 40).ids) > {doc["id"] for doc in docs[2:60:3]}


@pytest.mark.parametrize("way", ["rm3", "rocchio"])
def test_both_searches_see_one_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, way: str
) -> None:
    """Documents that go between the two searches are in the second one's answer."""
    warpdex.build(DOCS, tmp_path / "index", analyzer="whitespace")
    searcher = warpdex.Searcher(tmp_path / "index")
    wanted = [(hit.id, hit.score) for hit in getattr(searcher, way)("word3 word40")]
    terms_of = _feedback._Vectors.of

    def remove_all(vectors: _feedback._Vectors, id: str) -> dict[str, float]:
        if len(searcher) > 1:
            with warpdex.Writer(tmp_path / "index") as writer:
                for doc in DOCS[1:]:
                    writer.delete(doc["id"])
            assert searcher.refresh() and len(searcher) == 1
        return terms_of(vectors, id)

    monkeypatch.setattr(_feedback._Vectors, "of", remove_all)
    assert [(hit.id, hit.score) for hit in getattr(searcher, way)("word3 word40")] == wanted
    assert len(searcher) == 1
