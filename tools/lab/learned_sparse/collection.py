"""Documents and queries with weights that look like a learned sparse model's, of real text.

A document's terms are the 90 heaviest of its words by tf-idf, over a vocabulary of 30,000 words,
and what a model would add: words that are, elsewhere, what the same documents are about. 1,000
articles that are left out of the documents are the queries: 14 words of each, and added ones.
Weights are raised to a power and scaled to 3 at most. "flat": ten words have a sixth of a
document's weight; "concentrated": a third, and 50 have four fifths.
"""
import collections
import json
import lzma
import math
import re
import sys

import numpy as np
import scipy.sparse as sparse

POWERS = {"flat": 0.3, "concentrated": 0.9}
FILES = ("wiki25k.jsonl.xz", "wiki-2.jsonl.xz", "wiki-3.jsonl.xz")
WORD = re.compile(r"[a-z]{2,}")
QUERIES, VOCABULARY, COMMON_WORDS = 1_000, 30_000, 100
TERMS, QUERY_TERMS, SHARE_OF_ADDED = 112, 25, 0.35


def read_articles(folder, most):
    for name in FILES:
        with lzma.open(folder / name, "rt") as lines:
            for line in lines:
                if most is not None and most <= 0:
                    return
                yield json.loads(line)
                most = None if most is None else most - 1


def heaviest(matrix, most):
    """At most so many of each row."""
    matrix = matrix.tocsr()
    kept = []
    for begin, end in zip(matrix.indptr[:-1], matrix.indptr[1:]):
        row = np.arange(begin, end)
        if len(row) > most:
            row = begin + np.argpartition(-matrix.data[begin:end], most)[:most]
        kept.append(row)
    counts = np.cumsum([0] + [len(row) for row in kept])
    kept = np.concatenate(kept)
    return sparse.csr_matrix((matrix.data[kept], matrix.indices[kept], counts), matrix.shape)


def scaled(matrix, factors):
    return (sparse.diags(1 / np.maximum(factors, 1e-9)) @ matrix).tocsr().astype(np.float32)


def unit_rows(matrix):
    return scaled(matrix, np.sqrt(np.asarray(matrix.multiply(matrix).sum(1)).ravel()))


def tf_idf(folder, most):
    """Ids, words, and a row of length 1 for each article."""
    ids, counts, documents = [], [], collections.Counter()
    for article in read_articles(folder, most):
        words = collections.Counter(WORD.findall(article["contents"].lower()))
        ids.append(article["id"])
        counts.append(words)
        documents.update(words.keys())
    common = documents.most_common(VOCABULARY + COMMON_WORDS)[COMMON_WORDS:]
    words = [word for word, _ in common]
    number = {word: i for i, word in enumerate(words)}
    rows, columns, weights = [], [], []
    for row, found in enumerate(counts):
        for word, count in found.items():
            if word in number:
                rows.append(row)
                columns.append(number[word])
                weights.append(math.log1p(count) * math.log(len(ids) / documents[word]))
    shape = (len(ids), len(words))
    return ids, words, unit_rows(sparse.csr_matrix((weights, (rows, columns)), shape))


def neighbours_of_words(matrix):
    """Of each word, the 20 that most often are, with it, what a document is about."""
    about = heaviest(matrix, 20)
    together = (about.T @ about).tocsr()
    lengths = np.sqrt(np.maximum(together.diagonal(), 1e-9))
    together = sparse.diags(1 / lengths) @ together @ sparse.diags(1 / lengths)
    together.setdiag(0)
    return heaviest(together, 20)


def write(matrix, ids, rows, words, power, path):
    matrix = matrix[rows].copy()
    matrix.data = matrix.data ** power
    matrix = scaled(matrix, np.asarray(matrix.max(1).todense()).ravel() / 3)
    with open(path, "w", encoding="utf-8") as file:
        for row, number in enumerate(rows):
            part = slice(matrix.indptr[row], matrix.indptr[row + 1])
            vector = {words[i]: round(float(weight), 2)
                      for i, weight in zip(matrix.indices[part], matrix.data[part])
                      if weight >= 0.01}
            file.write(json.dumps({"id": ids[number], "vector": vector}) + "\n")


def make(folder, output, most=None):
    """Writes NAME.docs.jsonl and NAME.queries.jsonl for each of POWERS."""
    print("reading articles", file=sys.stderr)
    ids, words, texts = tf_idf(folder, most)
    near = neighbours_of_words(texts)
    print("adding terms", file=sys.stderr)
    added = heaviest((heaviest(texts, 12) @ near).tocsr(), 130)
    documents = heaviest(heaviest(texts, 90) + SHARE_OF_ADDED * added, TERMS)
    added = heaviest((heaviest(texts, 8) @ near).tocsr(), 24)
    queries = heaviest(heaviest(texts, 14) + SHARE_OF_ADDED * added, QUERY_TERMS)
    random = np.random.default_rng(59)
    asked = np.sort(random.choice(len(ids), min(QUERIES, len(ids) // 2), replace=False))
    rest = np.setdiff1d(np.arange(len(ids)), asked)
    for name, power in POWERS.items():
        write(documents, ids, rest, words, power, output / f"{name}.docs.jsonl")
        write(queries, ids, asked, words, power, output / f"{name}.queries.jsonl")
