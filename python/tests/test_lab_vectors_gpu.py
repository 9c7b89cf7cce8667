"""tools/lab/measure-vectors-gpu without a GPU: its truth, its sweep, its table and its plot."""

from __future__ import annotations

import importlib.machinery
import importlib.util
import sys
import xml.etree.ElementTree as ElementTree
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

LAB = Path(__file__).resolve().parents[2] / "tools" / "lab"
sys.path.insert(0, str(LAB))

from vectors_gpu import data, report, sweep  # noqa: E402
from vectors_gpu.arrays import Host  # noqa: E402

SMALL = {
    "normal": data.Shape(900, 24, 12, 6, "normal", queries=33, seed=7),
    "clustered": data.Shape(1500, 16, 10, 4, "clustered", queries=20, seed=8),
    "halves": data.Shape(700, 8, 5, 4, "normal", store="half", queries=20, seed=9),
    "absent": data.Shape(700, 128, 5, 64, "sift", queries=20),
}


@pytest.fixture
def program(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """The script as a module, over small data."""
    loader = importlib.machinery.SourceFileLoader("measure_vectors", str(LAB / "measure-vectors-gpu"))
    spec = importlib.util.spec_from_loader(loader.name, loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    monkeypatch.setattr(data, "SHAPES", SMALL)
    monkeypatch.setattr(data.Shape, "smaller", lambda shape: shape)
    return module


def run(program: ModuleType, path: Path, *options: str) -> list[dict[str, Any]]:
    given = program.arguments([str(path), "--cpu", "--systems", "warpdex", "--repetitions", "1",
                               "--data", str(path.parent), "-k", "10", *options])
    results = sweep.Results(path)
    program.measure(given, results)
    return results.rows()


def test_truth() -> None:
    arrays = Host(5)
    for rows, k in ((40, 40), (1000, 7), (300, 100)):
        base, queries = arrays.normal(rows, 9), arrays.normal(11, 9)
        apart = ((base[None].astype(np.float64) - queries[:, None]) ** 2).sum(2)
        np.testing.assert_array_equal(data.nearest(arrays, base, queries, k),
                                      np.argsort(apart, axis=1, kind="stable")[:, :k])


def test_truth_of_several_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    arrays = Host(6)
    base, queries = arrays.normal(1000, 9), arrays.normal(300, 9)
    whole = data.nearest(arrays, base, queries, 20)
    monkeypatch.setattr(data, "BLOCK", 129)
    np.testing.assert_array_equal(data.nearest(arrays, base, queries, 20), whole)


def test_sweep(program: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    rows = run(program, path)
    assert {row["data"] for row in rows} == {"normal", "clustered", "halves"}
    methods = {row["method"] for row in rows}
    assert {"flat", "ivf-flat", "ivf-pq refined", "ivf-xfbq 4 bits refined"} <= methods
    for row in rows:
        if row["method"] == "flat":
            assert float(row["recall"]) == 1
    for name, shape in SMALL.items():
        own = [row for row in rows if (row["data"], row["method"]) == (name, "ivf-flat")]
        if own:
            recalls = [float(row["recall"]) for row in own if int(row["batch"]) == shape.queries]
            assert recalls == sorted(recalls) and recalls[-1] > 0.9 and recalls[0] < recalls[-1]
            assert {int(row["batch"]) for row in own} == {1, shape.queries}

    before = path.read_bytes()
    assert run(program, path) == rows  # all is done
    assert path.read_bytes() == before


def test_a_broken_run_goes_on(program: ModuleType, tmp_path: Path) -> None:
    path = tmp_path / "results.csv"
    assert run(program, path, "--deadline", "0") == []
    results = sweep.Results(path)
    results.note("begun", "normal/warpdex/flat")  # the process ended in it
    results.note("left", "normal/warpdex/ivf-flat")  # its time was over
    found = {row["method"] for row in run(program, path, "--only", "normal/warpdex/ivf-*",
                                          "--skip", "*xfbq*")}
    assert found == {"ivf-flat", "ivf-pq", "ivf-pq refined", "ivf-sq8"}
    rows = run(program, path, "--skip", "clustered/*", "--skip", "halves/*")
    assert "flat" not in {row["method"] for row in rows}
    rows = run(program, path, "--only", "normal/warpdex/flat")
    assert "flat" in {row["method"] for row in rows}


def row(system: str, method: str, recall: float, ms: float, name: str = "one") -> dict[str, Any]:
    return {"data": name, "system": system, "method": method, "setting": f"probes {ms}", "k": "10",
            "rows": "5000000", "batch": "100", "recall": str(recall), "ms": str(ms)}


def test_table_and_plot() -> None:
    rows = [row("warpdex", "a", 0.93, 2), row("warpdex", "b", 0.97, 3), row("warpdex", "b", 0.91, 1),
            row("cuvs", "c", 0.96, 6), row("faiss", "d", 0.89, 0.5), row("cuvs", "c", 1, 9, "two")]
    lines = report.table(rows).splitlines()
    assert len(lines) == 2 + 2 * 3
    cells = [[each.strip() for each in line.split("|")[1:-1]] for line in lines]
    assert cells[0] == ["data", "k", "batch", "recall", "warpdex, ms", "cuvs, ms", "faiss, ms",
                        "peer / own"]
    assert cells[2] == ["one", "10", "100", "0.9", "1 (b, probes 1)", "6 (c, probes 6)", "-", "6.00"]
    assert cells[3][4:] == ["3 (b, probes 3)", "6 (c, probes 6)", "-", "2.00"]
    assert cells[4][4:] == ["-", "-", "-", "-"]
    assert cells[7][4:] == ["-", "9 (c, probes 9)", "-", "-"]

    drawn = ElementTree.fromstring(report.plot(rows))
    texts = [each.text or "" for each in drawn.iter() if each.tag.endswith("text")]
    assert [text for text in texts if text.endswith("batches of 100")] == [
        "one: 5 M vectors, batches of 100", "two: 5 M vectors, batches of 100"]
    marks = [each.get("d", "") for each in drawn.iter() if each.tag.endswith("path")]
    assert len(marks) == 6 + 4  # the legend's, too
    first, second = report.MARKS[:2]
    assert sum(mark.endswith(second) for mark in marks) == 2 + 1  # b's alone
    assert sum(mark.endswith(first) for mark in marks) == 4 + 3
