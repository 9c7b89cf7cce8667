"""What a cluster answers."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt


@dataclass(frozen=True)
class ClusterHit:
    """A document that was found."""

    id: str
    score: float
    part: int
    doc: int
    """Its number in the part."""
    cursor: str = ""
    """Of a sorted search: for search_after, which asks for the page behind it."""
    fields: dict[str, str] = field(default_factory=dict)
    """Those that were asked for and the document has."""
    snippets: dict[str, str] = field(default_factory=dict)
    """Pieces of these, with snippets=True."""


@dataclass(frozen=True)
class Coverage:
    """What was searched."""

    version: int
    """Of the cluster."""
    documents: int
    """Live ones of all parts."""
    searched: int
    """Those of the parts that answered."""
    missing: tuple[tuple[int, str], ...] = ()
    """Parts that did not, and why."""
    has_whole_statistics: bool = True
    """False: scores lack the statistics of a missing part."""


@dataclass(eq=False)  # not frozen: a thousand take 0.3 ms to make then, and not 1.7
class ClusterAnswer:
    """The best documents for a query: by score, then part, then number."""

    ids: list[str]
    scores: npt.NDArray[np.float32]
    """As many as ids; so are parts and docs."""
    parts: npt.NDArray[np.uint32]
    docs: npt.NDArray[np.uint32]
    """Their numbers in their parts."""
    coverage: Coverage
    matches: int
    """Exact if no part is missing and matches are counted, as for facets; else a lower bound."""
    fell_back_to_or: bool = False
    """With mode "and-or": the answer is "or"'s."""
    is_complete: bool = True
    """These are the best of all parts, also where one is missing."""
    max_missing_score: float = -1.0
    """What a document of a missing part scores at most; below 0: nothing is missing."""
    facets: dict[str, dict[str, Any]] = field(default_factory=dict)
    """As warpdex.Hits has them, of the parts that answered."""
    cursors: list[str] = field(default_factory=list)
    """Of a sorted search: as many as ids."""
    shown: list[tuple[dict[str, str], dict[str, str]]] = field(default_factory=list)
    """With fields=: of each document its fields and its snippets."""
    scores_are_distances: bool = False
    """Smaller ones are better."""

    @property
    def hits(self) -> list[ClusterHit]:
        """The documents one by one, best first."""
        rows = zip(self.ids, self.scores.tolist(), self.parts.tolist(), self.docs.tolist(),
                   self.cursors or [""] * len(self.ids), self.shown or [({}, {})] * len(self.ids))
        return [ClusterHit(*row, *shown) for *row, shown in rows]


def to_bytes(answers: Sequence[ClusterAnswer]) -> bytes:
    """For another process: the answers of one batch. Their arrays go as one, which takes a tenth of
    the time that pickling each takes."""
    arrays = [
        np.concatenate([getattr(each, name) for each in answers]) if answers else None
        for name in ("scores", "parts", "docs")
    ]
    facts = [(each.matches, each.fell_back_to_or, each.is_complete, each.max_missing_score,
              each.facets, each.cursors, each.shown, each.scores_are_distances)
             for each in answers]
    coverage = answers[0].coverage if answers else None
    return pickle.dumps(([each.ids for each in answers], arrays, coverage, facts))


def from_values(values: Any) -> list[ClusterAnswer]:
    """The answers of what to_bytes() made, unpickled."""
    names, arrays, coverage, facts = values
    answers = []
    begin = 0
    for ids, told in zip(names, facts):
        end = begin + len(ids)
        scores, parts, docs = (array[begin:end] for array in arrays)
        answers.append(ClusterAnswer(ids, scores, parts, docs, coverage, *told))
        begin = end
    return answers
