"""What a search asks for and what it answers, by the names of `warpdex serve`."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from ..answers import ClusterAnswer
from .errors import bad_request
from .parameters import Parameters

MOST_DOCUMENTS = 10_000  # of an answer, `from` included
LONGEST_QUERY = 64 << 10  # bytes
LONGEST_DEADLINE = 86_400_000  # milliseconds

# What one index answers, and a cluster does not.
REFUSED = (
    "vector", "sort", "search_after", "facets", "explain", "synonyms", "fusion", "fusion_weight",
    "fusion_depth", "probes", "refine", "fields", "snippets", "matches_position", "snippet_bytes",
    "snippet_fragments", "snippet_html",
)

# The settings that each scorer reads.
SCORERS = {
    "bm25": ("k1", "b", "bm25_form"), "bm25+": ("k1", "b", "delta"), "bm25-lucene": ("k1", "b"),
    "qld": ("mu",), "qljm": ("jm_lambda",), "pl2": ("pl2_c",),
}
NUMBERS = ("k1", "b", "mu", "delta", "jm_lambda", "pl2_c")


@dataclass
class SearchCall:
    """A search, as the broker takes it."""

    text: str
    k: int
    begin: int
    """Answers that are passed over."""
    deadline: float
    """Seconds."""
    is_partial: bool
    options: dict[str, Any] = field(default_factory=dict)
    id: str = ""


def read_search(parameters: Parameters, longest: float) -> SearchCall:
    """Reads all parameters of a search. `longest`: seconds that it may take. Raises HttpError (400)
    for what is unknown, out of its range, or not for clusters."""
    for name in REFUSED:
        if name in parameters:
            raise bad_request(f"'{name}' is not for clusters, which search by words and answer ids "
                              "and scores; leave it out")
    options: dict[str, Any] = {}
    text = _read_asked(parameters, options)
    begin = parameters.whole("from", 0, 0xFFFFFFFF) or 0
    k = parameters.whole("k", 1, MOST_DOCUMENTS) or 10
    if begin + k > MOST_DOCUMENTS:
        raise bad_request(f"'from' and 'k' together are {begin + k}; an answer reaches to "
                          f"{MOST_DOCUMENTS} at most")
    _read_matching(parameters, options)
    if options.get("mode") == "and-or":
        options.setdefault("and_or_min", k)  # the same for all pages
    _read_scorer(parameters, options)
    milliseconds = parameters.real("deadline")
    if milliseconds is not None and not 0 < milliseconds <= LONGEST_DEADLINE:
        raise bad_request("'deadline' is no number of milliseconds above 0, up to a day")
    deadline = min(longest, 1e9 if milliseconds is None else milliseconds / 1000)
    is_partial = bool(parameters.flag("partial"))
    named = parameters.text("id") or ""
    parameters.finish()
    if text is None:
        raise bad_request("a search needs 'q' or 'query'")
    if (size := len(text.encode("utf-8"))) > LONGEST_QUERY:
        raise bad_request(f"the query has {size} bytes; {LONGEST_QUERY} are allowed")
    return SearchCall(text, begin + k, begin, deadline, is_partial, options, named)


def _read_asked(parameters: Parameters, options: dict[str, Any]) -> str | None:
    """The words: `q`, or `query`, an object of clauses (in an address its text)."""
    words = parameters.text("q")
    if "query" not in parameters:
        return words
    if words is not None:
        raise bad_request("'q' and 'query' both say what to search for; give one")
    parameters.refuse(("query_syntax", "mode"), "is for 'q'; give that")
    options["syntax"] = "json"
    value = parameters.json("query")
    return value if isinstance(value, str) else json.dumps(value)


def _read_matching(parameters: Parameters, options: dict[str, Any]) -> None:
    names = {"mode": "mode", "filter": "filter", "query_syntax": "syntax",
             "query_fields": "query_fields", "fields_type": "fields_type"}
    for name, option in names.items():
        if (value := parameters.text(name)) is not None:
            options[option] = value
    if (least := parameters.whole("and_or_min", 1, 0xFFFFFFFF)) is not None:
        options["and_or_min"] = least
    if options.get("mode") != "and-or":
        parameters.refuse(["and_or_min"], "is for the mode and-or; ask for that")
    if parameters.flag("count"):
        options["count"] = True


def _read_scorer(parameters: Parameters, options: dict[str, Any]) -> None:
    if (name := parameters.text("scorer")) is not None:
        options["scorer"] = name
    if (form := parameters.text("bm25_form")) is not None:
        options["bm25_form"] = form
    for number in NUMBERS:
        if (value := parameters.real(number)) is not None:
            options[number] = value
    read = SCORERS.get(options.get("scorer", "bm25"))
    if read is None:
        return  # the broker says which there are
    for setting in ("bm25_form", *NUMBERS):
        if setting not in read:
            readers = " or ".join(each for each, own in SCORERS.items() if setting in own)
            parameters.refuse([setting], f"is for the scorer {readers}; ask for that")


def answer_json(call: SearchCall, answer: ClusterAnswer, seconds: float) -> str:
    """As one JSON object, without a line end."""
    coverage = answer.coverage
    values: dict[str, Any] = {
        "took_us": round(1e6 * seconds), "answered_by": "cluster", "commit": coverage.version,
        "complete": answer.is_complete,
    }
    if not answer.is_complete:
        values["max_missing_score"] = _number(answer.max_missing_score)
    if coverage.missing:
        values["coverage"] = {
            "documents": coverage.documents, "searched": coverage.searched,
            "has_whole_statistics": coverage.has_whole_statistics,
            "missing": [{"part": part, "reason": why} for part, why in coverage.missing],
        }
    is_exact = bool(call.options.get("count")) and not coverage.missing
    hits = zip(answer.ids[call.begin:], answer.scores[call.begin:].tolist())
    values |= {
        "id": call.id, "matches": answer.matches, "matches_exact": is_exact,
        "fell_back_to_or": answer.fell_back_to_or, "score_is": "score",
        "hits": [{"rank": rank, "document": name, "score": _number(score)}
                 for rank, (name, score) in enumerate(hits, call.begin + 1)],
    }
    return json.dumps(values, ensure_ascii=False, separators=(",", ":"))


def _number(value: float) -> float | None:
    """With nine digits, which tell a float from its neighbours; None where it is not finite."""
    return float(f"{value:.9g}") if abs(value) < float("inf") else None
