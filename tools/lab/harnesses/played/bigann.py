"""The filter and sparse tracks of big-ann-benchmarks, without Docker, over sets of real texts."""
import shutil
import sys
from pathlib import Path

import numpy

from .sets import TRUE, filtered_articles, sparse_articles
from .steps import HERE, InThisProcess, install, working_in

RUNS = 3
K = 10


def play(checkout, data, track):
    """Rows of figures of a track."""
    install(HERE / "big-ann-benchmarks" / track / "warpdex", checkout / "neurips23" / track / "warpdex")
    (checkout / "data").mkdir(exist_ok=True)
    rows = []
    with working_in(checkout, checkout):
        from benchmark import main
        main.multiprocessing = InThisProcess
        sets = filter_sets(data) if track == "filter" else [sparse_set(data)]
        for name in sets:
            results = checkout / "results" / "neurips23" / track / name / str(K) / "warpdex"
            shutil.rmtree(results, ignore_errors=True)  # of earlier runs
            sys.argv = ["run.py", "--neurips23track", track, "--algorithm", "warpdex", "--dataset", name,
                        "--nodocker", "--rebuild", "--force", "--runs", str(RUNS), "--count", str(K)]
            main.main()
            rows += figures(name, track)
    return rows


def figures(name, track):
    """As the project computes them."""
    from benchmark.datasets import DATASETS
    from benchmark.plotting.utils import compute_metrics_all_runs
    from benchmark.results import load_all_results
    found = compute_metrics_all_runs(
        DATASETS[name](), name, load_all_results(name, K, neurips23track=track),
        neurips23track=track)
    ours = (each for each in found if each["algorithm"] == "warpdex")
    for each in sorted(ours, key=lambda each: each["parameters"]):
        yield {"harness": f"big-ann-benchmarks, {track}", "data": name,
               "algorithm": each["algorithm"], "parameters": each["parameters"],
               "recall@10": round(float(each["k-nn"]), 4), "queries a second": round(each["qps"]),
               "build, s": round(float(each["build"]), 2)}


def write_matrix(matrix, file):
    """A sparse matrix in the project's form."""
    with file.open("wb") as to:
        numpy.array([len(matrix.indptr) - 1, matrix.columns, len(matrix.data)], numpy.int64).tofile(to)
        for values, kind in ((matrix.indptr, numpy.int64), (matrix.indices, numpy.int32),
                             (matrix.data, numpy.float32)):
            numpy.asarray(values, kind).tofile(to)


def write_rows(file, kind, *arrays):
    """Numbers of rows and columns, and the arrays."""
    with file.open("wb") as to:
        numpy.array(arrays[0].shape, numpy.uint32).tofile(to)
        for values in arrays:
            numpy.asarray(values, kind).tofile(to)
            kind = numpy.float32  # of the distances behind neighbours


def filter_sets(data):
    """The project's own random set, and articles with their words as tags."""
    from benchmark.datasets import DATASETS, RandomFilterDS
    made, tags, query_tags = filtered_articles(data)

    class Articles(RandomFilterDS):
        def prepare(self, skip_data=False):
            folder = Path(self.basedir)
            write_rows(folder / self.ds_fn, numpy.float32, made.base)
            write_rows(folder / self.qs_fn, numpy.float32, made.queries)
            write_rows(folder / self.gt_fn, numpy.int32, made.neighbors, made.distances)
            write_matrix(tags, folder / self.ds_metadata_fn)
            write_matrix(query_tags, folder / self.qs_metadata_fn)

    DATASETS["wiki25k-filter"] = lambda: Articles(*made.base.shape[:1], *made.queries.shape)
    return ["random-filter-s", "wiki25k-filter"]


def sparse_set(data):
    """Articles as weights of words; their neighbours are worked out by scipy."""
    from benchmark.datasets import DATASETS, SparseDataset
    from scipy.sparse import csr_matrix
    rows, queries = sparse_articles(data)

    class Articles(SparseDataset):
        def __init__(self):
            super().__init__("small")
            self.nb, self.nq = len(rows.indptr) - 1, len(queries.indptr) - 1
            # The project reads a file without the .gz if it is unpacked.
            self.ds_fn, self.qs_fn, self.gt_fn = "articles.csr.gz", "questions.csr.gz", "articles.gt"

        def prepare(self, skip_data=False):
            folder = Path(self.basedir)
            folder.mkdir(parents=True, exist_ok=True)
            write_matrix(rows, folder / "articles.csr")
            write_matrix(queries, folder / "questions.csr")
            base, asked = (csr_matrix((each.data.astype(numpy.float64), each.indices, each.indptr),
                                      (len(each.indptr) - 1, each.columns)) for each in (rows, queries))
            products = (asked @ base.T).toarray()
            neighbors = numpy.argsort(-products, axis=1, kind="stable")[:, :TRUE]
            write_rows(folder / self.gt_fn, numpy.int32, neighbors,
                       numpy.take_along_axis(products, neighbors, axis=1))

    DATASETS["articles-sparse"] = Articles
    return "articles-sparse"
