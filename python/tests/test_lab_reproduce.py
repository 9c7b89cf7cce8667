"""tools/lab/reproduce on files of published forms, beside a ranking worked out by itself."""

from __future__ import annotations

import gzip
import json
import random
from pathlib import Path

import numpy as np
import pytest

from conftest import write_jsonl
from published_forms import DOCUMENTS, GRADES, QUERIES, bm25, figures, ndcg, ranked, recall, \
    reciprocal_rank, relevant, write_passages
from reproduction import readers


@pytest.mark.parametrize(("model", "k1", "b"), [("bm25", 0.9, 0.4), ("bm25-tuned", 0.82, 0.68)])
def test_passages_by_words(tmp_path: Path, model: str, k1: float, b: float) -> None:
    data = write_passages(tmp_path / "data")
    run = {query: ranked(bm25(text, k1, b)) for query, text in QUERIES.items()}
    found = figures("msmarco", model, data, "--part")
    good = relevant(3)
    assert (found["documents"], found["queries"]) == (400, len(good))
    assert found["measures"]["MRR@10"] == pytest.approx(reciprocal_rank(run, good))
    assert found["measures"]["Recall@100"] == pytest.approx(recall(run, good, 100, len(good)))
    assert found["published"] == {}


def test_graded_judgements(tmp_path: Path) -> None:
    """Of TREC's tracks nDCG counts grades, and Recall those of 2 and more over all queries."""
    data = write_passages(tmp_path / "data")
    run = {query: ranked(bm25(text, 0.9, 0.4)) for query, text in QUERIES.items()}
    found = figures("dl19", "bm25", data, "--part")
    assert found["measures"]["nDCG@10"] == pytest.approx(ndcg(run, GRADES))
    assert found["measures"]["Recall@100"] == pytest.approx(recall(run, relevant(2), 100, len(GRADES)))


@pytest.mark.parametrize("form", ["tsv.gz", "jsonl"])
def test_learned_weights(tmp_path: Path, form: str) -> None:
    generator = random.Random(11)
    data = write_passages(tmp_path / "data")

    def vector() -> dict[str, int]:
        return {f"t{generator.randrange(50)}": generator.randrange(1, 256) for _ in range(9)}

    docs = {id: vector() for id in DOCUMENTS}
    queries = {id: vector() for id in QUERIES}
    parts = data / "msmarco-passage-splade-v3"
    parts.mkdir()
    lines = [json.dumps({"id": id, "vector": each}) + "\n" for id, each in docs.items()]
    (parts / "a.jsonl.gz").write_bytes(gzip.compress("".join(lines[:250]).encode()))
    (parts / "b.jsonl").write_text("".join(lines[250:]), "utf-8")
    topics = data / "topics.msmarco-passage.dev-subset.splade-v3.tsv.gz"
    repeated = "".join(
        id + "\t" + " ".join(" ".join([token] * weight) for token, weight in each.items()) + "\n"
        for id, each in queries.items()
    )
    topics.write_bytes(gzip.compress(repeated.encode()))
    if form == "jsonl":
        file = write_jsonl(tmp_path / "q.jsonl", [{"id": i, "vector": v} for i, v in queries.items()])
        assert readers.read_sparse_queries(file) == readers.read_sparse_queries(topics) == queries
        return
    run = {
        query: ranked({id: float(score) for id, doc in docs.items()
                       if (score := sum(doc.get(t, 0) * w for t, w in asked.items())) > 0})
        for query, asked in queries.items()
    }
    found = figures("msmarco", "splade-v3", data, "--part")
    assert found["measures"]["MRR@10"] == pytest.approx(reciprocal_rank(run, relevant(3)))
    assert found["measures"]["MRR@10"] > 0


@pytest.mark.parametrize("kind", [np.float32, np.float16])
def test_vectors(tmp_path: Path, kind: type) -> None:
    data = write_passages(tmp_path / "data")
    generator = np.random.default_rng(3)
    rows = generator.standard_normal((400, 24)).astype(kind)
    asked = generator.standard_normal((len(QUERIES), 24)).astype(np.float32)
    np.save(data / "bge-base-en-v1.5.npy", rows)
    topics = "".join(json.dumps({"qid": id, "vector": row.tolist()}) + "\n"
                     for id, row in zip(QUERIES, asked))
    (data / "topics.msmarco-passage.dev-subset.bge-base-en-v1.5.jsonl.gz").write_bytes(
        gzip.compress(topics.encode()))
    products = rows.astype(np.float64) @ asked.T.astype(np.float64)
    run = {query: ranked(dict(zip(DOCUMENTS, products[:, i]))) for i, query in enumerate(QUERIES)}
    found = figures("msmarco", "bge-base-en-v1.5", data, "--part")
    assert found["measures"]["MRR@10"] == pytest.approx(reciprocal_rank(run, relevant(3)))
    assert found["measures"]["MRR@10"] > 0


def test_beir(tmp_path: Path) -> None:
    """The document of a query's own id is left out, which would else come first."""
    folder = tmp_path / "data" / "scifact"
    (folder / "qrels").mkdir(parents=True)
    queries = {id: DOCUMENTS[id] for id in QUERIES}
    write_jsonl(folder / "corpus.jsonl", [
        {"_id": id, "title": text.partition(" ")[0], "text": text.partition(" ")[2]}
        for id, text in DOCUMENTS.items()
    ])
    write_jsonl(folder / "queries.jsonl", [{"_id": id, "text": text} for id, text in queries.items()])
    (folder / "qrels" / "test.tsv").write_text("query-id\tcorpus-id\tscore\n" + "".join(
        f"{query}\t{id}\t{grade}\n" for query, judged in GRADES.items()
        for id, grade in judged.items()
    ), "utf-8")
    scores = {query: bm25(text, 0.9, 0.4) for query, text in queries.items()}
    run = {query: ranked(each, own=query) for query, each in scores.items()}
    assert ndcg(run, GRADES) != ndcg({query: ranked(each) for query, each in scores.items()}, GRADES)
    found = figures("beir-scifact", "bm25", tmp_path / "data", "--part")
    assert found["measures"]["nDCG@10"] == pytest.approx(ndcg(run, GRADES))
    assert found["measures"]["Recall@100"] == pytest.approx(recall(run, relevant(1), 100, len(GRADES)))


def test_indexes_are_made_anew_where_files_changed(tmp_path: Path) -> None:
    data = write_passages(tmp_path / "data")
    assert figures("msmarco", "bm25", data, "--part")["build_seconds"] > 0
    assert figures("dl19", "bm25", data, "--part")["build_seconds"] == 0
    with (data / "collection.tsv").open("a") as file:
        file.write("400\tw1 w2\n")
    again = figures("msmarco", "bm25", data, "--part")
    assert again["build_seconds"] > 0 and again["documents"] == 401
