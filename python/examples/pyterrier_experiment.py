"""Compares retrievers in PyTerrier, with a significance test against BM25.

    python pyterrier_experiment.py [COLLECTION]

COLLECTION has docs.jsonl.xz (a document a line: id, contents), queries.tsv, qrels.txt, and perhaps
docs.*.npy and queries.*.npy with vectors in the same order; without it four sentences take its
place. Each line of the table has a p-value: how likely such a difference to BM25's average
precision is by chance (a paired t-test, corrected by Holm's method for their number).
"""

from __future__ import annotations

import json
import lzma
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd  # type: ignore[import-untyped,unused-ignore]
import pyterrier as pt  # type: ignore[import-not-found,import-untyped,unused-ignore]

from warpdex.pyterrier import WarpdexIndex

SENTENCES = ["a whale is no fish", "the captain sailed the sea", "fish live in the sea", "a dog"]
QUERIES = {"1": "fish of the sea", "2": "sailing captain"}
QRELS = [("1", "2", 1), ("1", "0", 1), ("2", "1", 1)]


def vectors_of(collection: Path, kind: str) -> Any:
    files = sorted(collection.glob(f"{kind}.*.npy"))
    return np.load(files[0]).astype(np.float32) if files else None


def read_documents(collection: Path) -> Iterator[dict[str, Any]]:
    vectors = vectors_of(collection, "docs")
    with lzma.open(collection / "docs.jsonl.xz", "rt", encoding="utf-8") as file:
        for row, line in enumerate(file):
            read = json.loads(line)
            document = {"docno": read["id"], "text": read["contents"]}
            if vectors is not None:
                document["vec"] = vectors[row]
            yield document


def read_topics(collection: Path) -> Any:
    topics = pd.read_csv(
        collection / "queries.tsv", sep="\t", names=["qid", "query"], dtype=str, quoting=3
    )
    vectors = vectors_of(collection, "queries")
    return topics if vectors is None else topics.assign(query_vec=list(vectors))


def read_qrels(collection: Path) -> Any:
    names = ["qid", "iteration", "docno", "label"]
    types = {"qid": str, "docno": str, "label": int}
    qrels = pd.read_csv(collection / "qrels.txt", sep=r"\s+", names=names, dtype=types)
    return qrels.drop(columns="iteration")


def main() -> None:
    documents: Iterator[dict[str, Any]]
    if len(sys.argv) > 1:
        collection = Path(sys.argv[1])
        documents = read_documents(collection)
        topics, qrels = read_topics(collection), read_qrels(collection)
    else:
        documents = ({"docno": str(i), "text": text} for i, text in enumerate(SENTENCES))
        topics = pd.DataFrame(QUERIES.items(), columns=["qid", "query"])
        qrels = pd.DataFrame(QRELS, columns=["qid", "docno", "label"])
    topics = topics[topics["qid"].isin(qrels["qid"])]

    with tempfile.TemporaryDirectory() as folder:
        index = WarpdexIndex(Path(folder) / "index").index(documents)
        systems = {
            "BM25": index.bm25(),
            "QLD": index.qld(),
            "RM3": index.rm3(),
            "Rocchio": index.rocchio(),
        }
        if "query_vec" in topics:
            systems["dense"] = index.dense()
            systems["hybrid"] = index.hybrid("convex", weight=0.5)
        table = pt.Experiment(
            list(systems.values()),
            topics,
            qrels,
            ["map", "ndcg_cut_10", "recall_100", "mrt"],
            names=list(systems),
            baseline=0,
            correction="holm",
        )
    print(f"{'':8}  {'AP':>6}  {'p':>8}  {'nDCG@10':>7}  {'R@100':>6}  {'ms/query':>8}")
    for _, row in table.iterrows():
        p = f"{row['map p-value corrected']:.2g}" if row["name"] != "BM25" else "-"
        print(
            f"{row['name']:8}  {row['map']:6.4f}  {p:>8}  {row['ndcg_cut_10']:7.4f}  "
            f"{row['recall_100']:6.4f}  {row['mrt']:8.3f}"
        )


if __name__ == "__main__":
    main()
