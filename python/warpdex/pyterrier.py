"""Warpdex in PyTerrier: an index whose retrievers are transformers. Takes the package pyterrier,
1.1 or later (pip install "warpdex[pyterrier]"), and no Java.

    import pyterrier as pt
    from warpdex.pyterrier import WarpdexIndex

    index = WarpdexIndex("my.index")
    index.index([{"docno": "d1", "text": "tropical fish"}])
    pt.Experiment([index.bm25(), index.qld()], topics, qrels, ["map", "ndcg_cut_10"])
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd  # type: ignore[import-untyped,unused-ignore]
import pyterrier as pt  # type: ignore[import-not-found,import-untyped,unused-ignore]

from . import _core
from ._build import build
from ._feedback import FIRST_ONLY
from ._results import BatchResult
from ._searcher import Searcher, SearchOptions
from .errors import UsageError

__all__ = ["Retriever", "TextLoader", "WarpdexIndex"]

NUM_RESULTS = 1000
MOST_RESULTS = 10_000

Found = list[tuple[list[str], npt.NDArray[np.float32]]]
"""The documents of each query, best first, and their scores, of which larger is better."""
Search = Callable[[pd.DataFrame, int], Found]


def _of_batch(result: BatchResult) -> Found:
    scores = result._good_scores()
    return [(ids, row[: len(ids)]) for ids, row in zip(result.ids, scores)]


def _of_hits(answers: Iterable[_core.Hits]) -> Found:
    found = []
    for hits in answers:
        scores = np.array([hit.score for hit in hits], np.float32)
        found.append((hits.ids, 0 - scores if hits.scores_are_distances else scores))
    return found


def _rows(frame: pd.DataFrame) -> npt.NDArray[np.float32]:
    return np.ascontiguousarray(np.stack(list(frame["query_vec"])), dtype=np.float32)


def _check_options(options: Mapping[str, Any]) -> None:
    for name in options:
        if name not in SearchOptions.__annotations__:
            raise TypeError(f"there is no option {name!r}; see warpdex.SearchOptions")


class Retriever(pt.Transformer):  # type: ignore[misc,unused-ignore]
    """Queries in, their best documents out; WarpdexIndex makes them.

    A frame has qid and the column that this retriever searches by: query, query_toks, query_vec.
    The answer has a row for each document found, best first, with all columns of its query and
    docno, score and rank (from 0). All queries of a frame are one batch.
    """

    def __init__(
        self,
        index: WarpdexIndex,
        name: str,
        columns: Sequence[str],
        search: Search,
        num_results: int,
        fields: Sequence[str],
    ) -> None:
        if not 1 <= num_results <= MOST_RESULTS:
            raise UsageError(f"num_results is {num_results}; give 1 to {MOST_RESULTS}")
        self.index = index
        self.name = name
        self.columns = list(columns)
        self.num_results = num_results
        self.fields = list(fields)
        self._search = search

    def __repr__(self) -> str:
        return f"{self.index!r}.{self.name}"

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The answers to a frame of queries."""
        pt.validate.query_frame(inp, extra_columns=self.columns)
        queries = inp.drop(columns=["score", "rank"], errors="ignore").reset_index(drop=True)
        found: Found = self._search(queries, self.num_results) if len(queries) else []
        counts = [len(ids) for ids, _ in found]
        rows = np.repeat(np.arange(len(queries)), counts)
        frame = queries.iloc[rows].reset_index(drop=True)
        docnos = [docno for ids, _ in found for docno in ids]
        scores = [row for _, row in found] or [np.empty(0, np.float32)]
        frame["docno"] = pd.Series(docnos, dtype=object)
        frame["score"] = np.concatenate(scores).astype(np.float64)
        frame["rank"] = np.fromiter(
            chain.from_iterable(map(range, counts)), np.int64, sum(counts)
        )
        return self.index.text_loader(self.fields).transform(frame) if self.fields else frame

    def fuse_rank_cutoff(self, k: int) -> Retriever:
        """This retriever with at most k results, in the place of `retriever % k`."""
        if k >= self.num_results:
            return self
        return Retriever(self.index, self.name, self.columns, self._search, k, self.fields)


class TextLoader(pt.Transformer):  # type: ignore[misc,unused-ignore]
    """Adds stored fields to documents, a column each, for pt.text.get_text() and rerankers."""

    def __init__(self, index: WarpdexIndex, fields: Sequence[str]) -> None:
        self.index = index
        self.fields = list(fields)
        missing = set(fields) - set(index.searcher.stored_fields)
        if missing:
            raise UsageError(
                f"the index does not store {', '.join(sorted(missing))}; "
                f"index with store={sorted(missing)!r}"
            )

    def transform(self, inp: pd.DataFrame) -> pd.DataFrame:
        """The frame with the fields' texts; empty where a document has none."""
        pt.validate.columns(inp, includes=["docno"])
        stored = {docno: self.index.searcher.stored(docno) for docno in inp["docno"].unique()}
        return inp.assign(
            **{
                field: pd.Series(
                    [stored[docno].get(field, "") for docno in inp["docno"]],
                    index=inp.index,
                    dtype=object,
                )
                for field in self.fields
            }
        )


class WarpdexIndex(pt.Artifact, pt.Indexer):  # type: ignore[misc,unused-ignore]
    """An index in a folder: index() makes it, and bm25(), qld(), sparse(), dense(), hybrid(),
    rm3() and rocchio() are its retrievers. pt.Artifact.load(path) opens it, too."""

    ARTIFACT_TYPE = "sparse_index"
    ARTIFACT_FORMAT = "warpdex"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        fields: Sequence[str] = ("text",),
        store: Sequence[str] = (),
        analyzer: str = "english",
        metric: Literal["ip", "l2", "cosine"] = "ip",
        device: Literal["auto", "cpu", "gpu"] = "auto",
        threads: int = 0,
        memory: int | str = "1G",
        overwrite: bool = False,
        verbose: bool = False,
    ) -> None:
        """Names an index, which may be there or not.

        Args:
            path: its folder.
            fields: members of documents whose texts are searched, joined.
            store: members that are kept, for text_loader() and retrievers' `fields`.
            analyzer, metric, memory: as of warpdex.build(); an index that is there keeps its own.
            device: where searches run, as of warpdex.Searcher.
            threads: of the CPU; 0: as many as the process may run on.
            overwrite: let index() replace an index that is there.
            verbose: show progress bars.
        """
        super().__init__(os.fspath(path))
        self._fields = list(fields)
        self._build = {
            "store": list(store),
            "analyzer": analyzer,
            "metric": metric,
            "memory": memory,
            "threads": threads,
            "progress": verbose,
        }
        self._overwrite = overwrite
        self._device = device
        self._searcher: Searcher | None = None

    def __repr__(self) -> str:
        return f"WarpdexIndex({str(self.path)!r})"

    def built(self) -> bool:
        """Whether the index is there."""
        return (Path(str(self.path)) / "manifest.json").is_file()

    @property
    def searcher(self) -> Searcher:
        """The index, open for searching."""
        if self._searcher is None:
            threads: Any = self._build["threads"]
            self._searcher = Searcher(str(self.path), self._device, threads=threads)
        return self._searcher

    # Indexing

    def index_inputs(self) -> list[list[str]]:
        """Columns that index() takes."""
        texts = ["docno", *self._fields]
        return [texts, ["docno", "toks"], ["docno", "vec"], [*texts, "vec"],
                ["docno", "toks", "vec"]]

    def index(self, iter: Iterable[Mapping[str, Any]], **kwargs: Any) -> WarpdexIndex:
        """Indexes documents: dicts with docno and text, or toks (terms and weights, as of SPLADE,
        taken in the place of text), or vec, or one of these two and vec. The first document says
        which. Returns this index. Raises UsageError where an index is there already, unless
        overwrite=True, and as warpdex.build() does."""
        if kwargs:
            raise TypeError(f"index() has no argument {next(map(repr, kwargs))}")
        if self.built() and not self._overwrite:
            raise UsageError(f"there is an index at {self.path}; give overwrite=True to replace it")
        documents = _from(iter)
        first = next(documents, {})
        by_weights = "toks" in first
        has_text = any(field in first for field in self._fields)
        if first and not by_weights and not has_text and "vec" not in first:
            wanted = ", ".join([*self._fields, "toks", "vec"])
            raise UsageError(f"the first document has none of the members {wanted}")
        vectors_alone = not by_weights and not has_text

        def prepared(document: Mapping[str, Any]) -> Mapping[str, Any]:
            made = {name: value for name, value in document.items() if name not in ("id", "_id")}
            made["id"] = made.pop("docno")
            if vectors_alone:
                made[self._fields[0]] = ""
            return made

        options: dict[str, Any] = dict(self._build)
        if by_weights:
            options["weights"] = "toks"
        if "vec" in first:
            options["vectors"] = "vec"
        given = chain([first] if first else [], documents)
        build(map(prepared, given), str(self.path), fields=self._fields, **options)
        self._searcher = None
        return self

    # Retrieving

    def _words(
        self,
        name: str,
        num_results: int,
        fields: Sequence[str],
        options: dict[str, Any],
    ) -> Retriever:
        _check_options(options)
        options.setdefault("syntax", "plain")

        def search(frame: pd.DataFrame, k: int) -> Found:
            texts = list(frame["query"])
            return _of_batch(
                self.searcher.search_batch(texts, k=k, progress=self._verbose, **options)
            )

        return Retriever(self, name, ["query"], search, num_results, fields)

    @property
    def _verbose(self) -> bool:
        return bool(self._build["progress"])

    def bm25(
        self,
        k1: float = 0.9,
        b: float = 0.4,
        *,
        num_results: int = NUM_RESULTS,
        fields: Sequence[str] = (),
        **options: Any,
    ) -> Retriever:
        """BM25 of `query`. All of a query is words; syntax="signed" reads + - ^ as operators.

        Args:
            num_results: documents a query, 1 to 10,000.
            fields: stored fields that answers carry.
            options: others of warpdex.SearchOptions.
        """
        options.update(scorer="bm25", k1=k1, b=b)
        return self._words(f"bm25(k1={k1}, b={b})", num_results, fields, options)

    def qld(
        self,
        mu: float = 1000,
        *,
        num_results: int = NUM_RESULTS,
        fields: Sequence[str] = (),
        **options: Any,
    ) -> Retriever:
        """Query likelihood with Dirichlet smoothing of `query`; arguments as of bm25()."""
        options.update(scorer="qld", mu=mu)
        return self._words(f"qld(mu={mu})", num_results, fields, options)

    def sparse(
        self, *, num_results: int = NUM_RESULTS, fields: Sequence[str] = ()
    ) -> Retriever:
        """Learned weights: the sum of products of `query_toks` ({term: weight}) and the documents'
        toks. Of an index of text the weights are factors of the terms' BM25."""

        def search(frame: pd.DataFrame, k: int) -> Found:
            return _of_hits(
                self.searcher.search_terms_batch(frame["query_toks"], k, progress=self._verbose)
            )

        return Retriever(self, "sparse()", ["query_toks"], search, num_results, fields)

    def dense(
        self, *, num_results: int = NUM_RESULTS, fields: Sequence[str] = ()
    ) -> Retriever:
        """The nearest vectors of all to `query_vec`; with the metric l2, scores are negative
        distances."""

        def search(frame: pd.DataFrame, k: int) -> Found:
            return _of_batch(
                self.searcher.search_batch(
                    None, k=k, vectors=_rows(frame), progress=self._verbose
                )
            )

        return Retriever(self, "dense()", ["query_vec"], search, num_results, fields)

    def hybrid(
        self,
        fusion: Literal["rrf", "convex", "rerank", "filter", "neighbors"] = "rrf",
        weight: float = 0.5,
        *,
        toks: bool = False,
        num_results: int = NUM_RESULTS,
        fields: Sequence[str] = (),
        **options: Any,
    ) -> Retriever:
        """Words and vectors: `query`, or `query_toks` with toks=True, and `query_vec`.

        Args:
            fusion, weight: how they are joined, as of warpdex.SearchOptions.
            num_results, fields, options: as of bm25().
        """
        _check_options(options)
        options.setdefault("syntax", "plain")
        options.update(fusion=fusion, weight=weight)

        def search(frame: pd.DataFrame, k: int) -> Found:
            rows = _rows(frame)
            searcher, verbose = self.searcher, self._verbose
            if toks:
                return _of_hits(
                    searcher.search_terms_batch(
                        frame["query_toks"], k, vectors=rows, progress=verbose, **options
                    )
                )
            texts = list(frame["query"])
            return _of_batch(
                searcher.search_batch(texts, k=k, vectors=rows, progress=verbose, **options)
            )

        columns = ["query_toks" if toks else "query", "query_vec"]
        name = f"hybrid({fusion!r}, weight={weight})"
        return Retriever(self, name, columns, search, num_results, fields)

    def _feedback(
        self,
        name: str,
        num_results: int,
        fields: Sequence[str],
        terms: Callable[[str], dict[str, float]],
        options: dict[str, Any],
    ) -> Retriever:
        _check_options(options)
        # As in warpdex.Searcher.rm3(), the second search finds documents with any term.
        second = {name: options[name] for name in options if name not in FIRST_ONLY}

        def search(frame: pd.DataFrame, k: int) -> Found:
            queries = [terms(query) for query in frame["query"]]
            return _of_hits(
                self.searcher.search_terms_batch(queries, k, progress=self._verbose, **second)
            )

        return Retriever(self, name, ["query"], search, num_results, fields)

    def rm3(
        self,
        *,
        fb_terms: int = 10,
        fb_docs: int = 10,
        original_query_weight: float = 0.5,
        num_results: int = NUM_RESULTS,
        fields: Sequence[str] = (),
        **options: Any,
    ) -> Retriever:
        """`query` expanded with terms of its best documents, as warpdex.Searcher.rm3() does."""

        def terms(query: str) -> dict[str, float]:
            return self.searcher.rm3_terms(
                query,
                fb_terms=fb_terms,
                fb_docs=fb_docs,
                original_query_weight=original_query_weight,
                **options,
            )

        return self._feedback("rm3()", num_results, fields, terms, options)

    def rocchio(
        self,
        *,
        top_fb_terms: int = 10,
        top_fb_docs: int = 10,
        alpha: float = 1.0,
        beta: float = 0.75,
        num_results: int = NUM_RESULTS,
        fields: Sequence[str] = (),
        **options: Any,
    ) -> Retriever:
        """The same as warpdex.Searcher.rocchio() does."""

        def terms(query: str) -> dict[str, float]:
            return self.searcher.rocchio_terms(
                query,
                top_fb_terms=top_fb_terms,
                top_fb_docs=top_fb_docs,
                alpha=alpha,
                beta=beta,
                **options,
            )

        return self._feedback("rocchio()", num_results, fields, terms, options)

    def text_loader(
        self, fields: str | Sequence[str] = "*", *, verbose: bool = False
    ) -> TextLoader:
        """A transformer that adds stored fields to documents: those named, or all ("*"). `verbose`
        is taken for pt.text.get_text(), and shows nothing."""
        if fields == "*":
            fields = self.searcher.stored_fields
        return TextLoader(self, [fields] if isinstance(fields, str) else fields)


def _from(documents: Iterable[Mapping[str, Any]]) -> Iterator[Mapping[str, Any]]:
    for document in documents:
        if "docno" not in document:
            raise UsageError("a document has no docno")
        yield document


def artifact_metadata(path: str, files: Sequence[str]) -> dict[str, str] | None:
    """Tells pt.Artifact.load() that a folder is an index of Warpdex."""
    manifest = Path(path) / "manifest.json"
    if "manifest.json" not in files or b"warpdex" not in manifest.read_bytes()[:4096].lower():
        return None
    return {"type": "sparse_index", "format": "warpdex", "package_hint": "warpdex[pyterrier]"}
