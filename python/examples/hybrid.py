"""Searches by words, by vectors and by both, and shows quality beside speed.

    python hybrid.py [COLLECTION] [--plot FILE]

COLLECTION has docs.jsonl.xz (a document a line: id, contents, perhaps title), queries.tsv, qrels.txt,
and docs.*.npy and queries.*.npy with a vector for each document and query in the same order; without
it the script makes a small one, in which queries name only half of what is about their subject.
With matplotlib, --plot draws the table: nDCG@10 by queries a second.
"""

from __future__ import annotations

import argparse
import json
import lzma
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

import warpdex
import warpdex.beir

SUBJECTS, DOCUMENTS_EACH, DIMENSION = 40, 30, 32


@dataclass
class Collection:
    documents: list[dict[str, str]]
    queries: dict[str, str]
    qrels: dict[str, dict[str, int]]
    document_vectors: npt.NDArray[np.float32]
    query_vectors: npt.NDArray[np.float32]


def make_collection() -> Collection:
    """Each subject has two words, and a document has one of them among others."""
    random = np.random.default_rng(1)
    middles = random.standard_normal((SUBJECTS, DIMENSION), dtype=np.float32)
    subjects = np.repeat(np.arange(SUBJECTS), DOCUMENTS_EACH)

    def near(rows: npt.NDArray[Any]) -> npt.NDArray[np.float32]:
        noise = random.standard_normal((len(rows), DIMENSION), dtype=np.float32)
        nearby: npt.NDArray[np.float32] = middles[rows] + noise
        return nearby

    documents: list[dict[str, str]] = []
    qrels: dict[str, dict[str, int]] = {}
    for number, subject in enumerate(subjects):
        own = f"word{subject}{'ab'[number % 2]}"
        others = (f"word{other}{'ab'[number % 2]}" for other in random.integers(0, SUBJECTS, 8))
        documents.append({"id": f"d{number}", "contents": " ".join([own, own, *others])})
        qrels.setdefault(str(subject), {})[f"d{number}"] = 1
    queries = {str(subject): f"word{subject}a" for subject in range(SUBJECTS)}
    return Collection(documents, queries, qrels, near(subjects), near(np.arange(SUBJECTS)))


def read_documents(folder: Path) -> Iterator[dict[str, str]]:
    with lzma.open(folder / "docs.jsonl.xz", "rt", encoding="utf-8") as file:
        for line in file:
            read = json.loads(line)
            title = read.get("title") or ""
            yield {"id": read["id"], "contents": f"{title}\n{read['contents']}".strip()}


def read_vectors(folder: Path, kind: str) -> npt.NDArray[np.float32]:
    rows: npt.NDArray[Any] = np.load(next(folder.glob(f"{kind}.*.npy")))
    return rows.astype(np.float32)


def read_collection(folder: Path) -> Collection:
    queries = [line.split("\t", 1) for line in (folder / "queries.tsv").open(encoding="utf-8")]
    qrels: dict[str, dict[str, int]] = {qid: {} for qid, _ in queries}
    for line in (folder / "qrels.txt").read_text("utf-8").splitlines():
        qid, _, docno, grade = line.split()
        if qid in qrels:
            qrels[qid][docno] = int(grade)
    return Collection(
        list(read_documents(folder)),
        {qid: text.strip() for qid, text in queries},
        {qid: judged for qid, judged in qrels.items() if judged},
        read_vectors(folder, "docs"),
        read_vectors(folder, "queries"),
    )


def measure(searcher: warpdex.Searcher, of: Collection) -> dict[str, tuple[float, float]]:
    """For each way to search: nDCG@10, and queries a second."""
    words, vectors = of.queries, of.query_vectors
    ways: dict[str, Callable[[], warpdex.BatchResult]] = {
        "words": lambda: searcher.search_batch(words, k=10, syntax="plain"),
        "vectors": lambda: searcher.search_batch(None, list(words), k=10, vectors=vectors),
        "rerank": lambda: searcher.search_batch(
            words, k=10, syntax="plain", vectors=vectors, fusion="rerank", depth=100
        ),
        "rrf": lambda: searcher.search_batch(
            words, k=10, syntax="plain", vectors=vectors, fusion="rrf"
        ),
        "convex": lambda: searcher.search_batch(
            words, k=10, syntax="plain", vectors=vectors, fusion="convex", weight=0.5
        ),
    }
    found = {}
    for name, way in ways.items():
        seconds = []
        for _ in range(5):
            start = time.perf_counter()
            result = way()
            seconds.append(time.perf_counter() - start)
        values = warpdex.beir.measure(result.to_dict(), of.qrels, ["nDCG@10"])["nDCG@10"]
        found[name] = (sum(values.values()) / len(values), len(words) / min(seconds))
    return found


def plot(found: dict[str, tuple[float, float]], file: Path) -> None:
    from matplotlib import figure  # type: ignore[import-not-found,unused-ignore]

    picture = figure.Figure(figsize=(5, 3.5), layout="constrained")
    axes: Any = picture.subplots()
    for name, (quality, speed) in found.items():
        axes.plot(speed, quality, "o")
        axes.annotate(name, (speed, quality), xytext=(4, 4), textcoords="offset points")
    axes.set(xscale="log", xlabel="queries a second", ylabel="nDCG@10")
    axes.margins(x=0.25, y=0.15)
    picture.savefig(file, dpi=150)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("collection", type=Path, nargs="?")
    parser.add_argument("--plot", type=Path, metavar="FILE")
    arguments = parser.parse_args()
    of = read_collection(arguments.collection) if arguments.collection else make_collection()
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"
        warpdex.build(of.documents, index, vectors=of.document_vectors)
        found = measure(warpdex.Searcher(index), of)
    print(f"{'':8}  nDCG@10  queries/s")
    for name, (quality, speed) in found.items():
        print(f"{name:8}  {quality:7.4f}  {speed:9,.0f}")
    if arguments.plot:
        plot(found, arguments.plot)


if __name__ == "__main__":
    main()
