"""The index and the retrievers for PyTerrier, in PyTerrier."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpdex
from conftest import documents

pt = pytest.importorskip("pyterrier", "1.1", reason="pyterrier 1.1 or later is not installed")
pd = pytest.importorskip("pandas")
from warpdex.pyterrier import WarpdexIndex, artifact_metadata  # noqa: E402

ROWS = np.random.default_rng(3).standard_normal((300, 8), dtype=np.float32)
DOCS = [
    {"docno": doc["id"], "text": doc["contents"], "title": doc["title"], "vec": ROWS[i]}
    for i, doc in enumerate(documents(9, 300))
]
QUERIES = pd.DataFrame(
    {
        "qid": ["q2", "q1", "none"],
        "query": ["w1 w30", "w5 -w2", "absent"],
        "query_vec": [ROWS[4], ROWS[7], ROWS[9]],
        "kept": [1, 2, 3],
    }
)
QRELS = pd.DataFrame(
    {
        "qid": [qid for qid in ("q1", "q2") for _ in range(20)],
        "docno": [f"d{i}" for i in range(40)],
        "label": [1] * 40,
    }
)


@pytest.fixture(scope="module")
def index(tmp_path_factory: pytest.TempPathFactory) -> WarpdexIndex:
    path = tmp_path_factory.mktemp("pyterrier") / "index"
    made = WarpdexIndex(path, store=["text", "title"], analyzer="whitespace")
    assert not made.built()
    assert made.index(iter(DOCS)) is made
    assert made.built()
    return made


def rows(frame: Any, qid: str) -> list[tuple[str, float]]:
    part = frame[frame["qid"] == qid]
    assert list(part["rank"]) == list(range(len(part)))
    return list(zip(part["docno"], part["score"]))


def pairs(hits: Any) -> list[tuple[str, float]]:
    return [(hit.id, hit.score) for hit in hits]


def test_words(index: WarpdexIndex) -> None:
    searcher = index.searcher
    for retriever, options in (
        (index.bm25(), {}),
        (index.bm25(1.2, 0.75), {"k1": 1.2, "b": 0.75}),
        (index.bm25(mode="and"), {"mode": "and"}),
        (index.qld(), {"scorer": "qld"}),
        (index.qld(mu=20), {"scorer": "qld", "mu": 20}),
    ):
        found = retriever(QUERIES)
        assert list(found.columns) == [*QUERIES.columns, "docno", "score", "rank"]
        for qid, query in zip(QUERIES["qid"], QUERIES["query"]):
            options["syntax"] = "plain"
            assert rows(found, qid) == pairs(searcher.search(query, 1000, **options))
        assert set(found["kept"]) <= {1, 2}
    assert len(index.bm25(num_results=3)(QUERIES)) == 6
    assert "d" in found["docno"].iloc[0]


def test_dense_and_hybrid(index: WarpdexIndex) -> None:
    found = index.dense(num_results=5)(QUERIES)
    assert list(found[found["rank"] == 0]["score"]) == pytest.approx(
        [float((ROWS @ ROWS[i]).max()) for i in (4, 7, 9)]
    )
    found = index.hybrid("convex", 0.3)(QUERIES)
    hits = index.searcher.search(
        "w5 -w2", 1000, vector=ROWS[7], fusion="convex", weight=0.3, syntax="plain"
    )
    assert rows(found, "q1") == pairs(hits)


def test_distances_are_negative(tmp_path: Path) -> None:
    vectors = [{"docno": doc["docno"], "vec": doc["vec"]} for doc in DOCS]
    index = WarpdexIndex(tmp_path / "index", metric="l2").index(vectors)
    found = index.dense(num_results=5)(QUERIES)
    assert list(found[found["rank"] == 0]["docno"]) == ["d4", "d7", "d9"]
    assert (found["score"] <= 0).all()
    assert found[found["qid"] == "q1"]["score"].is_monotonic_decreasing


def test_learned_weights(tmp_path: Path) -> None:
    docs = [
        {"docno": f"d{i}", "text": "", "toks": {"sea": 1.0 + i, "##ing": 2.0}, "vec": ROWS[i]}
        for i in range(5)
    ]
    index = WarpdexIndex(tmp_path / "index").index(docs)
    queries = pd.DataFrame(
        {"qid": ["1", "2"], "query_toks": [{"sea": 2.0}, {"##ing": 0.5, "sea": 0}]}
    )
    found = index.sparse()(queries)
    assert rows(found, "1") == [(f"d{i}", 2.0 * (1 + i)) for i in (4, 3, 2, 1, 0)]
    assert rows(found, "2") == [(f"d{i}", 1.0) for i in range(5)]
    queries["query_vec"] = [ROWS[0], ROWS[1]]
    both = index.hybrid("convex", 0.0, toks=True)(queries)
    wanted = pairs(
        index.searcher.search_terms(
            {"sea": 2.0}, 1000, vector=ROWS[0], fusion="convex", weight=0.0
        )
    )
    assert rows(both, "1") == wanted


def test_feedback(index: WarpdexIndex) -> None:
    found = index.rm3(fb_docs=5)(QUERIES)
    assert rows(found, "q1") == pairs(index.searcher.rm3("w5 -w2", 1000, fb_docs=5))
    found = index.rm3(mode="and", scorer="qld")(QUERIES)
    hits = index.searcher.rm3("w5 -w2", 1000, mode="and", scorer="qld")
    assert rows(found, "q1") == pairs(hits)
    found = index.rocchio(beta=0.5)(QUERIES)
    assert rows(found, "q2") == pairs(index.searcher.rocchio("w1 w30", 1000, beta=0.5))


def test_experiment(index: WarpdexIndex) -> None:
    topics = QUERIES[["qid", "query"]]
    table = pt.Experiment(
        [index.bm25(), index.qld(), index.bm25() % 10, index.rm3()],
        topics,
        QRELS,
        ["map", "ndcg_cut_10", "P_10", "mrt"],
        names=["bm25", "qld", "cut", "rm3"],
        baseline=0,
    )
    assert list(table["name"]) == ["bm25", "qld", "cut", "rm3"]
    assert (table["map"] > 0).all()
    assert table["P_10"][0] == table["P_10"][2]
    assert 0 <= table["map p-value"][1] <= 1


def test_operators(index: WarpdexIndex) -> None:
    both = (index.bm25() + index.qld())(QUERIES)
    assert len(both) == len(index.bm25()(QUERIES))
    cut = (index.bm25() % 7).compile()
    assert cut.num_results == 7
    assert index.bm25(num_results=5).fuse_rank_cutoff(7).num_results == 5
    assert rows(cut(QUERIES), "q2") == rows(index.bm25()(QUERIES), "q2")[:7]
    assert len(index.bm25().search("w1")) > 10


def test_texts(index: WarpdexIndex) -> None:
    texts = {doc["docno"]: doc["text"] for doc in DOCS}
    found = (index.bm25(num_results=5) >> pt.text.get_text(index, ["text", "title"]))(QUERIES)
    assert list(found["text"]) == [texts[docno] for docno in found["docno"]]
    same = index.bm25(num_results=5, fields=["text", "title"])(QUERIES)
    pd.testing.assert_frame_equal(found, same, check_like=True)
    with pytest.raises(warpdex.UsageError, match="store="):
        index.text_loader("body")


def test_empty_frames_and_inspection(index: WarpdexIndex) -> None:
    columns = [*QUERIES.columns, "docno", "score", "rank"]
    for retriever in (index.bm25(), index.sparse(), index.dense(), index.hybrid(), index.rm3()):
        empty = QUERIES.assign(query_toks=None)[:0]
        found = retriever(empty)
        assert len(found) == 0
        assert set(found.columns) == {*columns, "query_toks"}
    assert pt.inspect.transformer_inputs(index.hybrid()) == [["qid", "query", "query_vec"]]
    outputs = pt.inspect.transformer_outputs(index.bm25(fields=["title"]), ["qid", "query"])
    assert outputs == ["qid", "query", "docno", "score", "rank", "title"]
    assert ["docno", "text", "vec"] in pt.inspect.indexer_inputs(index)
    nothing = index.bm25()(QUERIES[QUERIES["qid"] == "none"])
    assert len(nothing) == 0 and list(nothing.columns) == columns


def test_errors(index: WarpdexIndex, tmp_path: Path) -> None:
    with pytest.raises(pt.validate.InputValidationError):
        index.bm25()(pd.DataFrame({"qid": ["1"]}))
    with pytest.raises(pt.validate.InputValidationError):
        index.bm25()(index.bm25()(QUERIES))
    with pytest.raises(warpdex.UsageError, match="overwrite"):
        index.index(DOCS)
    with pytest.raises(warpdex.UsageError, match="num_results"):
        index.bm25(num_results=0)
    for retriever in (index.bm25, index.qld, index.hybrid, index.rm3, index.rocchio):
        with pytest.raises(TypeError, match="no option 'modus'"):
            retriever(modus="and")
    with pytest.raises(warpdex.UsageError, match="docno"):
        WarpdexIndex(tmp_path / "a").index([{"text": "fish"}])
    with pytest.raises(warpdex.UsageError, match="none of the members text, toks, vec"):
        WarpdexIndex(tmp_path / "a").index([{"docno": "1", "body": "fish"}])
    with pytest.raises(warpdex.BadDocument):
        WarpdexIndex(tmp_path / "a").index([{"docno": "1", "text": "fish"}] * 2)
    assert not list(tmp_path.iterdir())
    with pytest.raises(warpdex.IoError):
        WarpdexIndex(tmp_path / "a").bm25()(QUERIES)


def test_overwriting(tmp_path: Path) -> None:
    index = WarpdexIndex(tmp_path / "index", overwrite=True)
    for text in ("fish", "gull"):
        index.index([{"docno": "1", "text": text}])
        assert list(index.bm25().search(text)["docno"]) == ["1"]


def test_artifacts(index: WarpdexIndex, tmp_path: Path) -> None:
    assert pt.Artifact.__subclasscheck__(WarpdexIndex)
    path = Path(index.path)
    assert artifact_metadata(str(path), [file.name for file in path.iterdir()]) == {
        "type": "sparse_index", "format": "warpdex", "package_hint": "warpdex[pyterrier]"
    }
    assert artifact_metadata(str(tmp_path), []) is None
    opened = WarpdexIndex.load(str(path))
    pd.testing.assert_frame_equal(opened.bm25()(QUERIES), index.bm25()(QUERIES))
