"""Searches vectors that torch has in GPU memory, and a batch of texts on the same GPU.

    python gpu_torch.py

Queries come from a model as tensors on the GPU. They are searched there, and the answers are
tensors there, ready for what comes next: here the mean of the vectors that were found, which is a
better query (pseudo-relevance feedback).
"""

from __future__ import annotations

import random
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch  # type: ignore[import-not-found,unused-ignore]

import warpdex
from warpdex.vectors import Index

ROWS, DIMENSION, QUERIES = 200_000, 128, 10_000


def search_vectors(folder: Path) -> None:
    rows = np.random.default_rng(1).standard_normal((ROWS, DIMENSION), dtype=np.float32)
    index = Index.build(rows, folder / "vectors", metric="ip", device="gpu")
    all_rows = torch.from_numpy(rows).cuda()
    model: Any = torch.nn.Linear(DIMENSION, DIMENSION, device="cuda")

    with torch.no_grad():
        queries = model(torch.randn(QUERIES, DIMENSION, device="cuda"))
        index.search(queries, k=10)  # warms memory up
        start = time.perf_counter()
        scores, numbers = index.search(queries, k=10)
        took = time.perf_counter() - start
        print(f"vectors: {took / QUERIES * 1e6:.2f} us a query, answers on {scores.device}")

        better = queries + all_rows[numbers].mean(dim=1)
        again, _ = index.search(better, k=10)
        print(f"mean score of the 10 best: {scores.mean():.1f}, then {again.mean():.1f}")

        # The same selection of any scores: of those of a matrix product, say.
        best, columns = warpdex.select_k(queries[:100] @ all_rows.T, k=10, largest=True)
        same = (columns == numbers[:100]).float().mean()
        print(f"the same rows by a product and select_k: {same:.1%}")


def search_texts(folder: Path) -> None:
    chance = random.Random(2)

    def words(count: int) -> str:
        return " ".join(f"w{int(chance.paretovariate(0.6)) % 5000}" for _ in range(count))

    documents = ({"id": str(i), "contents": words(50)} for i in range(50_000))
    warpdex.build(documents, folder / "texts")
    searcher = warpdex.Searcher(folder / "texts", device="gpu")
    queries = [words(4) for _ in range(QUERIES)]
    searcher.search_batch(queries, k=10)
    start = time.perf_counter()
    result = searcher.search_batch(queries, k=10)
    took = time.perf_counter() - start
    print(f"texts: {took / QUERIES * 1e6:.2f} us a query, {int(result.counts.sum())} hits")


def main() -> None:
    if why := warpdex.gpu_problem():
        print(f"This example needs a GPU, and {why}.")
        return
    with tempfile.TemporaryDirectory() as folder:
        search_vectors(Path(folder))
        search_texts(Path(folder))


if __name__ == "__main__":
    main()
