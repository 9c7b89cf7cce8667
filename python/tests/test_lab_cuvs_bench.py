"""The backend of cuvs-bench (tools/lab/harnesses), in a stand-in of that project."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

from stand_ins import HARNESSES, K, QUERIES, ROWS, load, nearest

__all__ = ["load"]  # a fixture


@dataclass
class Results:
    """A result of cuvs-bench, whatever its members are."""

    def __init__(self, **members: Any) -> None:
        self.__dict__.update(members)


@dataclass
class Config:
    name: str = ""
    algo: str = ""
    build_param: dict[str, Any] = field(default_factory=dict)
    search_params: list[dict[str, Any]] = field(default_factory=list)
    file: str = ""
    indexes: list[Config] = field(default_factory=list)
    backend_config: dict[str, Any] = field(default_factory=dict)


class BenchmarkBackend:
    def __init__(self, config: dict[str, Any]) -> None:
        self.config = config

    def _check_gpu_available(self) -> bool:
        raise NotImplementedError

    def _pre_flight_check(self) -> str | None:
        needs = self.config.get("requires_gpu", False)
        return "no_gpu" if needs and not self._check_gpu_available() else None


@pytest.fixture
def cuvs(load: Callable[..., ModuleType]) -> ModuleType:
    backends: dict[str, Any] = {}
    loaders = {"__file__": "/cuvs_bench/orchestrator/config_loaders.py", "ConfigLoader": object,
               "IndexConfig": Config, "BenchmarkConfig": Config}
    adapter = load("cuvs-bench/warpdex_bench.py", "warpdex_bench", {
        "cuvs_bench.backends.base": {"BenchmarkBackend": BenchmarkBackend, "BuildResult": Results,
                                     "SearchResult": Results},
        "cuvs_bench.backends.registry": {
            "register_backend": lambda name, made: backends.update({name: made}),
            "register_config_loader": lambda name, made: backends.update({name + " loader": made})},
        "cuvs_bench.orchestrator": {},
        "cuvs_bench.orchestrator.config_loaders": loaders,
    })
    adapter.register()
    assert backends == {"warpdex": adapter.WarpdexBackend, "warpdex loader": adapter.WarpdexConfigLoader}
    return adapter


def cuvs_configs(adapter: ModuleType, folder: Path, **options: Any) -> Any:
    loader = adapter.WarpdexConfigLoader()
    group = {"build": {"lists": [0, 16]}, "search": {"probes": [1, 16]}}
    loader.load_yaml_file = lambda path: [{"name": "warpdex_ivf", "groups": {"base": group, "other": {}}},
                                          {"name": "warpdex_other", "groups": {"base": {}}}]
    found = loader._discover_algo_groups({}, "made", str(folder), algorithms="warpdex_ivf",
                                         groups="base", **options)
    assert found == [("warpdex_ivf", "base", group, {})]
    expanded = [(name, label, each, *([dict(zip(grid, values)) for values in
                                       itertools.product(*grid.values())]
                                      for grid in (each["build"], each["search"])), meta)
                for name, label, each, meta in found]
    return loader._build_benchmark_configs(None, {}, "made", str(folder), expanded, **options)


def test_cuvs_bench(cuvs: ModuleType, tmp_path: Path) -> None:
    order = nearest(ROWS, QUERIES, "l2")
    dataset = Results(training_vectors=ROWS, query_vectors=QUERIES, distance_metric="euclidean",
                      groundtruth_neighbors=order[:, :K])
    configs = cuvs_configs(cuvs, tmp_path)
    assert [each.indexes[0].build_param for each in configs] == [{"lists": 0}, {"lists": 16}]
    for config in configs:
        backend = cuvs.WarpdexBackend(config.backend_config)
        assert backend.algo == "warpdex_ivf"
        assert backend.build(dataset, config.indexes, dry_run=True).index_size_bytes == 0
        built = backend.build(dataset, config.indexes)
        assert built.success and built.index_size_bytes > ROWS.nbytes
        again = backend.build(dataset, config.indexes)
        assert again.build_time_seconds < built.build_time_seconds
        for batch_size in (1, 32, 1000):
            found = backend.search(dataset, config.indexes, K, batch_size=batch_size)
            assert found.success and found.recall == 1 and found.queries_per_second > 0
            assert found.neighbors.tolist() == order[:, :K].tolist()
            each = found.metadata["per_search_param_results"]
            assert [one["search_params"] for one in each] == [{"probes": 1}, {"probes": 16}]
            few = each[0]["recall"]
            assert few == 1 if config.indexes[0].build_param["lists"] == 0 else 0.1 < few < 1
            assert each[0]["p50"] <= each[0]["p99"]


def test_cuvs_bench_says_why_it_failed(cuvs: ModuleType, tmp_path: Path) -> None:
    config = cuvs_configs(cuvs, tmp_path)[0]
    broken = Results(training_vectors=np.full((40, 3), np.nan), query_vectors=ROWS[:3],
                     distance_metric="euclidean", groundtruth_neighbors=None)
    backend = cuvs.WarpdexBackend(config.backend_config)
    built = backend.build(broken, config.indexes)
    assert not built.success and built.error_message
    searched = backend.search(broken, config.indexes, K)
    assert not searched.success and searched.error_message and searched.neighbors.shape == (0, K)


def test_cuvs_bench_tunes(cuvs: ModuleType, tmp_path: Path) -> None:
    config, = cuvs_configs(cuvs, tmp_path, _tune_mode=True, _tune_build_params={"lists": 8},
                           _tune_search_params={"probes": 3})
    assert (config.indexes[0].build_param, config.indexes[0].search_params) == (
        {"lists": 8}, [{"probes": 3}])


def test_recall(cuvs: ModuleType) -> None:
    truth = np.array([[1, 2, 3], [4, 5, 6]])
    assert cuvs.recall(np.array([[1, 2, 9], [6, 7, 8]]), truth, 3) == 0.5
    assert cuvs.recall(np.array([[2], [4]]), truth, 1) == 0.5
    assert cuvs.recall(np.array([[2], [4]]), None, 1) == 0


def test_configurations_have_what_the_loader_reads() -> None:
    yaml = pytest.importorskip("yaml", reason="PyYAML is not installed")
    for each in yaml.safe_load((HARNESSES / "cuvs-bench/warpdex.yaml").read_text("utf-8")):
        assert each["name"].startswith("warpdex_")
        assert {"build", "search"} == set(each["groups"]["base"])
