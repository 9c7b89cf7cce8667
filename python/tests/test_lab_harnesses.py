"""Adapters of ann-benchmarks and big-ann-benchmarks (tools/lab/harnesses), in stand-ins of these."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from stand_ins import HARNESSES, K, QUERIES, ROWS, load, nearest

__all__ = ["load"]  # a fixture


@dataclass
class Csr:
    """What adapters use of a matrix of scipy."""
    indptr: npt.NDArray[np.int64]
    indices: npt.NDArray[np.int32]
    data: npt.NDArray[np.float32]
    shape: tuple[int, int]

    @classmethod
    def of(cls, rows: list[dict[int, float]], columns: int) -> Csr:
        return cls(
            np.cumsum([0, *map(len, rows)], dtype=np.int64),
            np.array([each for row in rows for each in row], np.int32),
            np.array([weight for row in rows for weight in row.values()], np.float32),
            (len(rows), columns),
        )


# ann-benchmarks


class BaseANN:
    """As the bases of ann-benchmarks and big-ann-benchmarks, which adapters leave as they are."""
    name = ""

    def __str__(self) -> str:
        return self.name


@pytest.fixture
def ann(load: Callable[..., ModuleType]) -> ModuleType:
    return load("ann-benchmarks/warpdex/module.py", "ann_benchmarks.algorithms.warpdex.module",
                {"ann_benchmarks.algorithms.base.module": {"BaseANN": BaseANN}})


@pytest.mark.parametrize(("distance", "metric"), [("euclidean", "l2"), ("angular", "cosine")])
@pytest.mark.parametrize("build", [{"lists": 0}, {"lists": 16}, {"lists": 16, "coding": "pq"}])
def test_ann_benchmarks(ann: ModuleType, distance: str, metric: str, build: dict[str, Any]) -> None:
    algorithm = ann.Warpdex(distance, build)
    algorithm.fit(ROWS.astype(np.float64))
    if build["lists"]:
        algorithm.set_query_arguments(16, 900)  # all lists, and all rows by their vectors
        assert str(algorithm).startswith("Warpdex(lists=16") and "probes=16" in str(algorithm)
    want = nearest(ROWS, QUERIES, metric)[:, :K]
    assert [algorithm.query(query, K).tolist() for query in QUERIES] == want.tolist()
    algorithm.batch_query(QUERIES, K)
    assert [found.tolist() for found in algorithm.get_batch_results()] == want.tolist()
    assert len(algorithm.query(QUERIES[0], 1000)) == 900
    if build["lists"]:
        algorithm.set_query_arguments(1, 0)
        found = [algorithm.query(query, K).tolist() for query in QUERIES]
        assert found != want.tolist() and all(len(set(each)) == len(each) for each in found)
    folder = Path(algorithm._folder)
    assert folder.exists()
    algorithm.done()
    assert not folder.exists()


# big-ann-benchmarks


def tracks(load: Callable[..., ModuleType], track: str, dataset: Any) -> ModuleType:
    base = {"filter": "BaseFilterANN", "sparse": "BaseSparseANN"}[track]
    return load(f"big-ann-benchmarks/{track}/warpdex/search.py", f"neurips23.{track}.warpdex.search",
                {"benchmark.datasets": {"DATASETS": {"made": lambda: dataset}},
                 f"neurips23.{track}.base": {base: BaseANN}})


class Tagged:
    """A data set of the filter track: bytes with tags."""
    rows = np.clip(ROWS * 40 + 128, 0, 255).astype(np.uint8)
    tags = [{i % 7: 1.0, 7 + i % 5: 1.0, **({12: 1.0} if i < 4 else {})} for i in range(len(rows))]

    def __init__(self, search_type: str = "knn_filtered") -> None:
        self._search_type = search_type

    def search_type(self) -> str:
        return self._search_type

    def get_dataset(self) -> npt.NDArray[np.uint8]:
        return self.rows

    def get_dataset_metadata(self) -> Csr:
        return Csr.of(self.tags, 13)


@pytest.mark.parametrize("depth", [{"probes": 16}, {"probes": 1, "exact_below": 1000}])
def test_filter_track(load: Callable[..., ModuleType], depth: dict[str, Any]) -> None:
    """Queries with two tags, one, none, tags that few rows have, that none has, and unknown ones."""
    asked = [{3: 1.0, 8: 1.0}, {3: 1.0}, {}, {12: 1.0}, {0: 1.0, 1: 1.0}, {15: 1.0}] * 5
    queries = np.clip(QUERIES[:30] * 40 + 128, 0, 255).astype(np.uint8)
    algorithm = tracks(load, "filter", Tagged()).WarpdexFilter("euclidean", {"lists": 16, "threads": 2})
    assert algorithm.load_index("made") is False
    algorithm.fit("made")
    algorithm.set_query_arguments(depth)
    algorithm.filtered_query(queries, Csr.of(asked, 16), K)
    found = algorithm.get_results()
    assert found.shape == (30, K) and found.dtype == np.int32
    order = nearest(Tagged.rows, queries, "l2")
    distances = ((Tagged.rows[None].astype(int) - queries[:, None].astype(int)) ** 2).sum(axis=2)
    for query, tags in enumerate(asked):
        passing = [row for row in order[query] if tags.keys() <= Tagged.tags[row].keys()][:K]
        taken = found[query][found[query] >= 0]
        if tags or depth["probes"] == 16:  # without tags, few lists are looked into
            # Of equal distances any row may come.
            assert distances[query][taken].tolist() == distances[query][passing].tolist()
        assert all(tags.keys() <= Tagged.tags[row].keys() for row in taken)
    assert "probes=" in str(algorithm)


def test_filter_track_without_filter(load: Callable[..., ModuleType]) -> None:
    algorithm = tracks(load, "filter", Tagged("knn")).WarpdexFilter("euclidean", {"lists": 16})
    algorithm.fit("made")
    algorithm.set_query_arguments({"probes": 16})
    algorithm.query(Tagged.rows[:31], 1)
    assert (Tagged.rows[algorithm.get_results()[:, 0]] == Tagged.rows[:31]).all()


class Weighted:
    """A data set of the sparse track."""
    random = np.random.default_rng(3)
    columns = 80

    @classmethod
    def draw(cls, count: int, whole: bool) -> list[dict[int, float]]:
        rows = []
        for _ in range(count):
            terms = cls.random.choice(cls.columns, 9, replace=False).tolist()
            weights = cls.random.integers(1, 256, 9) if whole else cls.random.exponential(1, 9)
            rows.append(dict(zip(terms, weights.tolist())))
        return rows

    def __init__(self, whole: bool) -> None:
        self.rows = self.draw(700, whole)

    def get_dataset_iterator(self, bs: int) -> Any:
        return (Csr.of(self.rows[i:i + 300], self.columns) for i in range(0, len(self.rows), 300))


@pytest.mark.parametrize("whole", [True, False])
def test_sparse_track(load: Callable[..., ModuleType], whole: bool) -> None:
    """Exact by whole weights up to 255; by other weights exact where enough are ranked again."""
    dataset = Weighted(whole)
    queries = Weighted.draw(33, whole)
    products = np.array([[sum(w * row.get(t, 0) for t, w in query.items()) for row in dataset.rows]
                         for query in queries])
    best = -np.sort(-products, axis=1)[:, :K]
    algorithm = tracks(load, "sparse", dataset).WarpdexSparse("ip", {"codec": "bitpack", "threads": 2})
    assert algorithm.load_index("made") is False
    algorithm.fit("made")
    if not whole:
        algorithm.set_query_arguments({"refine": 200})
    algorithm.query(Csr.of(queries, Weighted.columns), K)
    found = np.take_along_axis(products, algorithm.get_results(), axis=1)
    np.testing.assert_allclose(found, best, rtol=1e-6)
    with pytest.raises(ValueError, match="ip"):
        type(algorithm)("euclidean", {})


def test_sparse_track_where_few_match(load: Callable[..., ModuleType]) -> None:
    dataset = Weighted(True)
    dataset.rows = [{1: 5.0}, {2: 5.0}, {1: 7.0, 2: 1.0}]
    algorithm = tracks(load, "sparse", dataset).WarpdexSparse("ip", {})
    algorithm.fit("made")
    for refine in (0, 5):
        algorithm.set_query_arguments({"refine": refine})
        algorithm.query(Csr.of([{1: 2.0}, {3: 1.0}, {}], 4), 3)
        assert algorithm.get_results().tolist() == [[2, 0, -1], [-1, -1, -1], [-1, -1, -1]]


# Their files


def test_configurations_name_what_is_there(ann: ModuleType, load: Callable[..., ModuleType]) -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    listed = yaml.safe_load((HARNESSES / "ann-benchmarks/warpdex/config.yml").read_text("utf-8"))
    for each in listed["float"]["any"]:
        assert each["module"] == "ann_benchmarks.algorithms.warpdex" and hasattr(ann, each["constructor"])
        assert each["docker_tag"] == "ann-benchmarks-warpdex"
    for track in ("filter", "sparse"):
        adapter = tracks(load, track, None)
        folder = HARNESSES / "big-ann-benchmarks" / track / "warpdex"
        for sets in yaml.safe_load((folder / "config.yaml").read_text("utf-8")).values():
            assert sets["warpdex"]["module"] == f"neurips23.{track}.warpdex.search"
            assert hasattr(adapter, sets["warpdex"]["constructor"])


def test_a_folder_that_is_no_clone(tmp_path: Path) -> None:
    command = [sys.executable, str(HARNESSES / "run"), "ann-benchmarks", str(tmp_path), "--data", "."]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 2 and "has no ann_benchmarks/main.py" in done.stderr


def test_a_worker_goes_on_with_the_next(monkeypatch: pytest.MonkeyPatch) -> None:
    """A harness's worker that fails on one of its queue gets the others, too."""
    monkeypatch.syspath_prepend(str(HARNESSES))
    from played.steps import InThisProcess

    done = []

    def worker(name: str, waiting: Any) -> None:
        while not waiting.empty():
            number = waiting.get()
            assert number != 1, "this one fails"
            done.append((name, number))

    waiting = InThisProcess.Queue()
    process = InThisProcess.Process(target=worker, args=("a", waiting))
    for number in range(4):
        waiting.put(number)
    process.start()
    process.join()
    assert done == [("a", 0), ("a", 2), ("a", 3)]
