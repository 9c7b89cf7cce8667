"""Evaluates searches on folders in the form of BEIR.

    import warpdex.beir

    print(warpdex.beir.evaluate("scifact"))

A folder has corpus.jsonl (_id, title, text), queries.jsonl (_id, text) and qrels/test.tsv
(query-id, corpus-id, score, with a line of names above), each plain or compressed with gzip.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, Unpack

import numpy as np
import numpy.typing as npt

from ._build import build
from ._searcher import Searcher, SearchOptions
from .errors import InputError, IoError, UsageError

__all__ = ["MEASURES", "Evaluation", "evaluate", "measure", "read_corpus", "read_qrels",
           "read_queries"]

MEASURES = ("nDCG@10", "MAP@100", "Recall@100", "P@10", "MRR@10")

Run = Mapping[str, Mapping[str, float]]
Qrels = Mapping[str, Mapping[str, int]]


# Reading a folder


def _open(path: Path) -> IO[str]:
    """The file, or that of the name with .gz."""
    packed = path.with_name(path.name + ".gz")
    try:
        if path.exists() or not packed.exists():
            return path.open(encoding="utf-8")
        return io.TextIOWrapper(gzip.open(packed), encoding="utf-8")
    except OSError as error:
        raise IoError(f"{path} cannot be read: {error}") from error


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    number = 0
    with _open(path) as file:
        try:
            for line in file:
                number += 1
                if not line.strip():
                    continue
                read = json.loads(line)
                if not isinstance(read, dict):
                    raise ValueError("this is no object")
                yield read
        except (ValueError, EOFError, OSError) as error:  # also of UTF-8 and gzip
            raise InputError(f"{path}, line {max(number, 1)}: {error}") from error


def read_corpus(folder: str | os.PathLike[str]) -> Iterator[dict[str, str]]:
    """The documents, one by one: id, title and text."""
    path = Path(folder) / "corpus.jsonl"
    for document in _objects(path):
        if "_id" not in document:
            raise InputError(f"{path}: a document has no _id")
        yield {
            "id": str(document["_id"]),
            "title": document.get("title") or "",
            "text": document.get("text") or "",
        }


def read_queries(folder: str | os.PathLike[str]) -> dict[str, str]:
    """{query id: text}"""
    path = Path(folder) / "queries.jsonl"
    try:
        return {str(query["_id"]): query["text"] for query in _objects(path)}
    except (KeyError, TypeError):
        raise InputError(f"{path}: a query has no _id or no text") from None


def read_qrels(folder: str | os.PathLike[str], split: str = "test") -> dict[str, dict[str, int]]:
    """{query id: {document id: grade}}"""
    path = Path(folder) / "qrels" / f"{split}.tsv"
    qrels: dict[str, dict[str, int]] = {}
    with _open(path) as file:
        for number, line in enumerate(file, 1):
            columns = line.rstrip("\r\n").split("\t")
            if number == 1 and columns[-1:] == ["score"] or not line.strip():
                continue
            try:
                query, document, grade = columns
                qrels.setdefault(query, {})[document] = int(grade)
            except ValueError:
                raise InputError(
                    f"{path}, line {number}: not query, document and grade, with tabs between them"
                ) from None
    return qrels


# Measures, as trec_eval computes them


def _dcg(grades: Sequence[int]) -> float:
    return sum(max(grade, 0) / math.log2(rank + 2) for rank, grade in enumerate(grades))


def _ndcg(found: list[int], judged: list[int], k: int) -> float:
    best = _dcg(sorted(judged, reverse=True)[:k])
    return _dcg(found[:k]) / best if best > 0 else 0.0


def _relevant(grades: list[int]) -> int:
    return sum(grade > 0 for grade in grades)


def _average_precision(found: list[int], judged: list[int], k: int) -> float:
    hits, total = 0, 0.0
    for rank, grade in enumerate(found[:k], 1):
        if grade > 0:
            hits += 1
            total += hits / rank
    return total / max(_relevant(judged), 1)


def _recall(found: list[int], judged: list[int], k: int) -> float:
    return _relevant(found[:k]) / max(_relevant(judged), 1)


def _precision(found: list[int], judged: list[int], k: int) -> float:
    return _relevant(found[:k]) / k


def _reciprocal_rank(found: list[int], judged: list[int], k: int) -> float:
    return next((1 / rank for rank, grade in enumerate(found[:k], 1) if grade > 0), 0.0)


_FUNCTIONS: dict[str, Callable[[list[int], list[int], int], float]] = {
    "nDCG": _ndcg,
    "MAP": _average_precision,
    "Recall": _recall,
    "P": _precision,
    "MRR": _reciprocal_rank,
}


def _parse(name: str) -> tuple[Callable[[list[int], list[int], int], float], int]:
    kind, _, cut = name.partition("@")
    if kind not in _FUNCTIONS or not cut.isdecimal() or int(cut) < 1:
        kinds = ", ".join(f"{each}@k" for each in _FUNCTIONS)
        raise UsageError(f"there is no measure {name!r}; there are {kinds}")
    return _FUNCTIONS[kind], int(cut)


def measure(
    run: Run, qrels: Qrels, measures: Sequence[str] = MEASURES
) -> dict[str, dict[str, float]]:
    """{measure: {query id: value}} for each judged query; 0 where the run has no answer.

    Values are trec_eval's: documents in the order of scores as floats, and of equal scores the
    larger id first. Measures are nDCG@k, MAP@k, Recall@k, P@k and MRR@k for any k.
    """
    wanted = {name: _parse(name) for name in measures}
    values: dict[str, dict[str, float]] = {name: {} for name in measures}
    for query, judged in qrels.items():
        scores = {id: float(np.float32(score)) for id, score in run.get(query, {}).items()}
        if any(np.isnan(score) for score in scores.values()):
            raise UsageError(f"query {query!r} has a document whose score is not a number")
        order = sorted(scores, key=lambda id: (scores[id], id.encode()), reverse=True)
        found = [judged.get(id, 0) for id in order]
        for name, (function, k) in wanted.items():
            values[name][query] = function(found, list(judged.values()), k)
    return values


# Evaluating


@dataclass(frozen=True)
class Evaluation:
    """What evaluate() found; as a text its table."""

    name: str
    """Of the folder."""
    documents: int
    """In the corpus."""
    queries: int
    """Judged ones."""
    measures: dict[str, float]
    """The means over the queries."""
    per_query: dict[str, dict[str, float]]
    """{measure: {query id: value}}"""
    run: dict[str, dict[str, float]]
    """{query id: {document id: score}}, without the queries' own documents."""
    build_seconds: float
    """0 where the index was there already."""
    search_seconds: float
    """Of all queries in one batch."""

    def __str__(self) -> str:
        names = ["", "documents", "queries", *self.measures]
        values = [self.name, f"{self.documents:,}", f"{self.queries:,}"]
        values += [f"{value:.4f}" for value in self.measures.values()]
        widths = [max(map(len, pair)) for pair in zip(names, values)]
        rows = zip(*(
            (name.rjust(width), value.rjust(width))
            for name, value, width in zip(names, values, widths)
        ))
        return "\n".join("  ".join(row) for row in rows)


def evaluate(
    folder: str | os.PathLike[str],
    index: str | os.PathLike[str] | None = None,
    *,
    split: str = "test",
    k: int = 100,
    measures: Sequence[str] = MEASURES,
    query_vectors: Mapping[str, npt.NDArray[np.float32 | np.float16]] | None = None,
    analyzer: str = "english",
    device: Literal["auto", "cpu", "gpu"] = "auto",
    threads: int = 0,
    memory: int | str = "1G",
    progress: bool = True,
    **options: Unpack[SearchOptions],
) -> Evaluation:
    """Indexes a BEIR folder's corpus, searches for its judged queries and measures the answers.

    As in BEIR, the document that has a query's own id is left out of its answer, and a query
    counts once it has a judgement. Titles and texts are one text.

    Args:
        folder: with corpus.jsonl, queries.jsonl and qrels/.
        index: the folder of the index. One that is there is taken as it is; else it is built and
            stays. None: a temporary folder.
        split: which qrels: "test", "dev" or "train".
        k: documents a query, 1 to 9,999; the largest cut of the measures at least.
        measures: see measure().
        query_vectors: {query id: vector}, for an index with vectors; `fusion` and `weight` say
            how words and vectors are joined.
        analyzer, memory: of the build, as of warpdex.build().
        device, threads: as of warpdex.Searcher.
        progress: show bars.
        options: of the search; see warpdex.SearchOptions. The syntax is "plain" by default.

    Raises:
        IoError: a file is missing.
        InputError: a line cannot be read; a judged query has no text.
        Else as warpdex.build() and warpdex.Searcher.search_batch().
    """
    folder = Path(folder)
    cuts = [_parse(name)[1] for name in measures]
    k = max(k, *cuts) if cuts else k
    qrels = read_qrels(folder, split)
    texts = read_queries(folder)
    if not qrels:
        raise InputError(f"{folder / 'qrels' / split}.tsv has no judgement")
    missing = next((query for query in qrels if query not in texts), None)
    if missing is not None:
        raise InputError(f"{folder / 'queries.jsonl'} has no query {missing!r}, which is judged")
    queries = {query: texts[query] for query in qrels}
    vectors = None
    if query_vectors is not None:
        missing = next((query for query in queries if query not in query_vectors), None)
        if missing is not None:
            raise InputError(f"the query {missing!r} has no vector")
        vectors = np.ascontiguousarray([query_vectors[query] for query in queries], np.float32)

    with tempfile.TemporaryDirectory(prefix="warpdex-") as temporary:
        path = Path(temporary) / "index" if index is None else Path(index)
        build_seconds = 0.0
        if not (path / "manifest.json").exists():
            build_seconds = build(
                read_corpus(folder),
                path,
                fields=["title", "text"],
                analyzer=analyzer,
                memory=memory,
                threads=threads,
                progress=progress,
            ).seconds
        searcher = Searcher(path, device, threads=threads)
        options.setdefault("syntax", "plain")
        start = time.perf_counter()
        # One more than k, for a query's own document.
        result = searcher.search_batch(
            queries, k=k + 1, vectors=vectors, progress=progress, **options
        )
        search_seconds = time.perf_counter() - start
        documents = searcher.documents
        run = {
            query: dict([each for each in found.items() if each[0] != query][:k])
            for query, found in result.to_dict().items()
        }
        del result, searcher  # before the files

    per_query = measure(run, qrels, measures)
    means = {name: sum(values.values()) / len(values) for name, values in per_query.items()}
    return Evaluation(
        folder.resolve().name, documents, len(queries), means, per_query, run,
        build_seconds, search_seconds,
    )
