"""What cannot be asked of a searcher."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

import warpdex


def test_classes() -> None:
    for error in (warpdex.UsageError, warpdex.InputError):
        assert issubclass(error, warpdex.Error) and issubclass(error, ValueError)
    assert issubclass(warpdex.IoError, OSError) and issubclass(warpdex.IoError, warpdex.Error)
    assert issubclass(warpdex.BadDocument, warpdex.InputError)
    assert issubclass(warpdex.CudaError, warpdex.Error)


def test_opening(books: Path, tmp_path: Path) -> None:
    with pytest.raises(warpdex.IoError, match="gone"):
        warpdex.Searcher(tmp_path / "gone")
    with pytest.raises(warpdex.UsageError):
        warpdex.Searcher(books, device="abacus")  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        warpdex.Searcher(books, colour="red")  # type: ignore[call-arg]
    shutil.copytree(books, tmp_path / "damaged")
    manifest = tmp_path / "damaged" / "manifest.json"
    manifest.write_bytes(manifest.read_bytes()[:100])
    with pytest.raises(warpdex.FormatError):
        warpdex.Searcher(tmp_path / "damaged")


@pytest.mark.parametrize("k", [0, -1, 10001, 2**70])
def test_a_k_out_of_range(books: Path, k: int) -> None:
    searcher = warpdex.Searcher(books)
    with pytest.raises(warpdex.UsageError, match="k is"):
        searcher.search("sea", k=k)
    with pytest.raises(warpdex.UsageError, match="k is"):
        searcher.search_batch(["sea"], k=k)


@pytest.mark.parametrize(
    "options",
    [
        {"mode": "xor"}, {"syntax": "sql"}, {"scorer": "tfidf"}, {"k1": -1}, {"k1": float("nan")},
        {"b": 1.5}, {"mu": 0, "scorer": "qld"}, {"jm_lambda": 2}, {"bm25_form": "x"},
        {"fusion": "cold"}, {"fields": ["gone"]}, {"timeout": -1}, {"snippet_bytes": 0},
    ],
)
def test_values_out_of_range(books: Path, options: dict[str, object]) -> None:
    with pytest.raises(warpdex.UsageError):
        warpdex.Searcher(books).search("sea", **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "options",
    [
        {"colour": "red"}, {"mode": 5}, {"k1": "x"}, {"count": 1}, {"fields": "title"},
        {"fields": 5}, {"k": 1.5}, {"k": "10"}, {"vector": [1.0, 2.0]},
    ],
)
def test_unknown_options_and_other_types(books: Path, options: dict[str, object]) -> None:
    with pytest.raises(TypeError):
        warpdex.Searcher(books).search("sea", **options)  # type: ignore[arg-type]


def test_texts(books: Path) -> None:
    searcher = warpdex.Searcher(books)
    for search in (searcher.search, lambda text: searcher.search_batch(["sea", text])):
        with pytest.raises(warpdex.InputError, match="lone surrogate"):
            search("sea \ud800")
        with pytest.raises(TypeError):
            search(b"sea")
    with pytest.raises(TypeError):
        searcher.search_batch("sea")
    with pytest.raises(warpdex.UsageError):
        searcher.search_batch(["sea"], qids=["1", "2"])
    with pytest.raises(warpdex.UsageError):
        searcher.search_batch(None)
    with pytest.raises(warpdex.InputError):
        searcher.terms("\ud800")


@pytest.fixture(scope="module")
def with_vectors(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("vectors") / "index"
    docs = [{"id": str(i), "contents": "fish"} for i in range(3)]
    warpdex.build(docs, path, vectors=np.eye(3, 4, dtype=np.float32))
    return path


@pytest.mark.parametrize(
    "vectors",
    [
        np.zeros((1, 4)), np.zeros((1, 4), np.int32), np.zeros(4, np.float32),
        np.zeros((1, 5), np.float32), np.zeros((2, 4), np.float32), np.zeros((1, 0), np.float32),
        np.zeros((1, 1, 4), np.float32), np.zeros((4, 2), np.float32).T[:1],
        np.full((1, 4), np.nan, np.float32), np.full((1, 4), np.inf, np.float32),
        np.zeros((1, 8), np.float32)[:, ::2],
    ],
)
def test_arrays(with_vectors: Path, vectors: np.ndarray) -> None:
    searcher = warpdex.Searcher(with_vectors)
    assert len(searcher.search_batch(["fish"], vectors=np.zeros((1, 4), np.float32)).ids[0]) == 3
    with pytest.raises((warpdex.UsageError, warpdex.InputError)):
        searcher.search_batch(["fish"], vectors=vectors)
    if vectors.shape != (2, 4):  # which would be two searches by vectors alone
        with pytest.raises((warpdex.UsageError, warpdex.InputError)):
            searcher.search_batch(None, vectors=vectors)


def test_vectors_where_there_are_none(books: Path) -> None:
    with pytest.raises(warpdex.UsageError):
        warpdex.Searcher(books).search("sea", vector=np.zeros(4, np.float32))
