"""RM3 and Rocchio over several text fields, against references that are written apart."""

from __future__ import annotations

import math
import os
import random
from collections import Counter, defaultdict
from collections.abc import Mapping
from pathlib import Path

import pytest

import warpdex

SEED = int(os.environ.get("WARPDEX_TEST_SEED", "1"))
SCHEMA = {
    "title": {"type": "text", "weight": 2},
    "body": {"type": "text"},
    "note": {"type": "text", "weight": 0},
    "empty": {"type": "text", "weight": 3},
}
FIELDS = ("title", "body", "note")
Pair = tuple[str, str]


def some_documents(count: int) -> list[dict[str, str]]:
    print("seed", SEED)
    generator = random.Random(SEED)

    def text(longest: int) -> str:
        return " ".join(
            f"word{generator.randrange(1 + generator.randrange(60))}"
            for _ in range(generator.randrange(longest))
        )

    return [
        {"id": f"d{i}", "title": text(6), "body": text(40), "note": text(10)} for i in range(count)
    ]


DOCS = some_documents(600)


@pytest.fixture(scope="module")
def searcher(tmp_path_factory: pytest.TempPathFactory) -> warpdex.Searcher:
    path = tmp_path_factory.mktemp("feedback") / "index"
    warpdex.build(DOCS, path, analyzer="whitespace", schema=SCHEMA)
    return warpdex.Searcher(path)


class Reference:
    """Feedback by the formulas, over the documents' texts. A term is a field and a word."""

    def __init__(self, query: str, weights: Mapping[str, float], docs: int, terms: int) -> None:
        self.words = Counter(query.split())
        self.weights = weights
        self.terms = terms
        self.texts = {
            doc["id"]: {field: doc.get(field, "").split() for field in FIELDS} for doc in DOCS
        }
        self.df = Counter(
            (field, word)
            for texts in self.texts.values()
            for field in FIELDS
            for word in set(texts[field])
        )
        first = {
            (field, word): weight * count
            for field, weight in weights.items()
            for word, count in self.words.items()
        }
        scores = {id: self.score(first, id) for id in self.texts}
        order = sorted((id for id in scores if scores[id] > 0), key=lambda id: -scores[id])
        self.top = {id: scores[id] for id in order[:docs]}

    def score(self, weights: Mapping[Pair, float], id: str) -> float:
        """BM25; lengths and counts are the field's."""
        total = 0.0
        for (field, word), weight in weights.items():
            if field not in FIELDS:
                continue
            text = self.texts[id][field]
            tf = text.count(word)
            if tf:
                lengths = [len(texts[field]) for texts in self.texts.values() if texts[field]]
                df = self.df[field, word]
                idf = math.log(1 + (len(lengths) - df + 0.5) / (df + 0.5))
                norm = 0.9 * (0.6 + 0.4 * len(text) * len(lengths) / sum(lengths))
                total += weight * idf * tf / (tf + norm)
        return total

    def cut(self, vector: Mapping[Pair, float]) -> dict[Pair, float]:
        names = sorted(vector, key=lambda pair: (-vector[pair], f"{pair[0]}:{pair[1]}"))
        return {pair: vector[pair] for pair in names[: self.terms]}

    def vector(self, id: str) -> dict[Pair, float]:
        counts = Counter(
            (field, word)
            for field, words in self.texts[id].items()
            if field in self.weights
            for word in words
        )
        return self.cut(
            {pair: count for pair, count in counts.items() if self.df[pair] <= len(DOCS) / 10}
        )

    def joined(self, words: float, model: Mapping[Pair, float], share: float) -> dict[str, float]:
        """The query's words times `words` in each field, and the model times `share`."""
        weights: dict[Pair, float] = defaultdict(float)
        for field in self.weights:
            for word, count in self.words.items():
                weights[field, word] += words * count
        for pair, weight in model.items():
            weights[pair] += share * weight
        return {
            f"{field}:{word}": weight * self.weights[field]
            for (field, word), weight in weights.items()
            if weight > 0
        }

    def rm3(self, share: float) -> dict[str, float]:
        model: dict[Pair, float] = defaultdict(float)
        for id, score in self.top.items():
            vector = self.vector(id)
            for pair, count in vector.items():
                model[pair] += score * count / sum(vector.values())
        best = self.cut(model)
        return self.joined(share / self.words.total(), best, (1 - share) / sum(best.values()))

    def rocchio(self, alpha: float, beta: float) -> dict[str, float]:
        mean: dict[Pair, float] = defaultdict(float)
        for id in self.top:
            vector = self.vector(id)
            for pair, count in vector.items():
                mean[pair] += count / math.hypot(*vector.values()) / len(self.top)
        best = self.cut(mean)
        return self.joined(
            alpha / math.hypot(*self.words.values()), best, beta / math.hypot(*best.values())
        )


CASES = [
    ("word30", {}, {"title": 2, "body": 1, "empty": 3}),
    ("word5 word51 word44", {"query_fields": "body^0.5,note^3"}, {"body": 0.5, "note": 3}),
    ("word9 word9 word58", {"query_fields": {"title": 1.5}}, {"title": 1.5}),
    ("word0 word1 word33", {"query_fields": {"title": 0, "note": 1, "body": 4}},
     {"note": 1, "body": 4}),
]


def check_hits(hits: warpdex.Hits, reference: Reference, terms: Mapping[str, float]) -> None:
    weights = {(term.split(":")[0], term.split(":")[1]): terms[term] for term in terms}
    scores = {doc["id"]: reference.score(weights, doc["id"]) for doc in DOCS}
    assert [hit.score for hit in hits] == pytest.approx([scores[hit.id] for hit in hits], rel=1e-4)
    best = sorted(scores.values(), reverse=True)[: len(hits)]
    assert [hit.score for hit in hits] == pytest.approx(best, rel=1e-4)
    assert len(hits) == min(30, sum(score > 0 for score in scores.values()))


@pytest.mark.parametrize(("query", "options", "weights"), CASES)
@pytest.mark.parametrize(("docs", "terms", "share"), [(10, 10, 0.5), (3, 25, 0.8), (40, 4, 0.0)])
def test_rm3(
    searcher: warpdex.Searcher,
    query: str,
    options: warpdex.SearchOptions,
    weights: Mapping[str, float],
    docs: int,
    terms: int,
    share: float,
) -> None:
    reference = Reference(query, weights, docs, terms)
    if not reference.top:
        pytest.skip("no document has the words")
    wanted = reference.rm3(share)
    settings = {"fb_docs": docs, "fb_terms": terms, "original_query_weight": share}
    found = searcher.rm3_terms(query, **settings, **options)  # type: ignore[arg-type]
    assert found == pytest.approx(wanted, rel=1e-4)
    hits = searcher.rm3(query, 30, **settings, **options)  # type: ignore[arg-type]
    check_hits(hits, reference, wanted)


@pytest.mark.parametrize(("query", "options", "weights"), CASES)
def test_rocchio(
    searcher: warpdex.Searcher,
    query: str,
    options: warpdex.SearchOptions,
    weights: Mapping[str, float],
) -> None:
    reference = Reference(query, weights, 10, 10)
    if not reference.top:
        pytest.skip("no document has the words")
    wanted = reference.rocchio(1, 0.75)
    assert searcher.rocchio_terms(query, **options) == pytest.approx(wanted, rel=1e-4)
    check_hits(searcher.rocchio(query, 30, **options), reference, wanted)


def test_terms_name_fields(searcher: warpdex.Searcher) -> None:
    words = searcher.search("title:word1^2 body:word2^0.5", 100, syntax="lucene")
    terms = searcher.search_terms({"title:word1": 2, "body:word2": 0.5}, 100)
    assert [(hit.id, hit.score) for hit in terms] == [(hit.id, hit.score) for hit in words]
    both = searcher.search_terms({"title:word1": 2, "body:word2": 0.5}, 100, mode="and")
    assert both.ids == searcher.search(
        "+title:word1^2 +body:word2^0.5", 100, syntax="lucene").ids
    either = searcher.search_terms(
        {"title:word1": 2, "body:word2": 0.5}, 100, mode="and-or", and_or_min=len(both) + 1)
    assert either.ids == terms.ids and either.fell_back_to_or
    either = searcher.search_terms(
        {"title:word1": 2, "body:word2": 0.5}, 100, mode="and-or", and_or_min=max(len(both), 1))
    assert (either.ids, either.fell_back_to_or) == (
        (both.ids, False) if len(both) > 0 else (terms.ids, True))


def test_a_field_without_words_changes_nothing(searcher: warpdex.Searcher) -> None:
    options = {"query_fields": "title^2,body"}
    more = searcher.rm3_terms("word3 word9")  # searches the empty field, too
    few = searcher.rm3_terms("word3 word9", **options)  # type: ignore[arg-type]
    assert {term: more[term] for term in more if not term.startswith("empty:")} == few
    assert searcher.rm3("word3 word9", 50).ids == searcher.rm3(
        "word3 word9", 50, **options).ids  # type: ignore[arg-type]


def test_what_is_refused(searcher: warpdex.Searcher) -> None:
    with pytest.raises(warpdex.UsageError, match="the term 'word1' names no field"):
        searcher.search_terms({"word1": 1})
    with pytest.raises(warpdex.UsageError, match="no text field 'author'"):
        searcher.search_terms({"author:word1": 1})
    with pytest.raises(warpdex.UsageError, match="no text field 'author'"):
        searcher.rm3("word1", query_fields="author")
    with pytest.raises(warpdex.UsageError, match="leave fields_type out"):
        searcher.rm3("word1", fields_type="best_fields")


@pytest.mark.parametrize("way", ["rm3", "rocchio"])
def test_the_terms_are_what_is_searched_for(searcher: warpdex.Searcher, way: str) -> None:
    terms = getattr(searcher, f"{way}_terms")("word3 word9")
    hits = getattr(searcher, way)("word3 word9", 20)
    assert hits.ids == searcher.search_terms(terms, 20).ids
