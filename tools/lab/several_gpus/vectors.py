"""Cases of vectors: searches, the k-NN graph, and k-means."""
import collections
import functools
import shutil
import statistics
import time

from . import data
from .host import Case, Outcome, Row, count, forms, millions

Shape = collections.namedtuple("Shape", "name rows dimension kind")

SEARCHED = (Shape("10m", 10_000_000, 96, "float"), Shape("100m", 100_000_000, 96, "half"))
CLUSTERED = ((Shape("10m", 10_000_000, 128, "float"), (4096,)),
             (Shape("8m", 8_100_000, 784, "byte"), (4096, 256)))
KINDS = {"flat": [], "ivf-flat": [], "ivf-pq": ["--bytes", 24, "--no-vectors"]}
GRAPH_ROWS = 4_000_000
PROBES, K = 32, 10
TIMES = 3


class Vectors:
    """The files of one shape in a folder of their own, of the indexes one at a time."""

    def __init__(self, host, folder, shape):
        self.host = host
        self.folder = folder
        self.shape = shape
        self.rows = host.scaled(shape.rows, 400)
        self.name = f"{millions(self.rows)} x {shape.dimension}"

    def file(self, name="base", rows=None, seed=2, kind=None):
        return data.write_vectors(self.folder, name, kind or self.shape.kind, rows or self.rows,
                                  self.shape.dimension, seed)

    def queries(self):
        return self.file("queries", self.host.batch * 10, seed=3, kind="float")

    def index(self, kind):
        return self.built(kind, self.file(), kind, *KINDS[kind],
                          *(["--store", "half"] if self.shape.kind == "half" else []))

    def built(self, name, source, kind, *options):
        """An index; the one before it goes, since the largest fill a disk."""
        path = self.folder / f"index-{name}"
        if not path.exists():
            for other in self.folder.glob("index-*"):
                shutil.rmtree(other)
            beside = self.folder / "new-index"
            shutil.rmtree(beside, ignore_errors=True)
            self.host.run("warpdex", "vector", "build", "--input", source, "--index", kind,
                          "--output", beside, *options, "--quiet",
                          *(self.host.building() if kind != "flat" else []))
            beside.rename(path)
        return path


def search_sizes(host, shape, form, devices):
    """(queries, words for them, times the work of one GPU's, in the plot)."""
    sizes = [host.batch // 10, host.batch] + ([host.batch * 10] if shape.name == "10m" else [])
    found = [(size, f"{size} queries", 1, form == "shards" and size == host.batch)
             for size in sizes]
    if form != "shards":
        gpus = count(devices)
        found.append((host.batch * gpus, f"{host.batch} queries a GPU", gpus, True))
    return found


def search(vectors, kind, form, shards, devices):
    host = vectors.host
    options = ["-k", K, *host.place(devices, shards), *(["--probes", PROBES] if kind != "flat" else [])]
    sizes = search_sizes(host, vectors.shape, form, devices)
    index, queries = vectors.index(kind), vectors.queries()
    found = host.json("warpdex", "vector", "bench", index, "--queries", queries, "--batch-sizes",
                      ",".join(map(str, sorted({size for size, *_ in sizes}))), "--repetitions",
                      TIMES, *options)
    taken = {one["queries"]: one["milliseconds"] for one in found["searches"]}
    rows = [Row(f"{vectors.name}, {kind}, {words}", form, taken[size], work, is_drawn)
            for size, words, work, is_drawn in sizes]
    few = vectors.file("few", host.batch, seed=4, kind="float")
    answers = [vectors.folder / name for name in ("found.ivecs", "distances.fbin")]
    host.run("warpdex", "vector", "search", index, "--queries", few, *options, "--output",
             answers[0], "--distances", answers[1])
    return Outcome(rows, {f"{vectors.name}, {kind}": [data.checksum(*answers)]})


def graph(vectors, form, shards, devices):
    host = vectors.host
    rows = host.scaled(GRAPH_ROWS, 200)
    index = vectors.built("graph", vectors.file("graph", rows), "flat")
    output = vectors.folder / "graph.ivecs"
    begin = time.perf_counter()
    host.run("warpdex", "vector", "graph", index, "-k", K, *host.place(devices, shards),
             "--output", output, "--quiet")
    taken = (time.perf_counter() - begin) * 1e3
    name = f"{vectors.name}, graph of the first {rows}, exact"
    return Outcome([Row(f"{name}, with start", form, taken, 1, True)],
                   {name: [data.checksum(output)]})


def kmeans(vectors, clusters, form, devices):
    """Another number of GPUs may give other centroids, the same number the same ones."""
    host = vectors.host
    clusters = min(clusters, max(2, vectors.rows * clusters // 65_536))  # fewer of small data
    output = vectors.folder / "centroids.fbin"
    taken, sums = [], []
    for _ in range(TIMES):
        found = host.json("warpdex", "vector", "kmeans", "--input", vectors.file(), "--clusters",
                          clusters, *host.share(devices), "--output", output)
        taken.append(found["seconds"] * 1e3)
        sums.append(data.checksum(output))
    name = f"k-means, {vectors.name}, {clusters} clusters"
    return Outcome([Row(name, form, statistics.median(taken), 1, True)],
                   {f"{name}, each of {TIMES} times on {devices}": sums})


def cases(host, folder, sets):
    for shape in SEARCHED:
        collection = f"vectors-{shape.name}"
        vectors = Vectors(host, folder / collection, shape)
        ways = [(kind, functools.partial(search, vectors, kind)) for kind in KINDS]
        if shape.name == "10m":
            ways.append(("graph", functools.partial(graph, vectors)))
        for name, way in ways:
            for devices in sets:
                for form, shards in forms(devices):
                    yield Case(f"vectors/{shape.name}/{name}/{form}/{devices}", collection, devices,
                               functools.partial(way, form, shards, devices))
    for shape, numbers in CLUSTERED:
        collection = f"kmeans-{shape.name}"
        vectors = Vectors(host, folder / collection, shape)
        for clusters in numbers:
            for devices in sets:
                form = "one GPU" if count(devices) == 1 else "shared"
                yield Case(f"vectors/kmeans-{shape.name}/{clusters}/{devices}", collection, devices,
                           functools.partial(kmeans, vectors, clusters, form, devices))
