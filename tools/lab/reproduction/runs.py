"""Indexes a collection, searches for its judged queries, measures answers and time."""
import json
import os
import shutil
import statistics
import time
from dataclasses import asdict, dataclass

import numpy
import warpdex
from warpdex import beir, vectors

from .collections import ANALYZER, MODELS
from .files import Problem, check, check_count, find_missing, note, parts
from .readers import read_dense_queries, read_ids, read_qrels, read_queries, read_rows, \
    read_sparse_queries

K = 1000
PASSES, MAX_PASS_SECONDS = 3, 60  # of what is timed, after one that is not


@dataclass
class Outcome:
    collection: str
    model: str
    documents: int
    queries: int
    device: str
    threads: int
    measures: dict
    published: dict  # {measure: value}; empty if nobody published any
    build_seconds: float  # 0 where the index was there
    queries_per_second: float  # all queries in one batch, K documents each


class Setting:
    """Where and on what a run works."""

    def __init__(self, data, work, device="cpu", threads=0, is_part=False):
        self.data, self.work, self.device = data, work, device
        self.threads = threads or len(os.sched_getaffinity(0))
        self.is_part = is_part


def measure(collection, run, qrels):
    """The means over all judged queries, as trec_eval -c has them. Measures of relevant documents
    count from the least grade on (trec_eval -l)."""
    binary = {query: {id: int(grade >= collection.least_grade) for id, grade in judged.items()}
              for query, judged in qrels.items()}
    graded = [name for name in collection.measures if name.startswith("nDCG")]
    others = [name for name in collection.measures if name not in graded]
    values = beir.measure(run, qrels, graded) if graded else {}
    values |= beir.measure(run, binary, others)
    return {name: sum(values[name].values()) / len(qrels) for name in collection.measures}


def timed(search, queries):
    """What the first call gives, and queries a second in the median of later ones."""
    answer, seconds = search(), []
    while len(seconds) < PASSES and sum(seconds) < MAX_PASS_SECONDS:
        start = time.perf_counter()
        search()
        seconds.append(time.perf_counter() - start)
    return answer, queries / statistics.median(seconds)


def built(setting, name, sources, make):
    """The index of that name, made by make(path) unless it was made of the same files before, and
    the seconds that took."""
    path, stamp = setting.work / name, setting.work / (name + ".json")
    made_of = [[str(file.resolve()), file.stat().st_size, file.stat().st_mtime_ns]
               for file in sources]
    if path.exists() and stamp.exists() and json.loads(stamp.read_text("utf-8")) == made_of:
        note(f"{path} is there already")
        return path, 0.0
    size = sum(each[1] for each in made_of) / 1e6
    note(f"building {path} of {size:,.0f} MB" + ("" if size < 100 else
         "; this takes minutes (a bar shows where, if tqdm is installed)"))
    shutil.rmtree(path, ignore_errors=True)
    setting.work.mkdir(parents=True, exist_ok=True)
    start = time.perf_counter()
    make(path)
    stamp.write_text(json.dumps(made_of), "utf-8")
    return path, time.perf_counter() - start


def search_text(collection, model, setting, qrels):
    """By words or learned weights: documents, run, queries a second, seconds of the build."""
    is_sparse = MODELS[model].kind == "sparse"
    corpus, queries = (collection.vectors[model] if is_sparse
                       else (collection.corpus, collection.queries))
    sources = parts(setting.data / corpus)
    asked = (read_sparse_queries if is_sparse else read_queries)(setting.data / queries)
    asked = judged_ones(collection, asked, qrels, setting.data / queries)
    form = {"format": "sparse"} if is_sparse else {"format": collection.form, "analyzer": ANALYZER}
    if not is_sparse and collection.fields:
        form["fields"] = collection.fields
    name = f"{collection.passages or collection.name}.{model if is_sparse else 'words'}"
    path, seconds = built(setting, name, sources, lambda folder: warpdex.build(
        sources, folder, threads=setting.threads, **form))
    searcher = warpdex.Searcher(path, setting.device, threads=setting.threads)
    check_count("documents", searcher.documents, collection.published.get("documents"),
                setting.data / corpus, setting.is_part)
    note(f"searching for {len(asked):,} queries, {PASSES + 1} times at most")
    depth = K + collection.without_own
    if is_sparse:
        found, rate = timed(lambda: searcher.search_terms_batch(asked.values(), depth), len(asked))
        run = {query: {hit.id: hit.score for hit in hits} for query, hits in zip(asked, found)}
    else:
        options = MODELS[model].options
        found, rate = timed(lambda: searcher.search_batch(
            asked, k=depth, syntax="plain", **options), len(asked))
        run = found.to_dict()
    return searcher.documents, run, rate, seconds


def search_dense(collection, model, setting, qrels):
    """The same by vectors: exactly, by inner products."""
    documents, queries = collection.vectors[model]
    rows = read_rows(setting.data / documents)
    ids = read_ids(setting.data / collection.corpus, collection.form)
    if len(ids) != len(rows):
        raise Problem(f"{setting.data / documents} has {len(rows):,} rows, and {collection.corpus} "
                      f"has {len(ids):,} documents; they must be the same, in the same order")
    check_count("documents", len(rows), collection.published.get("documents"),
                setting.data / documents, setting.is_part)
    texts = read_queries(setting.data / collection.queries)
    asked = judged_ones(collection, read_dense_queries(setting.data / queries, texts), qrels,
                        setting.data / queries)
    name = f"{collection.passages or collection.name}.{model}"
    store = "half" if rows.dtype == numpy.float16 else "float"
    path, seconds = built(setting, name, [setting.data / documents], lambda folder:
                          vectors.Index.build(rows, folder, metric="ip", store=store, device="cpu",
                                              threads=setting.threads))
    index = vectors.Index.open(path, setting.device, threads=setting.threads)
    batch = numpy.ascontiguousarray(list(asked.values()), numpy.float32)
    depth = min(K + collection.without_own, len(rows))
    note(f"searching for {len(batch):,} vectors, {PASSES + 1} times at most")
    (scores, found), rate = timed(lambda: index.search(batch, depth), len(batch))
    run = {query: {ids[row]: float(score) for row, score in zip(*answer) if row >= 0}
           for query, *answer in zip(asked, found, scores)}
    return len(rows), run, rate, seconds


def judged_ones(collection, queries, qrels, file):
    """The judged queries. Takes the judgements away of those that the collection never had; a Problem
    if others are not in the file."""
    lost = [query for query in qrels if query not in queries]
    if len(lost) > collection.unasked:
        raise Problem(f"{file} lacks {len(lost):,} judged queries, such as {lost[0]}: it is cut "
                      "short, or not the file of these judgements")
    for query in lost:
        del qrels[query]
    return {query: queries[query] for query in qrels}


def reproduce(collection, model, setting):
    """An Outcome. Raises a Problem, or an Error of warpdex."""
    find_missing(collection, model, setting.data)
    if not setting.is_part:
        check(collection, model, setting.data)
    file = setting.data / collection.qrels
    qrels = read_qrels(file)
    check_count("judged queries", len(qrels), collection.published.get("queries"), file,
                setting.is_part)
    search = search_dense if MODELS[model].kind == "dense" else search_text
    documents, run, rate, seconds = search(collection, model, setting, qrels)
    if collection.without_own:
        run = {query: {id: score for id, score in found.items() if id != query}
               for query, found in run.items()}
    figures = {} if setting.is_part else collection.figures.get(model, {})
    return Outcome(collection.name, model, documents, len(qrels), setting.device, setting.threads,
                   measure(collection, run, qrels),
                   {name: figures[name] for name in collection.measures if name in figures},
                   seconds, rate)


def as_json(outcomes):
    return json.dumps([asdict(each) for each in outcomes], indent=2) + "\n"
