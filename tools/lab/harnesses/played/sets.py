"""Small data sets of real vectors and texts, for the harnesses to be run on."""
import json
import lzma
import re
from collections import Counter
from dataclasses import dataclass

import numpy

TRUE = 100  # neighbours that are known of each query
WORD = re.compile("[a-z0-9]+")
TAGS = 20_000  # different words of articles, at most
SPARSE_DOCUMENTS, SPARSE_QUERIES, SPARSE_WORDS = 50_000, 1_000, 120


@dataclass
class DenseSet:
    """Vectors, and the exact nearest of each query."""
    name: str
    distance: str  # euclidean or angular
    base: numpy.ndarray
    queries: numpy.ndarray
    neighbors: numpy.ndarray  # queries x TRUE, nearest first
    distances: numpy.ndarray


@dataclass
class Csr:
    """A sparse matrix, as scipy has it."""
    indptr: numpy.ndarray
    indices: numpy.ndarray
    data: numpy.ndarray
    columns: int


def read_vecs(file, kind):
    """The rows of a .bvecs or .ivecs file, or of one that xz packed."""
    raw = lzma.open(file).read() if file.suffix == ".xz" else file.read_bytes()
    dimension = int(numpy.frombuffer(raw, "<i4", 1)[0])
    row = numpy.dtype([("dimension", "<i4"), ("values", kind, dimension)])
    return numpy.frombuffer(raw, row)["values"]


def wallpaper_sift(data):
    """100,000 SIFT descriptors of photographs, 1,000 queries."""
    folder = data / "vectors"
    base = read_vecs(folder / "wallpaper_sift_100k_base.bvecs.xz", "u1").astype(numpy.float32)
    queries = read_vecs(folder / "wallpaper_sift_query.bvecs", "u1").astype(numpy.float32)
    neighbors = read_vecs(folder / "wallpaper_sift_100k_groundtruth.ivecs", "<i4")
    distances = numpy.stack([numpy.linalg.norm(base[found] - query, axis=1)
                             for query, found in zip(queries, neighbors)])
    return DenseSet("wallpaper-sift-128-euclidean", "euclidean", base, queries, neighbors, distances)


def articles_minilm(data):
    """25,000 sentence embeddings of articles, of length 1, and 104 of questions and claims."""
    base, queries = (numpy.load(data / "vectors" / name).astype(numpy.float32) for name in
                     ("wiki25k.minilm384.f16.npy", "wiki25k.queries.minilm384.f16.npy"))
    products = queries.astype(numpy.float64) @ base.astype(numpy.float64).T
    neighbors = numpy.argsort(-products, axis=1, kind="stable")[:, :TRUE].astype(numpy.int32)
    distances = 1 - numpy.take_along_axis(products, neighbors, axis=1)
    return DenseSet("wiki25k-minilm-384-angular", "angular", base, queries, neighbors, distances)


def articles(data, name):
    """The texts of a file of articles, as words."""
    with lzma.open(data / "text" / (name + ".jsonl.xz"), "rt", encoding="utf-8") as file:
        for line in file:
            read = json.loads(line)
            yield WORD.findall(f"{read.get('title') or ''} {read['contents']}".lower())


def csr_of(rows, columns):
    """Of rows of {column: weight}."""
    kept = [sorted(row.items()) for row in rows]
    ends = numpy.cumsum([0, *map(len, kept)], dtype=numpy.int64)
    pairs = [pair for row in kept for pair in row]
    return Csr(ends, numpy.array([each for each, _ in pairs], numpy.int32),
               numpy.array([weight for _, weight in pairs], numpy.float32), columns)


def filtered_articles(data):
    """The articles' embeddings with their words as tags, and questions with one or two of their words
    that at least TRUE articles have together: (set, tags of articles, tags of queries)."""
    dense = articles_minilm(data)
    words = [set(text) for text in articles(data, "wiki25k")]
    counts = Counter(word for each in words for word in each)
    number = {word: i for i, (word, _) in enumerate(counts.most_common(TAGS))}
    tagged = [{number[word] for word in each if word in number} for each in words]
    asked = []
    for name in ("dbpedia-entity", "fever", "hotpotqa"):
        lines = (data / "queries" / f"wiki25k.{name}.queries.tsv").read_text("utf-8").splitlines()
        asked += [WORD.findall(line.partition("\t")[2].lower()) for line in lines]
    queries = [tags_of(text, number, counts, tagged) for text in asked]
    kept = [i for i, (tags, _) in enumerate(queries) if tags]
    dense.queries = dense.queries[kept]
    # Euclid's distances, since the harness knows no angles here.
    dense.distance = "euclidean"
    shape = len(kept), TRUE
    dense.neighbors, dense.distances = numpy.empty(shape, numpy.int32), numpy.empty(shape)
    for row, query in enumerate(kept):
        passing = numpy.array(queries[query][1])
        away = dense.base[passing].astype(numpy.float64) - dense.queries[row]
        squares = (away ** 2).sum(axis=1)
        nearest = numpy.argsort(squares, kind="stable")[:TRUE]
        dense.neighbors[row], dense.distances[row] = passing[nearest], squares[nearest]
    return (dense, csr_of(({tag: 1 for tag in tags} for tags in tagged), TAGS),
            csr_of(({tag: 1 for tag in queries[i][0]} for i in kept), TAGS))


def tags_of(words, number, counts, tagged):
    """The rarest one or two words that are frequent enough together, and the rows that have them."""
    known = sorted({word for word in words if word in number}, key=lambda word: (counts[word], word))
    for count in (2, 1):
        for i in range(len(known) - count + 1):
            tags = {number[word] for word in known[i:i + count]}
            passing = [row for row, each in enumerate(tagged) if tags <= each]
            if len(passing) >= TRUE:
                return tags, passing
    return set(), []


def sparse_articles(data):
    """Articles as weights of their most telling words (BM25's), and queries of a log, of those that TRUE
    articles match, as weights of their words (idf): (rows, queries). A dimension is a word."""
    texts = []
    for text in articles(data, "wiki-2"):
        texts.append(Counter(text))
        if len(texts) == SPARSE_DOCUMENTS:
            break
    counts = Counter(word for text in texts for word in text)
    number = {word: i for i, (word, _) in enumerate(counts.most_common())}
    idf = {word: numpy.log(1 + (len(texts) - n + 0.5) / (n + 0.5)) for word, n in counts.items()}
    mean = sum(text.total() for text in texts) / len(texts)

    def row(text):
        norm = 0.9 * (0.6 + 0.4 * text.total() / mean)
        weights = {number[word]: float(idf[word] * n / (n + norm)) for word, n in text.items()}
        best = sorted(weights, key=lambda each: (-weights[each], each))[:SPARSE_WORDS]
        return {each: weights[each] for each in best}

    rows = [row(text) for text in texts]
    having = Counter(each for weights in rows for each in weights)
    queries = []
    with lzma.open(data / "queries" / "terabyte05.efficiency.txt.xz", "rt") as file:
        for line in file:
            words = WORD.findall(line.partition(":")[2].lower())
            asked = {number[word]: float(idf[word]) for word in words if word in number}
            if max((having[each] for each in asked), default=0) >= TRUE:
                queries.append(asked)
            if len(queries) == SPARSE_QUERIES:
                break
    return csr_of(rows, len(number)), csr_of(queries, len(number))
