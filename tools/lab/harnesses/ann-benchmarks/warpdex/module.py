"""Warpdex in ann-benchmarks: this folder goes to ann_benchmarks/algorithms/ of that project.

An index is built by warpdex.vectors.Index.build() with the arguments of config.yml, on all processors
that the container has. Single queries are answered on one thread, batches on all.
"""
import shutil
import tempfile

import numpy
from warpdex import vectors

from ..base.module import BaseANN

METRICS = {"euclidean": "l2", "angular": "cosine"}


class Warpdex(BaseANN):
    def __init__(self, metric, build):
        """build: keywords of Index.build()."""
        self._metric = METRICS[metric]
        self._build = build
        self._depth = {}
        self._folder = None
        self._indexes = {}  # by threads
        self._label()

    def _label(self):
        settings = {**self._build, **self._depth}
        self.name = "Warpdex({})".format(", ".join(f"{key}={settings[key]}" for key in settings))

    def fit(self, X):
        self._folder = tempfile.mkdtemp(prefix="warpdex-")
        rows = numpy.ascontiguousarray(X, numpy.float32)
        vectors.Index.build(rows, self._folder + "/index", metric=self._metric, device="cpu",
                            progress=False, **self._build)

    def set_query_arguments(self, probes, refine=0):
        """probes: lists that a query looks into; refine: how many of the nearest by codes are ranked
        again by their vectors."""
        self._depth = {"probes": probes, "refine": refine}
        self._indexes = {}
        self._label()

    def _search(self, rows, n, threads):
        if threads not in self._indexes:
            self._indexes[threads] = vectors.Index.open(self._folder + "/index", "cpu",
                                                        threads=threads, **self._depth)
        return self._indexes[threads].search(numpy.ascontiguousarray(rows, numpy.float32), n)[1]

    def query(self, q, n):
        found = self._search(q[numpy.newaxis], n, 1)[0]
        return found[found >= 0]

    def batch_query(self, X, n):
        self.res = self._search(X, n, 0)

    def get_batch_results(self):
        return [found[found >= 0] for found in self.res]

    def done(self):
        self._indexes = {}
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)
