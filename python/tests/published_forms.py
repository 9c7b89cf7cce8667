"""Files in published forms, tools/lab/reproduce over them, and a ranking worked out by itself."""

from __future__ import annotations

import gzip
import json
import math
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import numpy as np

from conftest import documents, words

LAB = Path(__file__).resolve().parents[2] / "tools" / "lab"
sys.path.insert(0, str(LAB))
DOCUMENTS = {str(i): doc["contents"] for i, doc in enumerate(documents(7, 400))}
GENERATOR = random.Random(8)
QUERIES = {str(100 + i): words(GENERATOR, 6) for i in range(30)}
GRADES = {
    query: {str(GENERATOR.randrange(400)): GENERATOR.randrange(4) for _ in range(12)}
    for query in QUERIES
}


def reproduce(*given: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, LAB / "reproduce", *given]
    return subprocess.run([str(each) for each in command], capture_output=True, text=True, check=False)


def figures(name: str, model: str, data: Path, *options: object) -> dict[str, Any]:
    done = reproduce(name, model, "--data", data, "--work", data / "work", "--json", "-", *options)
    assert done.returncode == 0, done.stderr
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert len(found) == 1 and found[0]["queries_per_second"] > 0
    return found[0]


def write_passages(folder: Path) -> Path:
    """Files in the forms of MS MARCO and of TREC's deep learning track."""
    folder.mkdir(exist_ok=True)
    lines = "".join(f"{id}\t{text}\n" for id, text in DOCUMENTS.items())
    (folder / "collection.tsv").write_text(lines, "utf-8")
    queries = "".join(f"{id}\t{text}\n" for id, text in QUERIES.items()) + "7\tnot judged\n"
    (folder / "queries.dev.small.tsv").write_text(queries, "utf-8")
    (folder / "msmarco-test2019-queries.tsv.gz").write_bytes(gzip.compress(queries.encode()))
    (folder / "qrels.dev.small.tsv").write_text("".join(
        f"{query}\t0\t{id}\t1\n" for query, judged in GRADES.items()
        for id, grade in judged.items() if grade == 3
    ), "utf-8")
    (folder / "2019qrels-pass.txt").write_text("".join(
        f"{query} Q0 {id} {grade}\n" for query, judged in GRADES.items()
        for id, grade in judged.items()
    ), "utf-8")
    return folder


# The reference


def bm25(query: str, k1: float, b: float) -> dict[str, float]:
    """Of all documents with a word, none longer than 40: these lengths are not rounded."""
    texts = {id: Counter(text.split()) for id, text in DOCUMENTS.items()}
    average = sum(map(Counter.total, texts.values())) / len(texts)
    scores: dict[str, float] = Counter()
    for word, times in Counter(query.split()).items():
        having = [id for id, text in texts.items() if word in text]
        idf = math.log(1 + (len(texts) - len(having) + 0.5) / (len(having) + 0.5))
        for id in having:
            count = texts[id][word]
            norm = k1 * (1 - b + b * texts[id].total() / average)
            scores[id] += times * idf * count / (count + norm)
    return scores


def ranked(scores: dict[str, float], own: str = "") -> list[str]:
    """Best first; of equal ones the larger id, as trec_eval orders them."""
    order = sorted(scores, key=lambda id: (float(np.float32(scores[id])), id), reverse=True)
    return [id for id in order if id != own][:1000]


def reciprocal_rank(run: dict[str, list[str]], relevant: dict[str, set[str]]) -> float:
    total = 0.0
    for query, good in relevant.items():
        total += next((1 / (i + 1) for i, id in enumerate(run[query][:10]) if id in good), 0)
    return total / len(relevant)


def recall(run: dict[str, list[str]], relevant: dict[str, set[str]], k: int, all: int) -> float:
    return sum(len(good & set(run[query][:k])) / len(good) for query, good in relevant.items()) / all


def ndcg(run: dict[str, list[str]], grades: dict[str, dict[str, int]]) -> float:
    total = 0.0
    for query, judged in grades.items():
        gains = [judged.get(id, 0) for id in run[query][:10]]
        best = sorted(judged.values(), reverse=True)[:10]
        ideal = sum(grade / math.log2(i + 2) for i, grade in enumerate(best))
        total += sum(grade / math.log2(i + 2) for i, grade in enumerate(gains)) / ideal
    return total / len(grades)


def relevant(least: int) -> dict[str, set[str]]:
    found = {query: {id for id, grade in judged.items() if grade >= least}
             for query, judged in GRADES.items()}
    return {query: good for query, good in found.items() if good}
