"""The examples run, and types hold."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import warpdex
from warpdex import _core, _feedback, beir, cluster

PYTHON = Path(__file__).resolve().parents[1]
EXAMPLES = sorted((PYTHON / "examples").glob("*.py"))
NEEDED = {"gpu_torch": "torch", "pyterrier_experiment": "pyterrier"}


def run(*arguments: object, cwd: Path | None = None) -> str:
    command = [sys.executable, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=cwd)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "leaked" not in done.stderr  # as nanobind says of objects
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_examples_run(example: Path) -> None:
    if needed := NEEDED.get(example.stem):
        pytest.importorskip(needed, reason=f"{needed} is not installed")
    assert run(example)


def test_the_quickstart_over_articles(data: Path) -> None:
    output = run(PYTHON / "examples" / "quickstart.py", data)
    ndcg = float(output.split("nDCG@10")[1])
    assert 0.3 < ndcg < 0.9


def test_the_experiment_on_cran(data: Path) -> None:
    pytest.importorskip("pyterrier", reason="pyterrier is not installed")
    output = run(PYTHON / "examples" / "pyterrier_experiment.py", data / "ir" / "cran")
    figures = {line.split()[0]: float(line.split()[1]) for line in output.splitlines()[1:]}
    assert set(figures) == {"BM25", "QLD", "RM3", "Rocchio", "dense", "hybrid"}
    assert all(0.2 < ap < 0.6 for ap in figures.values())
    assert figures["RM3"] > figures["BM25"]


def test_hybrid_on_medquad(data: Path) -> None:
    output = run(PYTHON / "examples" / "hybrid.py", data / "ir" / "medquad")
    figures = {line.split()[0]: float(line.split()[1]) for line in output.splitlines()[1:]}
    assert set(figures) == {"words", "vectors", "rerank", "rrf", "convex"}
    assert all(0.15 < ndcg < 0.5 for ndcg in figures.values())
    assert min(figures["rrf"], figures["convex"]) > max(figures["words"], figures["vectors"])


def test_the_plot(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib", reason="matplotlib is not installed")
    run(PYTHON / "examples" / "hybrid.py", "--plot", tmp_path / "plot.png")
    assert (tmp_path / "plot.png").read_bytes().startswith(b"\x89PNG")


def test_the_page_runs(tmp_path: Path) -> None:
    """The blocks of docs/python.md, one after the other."""
    pytest.importorskip("pandas")
    page = (PYTHON.parent / "docs" / "python.md").read_text("utf-8")
    blocks = re.findall(r"^```python\n(.*?)^```", page, flags=re.M | re.S)
    assert len(blocks) > 5
    (tmp_path / "page.py").write_text("\n".join(blocks), "utf-8")
    output = run(tmp_path / "page.py", cwd=tmp_path)
    assert output.startswith("treasure ")


def test_types() -> None:
    pytest.importorskip("mypy")
    run("-m", "mypy", "--strict", "--no-error-summary", *EXAMPLES)
    run("-m", "mypy", "--strict", "--no-error-summary", "-p", "warpdex")


def test_the_stub_names_what_there_is() -> None:
    """The stub of the extension module is written by hand."""
    stub = ast.parse((PYTHON / "warpdex" / "_core.pyi").read_text("utf-8"))
    classes = {node.name: node for node in stub.body if isinstance(node, ast.ClassDef)}
    functions = {node.name for node in stub.body if isinstance(node, ast.FunctionDef)}
    public = {name for name in vars(_core) if not name.startswith("_")}
    assert set(classes) | functions | {"version"} == public
    for name, node in classes.items():
        members = {each.name for each in node.body if isinstance(each, ast.FunctionDef)}
        there = {each for each in vars(getattr(_core, name)) if not each.startswith("__")}
        assert {each for each in members if not each.startswith("__")} == there, name


def test_every_public_name_is_documented() -> None:
    for owner in (warpdex, warpdex.vectors, warpdex.Searcher, warpdex.Writer, warpdex.BatchResult,
                  warpdex.vectors.Index, warpdex.Hit, warpdex.Hits, warpdex.Explanation,
                  _feedback.TermSearch, beir, beir.Evaluation, cluster, cluster.Broker,
                  cluster.Cluster, cluster.Replica, cluster.Store):
        for name in getattr(owner, "__all__", None) or vars(owner):
            value = getattr(owner, name)
            if not name.startswith("_") and name != "qids":
                assert getattr(value, "__doc__", None), f"{owner}: {name}"


def test_version() -> None:
    cmake = PYTHON.parent / "CMakeLists.txt"
    assert f"project(warpdex VERSION {warpdex.__version__} " in cmake.read_text("utf-8")
    assert f"warpdex-cuda=={warpdex.__version__}\"" in (cmake.parent / "pyproject.toml").read_text(
        "utf-8"
    )
    assert _core.version == warpdex.__version__
