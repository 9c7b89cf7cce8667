"""Queries as objects: words, phrases, patterns and columns, joined by `Bool` and the like.

    from warpdex.query import Bool, Phrase, Range, Term

    searcher.search(Bool(must=[Phrase("old ships", slop=1)], filter=[Range("year", gte=1990)]))

They are Lucene's and OpenSearch's queries of these names. `field` is a text field or a column of
the index; without it, the fields that words search.
"""

from __future__ import annotations

import datetime
import json
from collections.abc import Sequence
from dataclasses import dataclass, field, fields
from typing import Any

Value = str | int | float | bool | datetime.date
"""A term, or a value of a column."""


def _fail(owner: object, name: str, wanted: str, value: object) -> TypeError:
    kind = type(value).__name__
    return TypeError(f"{type(owner).__name__}: {name} must be {wanted}, not {kind}")


def _value(value: Value) -> str | int | float | bool:
    return value.isoformat() if isinstance(value, datetime.date) else value


class Query:
    """What all queries are."""

    def to_json(self) -> dict[str, Any]:
        """The query object of OpenSearch that asks the same."""
        raise NotImplementedError

    def __post_init__(self) -> None:
        """Checks the arguments, by their annotations. Raises TypeError, which names one."""
        for each in fields(self):  # type: ignore[arg-type]
            given = getattr(self, each.name)
            wanted, check = _CHECKS[str(each.type)]
            if not check(given):
                raise _fail(self, each.name, wanted, given)
            if isinstance(given, Query) and each.type == "Clauses":
                object.__setattr__(self, each.name, [given])


Clauses = Sequence[Query] | Query
"""One query, or several."""

_TEXT = "a str"


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and value >= 0


def _is_value(value: object) -> bool:
    return isinstance(value, str | int | float | datetime.date)


def _are(value: object, check: Any) -> bool:
    return isinstance(value, Sequence) and not isinstance(value, str) and all(map(check, value))


_CHECKS: dict[str, tuple[str, Any]] = {
    "str": (_TEXT, lambda value: isinstance(value, str)),
    "str | None": (f"{_TEXT} or None", lambda value: value is None or isinstance(value, str)),
    "bool": ("True or False", lambda value: isinstance(value, bool)),
    "int": ("an int of 0 or more", _is_whole),
    "int | None": ("an int of 0 or more, or None", lambda value: value is None or _is_whole(value)),
    "float": (
        "a number",
        lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    ),
    "Value": ("a str, a number, a bool or a date", _is_value),
    "Value | None": (
        "a str, a number, a bool, a date or None",
        lambda value: value is None or _is_value(value),
    ),
    "Sequence[Value]": (
        "a list of str, numbers, bools or dates",
        lambda value: _are(value, _is_value),
    ),
    "Sequence[str]": (
        "a list of str",
        lambda value: _are(value, lambda each: isinstance(each, str)),
    ),
    "Query": ("a query", lambda value: isinstance(value, Query)),
    "Clauses": (
        "a query, or a list of queries",
        lambda value: isinstance(value, Query)
        or _are(value, lambda each: isinstance(each, Query)),
    ),
}


@dataclass(frozen=True)
class Term(Query):
    """Documents with this term, which is not analysed, or with this value in a column."""

    term: Value
    field: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"term": {self.field or "*": {"value": _value(self.term)}}}


@dataclass(frozen=True)
class Terms(Query):
    """Documents with one of these terms or values; a score of 1."""

    terms: Sequence[Value]
    field: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"terms": {self.field or "*": [_value(each) for each in self.terms]}}


@dataclass(frozen=True)
class Match(Query):
    """Documents with any word of a text, which is analysed as documents are; with `all_words`, with
    all; else with `minimum_should_match` of them at least."""

    text: str
    field: str | None = None
    all_words: bool = False
    minimum_should_match: int = 0

    def to_json(self) -> dict[str, Any]:
        match: dict[str, Any] = {"query": self.text}
        if self.all_words:
            match["operator"] = "and"
        if self.minimum_should_match:
            match["minimum_should_match"] = self.minimum_should_match
        return {"match": {self.field or "*": match}}


@dataclass(frozen=True)
class Phrase(Query):
    """Documents with these words in this order; their positions may be moved by `slop` in all."""

    words: str
    slop: int = 0
    field: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"match_phrase": {self.field or "*": {"query": self.words, "slop": self.slop}}}


@dataclass(frozen=True)
class Prefix(Query):
    """Documents with a word that begins so; a score of 1."""

    prefix: str
    field: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"prefix": {self.field or "*": {"value": self.prefix}}}


@dataclass(frozen=True)
class Wildcard(Query):
    """Documents with a word of this pattern; `?` is a character, `*` any number; a score of 1."""

    pattern: str
    field: str | None = None

    def to_json(self) -> dict[str, Any]:
        return {"wildcard": {self.field or "*": {"value": self.pattern}}}


@dataclass(frozen=True)
class Fuzzy(Query):
    """Documents with a word at most `edits` edits away: 0 to 2; by default, by its length."""

    word: str
    edits: int | None = None
    field: str | None = None

    def to_json(self) -> dict[str, Any]:
        edits = "auto" if self.edits is None else self.edits
        return {"fuzzy": {self.field or "*": {"value": self.word, "fuzziness": edits}}}


@dataclass(frozen=True)
class Range(Query):
    """Documents with a value of a column, or a word, between limits; a score of 1."""

    field: str | None = None
    gte: Value | None = None
    gt: Value | None = None
    lte: Value | None = None
    lt: Value | None = None

    def to_json(self) -> dict[str, Any]:
        limits = {name: getattr(self, name) for name in ("gte", "gt", "lte", "lt")}
        given = {name: _value(limit) for name, limit in limits.items() if limit is not None}
        return {"range": {self.field or "*": given}}


@dataclass(frozen=True)
class Exists(Query):
    """Documents with any word in this text field, or any value in this column; a score of 1."""

    field: str

    def to_json(self) -> dict[str, Any]:
        return {"exists": {"field": self.field}}


@dataclass(frozen=True)
class Ids(Query):
    """Documents by their ids; a score of 1."""

    ids: Sequence[str]

    def to_json(self) -> dict[str, Any]:
        return {"ids": {"values": list(self.ids)}}


@dataclass(frozen=True)
class MatchAll(Query):
    """All documents; a score of 1."""

    def to_json(self) -> dict[str, Any]:
        return {"match_all": {}}


@dataclass(frozen=True)
class QueryString(Query):
    """A text in the syntax "lucene"."""

    text: str
    all_words: bool = False

    def to_json(self) -> dict[str, Any]:
        operator = "and" if self.all_words else "or"
        return {"query_string": {"query": self.text, "default_operator": operator}}


@dataclass(frozen=True)
class Bool(Query):
    """All of `must` and `filter`, none of `must_not`, and `minimum_should_match` of `should`: 1 at
    least where there is neither `must` nor `filter`. Scores of `must` and `should` are added."""

    must: Clauses = field(default_factory=list)
    should: Clauses = field(default_factory=list)
    must_not: Clauses = field(default_factory=list)
    filter: Clauses = field(default_factory=list)
    minimum_should_match: int = 0

    def to_json(self) -> dict[str, Any]:
        made: dict[str, Any] = {}
        for name in ("must", "should", "must_not", "filter"):
            clauses = getattr(self, name)
            if clauses:
                made[name] = [each.to_json() for each in clauses]
        if self.minimum_should_match:
            made["minimum_should_match"] = self.minimum_should_match
        return {"bool": made}


@dataclass(frozen=True)
class ConstantScore(Query):
    """What a query matches, with one score."""

    query: Query
    score: float = 1

    def to_json(self) -> dict[str, Any]:
        return {"constant_score": {"filter": self.query.to_json(), "boost": self.score}}


@dataclass(frozen=True)
class DisMax(Query):
    """What one of the queries matches: the best one's score, and `tie_breaker` (0 to 1) times those
    of the others."""

    queries: Clauses
    tie_breaker: float = 0

    def to_json(self) -> dict[str, Any]:
        queries = [each.to_json() for each in self.queries]  # type: ignore[union-attr]
        return {"dis_max": {"queries": queries, "tie_breaker": self.tie_breaker}}


@dataclass(frozen=True)
class Boost(Query):
    """A query whose score is multiplied: by 0, or 1e-9 to 1e9."""

    query: Query
    factor: float

    def to_json(self) -> dict[str, Any]:
        return {"bool": {"should": [self.query.to_json()], "boost": self.factor}}


def as_text(query: Query) -> str:
    """The query as a text of the syntax "json"."""
    return json.dumps(query.to_json(), ensure_ascii=False, allow_nan=False)
