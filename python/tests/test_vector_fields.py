"""Vectors by name: several of each document, of which a query names one."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import warpdex

SCHEMA = {
    "title_vec": {"type": "vector", "dimension": 3, "metric": "l2"},
    "body_vec": {"type": "vector", "dimension": 5, "metric": "cosine", "store": "half"},
    "year": {"type": "int"},
}
RANDOM = np.random.default_rng(736)
COUNT = 50
TITLES = RANDOM.standard_normal((COUNT, 3)).astype(np.float32)
BODIES = RANDOM.standard_normal((COUNT, 5)).astype(np.float32)


def documents(as_lists: bool = False) -> list[dict[str, object]]:
    made: list[dict[str, object]] = []
    for i in range(COUNT):
        title, body = (row.tolist() if as_lists else row for row in (TITLES[i], BODIES[i]))
        made.append({"id": str(i), "contents": f"word{i % 3}", "year": 1990 + i,
                     "title_vec": title, "body_vec": body})
    return made


def nearest_titles(query: np.ndarray, rows: np.ndarray = TITLES) -> list[str]:
    return [str(i) for i in np.argsort(((rows - query) ** 2).sum(axis=1), kind="stable")]


@pytest.fixture(params=["dicts", "lists", "files", "writer"])
def searcher(request: pytest.FixtureRequest, tmp_path: Path) -> warpdex.Searcher:
    path = tmp_path / "index"
    if request.param == "writer":
        with warpdex.Writer(path, schema=SCHEMA, memory="128M") as writer:
            for document in documents():
                writer.add(document)
    elif request.param == "files":
        lines = tmp_path / "docs.jsonl"
        lines.write_text("".join(json.dumps(d) + "\n" for d in documents(True)), encoding="utf-8")
        warpdex.build(lines, path, schema=SCHEMA, progress=False)
    else:
        given = documents(request.param == "lists")
        warpdex.build(iter(given), path, schema=SCHEMA, progress=False)
    return warpdex.Searcher(path, device="cpu")


def test_each_is_searched_by_its_name(searcher: warpdex.Searcher) -> None:
    query = RANDOM.standard_normal(3).astype(np.float32)
    found = searcher.search(None, k=9, vector=query, vector_field="title_vec")
    assert found.ids == nearest_titles(query)[:9]
    found = searcher.search(None, k=5, vector=BODIES[7], vector_field="body_vec")
    assert found.ids[0] == "7" and found[0].score == pytest.approx(1, abs=2e-3)
    batch = searcher.search_batch(None, k=4, vectors=TITLES[:6], vector_field="title_vec")
    assert [batch[i][0].id for i in range(6)] == [str(i) for i in range(6)]
    late = searcher.search(None, k=9, vector=query, vector_field="title_vec", filter="year >= 2020")
    assert late.ids == [i for i in nearest_titles(query) if int(i) >= 30][:9]
    both = searcher.search("word1", k=3, vector=TITLES[4], vector_field="title_vec", fusion="rerank")
    assert both.ids[0] == "4"
    assert searcher.vector("3", "title_vec") == pytest.approx(TITLES[3])


def test_mistakes_are_told(searcher: warpdex.Searcher, tmp_path: Path) -> None:
    with pytest.raises(warpdex.UsageError, match="'title_vec', 'body_vec'; name one"):
        searcher.search(None, vector=TITLES[0])
    with pytest.raises(warpdex.UsageError, match="none called 'x'"):
        searcher.search(None, vector=TITLES[0], vector_field="x")
    with pytest.raises(warpdex.UsageError, match="5"):
        searcher.search(None, vector=TITLES[0], vector_field="body_vec")
    for change, message in (({"title_vec": [1.0, 2.0]}, "'title_vec' has 2 components"),
                            ({"title_vec": None}, "'title_vec' is no sequence of floats"),
                            ({"title_vec": "abc"}, "'title_vec' is no sequence of floats")):
        with pytest.raises(warpdex.BadDocument, match=message):
            warpdex.build([{**documents()[0], **change}], tmp_path / "bad", schema=SCHEMA,
                          progress=False)


def test_one_set_needs_no_name(tmp_path: Path) -> None:
    path = tmp_path / "one"
    schema = {"v": {"type": "vector", "dimension": 2, "metric": "l2"}}
    warpdex.build([{"id": "a", "contents": "x", "v": [1, 2]}], path, schema=schema, progress=False)
    searcher = warpdex.Searcher(path, device="cpu")
    assert searcher.search(None, vector=np.array([1, 2], np.float32))[0].score == 0
    assert searcher.vector("a").tolist() == [1, 2]
