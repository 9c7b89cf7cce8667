"""Text fields: each has its own words, analyzer and weight."""

from __future__ import annotations

from pathlib import Path

import pytest

import warpdex

SCHEMA = {
    "title": {"type": "text", "weight": 2, "analyzer": "whitespace"},
    "body": {"type": "text"},
    "year": {"type": "int"},
}
DOCS = [
    {"id": "1", "title": "Old Ships", "body": "They sailed at night", "year": 1990},
    {"id": "2", "title": "Night", "body": "Sails of old ships"},
    {"id": "3", "body": "A harbour"},
]


def ids(searcher: warpdex.Searcher, query: str, **options: object) -> list[str]:
    found = searcher.search(query, syntax="lucene", **options)  # type: ignore[arg-type]
    return sorted(hit.id for hit in found)


def check(path: Path) -> None:
    searcher = warpdex.Searcher(path)
    assert ids(searcher, "title:Night") == ["2"]
    assert ids(searcher, "body:night") == ["1"]
    assert ids(searcher, "Night") == ["1", "2"]
    assert ids(searcher, "Night", query_fields="body") == ["1"]
    assert ids(searcher, "Night", query_fields={"title": 3, "body": 0}) == ["2"]
    assert ids(searcher, "Old Night", mode="and") == ["1", "2"]
    for words, least, is_or, found in (
        ("Old Night", 1, False, ["1", "2"]),
        ("Old Night", 3, True, ["1", "2"]),
        ("Old harbour", 1, True, ["1", "2", "3"]),
    ):
        hits = searcher.search(words, mode="and-or", and_or_min=least)
        assert (sorted(hit.id for hit in hits), hits.fell_back_to_or) == (found, is_or)
        assert all(hit.explain().score == hit.score for hit in hits)
        batch = searcher.search_batch([words], mode="and-or", and_or_min=least)
        assert batch.ids == [[hit.id for hit in hits]]
    best = {hit.id: hit.score for hit in searcher.search("old", fields_type="best_fields")}
    most = {hit.id: hit.score for hit in searcher.search("old")}
    assert best == most  # one field of each document has it
    hit = searcher.search("Old", fields=["title"], snippets=True)[0]
    assert hit.snippets["title"] == "<em>Old</em> Ships"
    assert hit.explain().terms[0].field == "title"
    batch = searcher.search_batch(["Night", "title:Night"], syntax="lucene", count=True)
    assert [hits.matches for hits in batch.hits] == [2, 1]
    with pytest.raises(warpdex.InputError, match="no field 'author', it has 'title', 'body'"):
        searcher.search("author:x", syntax="lucene")
    combined = searcher.search(
        "night old", query_fields={"body": 2}, fields_type="combined_fields", count=True
    )
    assert combined.matches == searcher.search("night old", query_fields="body", count=True).matches
    with pytest.raises(warpdex.InputError, match="'body' has another than 'title'"):
        searcher.search("Ships", fields_type="combined_fields")
    with pytest.raises(warpdex.UsageError, match="no text field 'author'"):
        searcher.search("x", query_fields="author")
    assert [term.term for term in searcher.terms()] == ["Night", "Old", "Ships"]
    assert [term.term for term in searcher.terms(field="body")] == [
        "harbour", "night", "old", "sail", "ship"
    ]
    assert searcher.suggest("S", field="body")[0].term == "sail"
    assert searcher.document_frequency("sail", "body") == 2
    assert searcher.postings("ship", "body")[0].tolist() == [1]
    assert searcher.analyze("Ships", "body") == ["ship"]
    assert searcher.analyze("Ships") == ["Ships"]
    assert searcher.document_vector("3") == {"body:harbour": 1}
    with pytest.raises(warpdex.UsageError):
        searcher.terms(field="author")


def test_built(tmp_path: Path) -> None:
    warpdex.build(DOCS, tmp_path / "index", schema=SCHEMA, store=["title"], progress=False)
    check(tmp_path / "index")


def test_changed(tmp_path: Path) -> None:
    with warpdex.Writer(tmp_path / "index", schema=SCHEMA, store=["title"]) as writer:
        writer.add({"id": "2", "title": "Another"})
        writer.commit()
        for document in DOCS:
            writer.update(document)
        writer.commit()
    with warpdex.Writer(tmp_path / "index") as writer:
        writer.merge()
        writer.commit()
    check(tmp_path / "index")


def test_files(tmp_path: Path) -> None:
    import json

    lines = "".join(json.dumps(document) + "\n" for document in DOCS)
    (tmp_path / "docs.jsonl").write_text(lines, encoding="utf-8")
    warpdex.build(
        tmp_path / "docs.jsonl", tmp_path / "index", schema=SCHEMA, store=["title"], progress=False
    )
    check(tmp_path / "index")


def test_bad_documents(tmp_path: Path) -> None:
    with pytest.raises(warpdex.BadDocument, match="'title' is of type int, and texts are str"):
        warpdex.build([{"id": "1", "title": 7}], tmp_path / "index", schema=SCHEMA, progress=False)
    with pytest.raises(warpdex.UsageError, match="leave fields= out"):
        warpdex.build(DOCS, tmp_path / "index", schema=SCHEMA, fields=["body"], progress=False)
