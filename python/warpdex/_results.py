"""The answers to a batch of queries."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from . import _core
from ._build import Path
from .errors import UsageError


class Scored(NamedTuple):
    """A document of a batch's answer."""

    id: str
    score: float


class BatchResult:
    """The answers to n queries, k documents each at most, best first.

    ``scores`` and ``docs`` are arrays of n x k; row i has ``counts[i]`` documents, and behind them
    0 and 4294967295. ``result[i]`` is the answer to query i as a list of Scored(id, score);
    ``result.hits[i]`` has its fields and counts, where these were asked for.
    """

    qids: list[str]
    """The queries' ids; without any, their numbers from "0"."""
    scores: npt.NDArray[np.float32]
    """n x k; larger is better, unless scores_are_distances."""
    docs: npt.NDArray[np.uint32]
    """Numbers of documents in the commit that was searched, n x k."""
    counts: npt.NDArray[np.uint32]
    """How many documents each query found, n."""

    def __init__(self, batch: _core.Batch, qids: list[str]) -> None:
        self._batch = batch
        self.qids = qids
        self.scores, self.docs, self.counts = batch.arrays()

    @cached_property
    def ids(self) -> list[list[str]]:
        """The documents' ids, a list a query, looked up when they are first asked for."""
        return self._batch.ids()

    @cached_property
    def hits(self) -> list[_core.Hits]:
        """Each answer as search() gives it, with fields, snippets and explain(). Raises UsageError
        unless the batch was asked for fields, snippets or counts."""
        hits = self._batch.hits()
        if hits is None:
            raise UsageError(
                "the batch has arrays alone; give search_batch() the fields that hits are to have, "
                "or count=True"
            )
        return hits

    @cached_property
    def matches(self) -> npt.NDArray[np.uint64]:
        """How many documents match each query: exactly with count=True. Raises UsageError as
        hits."""
        return np.array([hits.matches for hits in self.hits], dtype=np.uint64)

    @property
    def scores_are_distances(self) -> bool:
        """Whether smaller scores are better."""
        return self._batch.scores_are_distances

    @property
    def is_complete(self) -> bool:
        """False where the timeout passed before all queries were answered."""
        return self._batch.is_complete

    @property
    def commit(self) -> int:
        """The number of the commit that was searched."""
        return self._batch.commit

    def __len__(self) -> int:
        return len(self.counts)

    def __getitem__(self, query: int) -> list[Scored]:
        return [Scored(*each) for each in zip(self.ids[query], self.scores[query].tolist())]

    def __iter__(self) -> Iterator[list[Scored]]:
        return (self[query] for query in range(len(self)))

    def __repr__(self) -> str:
        return f"BatchResult({len(self)} queries, k={self.scores.shape[1]})"

    def _good_scores(self) -> npt.NDArray[np.float32]:
        """Scores of which larger is better."""
        return 0 - self.scores if self.scores_are_distances else self.scores

    def to_dict(self) -> dict[str, dict[str, float]]:
        """{qid: {docid: score}}, as ir_measures, ranx and pytrec_eval take it. Of distances the
        negatives, so that larger is better."""
        scores = self._good_scores()
        return {
            qid: dict(zip(ids, row.tolist())) for qid, ids, row in zip(self.qids, self.ids, scores)
        }

    def _columns(self) -> dict[str, Any]:
        k = self.scores.shape[1]
        taken = np.arange(k) < self.counts[:, None]
        return {
            "qid": np.repeat(np.array(self.qids, dtype=object), self.counts),
            "docno": [id for ids in self.ids for id in ids],
            "score": self._good_scores()[taken],
            "rank": np.broadcast_to(np.arange(k), taken.shape)[taken],
        }

    def to_pandas(self) -> Any:
        """A DataFrame with qid, docno, score and rank (from 0), a row a document."""
        import pandas  # type: ignore[import-untyped,unused-ignore]

        return pandas.DataFrame(self._columns())

    def to_arrow(self) -> Any:
        """The same as a pyarrow Table."""
        import pyarrow  # type: ignore[import-untyped,unused-ignore]

        return pyarrow.table(self._columns())

    def save_trec(self, path: Path, tag: str = "warpdex") -> None:
        """Writes a TREC run, as `warpdex search --output` does: qid Q0 docno rank score tag.
        Raises InputError for ids with white space, IoError."""
        if len(set(self.qids)) != len(self.qids):
            raise UsageError("two queries have the same id, which a run cannot tell apart")
        self._batch.save_trec(os.fspath(path), self.qids, tag)
