"""Warpdex in the filter track of big-ann-benchmarks: this folder goes to neurips23/filter/.

Rows and queries have sets of tags; the answer to a query is its nearest rows that have all of its tags.
Rows lie in an inverted file of vectors; a list of rows for each tag makes the filter of a query. Queries of
the same tags are searched together. A filter that few rows pass is searched in all lists, so exactly.
"""
import os
from multiprocessing.pool import ThreadPool

import numpy
from benchmark.datasets import DATASETS
from neurips23.filter.base import BaseFilterANN
from warpdex import vectors

METRICS = {"euclidean": "l2", "ip": "ip", "angular": "cosine"}


class TagLists:
    """For each tag the rows that have it, ascending."""

    def __init__(self, matrix):
        rows = numpy.repeat(numpy.arange(len(matrix.indptr) - 1, dtype=numpy.int32),
                            numpy.diff(matrix.indptr))
        self._rows = rows[numpy.argsort(matrix.indices, kind="stable")]
        counts = numpy.bincount(matrix.indices, minlength=matrix.shape[1])
        self._ends = numpy.concatenate([[0], numpy.cumsum(counts)])

    def having(self, tags):
        """The rows that have all of these tags."""
        lists = [self._rows[self._ends[tag]:self._ends[tag + 1]] if tag + 1 < len(self._ends)
                 else self._rows[:0] for tag in tags]
        lists.sort(key=len)
        found = lists[0]
        for each in lists[1:]:
            found = numpy.intersect1d(found, each, assume_unique=True)
        return found


def queries_by_tags(matrix):
    """{tags: numbers of the queries that have them}"""
    groups = {}
    for query in range(len(matrix.indptr) - 1):
        tags = matrix.indices[matrix.indptr[query]:matrix.indptr[query + 1]]
        groups.setdefault(tuple(sorted(tags.tolist())), []).append(query)
    return groups


class WarpdexFilter(BaseFilterANN):
    def __init__(self, metric, settings):
        """settings: "threads" of the searches, and keywords of Index.build()."""
        self._metric = METRICS[metric]
        self._build = dict(settings)
        self._threads = self._build.pop("threads", 0) or len(os.sched_getaffinity(0))
        self._depth = {}
        self.name = self._label()

    def _label(self):
        parts = [f"{key}={value}" for key, value in {**self._build, **self._depth}.items()]
        return f"warpdex({','.join(parts)})"

    def _folder(self, dataset):
        parts = [f"{key}{value}" for key, value in self._build.items()]
        return os.path.join("data", "indices", ".".join(["warpdex", dataset, *parts]))

    def fit(self, dataset):
        source = DATASETS[dataset]()
        rows = numpy.ascontiguousarray(source.get_dataset(), numpy.float32)
        os.makedirs(os.path.dirname(self._folder(dataset)), exist_ok=True)
        vectors.Index.build(rows, self._folder(dataset), metric=self._metric, device="cpu",
                            progress=False, **self._build)
        self.load_index(dataset)

    def load_index(self, dataset):
        if not os.path.exists(self._folder(dataset)):
            return False
        self._path = self._folder(dataset)
        source = DATASETS[dataset]()
        self._tags = None
        if source.search_type() == "knn_filtered":
            self._tags = TagLists(source.get_dataset_metadata())
        self.set_query_arguments({})
        return True

    def set_query_arguments(self, query_args):
        """"probes" of a query, and "exact_below": the number of rows that pass a filter, below which
        all lists are looked into."""
        self._depth = dict(query_args)
        self._few = vectors.Index.open(self._path, "cpu", threads=1,
                                       probes=self._depth.get("probes", 1))
        self._all = vectors.Index.open(self._path, "cpu", threads=1,
                                       probes=max(1, self._few.lists))
        self.name = self._label()

    def query(self, X, k):
        rows = numpy.ascontiguousarray(X, numpy.float32)
        pieces = numpy.array_split(rows, min(self._threads, len(rows)))
        with ThreadPool(self._threads) as pool:
            found = pool.map(lambda piece: self._few.search(piece, k)[1], pieces)
        self.res = numpy.concatenate(found).astype(numpy.int32)

    def filtered_query(self, X, filter, k):
        rows = numpy.ascontiguousarray(X, numpy.float32)
        self.res = numpy.full((len(rows), k), -1, numpy.int32)

        def answer(group):
            tags, queries = group
            if not tags:
                self.res[queries] = self._few.search(rows[queries], k)[1]
                return
            passing = self._tags.having(tags)
            if len(passing) > 0:
                is_exact = len(passing) < self._depth.get("exact_below", 0)
                index = self._all if is_exact else self._few
                self.res[queries] = index.search(rows[queries], k, filter=passing)[1]

        with ThreadPool(self._threads) as pool:
            pool.map(answer, queries_by_tags(filter).items())

    def get_results(self):
        return self.res
