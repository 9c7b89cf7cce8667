"""Warpdex in the sparse track of big-ann-benchmarks: this folder goes to neurips23/sparse/.

A row's dimensions are the terms of a document, and their weights impacts in 255 steps up to the largest. The
answer to a query has the largest inner products with them; "refine" ranks so many of the best again by the
rows' own weights.
"""
import os

import numpy
import warpdex
from benchmark.datasets import DATASETS
from neurips23.sparse.base import BaseSparseANN

ROWS = 10_000  # that are read at a time


def weights(matrix):
    """Of each row as {term: weight}."""
    for row in range(len(matrix.indptr) - 1):
        first, end = matrix.indptr[row], matrix.indptr[row + 1]
        yield dict(zip(map(str, matrix.indices[first:end].tolist()),
                       matrix.data[first:end].tolist()))


class Rows:
    """All rows in memory, for exact inner products."""

    def __init__(self, blocks):
        blocks = list(blocks)
        lengths = numpy.concatenate([numpy.diff(block.indptr) for block in blocks])
        self._starts = numpy.concatenate([[0], numpy.cumsum(lengths)])
        self._terms = numpy.concatenate([block.indices for block in blocks])
        self._weights = numpy.concatenate([block.data for block in blocks])

    def products(self, dense, rows):
        """With a query, given as an array of all dimensions, of each of these rows."""
        counts = self._starts[rows + 1] - self._starts[rows]
        ends = numpy.cumsum(counts)
        places = numpy.arange(ends[-1]) + numpy.repeat(self._starts[rows] - ends + counts, counts)
        parts = dense[self._terms[places]] * self._weights[places]
        return numpy.bincount(numpy.repeat(numpy.arange(len(rows)), counts), parts, len(rows))


class WarpdexSparse(BaseSparseANN):
    def __init__(self, metric, settings):
        """settings: "threads" of the searches, and keywords of warpdex.build()."""
        if metric != "ip":
            raise ValueError(f"the metric is {metric}; sparse vectors are compared by ip")
        self._build = dict(settings)
        self._threads = self._build.pop("threads", 0)
        self._refine, self._rows = 0, None
        self.name = self._label()

    def _label(self):
        parts = {**self._build, "refine": self._refine}
        return "warpdex({})".format(",".join(f"{key}={value}" for key, value in parts.items()))

    def _folder(self, dataset):
        parts = [f"{key}{value}" for key, value in self._build.items()]
        return os.path.join("data", "indices", ".".join(["warpdex", dataset, *parts]))

    def _documents(self):
        number = 0
        for rows in self._source.get_dataset_iterator(ROWS):
            for vector in weights(rows):
                yield {"id": number, "weights": vector}
                number += 1

    def fit(self, dataset):
        self._source = DATASETS[dataset]()
        os.makedirs(os.path.dirname(self._folder(dataset)), exist_ok=True)
        warpdex.build(self._documents(), self._folder(dataset), weights="weights", forward=False,
                      progress=False, **self._build)
        self.load_index(dataset)

    def load_index(self, dataset):
        if not os.path.exists(self._folder(dataset)):
            return False
        self._source = DATASETS[dataset]()
        self._searcher = warpdex.Searcher(self._folder(dataset), "cpu", threads=self._threads,
                                          document_blocks=True)
        return True

    def set_query_arguments(self, query_args):
        """"refine": how many of the best are ranked again; 0: none."""
        self._refine = query_args.get("refine", 0)
        if self._refine > 0 and self._rows is None:
            self._rows = Rows(self._source.get_dataset_iterator(ROWS))
        self.name = self._label()

    def query(self, X, k):
        found = self._searcher.search_terms_batch(weights(X), max(k, self._refine), progress=False)
        self.res = numpy.full((X.shape[0], k), -1, numpy.int32)
        dense = numpy.zeros(X.shape[1])
        for query, hits in enumerate(found):
            rows = numpy.array([hit.doc for hit in hits], numpy.int64)
            if self._refine > 0 and len(rows) > 0:
                terms = X.indices[X.indptr[query]:X.indptr[query + 1]]
                dense[terms] = X.data[X.indptr[query]:X.indptr[query + 1]]
                rows = rows[numpy.argsort(-self._rows.products(dense, rows), kind="stable")]
                dense[terms] = 0
            self.res[query, :min(k, len(rows))] = rows[:k]

    def get_results(self):
        return self.res
