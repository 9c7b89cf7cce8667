"""Indexes of vectors, beside numpy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import warpdex
from warpdex.vectors import Index, kmeans, knn_graph

GENERATOR = np.random.default_rng(53)
ROWS = GENERATOR.integers(-8, 8, (400, 12)).astype(np.float32)
QUERIES = GENERATOR.integers(-8, 8, (30, 12)).astype(np.float32)


def nearest(queries: np.ndarray, rows: np.ndarray, k: int) -> tuple[np.ndarray, np.ndarray]:
    """Squared distances of whole numbers are exact; ties to the smaller row."""
    distances = ((queries[:, None, :] - rows[None, :, :]) ** 2).sum(axis=2)
    order = np.argsort(distances, axis=1, kind="stable")[:, :k]
    return np.take_along_axis(distances, order, axis=1), order


def test_search() -> None:
    index = Index.build(ROWS)
    d, i = index.search(QUERIES, 7)
    assert (d.dtype, i.dtype) == (np.float32, np.int64)
    expected = nearest(QUERIES, ROWS, 7)
    assert (d == expected[0]).all() and (i == expected[1]).all()
    assert (len(index), index.dimension, index.metric, index.lists) == (400, 12, "l2", 0)
    halves = index.search(QUERIES.astype(np.float16), 7)
    assert (halves[1] == i).all()
    d, i = index.search(QUERIES[:1], 500)
    assert (i[0, 400:] == -1).all() and np.isinf(d[0, 400:]).all()
    assert index.search(QUERIES[:0], 3)[0].shape == (0, 3)


def test_many_queries_come_in_parts() -> None:
    index = Index.build(ROWS)
    d, i = index.search(np.tile(QUERIES, (50, 1)), 5)
    one = index.search(QUERIES, 5)
    assert (d == np.tile(one[0], (50, 1))).all() and (i == np.tile(one[1], (50, 1))).all()
    limits, distances, rows = index.range_search(np.tile(QUERIES, (50, 1)), 200)
    assert limits.shape == (1501,) and limits[-1] == len(distances) == len(rows)


def test_filters() -> None:
    index = Index.build(ROWS)
    allowed = np.arange(3, 400, 5)
    mask = np.zeros(400, dtype=bool)
    mask[allowed] = True
    expected = nearest(QUERIES, ROWS[allowed], 4)
    for given in (mask, allowed, allowed.tolist(), allowed.astype(np.int32)):
        d, i = index.search(QUERIES, 4, filter=given)
        assert (d == expected[0]).all() and (i == allowed[expected[1]]).all()
    for wrong in (mask[:-1], [400], [-1], np.zeros((2, 400), bool), [0.5]):
        with pytest.raises(warpdex.UsageError):
            index.search(QUERIES, 4, filter=wrong)


def test_range_search() -> None:
    limits, d, i = Index.build(ROWS).range_search(QUERIES, 300)
    assert limits[0] == 0 and len(limits) == 31
    distances = ((QUERIES[:, None, :] - ROWS[None, :, :]) ** 2).sum(axis=2)
    for query in range(30):
        found = i[limits[query] : limits[query + 1]]
        assert sorted(found) == np.flatnonzero(distances[query] <= 300).tolist()
        assert (d[limits[query] : limits[query + 1]] == distances[query, found]).all()


@pytest.mark.parametrize(
    "settings",
    [
        {"lists": 10}, {"lists": "auto"}, {"lists": 10, "coding": "pq", "pq_bytes": 6},
        {"coding": "binary", "bits": 4}, {"lists": 10, "coding": "binary", "rotated": True},
        {"lists": 10, "coding": "pq", "pq_bytes": 6, "rotated_dimension": 7},
        {"metric": "ip"}, {"metric": "cosine", "store": "half"},
    ],
)
def test_kinds(settings: dict[str, object], tmp_path: Path) -> None:
    index = Index.build(ROWS, tmp_path / "index", **settings)  # type: ignore[arg-type]
    probes = max(1, index.lists)
    d, i = index.search(ROWS[:50], 1, probes=probes, refine=20 if "coding" in settings else None)
    if settings.get("metric") != "ip":
        same = np.array([(ROWS[i[row, 0]] == ROWS[row]).all() or settings.get("metric") == "cosine"
                         for row in range(50)])
        assert same.mean() > 0.9
    again = Index.open(tmp_path / "index", probes=probes, refine=20 if "coding" in settings else 0)
    assert (again.search(ROWS[:50], 1)[1] == i).all()
    assert again.metric == settings.get("metric", "l2")


def test_changes_and_ids(tmp_path: Path) -> None:
    names = [f"n{i}" for i in range(400)]
    index = Index.build(ROWS, tmp_path / "index", ids=names)
    assert index.ids([0, 399, -1]) == ["n0", "n399", None]
    first = index.add(ROWS[:2] + 100, ids=["x", "y"])
    assert index.ids(index.search(ROWS[:2] + 100, 1)[1]) == ["x", "y"]
    with pytest.raises(warpdex.InputError):
        index.add(ROWS[:1], ids=["x"])
    assert index.add(ROWS[:1] - 100, ids=["x"], replace=True) == first + 1
    with pytest.raises(warpdex.InputError):
        index.remove(["gone"])
    index.remove(["n0", "y"])
    assert (index.rows, len(index)) == (403, 400)
    index.merge()
    assert (index.rows, len(index)) == (400, 400)
    numbered = Index.build(ROWS, ids=np.arange(1000, 1400))
    same = nearest(ROWS[:1], ROWS, 1)[1][0, 0]
    assert numbered.ids(numbered.search(ROWS[:1], 1)[1]) == [str(1000 + same)]
    with pytest.raises(warpdex.InputError):
        Index.build(ROWS[:2], ids=[1, 1])
    limits = [-(2**63), 2**63 - 1]
    assert Index.build(ROWS[:2], ids=limits).ids([0, 1]) == [str(each) for each in limits]
    for large in (np.array([2**63, 1], dtype=np.uint64), [2**63, 1], [1, np.uint64(2**64 - 1)]):
        with pytest.raises(warpdex.UsageError, match="2[*][*]63"):
            Index.build(ROWS[:2], ids=large)
    with pytest.raises(warpdex.InputError):
        Index.build(ROWS[:2], ids=[1])


def test_saving(tmp_path: Path) -> None:
    index = Index.build(ROWS)
    index.save(tmp_path / "saved")
    saved = Index.open(tmp_path / "saved")
    assert (saved.search(QUERIES, 3)[1] == index.search(QUERIES, 3)[1]).all()
    with pytest.raises(warpdex.UsageError):
        index.save(tmp_path / "saved")
    assert [path.name for path in tmp_path.iterdir()] == ["saved"]
    with pytest.raises(warpdex.IoError):
        Index.open(tmp_path / "gone")


def test_a_temporary_folder_goes(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    index = Index.build(ROWS)
    assert len(list(tmp_path.iterdir())) == 1
    del index
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(warpdex.UsageError):
        Index.build(ROWS, metric="far")  # type: ignore[arg-type]
    assert list(tmp_path.iterdir()) == []


def test_what_cannot_be_taken() -> None:
    index = Index.build(ROWS)
    for wrong in (
        QUERIES.astype(np.float64), QUERIES.astype(np.int32), QUERIES[0], QUERIES[:, :5],
        np.asfortranarray(QUERIES), QUERIES[::2, ::2], np.full((1, 12), np.nan, np.float32),
        np.zeros((3, 0), np.float32),
    ):
        for call in (lambda x: index.search(x, 3), lambda x: index.range_search(x, 3.0), index.add):
            with pytest.raises((warpdex.UsageError, warpdex.InputError)):
                call(wrong)
    for call in (index.search, lambda x, k: Index.build(x)):
        with pytest.raises(TypeError):
            call([[1.0, 2.0]], 3)  # type: ignore[arg-type]
    for k in (0, -3):
        with pytest.raises(warpdex.UsageError):
            index.search(QUERIES, k)
    with pytest.raises(TypeError):
        index.search(QUERIES, 1.5)  # type: ignore[arg-type]
    for settings in ({"coding": "zip"}, {"coding": "pq"}, {"lists": 5000},
                     {"bits": 9, "coding": "binary"}):
        with pytest.raises(warpdex.UsageError):
            Index.build(ROWS, **settings)  # type: ignore[arg-type]
    with pytest.raises(warpdex.UsageError):
        Index.build(ROWS, lists=5).search(QUERIES, 3, probes=6)


def test_kmeans() -> None:
    found = kmeans(ROWS, 8, seed=3)
    distances = ((ROWS[:, None, :] - found.centroids[None, :, :]) ** 2).sum(axis=2)
    assert found.centroids.shape == (8, 12)
    assert (np.take_along_axis(distances, found.labels[:, None].astype(np.int64), 1)[:, 0]
            <= distances.min(axis=1) + 1e-3).all()
    again = kmeans(ROWS, 8, seed=3, threads=1)
    assert (again.centroids == found.centroids).all() and again.objective == found.objective
    assert np.isclose(found.objective, distances.min(axis=1).sum(), rtol=1e-4)
    for clusters in (0, 401):
        with pytest.raises(warpdex.UsageError):
            kmeans(ROWS, clusters)
    with pytest.raises(warpdex.InputError):
        kmeans(np.full((5, 2), np.nan, np.float32), 2)


def test_knn_graph() -> None:
    d, i = knn_graph(ROWS, 3)
    distances = ((ROWS[:, None, :] - ROWS[None, :, :]) ** 2).sum(axis=2)
    np.fill_diagonal(distances, np.inf)
    order = np.argsort(distances, axis=1, kind="stable")[:, :3]
    assert (i == order).all() and (d == np.take_along_axis(distances, order, axis=1)).all()
    with pytest.raises(warpdex.UsageError):
        knn_graph(ROWS, 400)


def test_select_k() -> None:
    values = GENERATOR.integers(0, 50, (20, 300)).astype(np.float32)
    for largest in (False, True):
        best, ids = warpdex.select_k(values, 9, largest)
        order = np.argsort(-values if largest else values, axis=1, kind="stable")[:, :9]
        assert (ids == order).all() and (best == np.take_along_axis(values, order, 1)).all()
    values = np.array([[np.nan, 2, 1]], np.float32)
    best, ids = warpdex.select_k(values, 4)
    assert ids.tolist() == [[2, 1, 0, -1]] and np.isnan(best[0, 2]) and best[0, 3] == np.inf
    with pytest.raises(warpdex.UsageError):
        warpdex.select_k(values, 0)
    with pytest.raises(warpdex.UsageError):
        warpdex.select_k(values.astype(np.float64), 1)
