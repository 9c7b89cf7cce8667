"""The vectors and the queries, from fixed seeds, and what is nearest to each query."""
import dataclasses
import lzma
import math

import numpy

from .arrays import Gpu, Host

JUDGED = 2000  # queries whose answers are checked
TRUE = 100     # nearest of each
BLOCK = 1 << 17


@dataclasses.dataclass
class Shape:
    rows: int
    dimension: int
    lists: int
    code_bytes: int  # of a product code
    make: str
    store: str = "float"
    queries: int = 10_000
    seed: int = 1

    def smaller(self):
        """For a trial without a GPU."""
        rows = min(self.rows // 250, 10_000)
        return dataclasses.replace(self, rows=rows, lists=min(self.lists, rows // 100), queries=150)


# In the order of their importance. Lists and code bytes are every library's.
SHAPES = {
    "embeddings-768": Shape(1_000_000, 768, 2048, 192, "embeddings"),
    "embeddings-1536": Shape(1_000_000, 1536, 2048, 192, "embeddings", seed=2),
    "sift-128": Shape(100_000, 128, 512, 64, "sift", queries=1000),
    "normal-128": Shape(1_000_000, 128, 2048, 64, "normal", seed=3),
    "clustered-96": Shape(10_000_000, 96, 4096, 48, "clustered", seed=4),
    "halves-768": Shape(10_000_000, 768, 4096, 192, "embeddings", store="half", seed=5),
}


@dataclasses.dataclass
class Data:
    name: str
    shape: Shape
    arrays: object
    rows: object     # rows x components, where the arrays lie
    queries: object  # floats
    truth: object = None  # JUDGED x TRUE row numbers, in the host's memory
    _host: object = None

    @property
    def bytes(self):
        return self.shape.rows * self.shape.dimension * (2 if self.shape.store == "half" else 4)

    def host_rows(self):
        """The rows in the host's memory, copied once."""
        if self._host is None:
            self._host = self.arrays.to_host(self.rows)
        return self._host

    def recall(self, found, k):
        """The share of the k nearest that are among the k found."""
        judged = min(len(found), len(self.truth))
        hits = sum(len(numpy.intersect1d(found[q], self.truth[q, :k])) for q in range(judged))
        return hits / (judged * k)


def make(name, folder, cpu):
    """The data set, with its truth. Raises FileNotFoundError where it needs files of `folder`."""
    shape = SHAPES[name].smaller() if cpu else SHAPES[name]
    arrays = (Host if cpu else Gpu)(shape.seed)
    rows, queries = {"embeddings": embeddings, "sift": sift, "normal": normal,
                     "clustered": clustered}[shape.make](arrays, shape, folder)
    data = Data(name, dataclasses.replace(shape, rows=len(rows), queries=len(queries)), arrays, rows,
                queries)
    data.truth = nearest(arrays, rows, queries[:JUDGED], TRUE)
    return data


def embeddings(arrays, shape, folder):
    """Real sentence embeddings (384 components, length 1) of documents, put side by side.

    A vector of 768 (1,536) components is those of two (four) documents drawn at random, rotated by
    a random orthogonal matrix; a query likewise of real queries. A squared distance is the sum of
    those of the parts, so each part keeps the real distribution, its clusters and how far queries
    are from documents. What it does not keep: parts are independent of each other, so there are more
    directions in which vectors differ, and neighbours stand out less than in one text's embedding.
    """
    documents = arrays.take(numpy.load(folder / "wiki25k.minilm384.f16.npy"))
    asked = arrays.take(numpy.load(folder / "wiki25k.queries.minilm384.f16.npy"))
    rotation = arrays.orthogonal(shape.dimension)
    parts = shape.dimension // documents.shape[1]

    def fill(source, out):
        for first in range(0, len(out), BLOCK):
            some = min(BLOCK, len(out) - first)
            drawn = [source[arrays.numbers(len(source), some)] for _ in range(parts)]
            out[first:first + some] = arrays.beside(drawn) @ rotation
        return out

    return (fill(documents, arrays.empty(shape.rows, shape.dimension, shape.store)),
            fill(asked, arrays.empty(shape.queries, shape.dimension)))


def sift(arrays, shape, folder):
    """Real descriptors of photographs, 128 whole numbers each."""
    def read(name):
        raw = (folder / name).read_bytes()
        raw = lzma.decompress(raw) if name.endswith(".xz") else raw
        return numpy.frombuffer(raw, numpy.uint8).reshape(-1, 132)[:, 4:]

    return (arrays.take(read("wallpaper_sift_100k_base.bvecs.xz")[:shape.rows]),
            arrays.take(read("wallpaper_sift_query.bvecs")[:shape.queries]))


def normal(arrays, shape, _):
    """Independent normal components: one piece without clusters, the hardest for lists."""
    return (arrays.normal(shape.rows, shape.dimension), arrays.normal(shape.queries, shape.dimension))


def clustered(arrays, shape, _):
    """512 clusters of unequal weight, in groups of eight that are spread along the same 12
    directions, and a little noise: about as hard as SIFT."""
    groups, latent, each = 64, 12, 8
    count = -(-(shape.rows + shape.queries) // groups)
    made = arrays.empty(count * groups, shape.dimension)
    for group in range(groups):
        centres = 0.3 * arrays.normal(each, shape.dimension)
        directions = arrays.normal(latent, shape.dimension) / math.sqrt(latent)
        which = arrays.whole(each * arrays.uniform(count) ** 1.5).clip(0, each - 1)
        made[group * count:(group + 1) * count] = (
            centres[which] + 0.7 * (arrays.normal(count, latent) @ directions)
            + 0.1 * arrays.normal(count, shape.dimension))
    order = arrays.order(count * groups)
    return made[order[:shape.rows]], made[order[shape.rows:shape.rows + shape.queries]]


def nearest(arrays, rows, queries, k):
    """The k nearest rows of each query: candidates by products in floats, ranked by distances in
    double precision."""
    many = min(len(rows), k + 28)
    values = numbers = None
    for first in range(0, len(rows), BLOCK):
        block = arrays.floats(rows[first:first + BLOCK])
        found, columns = arrays.smallest((block * block).sum(1) - 2 * (queries @ block.T),
                                         min(many, len(block)))
        columns = columns + first
        if values is not None:
            found, kept = arrays.smallest(arrays.beside([values, found]), many)
            columns = arrays.picked(arrays.beside([numbers, columns]), kept)
        values, numbers = found, columns
    ranked = []
    for first in range(0, len(queries), 256):
        candidates = numbers[first:first + 256]
        distances = arrays.exact(rows, queries[first:first + 256], candidates)
        order = numpy.argsort(arrays.to_host(distances), axis=1, kind="stable")[:, :k]
        ranked.append(numpy.take_along_axis(arrays.to_host(candidates), order, 1))
    return numpy.concatenate(ranked)
