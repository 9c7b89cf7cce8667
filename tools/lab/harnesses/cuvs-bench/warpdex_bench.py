"""Warpdex as a backend of cuvs-bench.

register() makes the backend "warpdex" known; the algorithms and their parameters stand in warpdex.yaml beside
this file. Build parameters are keywords of warpdex.vectors.Index.build(), search parameters "probes" and
"refine"; "device" of the benchmark's keywords is "cpu" (the default) or "gpu".
"""
import shutil
import time
from pathlib import Path

import numpy
import warpdex
from cuvs_bench.backends.base import BenchmarkBackend, BuildResult, SearchResult
from cuvs_bench.backends.registry import register_backend, register_config_loader
from cuvs_bench.orchestrator import config_loaders
from warpdex import vectors

METRICS = {"euclidean": "l2", "inner_product": "ip", "cosine": "cosine"}
HERE = Path(__file__).resolve().parent


class WarpdexConfigLoader(config_loaders.ConfigLoader):
    """Makes a configuration of each combination of build parameters."""

    def __init__(self):
        self.config_path = str(Path(config_loaders.__file__).resolve().parent.parent / "config")

    @property
    def backend_type(self):
        return "warpdex"

    def _discover_algo_groups(self, dataset_conf, dataset, dataset_path, **kwargs):
        file = kwargs.get("algorithm_configuration") or str(HERE / "warpdex.yaml")
        wanted = {key: {name.strip() for name in kwargs[key].split(",")}
                  for key in ("algorithms", "groups") if kwargs.get(key)}
        found = []
        for algorithm in self.load_yaml_file(file):
            if algorithm["name"] not in wanted.get("algorithms", {algorithm["name"]}):
                continue
            for name, group in algorithm["groups"].items():
                if name in wanted.get("groups", {name}):
                    found.append((algorithm["name"], name, group, {}))
        return found

    def _build_benchmark_configs(self, dataset_config, dataset_conf, dataset, dataset_path,
                                 expanded_groups, **kwargs):
        configs = []
        for algorithm, group, _, builds, searches, _ in expanded_groups:
            if kwargs.get("_tune_mode") and kwargs.get("_tune_build_params") is not None:
                builds = [kwargs["_tune_build_params"]]
                searches = [kwargs.get("_tune_search_params") or {}]
            for build in builds:
                label = ".".join([f"{algorithm}_{group}", *(f"{k}{v}" for k, v in build.items())])
                path = Path(dataset_path) / dataset / "index" / label
                index = config_loaders.IndexConfig(
                    name=label, algo=algorithm, build_param=build, search_params=searches,
                    file=str(path))
                configs.append(config_loaders.BenchmarkConfig(indexes=[index], backend_config={
                    "name": label, "algo": algorithm, "device": kwargs.get("device", "cpu"),
                    "requires_gpu": kwargs.get("device") == "gpu"}))
        return configs


class WarpdexBackend(BenchmarkBackend):
    @property
    def algo(self):
        return self.config.get("algo", "warpdex")

    @property
    def _device(self):
        return self.config.get("device", "cpu")

    def _check_gpu_available(self):
        return not warpdex.gpu_problem()

    def build(self, dataset, indexes, force=False, dry_run=False):
        """Builds all indexes that are not there, or all with force."""
        why = self._pre_flight_check()
        if why or dry_run:
            return self._built(indexes, 0.0, why)
        start = time.perf_counter()
        try:
            for index in indexes:
                self._build_one(dataset, index, force)
        except (warpdex.Error, OSError) as error:
            return self._built(indexes, time.perf_counter() - start, str(error))
        return self._built(indexes, time.perf_counter() - start, None)

    def _build_one(self, dataset, index, force):
        path = Path(index.file)
        if path.exists() and not force:
            return
        shutil.rmtree(path, ignore_errors=True)
        path.parent.mkdir(parents=True, exist_ok=True)
        rows = numpy.ascontiguousarray(dataset.training_vectors, numpy.float32)
        vectors.Index.build(rows, path, metric=METRICS[dataset.distance_metric], device=self._device,
                            progress=False, **index.build_param)

    def _built(self, indexes, seconds, error):
        files = [file for index in indexes for file in Path(index.file).rglob("*") if file.is_file()]
        return BuildResult(
            index_path=indexes[0].file, build_time_seconds=seconds,
            index_size_bytes=sum(file.stat().st_size for file in files), algorithm=self.algo,
            build_params=indexes[0].build_param, success=error is None, error_message=error)

    def search(self, dataset, indexes, k, batch_size=10000, mode="latency", force=False,
               search_threads=None, dry_run=False):
        """Searches by every search parameter of every index. The result's neighbours and times are
        those of the last; its metadata has figures of each."""
        why = self._pre_flight_check()
        figures, last = [], None
        try:
            for index in indexes if not (why or dry_run) else []:
                for depth in index.search_params or [{}]:
                    last = self._search_one(dataset, index, depth, k, batch_size, search_threads)
                    figures.append({"index": index.name, "search_params": depth, **last[2]})
        except (warpdex.Error, OSError) as error:
            why = str(error)
        neighbors, distances, taken = last or (numpy.empty((0, k), numpy.int64),
                                               numpy.empty((0, k), numpy.float32), {})
        return SearchResult(
            neighbors=neighbors, distances=distances,
            search_time_ms=sum(each["search_time_ms"] for each in figures),
            queries_per_second=taken.get("queries_per_second", 0.0), recall=taken.get("recall", 0.0),
            algorithm=self.algo,
            search_params=[depth for index in indexes for depth in index.search_params],
            latency_percentiles={key: taken[key] for key in taken if key.startswith("p")},
            metadata={"mode": mode, "per_search_param_results": figures},
            success=why is None, error_message=why)

    def _search_one(self, dataset, index, depth, k, batch_size, threads):
        """Neighbours, distances and figures; the first batch is searched once before, untimed. Unless
        threads are given, single queries have one, and batches all."""
        opened = vectors.Index.open(index.file, self._device, **depth,
                                    threads=threads or int(batch_size == 1))
        queries = numpy.ascontiguousarray(dataset.query_vectors, numpy.float32)
        batches = [queries[first:first + batch_size] for first in range(0, len(queries), batch_size)]
        opened.search(batches[0], k)
        found, milliseconds = [], []
        for batch in batches:
            start = time.perf_counter()
            found.append(opened.search(batch, k))
            milliseconds.append(1e3 * (time.perf_counter() - start))
        distances, neighbors = (numpy.concatenate(each) for each in zip(*found))
        figures = {"search_time_ms": sum(milliseconds),
                   "queries_per_second": 1e3 * len(queries) / sum(milliseconds),
                   "recall": recall(neighbors, dataset.groundtruth_neighbors, k)}
        figures.update({f"p{part}": float(numpy.percentile(milliseconds, part))
                        for part in (50, 95, 99)})
        return neighbors, distances, figures


def recall(neighbors, truth, k):
    """The share of the true k nearest that were found; 0 where they are not known."""
    if truth is None or len(truth) == 0:
        return 0.0
    wanted = min(k, truth.shape[1])
    hits = sum(len(numpy.intersect1d(found[:k], true[:wanted]))
               for found, true in zip(neighbors, truth))
    return hits / (len(truth) * wanted)


def register():
    """Makes the backend known to cuvs-bench."""
    register_backend("warpdex", WarpdexBackend)
    register_config_loader("warpdex", WarpdexConfigLoader)
