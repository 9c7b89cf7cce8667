"""tools/lab/measure-cluster over two parts in one process."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

import pytest

from conftest import Program, documents, write_jsonl

SCRIPT = Path(__file__).parents[2] / "tools" / "lab" / "measure-cluster"


def test_one_process_is_measured(
    tmp_path: Path, program: Program, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    pytest.importorskip("fsspec")
    program("index", "--input", write_jsonl(tmp_path / "docs.jsonl", documents(3, 60)),
            "--format", "jsonl", "--output", tmp_path / "index")
    program("split", tmp_path / "index", "--into", 2, "--output", tmp_path / "parts")
    queries = tmp_path / "queries.tsv"
    queries.write_text("1\tw1 w2\n2\tw3\n", "utf-8")
    monkeypatch.setitem(sys.modules, "ray", None)  # as if it were not installed
    monkeypatch.setattr(sys, "argv", [
        str(SCRIPT), str(tmp_path / "folder"), "--indexes", str(tmp_path / "parts" / "part-0"),
        str(tmp_path / "parts" / "part-1"), "--queries", str(queries), "-k", "10",
        "--batches", "1"])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("one process\tk 10\tone query ")
    assert lines[1] == "Ray is not here"
