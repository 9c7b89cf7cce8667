"""Searches an index of documents, and reads what it holds."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Literal, NamedTuple, TypedDict, Unpack

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import float_rows, one_row
from ._build import Path, as_bytes, as_gpus
from ._feedback import TermSearch
from ._progress import Bar
from ._results import BatchResult
from .errors import UsageError
from .query import Query, QueryString, as_text

Vectors = npt.NDArray[np.float32 | np.float16]


class SearchOptions(TypedDict, total=False):
    """The options of search(), search_batch() and search_async()."""

    mode: Literal["or", "and", "and-or"]
    """Which documents match: with any word (the default), with all, or with all where enough have
    them, else with any."""
    and_or_min: int
    """With mode "and-or": fewer matches of "and" make the answer "or"'s. Default: k."""
    syntax: Literal["signed", "plain", "lucene", "json"]
    """"signed", the default: +word is required, -word excludes, word^2.5 has a weight. "plain":
    all of a query is words, as for a file of queries on the command line. "lucene": Lucene's
    syntax, with groups, AND OR NOT, prefix*, pat?ern, near~1 and [from TO to]; mode says what
    stands between clauses. "json": OpenSearch's query objects; warpdex.query has them as objects."""
    scorer: Literal["bm25", "bm25+", "bm25-lucene", "qld", "qljm", "pl2"]
    """BM25, the default; BM25+; BM25 with lengths rounded as Lucene does; query likelihood with
    Dirichlet or Jelinek-Mercer smoothing; PL2."""
    k1: float
    """Of BM25 and its kin, 0 or more; 0.9."""
    b: float
    """Likewise, 0 to 1; 0.4."""
    bm25_form: Literal["lucene", "pisa"]
    """Of BM25's idf; "lucene"."""
    mu: float
    """Dirichlet's smoothing in tokens, above 0; 1000."""
    delta: float
    """BM25+'s, 0 or more; 1."""
    jm_lambda: float
    """The collection's share in Jelinek-Mercer smoothing, above 0, at most 1; 0.1."""
    pl2_c: float
    """How much the length matters to PL2, above 0; 1."""
    fusion: Literal["rrf", "convex", "rerank", "filter", "neighbors"]
    """How words and vector are joined; "rrf", reciprocal rank fusion."""
    weight: float
    """Of the words in "rrf" and "convex", 0 to 1; 0.5."""
    depth: int
    """How many documents words and vector find each before they are joined; 1000."""
    vector_field: str
    """The vectors of documents that are compared, a field of the schema. Default: those without a
    name, or the only ones."""
    probes: int
    """Lists of vectors that are looked into, where the index has lists; 16."""
    refine: int
    """So many of the best by codes are ranked again by their vectors; 100."""
    query_fields: str | Mapping[str, float]
    """Text fields that words search which name none, with the weights of their scores: "title^2,body"
    or {"title": 2, "body": 1}. Default: those of the index's schema."""
    fields_type: Literal["most_fields", "best_fields", "combined_fields", "cross_fields"]
    """What a word scores that several fields have: the sum, the default; the best; what it would
    score if they were one (BM25F); or the best by the largest of their document counts."""
    synonyms: str | _core.Synonyms
    """Words that stand for others, in Solr's format: lines as "sea, ocean" or
    "gb => united kingdom"; warpdex.Synonyms for many of them, or of a file."""
    filter: str
    """Only documents that fit: "year >= 1990 AND lang IN [en, de]", by columns and by id."""
    sort: str
    """Columns to sort by, then by score, as "year:desc,title"; documents without a value come
    last."""
    search_after: str
    """Of a sorted search: the page behind the hit with this `cursor`."""
    facets: Sequence[str]
    """Columns that are counted over all matches (Hits.facets); "year:..1990..2000.." also by
    ranges: before 1990, from 1990 to before 2000, from 2000 on."""
    count: bool
    """Find the exact number of matches; by words."""
    fields: Sequence[str]
    """Stored fields that hits carry."""
    snippets: bool
    """Fields also have a piece with the matched words marked."""
    snippet_bytes: int
    """Length of such a piece without marks; 200."""
    snippet_fragments: int
    """Pieces at most, with an ellipsis where text is left out; 1."""
    before: str
    """The mark before a matched word; "<em>"."""
    after: str
    """The mark behind it; "</em>"."""
    html: bool
    """Snippets are HTML, the default: & < > " ' of the text are escaped."""
    timeout: float | None
    """Seconds, after which the best found so far are the answer (Hits.is_complete)."""


def _options(options: SearchOptions) -> dict[str, Any]:
    """As the library takes them."""
    given: dict[str, Any] = dict(options)
    fields = given.get("query_fields")
    if isinstance(fields, Mapping):
        given["query_fields"] = ",".join(f"{name}^{weight}" for name, weight in fields.items())
    return given


def _asked(query: str | Query | None, options: SearchOptions) -> tuple[str | None, dict[str, Any]]:
    """A query and its options, as the library takes them."""
    given = _options(options)
    if not isinstance(query, Query):
        return query, given
    if "syntax" in given:
        raise UsageError("a query that is an object has no syntax; leave it out")
    return as_text(query), {**given, "syntax": "json"}


def _all_asked(
    queries: list[str | Query], options: SearchOptions
) -> tuple[list[str], dict[str, Any]]:
    """The same of many. Texts among objects are read by the syntax "lucene"."""
    given = _options(options)
    objects = sum(isinstance(query, Query) for query in queries)
    if objects == 0:
        return queries, given  # type: ignore[return-value]
    if objects < len(queries) and given.get("syntax") != "lucene":
        raise UsageError('texts among queries that are objects are read by syntax="lucene"; give it')
    if objects == len(queries) and "syntax" in given:
        raise UsageError("queries that are objects have no syntax; leave it out")
    all_words = objects < len(queries) and given.pop("mode", "or") == "and"
    texts = [
        as_text(query if isinstance(query, Query) else QueryString(query, all_words))
        for query in queries
    ]
    return texts, {**given, "syntax": "json"}


class TermStatistics(NamedTuple):
    """A term, as the index's analyzer makes it."""

    term: str
    document_frequency: int
    collection_frequency: int


class Searcher(TermSearch):
    """An index open for searching, from any number of threads.

    Each search is answered by one commit, to the same bits on every device and for any number of
    threads. Searches run without the GIL; Ctrl-C ends them. In a child process after fork() a
    searcher raises UsageError: open it there. Pickled, it is opened again by its path.
    """

    def __init__(
        self,
        path: Path,
        device: Literal["auto", "cpu", "gpu"] = "auto",
        *,
        threads: int = 0,
        gpu: int | Sequence[int] = 0,
        gpu_memory: int | str = 0,
        shards: int = 1,
        document_blocks: bool = False,
    ) -> None:
        """Opens the last commit of the index in the folder `path`.

        Args:
            device: "cpu", "gpu", or "auto": both, each query on the one that serves it best;
                without a usable GPU the CPU (`device` and `problem` say what became of it).
            threads: of the CPU; 0: as many as the process may run on.
            gpu: with "gpu": its number, or those of several that share the index and the queries;
                one may be there more than once.
            gpu_memory: with "gpu": what may be taken of the memory of each, in bytes or as "20G";
                0: 90 % of what is free.
            shards: parts, of whole segments, into which several GPUs cut the index. Each `shards`
                of them hold all of it, and these replicas share out the queries.
            document_blocks: holds an index of learned weights or other impacts in memory by blocks
                of documents as well: OR over many terms is two to three times as fast on the
                CPU, and with "gpu" on GPUs that are no shards, if `warpdex reorder` made the
                index. GPUs hold them as well.

        Raises:
            IoError: there is no index.
            FormatError: it is damaged.
            CudaError: device="gpu" finds no usable GPU.
            UsageError: document_blocks of an index that holds no impacts.
        """
        self._path, self._device = os.fspath(path), device
        self._absolute_path = os.path.abspath(self._path)  # of now: the process may move
        self._options: dict[str, Any] = {
            "threads": threads,
            "gpu": gpu,
            "gpu_memory": gpu_memory,
            "shards": shards,
            "document_blocks": document_blocks,
        }
        self._searcher = _core.Searcher(
            self._path,
            device,
            as_gpus(gpu),
            as_bytes(gpu_memory),
            shards,
            threads,
            document_blocks,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return partial(Searcher, **self._options), (self._absolute_path, self._device)

    def __repr__(self) -> str:
        return f"Searcher({self._path!r}, documents={self.documents})"

    # Searching

    def search(
        self,
        query: str | Query | None,
        k: int = 10,
        *,
        vector: Vectors | None = None,
        **options: Unpack[SearchOptions],
    ) -> _core.Hits:
        """The k best documents for words, a vector (1 dimension, float32 or float16), or both.

        Args:
            query: words, analysed as the documents were, or an object of `warpdex.query`; None:
                the vector alone.
            k: documents, 1 to 10,000.
            vector: of the index's dimension.
            options: see SearchOptions.

        Returns:
            Hits, best first; equal scores in the order of the index. Each has `id`, `score`,
            `doc`, `fields`, `snippets` and `explain()`.

        Raises:
            InputError: a text that cannot be analysed, a lone surrogate, a NaN.
            UsageError: options out of range, fields that are not stored, a vector where the
                index has none.
        """
        row = None if vector is None else one_row(vector, "the vector")
        text, given = _asked(query, options)
        return self._searcher.search(text, row, k, None, given)

    def search_batch(
        self,
        queries: Iterable[str | Query] | Mapping[str, str | Query] | None,
        qids: Iterable[str] | None = None,
        k: int = 10,
        threads: int = 0,
        *,
        vectors: Vectors | None = None,
        progress: bool = True,
        **options: Unpack[SearchOptions],
    ) -> BatchResult:
        """The k best documents of many queries, which a GPU and several threads answer faster
        than one by one.

        Args:
            queries: texts or objects of `warpdex.query`, or {qid: query}; None: the vectors alone.
                Beside objects, texts are read by the syntax "lucene", which is then given.
            qids: ids of the queries, as many; without them the numbers "0", "1", ….
            k: documents a query, 1 to 10,000.
            threads: of the CPU; 0: the searcher's, as always where a GPU or vectors take part.
            vectors: a row for each query (queries x dimension, float32, or float16, of which a
                wider copy is made).
            progress: show a bar, where tqdm is installed and standard error is a terminal.
            options: see SearchOptions. With fields, snippets or count the result has hits too,
                which take longer.

        Raises: as search().
        """
        if isinstance(queries, Mapping):
            if qids is not None:
                raise UsageError("the queries have ids already; leave qids out")
            qids, queries = list(queries.keys()), list(queries.values())
        elif isinstance(queries, str | Query):
            raise TypeError("queries must be a list of them; one query goes to search()")
        elif queries is not None:
            queries = list(queries)
        rows = None if vectors is None else float_rows(vectors, "the vectors")
        if queries is None and rows is None:
            raise UsageError("there is nothing to search for; give queries or vectors")
        count = len(queries) if queries is not None else len(rows)  # type: ignore[arg-type]
        names = [str(i) for i in range(count)] if qids is None else list(qids)
        if len(names) != count:
            raise UsageError(f"there are {count} queries and {len(names)} qids")
        texts, given = (None, _options(options)) if queries is None else _all_asked(queries, options)
        with Bar(progress, "queries", count) as bar:
            batch = self._searcher.search_batch(texts, rows, k, threads, bar.on_added(), given)
        return BatchResult(batch, names)

    async def search_async(
        self,
        query: str | Query | None,
        k: int = 10,
        *,
        vector: Vectors | None = None,
        **options: Unpack[SearchOptions],
    ) -> _core.Hits:
        """search() on a thread of the event loop's executor. Cancelling the task ends it."""
        import asyncio  # which takes longer to import than all of warpdex

        row = None if vector is None else one_row(vector, "the vector")
        stop = _core.Stop()
        text, given = _asked(query, options)
        work = partial(self._searcher.search, text, row, k, stop, given)
        try:
            return await asyncio.get_running_loop().run_in_executor(None, work)
        except asyncio.CancelledError:
            stop.request()
            raise

    def refresh(self) -> bool:
        """Takes the last commit, if it is not the one that is searched, and says whether it did.
        Searches under way end on the commit that they began with."""
        return self._searcher.refresh()

    def _at_this_commit(self) -> Searcher:
        """A searcher that stays at the commit that is searched now."""
        same = object.__new__(Searcher)
        same._path, same._device, same._options = self._path, self._device, self._options
        same._searcher = self._searcher.at_this_commit()
        return same

    # What the index holds

    @property
    def commit(self) -> int:
        """The number of the commit that is searched."""
        return self._searcher.commit

    @property
    def documents(self) -> int:
        """How many documents are live."""
        return self._searcher.documents

    def __len__(self) -> int:
        return self.documents

    @property
    def average_length(self) -> float:
        """Of documents, in tokens."""
        return self._searcher.average_length

    @property
    def analyzer(self) -> str:
        """Its name."""
        return self._searcher.analyzer

    @property
    def stored_fields(self) -> list[str]:
        """Names of the fields that hits can carry."""
        return self._searcher.stored_fields

    @property
    def device(self) -> str:
        """Where it searches: "cpu", "gpu" or "auto" (both)."""
        return self._searcher.device

    @property
    def problem(self) -> str:
        """Why "auto" found no usable GPU; else empty."""
        return self._searcher.problem

    # `field`: the text field whose terms they are; empty: the first.

    def terms(self, prefix: str = "", limit: int = 0, field: str = "") -> list[TermStatistics]:
        """The terms that begin with `prefix`, in the order of their bytes, with their document and
        collection frequencies; at most `limit` (0: all)."""
        return [TermStatistics(*term) for term in self._searcher.terms(prefix, limit, field)]

    def suggest(self, prefix: str, k: int = 10, field: str = "") -> list[TermStatistics]:
        """The k terms of most documents that begin with `prefix`, in that order. The analyzer folds
        the prefix (case, accents), and does not stem it."""
        return [TermStatistics(*term) for term in self._searcher.suggest(prefix, k, field)]

    def analyze(self, text: str, field: str = "") -> list[str]:
        """The terms that a text stands for."""
        return self._searcher.analyze(text, field)

    def _searched_fields(self, options: SearchOptions) -> list[tuple[str, float]]:
        """The text fields that words search, and their weights; "" of an index of one text."""
        return self._searcher.searched_fields(_options(options))

    def document_frequency(self, term: str, field: str = "") -> int:
        """How many documents have the term (as analyze() gives it); 0 if none."""
        return self._searcher.document_frequency(term, field)

    def postings(
        self, term: str, field: str = ""
    ) -> tuple[npt.NDArray[np.uint32], npt.NDArray[np.uint32]]:
        """The numbers of the documents with the term, ascending, and its frequency in each (of an
        index of impacts, the impact)."""
        return self._searcher.postings(term, field)

    def document_vector(self, id: str) -> dict[str, int]:
        """The terms of a document and their frequencies; of several text fields as "title:sea".
        UsageError for an index that was built
        with forward=False, and for an id that is not there."""
        return self._searcher.document_vector(id)

    def stored(self, id: str) -> dict[str, str]:
        """The stored texts of a document."""
        return self._searcher.stored(id)

    def vector(self, id: str, field: str = "") -> npt.NDArray[np.float32]:
        """The vector of a document, as it is stored: of a field of the schema, or without a name."""
        return self._searcher.embedding(id, field)

    def score(self, query: str | Query, id: str, **options: Unpack[SearchOptions]) -> float:
        """The score that search() gives the document for the query, by words alone. Whether it
        matches is not asked: words that it lacks add nothing. Queries of clauses score 0 where the
        document does not match."""
        return self.explain(query, id, **options).score

    def explain(
        self, query: str | Query, id: str, **options: Unpack[SearchOptions]
    ) -> _core.Explanation:
        """How that score comes about."""
        text, given = _asked(query, options)
        return self._searcher.explain(text, id, given)  # type: ignore[arg-type]

    def id(self, doc: int) -> str:
        """The id of the document of that number."""
        return self._searcher.id(doc)

    def find(self, id: str) -> int | None:
        """The number of a live document, or None."""
        return self._searcher.find(id)

    def length(self, id: str) -> int:
        """The length of a document in tokens."""
        return self._searcher.length(id)
