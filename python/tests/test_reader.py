"""What an index holds, beside counting."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from conftest import documents

import warpdex


def test_terms_and_postings(many: Path) -> None:
    docs = documents(1, 5000)
    counts = {doc["id"]: Counter(doc["contents"].split()) for doc in docs}
    frequencies = Counter(word for words in counts.values() for word in words)
    totals = Counter(word for words in counts.values() for word in words.elements())
    searcher = warpdex.Searcher(many)
    found = searcher.terms()
    assert [term.term for term in found] == sorted(frequencies)
    assert {term.term: term.document_frequency for term in found} == frequencies
    assert {term.term: term.collection_frequency for term in found} == totals
    assert [t.term for t in searcher.terms("w1")] == sorted(t for t in totals if t.startswith("w1"))
    assert [t.term for t in searcher.terms(limit=3)] == sorted(frequencies)[:3]
    most = sorted(frequencies, key=lambda word: (-frequencies[word], word))
    assert [t.term for t in searcher.suggest("w", k=7)] == most[:7]
    assert searcher.document_frequency("w0") == frequencies["w0"]
    assert searcher.document_frequency("nothing") == 0
    numbers, occurrences = searcher.postings("w5")
    assert (numbers.dtype, occurrences.dtype) == (np.uint32, np.uint32)
    lists = enumerate(counts[doc["id"]] for doc in docs)
    expected = [(number, words["w5"]) for number, words in lists if "w5" in words]
    assert list(zip(numbers.tolist(), occurrences.tolist())) == expected
    assert searcher.postings("nothing")[0].size == 0


def test_documents(many: Path) -> None:
    docs = documents(1, 5000)
    searcher = warpdex.Searcher(many)
    for number in (0, 17, 4999):
        id = docs[number]["id"]
        words = docs[number]["contents"].split()
        assert searcher.find(id) == number and searcher.id(number) == id
        assert searcher.document_vector(id) == Counter(words)
        assert searcher.length(id) == len(words)
        assert searcher.stored(id) == {"title": docs[number]["title"]}
    assert searcher.average_length == sum(len(d["contents"].split()) for d in docs) / 5000
    assert (searcher.analyzer, searcher.stored_fields) == ("whitespace", ["title"])
    assert searcher.find("nothing") is None
    assert searcher.analyze("a b a") == ["a", "b", "a"]
    for call in (searcher.document_vector, searcher.stored, searcher.length, searcher.vector):
        with pytest.raises(warpdex.UsageError):
            call("nothing")
    with pytest.raises(warpdex.UsageError):
        searcher.id(5000)
    with pytest.raises(warpdex.UsageError):
        searcher.vector("d1")


def test_scores_of_documents_that_were_not_found(many: Path) -> None:
    searcher = warpdex.Searcher(many)
    scores = {hit.id: hit.score for hit in searcher.search("w5 w40", k=10000)}
    for number in range(0, 5000, 250):
        assert searcher.score("w5 w40", f"d{number}") == scores.get(f"d{number}", 0)
