"""Indexes Wikipedia articles, searches them one query at a time and in a batch, and scores the
answers against judgements.

    python quickstart.py [DATA]

DATA has text/wiki25k.jsonl.xz (an article a line: id, title, contents) and queries/wiki25k.*;
without it four sentences take the articles' place.
"""

from __future__ import annotations

import math
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import warpdex

FIELDS = ["title", "contents"]
SENTENCES = [
    {"id": "moby", "title": "Moby-Dick", "contents": "I would sail about a little."},
    {"id": "alice", "title": "Alice", "contents": "Alice was tired of sitting by her sister."},
    {"id": "treasure", "title": "Treasure Island", "contents": "The captain sailed the sea."},
    {"id": "whales", "title": "Whales", "contents": "A whale lives in the sea and is no fish."},
]


def read_queries(path: Path) -> dict[str, str]:
    lines = path.read_text("utf-8").splitlines()
    return dict(line.split("\t", 1) for line in lines)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = {}
    for line in path.read_text("utf-8").splitlines():
        qid, _, docno, grade = line.split()
        qrels.setdefault(qid, {})[docno] = int(grade)
    return qrels


def ndcg_at_10(run: dict[str, dict[str, float]], qrels: dict[str, dict[str, int]]) -> float:
    """The mean over the judged queries; ir_measures has this and much more."""

    def gain(grades: Iterable[int]) -> float:
        return sum(max(grade, 0) / math.log2(rank + 2) for rank, grade in enumerate(grades))

    total = 0.0
    for qid, judged in qrels.items():
        best = gain(sorted(judged.values(), reverse=True)[:10])
        found = gain([judged.get(docno, 0) for docno in list(run.get(qid, {}))[:10]])
        total += found / best if best > 0 else 0
    return total / len(qrels)


def main() -> None:
    data = Path(sys.argv[1]) if len(sys.argv) > 1 else None
    with tempfile.TemporaryDirectory() as folder:
        index = Path(folder) / "index"

        # Any iterable of dicts will do, or the paths of files.
        docs = [data / "text" / "wiki25k.jsonl.xz"] if data else SENTENCES
        report = warpdex.build(docs, index, fields=FIELDS, store=FIELDS)
        print(f"{report.documents:,} documents in {report.seconds:.1f} s")

        searcher = warpdex.Searcher(index)
        for hit in searcher.search("sailing the sea", k=3, fields=FIELDS, snippets=True):
            print(f"{hit.score:8.4f}  {hit.fields['title']}: {hit.snippets['contents']}")
        print(searcher.search("sea captain", k=1)[0].explain())

        with warpdex.Writer(index) as writer:
            writer.add({"id": "new", "title": "Seagulls", "contents": "A gull is no fish either."})
        searcher.refresh()
        print("after a commit:", searcher.search("gull", k=1).ids)

        if data is None:
            return
        queries = read_queries(data / "queries" / "wiki25k.dbpedia-entity.queries.tsv")
        start = time.perf_counter()
        result = searcher.search_batch(queries, k=100, syntax="plain")
        took = time.perf_counter() - start
        qrels = read_qrels(data / "queries" / "wiki25k.dbpedia-entity.qrels.txt")
        print(f"{len(result) / took:,.0f} queries a second")
        print(f"nDCG@10 {ndcg_at_10(result.to_dict(), qrels):.4f}")


if __name__ == "__main__":
    main()
