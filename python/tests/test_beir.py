"""Evaluation of BEIR's folders, against values worked out by hand and against ir_measures."""

from __future__ import annotations

import gzip
import json
import lzma
import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import warpdex
from conftest import documents
from warpdex import beir


def write(
    folder: Path, docs: list[dict[str, Any]], queries: dict[str, str],
    qrels: dict[str, dict[str, int]], packed: bool = False,
) -> Path:
    files = {
        "corpus.jsonl": [json.dumps({"_id": d["id"], "title": d.get("title", ""),
                                     "text": d["contents"], "metadata": {}}) for d in docs],
        "queries.jsonl": [json.dumps({"_id": q, "text": t}) for q, t in queries.items()],
        "qrels/test.tsv": ["query-id\tcorpus-id\tscore"] + [
            f"{q}\t{d}\t{grade}" for q, judged in qrels.items() for d, grade in judged.items()
        ],
    }
    (folder / "qrels").mkdir(parents=True)
    for name, lines in files.items():
        text = "".join(line + "\n" for line in lines).encode()
        if packed:
            (folder / (name + ".gz")).write_bytes(gzip.compress(text))
        else:
            (folder / name).write_bytes(text)
    return folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    generator = random.Random(4)
    docs = documents(2, 400)
    queries = {f"d{i}": docs[i]["contents"] for i in range(30)}
    queries["extra"] = "w1"
    qrels = {
        query: {f"d{generator.randrange(400)}": generator.randrange(-1, 4) for _ in range(25)}
        for query in queries if query != "extra"
    }
    return write(tmp_path_factory.mktemp("beir") / "generated", docs, queries, qrels)


def test_values_by_hand() -> None:
    qrels = {"1": {"a": 2, "b": 1, "c": 0, "d": 1}, "2": {"a": 1}, "3": {"a": 0}}
    run = {"1": {"x": 4.0, "b": 3.0, "a": 2.0, "c": 1.0}, "3": {"a": 1.0}}
    values = beir.measure(run, qrels, ["nDCG@10", "MAP@100", "Recall@2", "P@2", "MRR@1", "MRR@10"])
    assert values["nDCG@10"]["1"] == pytest.approx((1 / 1.5849625 + 2 / 2) / (2 + 0.6309298 + 0.5))
    assert values["MAP@100"]["1"] == pytest.approx((1 / 2 + 2 / 3) / 3)
    assert values["Recall@2"]["1"] == pytest.approx(1 / 3)
    assert values["P@2"]["1"] == 0.5
    assert (values["MRR@1"]["1"], values["MRR@10"]["1"]) == (0, 0.5)
    for each in values.values():
        assert each["2"] == each["3"] == 0


def test_equal_scores_are_in_the_order_of_trec_eval() -> None:
    run = {"1": {"a": 1.0, "c": 1.0, "b": 1.0 + 1e-12}}
    assert beir.measure(run, {"1": {"c": 1}}, ["MRR@10"])["MRR@10"]["1"] == 1
    assert beir.measure(run, {"1": {"a": 1}}, ["MRR@10"])["MRR@10"]["1"] == pytest.approx(1 / 3)


def test_a_score_that_is_no_number() -> None:
    with pytest.raises(warpdex.UsageError, match="'1' has a document"):
        beir.measure({"1": {"a": float("nan"), "b": 1.0}}, {"1": {"b": 1}}, ["MAP@100"])


@pytest.mark.parametrize("measure", ["nDCG", "nDCG@0", "nDCG@x", "ERR@10", ""])
def test_unknown_measures(measure: str) -> None:
    with pytest.raises(warpdex.UsageError, match="no measure"):
        beir.measure({}, {}, [measure])


def test_a_folder(folder: Path, tmp_path: Path) -> None:
    found = beir.evaluate(folder)
    assert (found.name, found.documents, found.queries) == ("generated", 400, 30)
    assert set(found.measures) == set(beir.MEASURES)
    assert found.build_seconds > 0 and found.search_seconds > 0
    lines = str(found).splitlines()
    assert lines[0].split() == ["documents", "queries", *beir.MEASURES]
    assert lines[1].split()[3:] == [f"{value:.4f}" for value in found.measures.values()]
    for query, answer in found.run.items():
        assert len(answer) == 100 and query not in answer

    # An index that is named stays, and is taken again.
    index = tmp_path / "index"
    assert beir.evaluate(folder, index).measures == found.measures
    again = beir.evaluate(folder, index)
    assert (again.measures, again.build_seconds) == (found.measures, 0)
    other = beir.evaluate(folder, index, scorer="qld", measures=["Recall@200"])
    assert list(other.measures) == ["Recall@200"]
    assert len(other.run["d0"]) == 200
    text = documents(2, 1)[0]["contents"]
    hits = warpdex.Searcher(index).search(text, 201, scorer="qld", syntax="plain")
    assert other.run["d0"] == {hit.id: hit.score for hit in hits if hit.id != "d0"}


def test_vectors(folder: Path, tmp_path: Path) -> None:
    rows = np.random.default_rng(1).standard_normal((400, 6), dtype=np.float32)
    docs = list(beir.read_corpus(folder))
    warpdex.build(docs, tmp_path / "index", fields=["title", "text"], vectors=rows)
    vectors = {f"d{i}": rows[i] for i in range(30)}
    found = beir.evaluate(
        folder, tmp_path / "index", query_vectors=vectors, fusion="convex", weight=0.0
    )
    order = np.argsort(-(rows @ rows[3]))
    assert list(found.run["d3"])[:10] == [f"d{i}" for i in order if i != 3][:10]
    del vectors["d3"]
    with pytest.raises(warpdex.InputError, match="d3"):
        beir.evaluate(folder, tmp_path / "index", query_vectors=vectors)


def test_compressed_files(folder: Path, tmp_path: Path) -> None:
    packed = tmp_path / "packed"
    (packed / "qrels").mkdir(parents=True)
    for name in ("corpus.jsonl", "queries.jsonl", "qrels/test.tsv"):
        (packed / (name + ".gz")).write_bytes(gzip.compress((folder / name).read_bytes()))
    assert beir.evaluate(packed).measures == beir.evaluate(folder).measures


def check_with_ir_measures(folder: Path) -> beir.Evaluation:
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    found = beir.evaluate(folder)
    names = {"nDCG@10": "nDCG@10", "MAP@100": "AP@100", "Recall@100": "R@100", "P@10": "P@10",
             "MRR@10": "RR@10"}
    measures = [ir_measures.parse_measure(name) for name in names.values()]
    wanted = ir_measures.calc_aggregate(measures, beir.read_qrels(folder), found.run)
    for name, measure in zip(names, measures):
        assert found.measures[name] == pytest.approx(wanted[measure], abs=1e-4), name
    return found


def test_equal_to_ir_measures(folder: Path) -> None:
    check_with_ir_measures(folder)


@pytest.mark.parametrize("name", ["cran", "npl"])
def test_real_collections_equal_ir_measures(data: Path, tmp_path: Path, name: str) -> None:
    source = data / "ir" / name
    with lzma.open(source / "docs.jsonl.xz", "rt", encoding="utf-8") as file:
        docs = [json.loads(line) | {"title": ""} for line in file]
    queries = dict(
        line.split("\t", 1) for line in (source / "queries.tsv").read_text("utf-8").splitlines()
    )
    qrels: dict[str, dict[str, int]] = {}
    for line in (source / "qrels.txt").read_text("utf-8").splitlines():
        query, _, document, grade = line.split()
        qrels.setdefault("q" + query, {})[document] = int(grade)
    queries = {"q" + query: text for query, text in queries.items()}
    found = check_with_ir_measures(write(tmp_path / name, docs, queries, qrels, packed=True))
    assert found.measures["nDCG@10"] > 0.3


@pytest.mark.parametrize(
    ("name", "text", "error"),
    [
        ("corpus.jsonl", None, warpdex.IoError),
        ("queries.jsonl", None, warpdex.IoError),
        ("qrels/test.tsv", None, warpdex.IoError),
        ("corpus.jsonl", '{"_id": "1", "text": "a"}\n{"_id"', warpdex.InputError),
        ("corpus.jsonl", '{"text": "a"}\n', warpdex.InputError),
        ("corpus.jsonl", "[]\n", warpdex.InputError),
        ("queries.jsonl", "5\n", warpdex.InputError),
        ("corpus.jsonl", '{"_id": "1", "text": "a"}\n' * 2, warpdex.BadDocument),
        ("queries.jsonl", '{"_id": "q", "txt": "a"}\n', warpdex.InputError),
        ("queries.jsonl", '{"_id": "other", "text": "a"}\n', warpdex.InputError),
        ("qrels/test.tsv", "query-id\tcorpus-id\tscore\n", warpdex.InputError),
        ("qrels/test.tsv", "q\t1\tmany\n", warpdex.InputError),
        ("qrels/test.tsv", "q 1 1\n", warpdex.InputError),
    ],
)
def test_bad_folders(
    tmp_path: Path, name: str, text: str | None, error: type[Exception]
) -> None:
    folder = write(tmp_path / "folder", documents(1, 3), {"q": "w1"}, {"q": {"d1": 1}})
    if text is None:
        (folder / name).unlink()
    else:
        (folder / name).write_text(text, "utf-8")
    with pytest.raises(error):
        beir.evaluate(folder, tmp_path / "index")
    assert not (tmp_path / "index").exists()


def test_bad_bytes(tmp_path: Path) -> None:
    folder = write(tmp_path / "folder", documents(1, 3), {"q": "w1"}, {"q": {"d1": 1}})
    (folder / "corpus.jsonl").write_bytes(b"\xff\xfe\n")
    with pytest.raises(warpdex.InputError, match="line 1"):
        beir.evaluate(folder)


def test_bad_compressed_files(tmp_path: Path) -> None:
    folder = write(tmp_path / "folder", documents(1, 300), {"q": "w1"}, {"q": {"d1": 1}}, True)
    path = folder / "corpus.jsonl.gz"
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(warpdex.InputError, match="corpus.jsonl"):
        beir.evaluate(folder)
