"""Searches for weighted terms, and queries that are expanded with terms of the best documents."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Unpack, cast

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import float_rows, one_row
from ._progress import Bar
from .errors import UsageError

if TYPE_CHECKING:
    from ._searcher import SearchOptions, Searcher

Weights = Mapping[str, float]

MAX_DOCUMENT_SHARE = 0.1
"""Terms of more than this share of the documents are no feedback."""
TERM_CHARACTERS = range(2, 21)
"""How long terms of feedback are."""
MIN_WEIGHT = 1e-9
"""Of a term in a query."""
FIRST_ONLY = ("mode", "and_or_min", "query_fields", "fields_type")
"""Options of the first search alone."""


def _best(weights: Weights, count: int) -> dict[str, float]:
    """The largest weights; of equal ones those whose terms come first."""
    ranked = sorted(weights.items(), key=lambda each: (-each[1], each[0]))
    return dict(ranked[:count])


def _scaled(weights: Weights, length: float) -> dict[str, float]:
    return {term: weight / length for term, weight in weights.items()} if length > 0 else {}


class _Fields:
    """The text fields that words search. Of several, a term is named "title:old"."""

    def __init__(self, searcher: Searcher, options: SearchOptions) -> None:
        self._searcher = searcher
        self._weights = dict(searcher._searched_fields(options))
        self._are_several = "" not in self._weights
        if self._are_several and options.get("fields_type", "most_fields") != "most_fields":
            raise UsageError(
                "feedback adds the scores of a word's fields; leave fields_type out"
            )

    def split(self, term: str) -> tuple[str, str]:
        """The field and the word of a term."""
        if not self._are_several:
            return "", term
        field, _, word = term.partition(":")
        return field, word

    def searches(self, term: str) -> bool:
        return self.split(term)[0] in self._weights

    def words(self, query: str) -> Iterator[Counter[str]]:
        """The words of a query as terms of each field."""
        for field in self._weights:
            words = self._searcher.analyze(query, field)
            yield Counter(f"{field}:{word}" if self._are_several else word for word in words)

    def weighted(self, terms: Weights) -> dict[str, float]:
        """Terms with the weights of their fields."""
        weights = {
            term: weight * self._weights[self.split(term)[0]] for term, weight in terms.items()
        }
        return {term: weight for term, weight in weights.items() if weight >= MIN_WEIGHT}


class _Vectors:
    """The best feedback terms of documents, and how often they occur."""

    def __init__(
        self, searcher: Searcher, fields: _Fields, terms: int, filter_terms: bool
    ) -> None:
        self._searcher = searcher
        self._fields = fields
        self._terms = terms
        self._filter = filter_terms
        self._most = MAX_DOCUMENT_SHARE * searcher.documents
        self._taken: dict[str, bool] = {}

    def _takes(self, term: str) -> bool:
        field, word = self._fields.split(term)
        if len(word) not in TERM_CHARACTERS or (self._filter and not word.isalnum()):
            return False
        if term not in self._taken:
            self._taken[term] = (
                self._fields.searches(term)
                and self._searcher.document_frequency(word, field) <= self._most
            )
        return self._taken[term]

    def _frequent(self, id: str) -> Iterator[tuple[str, float]]:
        vector = self._searcher.document_vector(id)
        left = self._terms
        # Most frequent first, so that document frequencies are looked up for few terms.
        for term, frequency in _best(vector, len(vector)).items():
            if left == 0:
                return
            if self._takes(term):
                left -= 1
                yield term, frequency

    def of(self, id: str) -> dict[str, float]:
        return dict(self._frequent(id))


def _mix(parts: Iterable[tuple[float, Weights]]) -> dict[str, float]:
    """The sum of vectors, each times its weight, without terms that then hardly count."""
    mixed: dict[str, float] = defaultdict(float)
    for share, weights in parts:
        for term, weight in weights.items():
            mixed[term] += share * weight
    return {term: weight for term, weight in mixed.items() if weight >= MIN_WEIGHT}


def _check(terms: int, shares: Mapping[str, float]) -> None:
    if terms < 1:
        raise UsageError("there is no term of feedback; ask for 1 or more")
    for name, share in shares.items():
        if not 0 <= share < math.inf:
            raise UsageError(f"{name} is {share}; give a number of 0 or more")


class TermSearch:
    """What a Searcher does with weighted terms."""

    def search_terms(
        self,
        terms: Weights,
        k: int = 10,
        *,
        vector: npt.NDArray[np.float32 | np.float16] | None = None,
        **options: Unpack[SearchOptions],
    ) -> _core.Hits:
        """search() for terms with weights, as the index has them: they are not analysed.

        A term's score counts as often as its weight says. So are learned sparse queries answered
        (of an index of weights), and queries that a program expanded.

        Args:
            terms: {term: weight}; weights are 0, which leaves the term out, or 1e-9 to 1e9. Of
                several text fields, terms name theirs, as "title:old".
            k, vector, options: as of search(); `syntax` says nothing here.

        Raises:
            InputError: a weight that is negative, too large or NaN.
            Else as search().
        """
        rows = None if vector is None else one_row(vector, "the vector")
        searcher = cast("Searcher", self)._searcher
        return _core.search_terms(searcher, [dict(terms)], rows, k, 0, None, options)[0]

    def search_terms_batch(
        self,
        queries: Iterable[Weights],
        k: int = 10,
        threads: int = 0,
        *,
        vectors: npt.NDArray[np.float32 | np.float16] | None = None,
        progress: bool = True,
        **options: Unpack[SearchOptions],
    ) -> list[_core.Hits]:
        """search_terms() for many queries at once; as search_batch(), but with Hits for each."""
        rows = None if vectors is None else float_rows(vectors, "the vectors")
        asked = [dict(terms) for terms in queries]
        searcher = cast("Searcher", self)._searcher
        with Bar(progress, "queries", len(asked)) as bar:
            return _core.search_terms(searcher, asked, rows, k, threads, bar.on_added(), options)

    def _first_hits(self, query: str, count: int, options: SearchOptions) -> list[_core.Hit]:
        if options.get("syntax", "plain") != "plain":
            raise UsageError("feedback takes all of a query as words; leave the syntax out")
        first = options.copy()
        first["syntax"] = "plain"
        for shown in ("fields", "snippets", "count"):
            first.pop(shown, None)  # type: ignore[misc]
        return list(cast("Searcher", self).search(query, count, **first))

    def _search_expanded(
        self, terms: Weights, k: int, options: SearchOptions
    ) -> _core.Hits:
        """Documents with any of the terms, whatever the first search's mode was; terms name their
        fields."""
        second = options.copy()
        for first_only in FIRST_ONLY:
            second.pop(first_only, None)  # type: ignore[misc]
        return self.search_terms(terms, k, **second)

    def rm3_terms(
        self,
        query: str,
        *,
        fb_terms: int = 10,
        fb_docs: int = 10,
        original_query_weight: float = 0.5,
        filter_terms: bool = True,
        **options: Unpack[SearchOptions],
    ) -> dict[str, float]:
        """The query that rm3() searches for: terms and weights."""
        _check(fb_terms, {"original_query_weight": original_query_weight})
        if original_query_weight > 1:
            raise UsageError("original_query_weight is above 1; give 0 to 1")
        searcher = cast("Searcher", self)._at_this_commit()
        fields = _Fields(searcher, options)
        vectors = _Vectors(searcher, fields, fb_terms, filter_terms)
        found = []
        for hit in searcher._first_hits(query, fb_docs, options):
            vector = vectors.of(hit.id)
            found.append((max(hit.score, 0.0), _scaled(vector, sum(vector.values()))))
        model = _best(_mix(found), fb_terms)
        parts = [
            (original_query_weight, _scaled(words, words.total())) for words in fields.words(query)
        ]
        parts.append((1 - original_query_weight, _scaled(model, sum(model.values()))))
        return fields.weighted(_mix(parts))

    def rm3(
        self,
        query: str,
        k: int = 10,
        *,
        fb_terms: int = 10,
        fb_docs: int = 10,
        original_query_weight: float = 0.5,
        filter_terms: bool = True,
        **options: Unpack[SearchOptions],
    ) -> _core.Hits:
        """The k best documents for the query and terms of its best documents (RM3).

        Names, defaults and steps are Anserini's. Of each of the best documents the most frequent
        terms are taken, as shares that add to 1, times the document's score. The best of their
        sums, scaled to add to 1, are joined with the query's words. Both searches are answered by
        one commit.

        Of several text fields, a term of feedback is one of a field, "title:old": it is taken from
        the fields that words search, and searched for in its own. The query's words are searched
        for in each of them. All weights are then times the field's.

        Args:
            query: words; all of it, as with syntax="plain".
            fb_terms: terms that a document gives, and that are kept of all.
            fb_docs: documents that terms are taken from.
            original_query_weight: of the query's words, 0 to 1; the rest is the new terms'.
            filter_terms: leave out terms with other characters than letters and digits. Terms of
                one character, of more than 20, and of more than a tenth of the documents are left
                out in any case.
            options: of both searches (`mode` of the first alone; the second finds documents with
                any term); see SearchOptions.

        Raises:
            UsageError: numbers out of range; an index without the documents' terms
                (forward=False); several text fields with another `fields_type` than most_fields.
            Else as search().
        """
        searcher = cast("Searcher", self)._at_this_commit()
        terms = searcher.rm3_terms(
            query,
            fb_terms=fb_terms,
            fb_docs=fb_docs,
            original_query_weight=original_query_weight,
            filter_terms=filter_terms,
            **options,
        )
        return searcher._search_expanded(terms, k, options)

    def rocchio_terms(
        self,
        query: str,
        *,
        top_fb_terms: int = 10,
        top_fb_docs: int = 10,
        alpha: float = 1.0,
        beta: float = 0.75,
        filter_terms: bool = True,
        **options: Unpack[SearchOptions],
    ) -> dict[str, float]:
        """The query that rocchio() searches for: terms and weights."""
        _check(top_fb_terms, {"alpha": alpha, "beta": beta})
        searcher = cast("Searcher", self)._at_this_commit()
        fields = _Fields(searcher, options)
        vectors = _Vectors(searcher, fields, top_fb_terms, filter_terms)
        hits = searcher._first_hits(query, top_fb_docs, options)
        found = []
        for hit in hits:
            vector = vectors.of(hit.id)
            found.append((1 / len(hits), _scaled(vector, math.hypot(*vector.values()))))
        mean = _best(_mix(found), top_fb_terms)
        parts = [
            (alpha, _scaled(words, math.hypot(*words.values()))) for words in fields.words(query)
        ]
        parts.append((beta, _scaled(mean, math.hypot(*mean.values()))))
        return fields.weighted(_mix(parts))

    def rocchio(
        self,
        query: str,
        k: int = 10,
        *,
        top_fb_terms: int = 10,
        top_fb_docs: int = 10,
        alpha: float = 1.0,
        beta: float = 0.75,
        filter_terms: bool = True,
        **options: Unpack[SearchOptions],
    ) -> _core.Hits:
        """The k best documents for the query moved towards its best documents (Rocchio).

        The query's words, and the mean of the best documents' most frequent terms, are vectors of
        length 1 each (the documents, too, before the mean is taken); the new query is alpha times
        the one and beta times the other. Documents far down count for nothing.

        Args:
            top_fb_terms, top_fb_docs, filter_terms: as fb_terms, fb_docs and filter_terms of
                rm3().
            alpha: of the query's words, 0 or more.
            beta: of the documents' terms, 0 or more.

        Raises: as rm3().
        """
        searcher = cast("Searcher", self)._at_this_commit()
        terms = searcher.rocchio_terms(
            query,
            top_fb_terms=top_fb_terms,
            top_fb_docs=top_fb_docs,
            alpha=alpha,
            beta=beta,
            filter_terms=filter_terms,
            **options,
        )
        return searcher._search_expanded(terms, k, options)
