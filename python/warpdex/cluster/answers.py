"""What a cluster answers."""

from __future__ import annotations

from dataclasses import dataclass

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


@dataclass(frozen=True, eq=False)
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
    """Exact if counted and no part is missing, else a lower bound."""
    fell_back_to_or: bool = False
    """With mode "and-or": the answer is "or"'s."""
    is_complete: bool = True
    """These are the best of all parts, also where one is missing."""
    max_missing_score: float = -1.0
    """What a document of a missing part scores at most; below 0: nothing is missing."""

    @property
    def hits(self) -> list[ClusterHit]:
        """The documents one by one, best first."""
        rows = zip(self.ids, self.scores.tolist(), self.parts.tolist(), self.docs.tolist())
        return [ClusterHit(*row) for row in rows]
