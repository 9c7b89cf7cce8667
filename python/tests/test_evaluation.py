"""Results go into the functions of ir_measures and ranx as they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import warpdex
from conftest import documents
from warpdex import beir

QUERIES = {f"q{i}": f"w{i} w{i + 7} w{i + 20}" for i in range(25)}
QRELS = {
    qid: {f"d{(i * 37 + j * 11) % 500}": j % 3 for j in range(30)} for i, qid in enumerate(QUERIES)
}


@pytest.fixture(scope="module")
def result(tmp_path_factory: pytest.TempPathFactory) -> warpdex.BatchResult:
    path = tmp_path_factory.mktemp("evaluation") / "index"
    warpdex.build(documents(8, 500), path, analyzer="whitespace")
    return warpdex.Searcher(path).search_batch(QUERIES, k=200)


def means(result: warpdex.BatchResult) -> dict[str, float]:
    values = beir.measure(result.to_dict(), QRELS)
    return {name: sum(each.values()) / len(each) for name, each in values.items()}


def test_ir_measures(result: warpdex.BatchResult, tmp_path: Path) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="ir_measures is not installed")
    names = {"nDCG@10": "nDCG@10", "AP@100": "MAP@100", "R@100": "Recall@100"}
    measures = [ir_measures.parse_measure(name) for name in names]
    wanted = {measure: means(result)[name] for measure, name in zip(measures, names.values())}

    def check(run: object) -> None:
        found = ir_measures.calc_aggregate(measures, QRELS, run)
        assert found == pytest.approx(wanted, abs=1e-4)

    check(result.to_dict())
    result.save_trec(tmp_path / "run")
    check(ir_measures.read_trec_run(str(tmp_path / "run")))
    pandas = pytest.importorskip("pandas", reason="pandas is not installed")
    names_there = {"qid": "query_id", "docno": "doc_id"}
    frame = result.to_pandas().rename(columns=names_there)
    check(frame)
    qrels = pandas.DataFrame(
        [(q, d, grade) for q, judged in QRELS.items() for d, grade in judged.items()],
        columns=["query_id", "doc_id", "relevance"],
    )
    assert ir_measures.calc_aggregate(measures, qrels, frame) == pytest.approx(wanted, abs=1e-4)


def test_ranx(result: warpdex.BatchResult) -> None:
    ranx = pytest.importorskip("ranx", reason="ranx is not installed")
    types = {"qid": object, "docno": object, "score": float}
    columns = {"q_id_col": "qid", "doc_id_col": "docno", "score_col": "score"}
    frame = result.to_pandas().astype(types)
    for run in (ranx.Run(result.to_dict()), ranx.Run.from_df(frame, **columns)):
        found = ranx.evaluate(ranx.Qrels(QRELS), run, "recall@100")
        assert found == pytest.approx(means(result)["Recall@100"], abs=1e-4)


def test_importing_stays_light() -> None:
    code = (
        "import sys, warpdex; "
        "print([name for name in ('pandas', 'pyterrier', 'mcp', 'warpdex.beir', 'warpdex.mcp',"
        " 'warpdex.pyterrier') if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
