"""Makes an index of documents."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Union

import numpy as np
import numpy.typing as npt

from . import _core
from ._arrays import check_rows
from ._progress import Bar
from .errors import InputError, UsageError

Path = Union[str, "os.PathLike[str]"]
Document = Mapping[str, Any]


@dataclass(frozen=True)
class BuildReport:
    """What a build made."""

    documents: int
    """In the index."""
    skipped: int
    """Bad documents that were left out."""
    tokens: int
    """The documents' lengths, added."""
    terms: int
    """Different ones."""
    postings: int
    """Pairs of a term and a document."""
    seconds: float
    """Wall-clock time, all in all."""
    notes: list[str] = field(default_factory=list)
    """A sentence for each thing beside the index that could not be cleared away."""


def as_bytes(size: int | str) -> int:
    """A number of bytes, or a text as "4G" or "512M"."""
    if isinstance(size, int):
        return size
    units = {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}
    number = size.rstrip("kKmMgGtT")
    unit = size[len(number):].lower()
    if not number.isdecimal() or unit not in units:
        raise UsageError(f"{size!r} is no size; give a number of bytes, or as '512M' or '4G'")
    return int(number) << units[unit]


def as_gpus(gpu: int | Sequence[int]) -> list[int]:
    """The numbers of GPUs."""
    return [gpu] if isinstance(gpu, int) else list(gpu)


def as_analyzer(analyzer: str | Mapping[str, Any]) -> str:
    """A name, or a description as JSON."""
    return analyzer if isinstance(analyzer, str) else json.dumps(analyzer)


def as_schema(schema: Mapping[str, Any] | str) -> str:
    """As JSON. Without "fields" around it, a mapping is of fields."""
    if isinstance(schema, str):
        return schema
    if set(schema) != {"fields"} or "type" in schema["fields"]:
        schema = {"fields": dict(schema)}
    return json.dumps(schema)


def as_paths(docs: Any) -> list[str] | None:
    """The paths, where these are paths and no documents."""
    if isinstance(docs, (str, os.PathLike)):
        return [os.fspath(docs)]
    if isinstance(docs, (list, tuple)) and docs:
        if all(isinstance(each, (str, os.PathLike)) for each in docs):
            return [os.fspath(each) for each in docs]
    return None


def as_dicts(docs: Any) -> Iterable[Document]:
    """Documents of a table (pandas, Polars, Arrow), or those that are given."""
    if hasattr(docs, "iter_rows"):  # Polars
        rows: Iterable[Document] = docs.iter_rows(named=True)
        return rows
    if hasattr(docs, "to_batches"):  # Arrow
        return (row for batch in docs.to_batches() for row in batch.to_pylist())
    if hasattr(docs, "itertuples"):  # pandas
        return _pandas_rows(docs)
    if isinstance(docs, Mapping) or not isinstance(docs, Iterable):
        raise TypeError(f"documents must be an iterable of dicts, not {type(docs).__name__}")
    documents: Iterable[Document] = docs
    return documents


def _pandas_rows(frame: Any) -> Iterator[Document]:
    names = [str(name) for name in frame.columns]
    for row in frame.itertuples(index=False, name=None):
        # A missing value is a NaN, or another that differs from itself.
        members = zip(names, row)
        yield {name: value for name, value in members if value is not None and value == value}


def _measure(docs: Iterable[Document], name: str) -> tuple[Iterable[Document], int]:
    """The documents, and how many components the first one's vector has."""
    documents = iter(docs)
    first = next(documents, None)
    if first is None:
        raise InputError("there is no document, so that the vectors have no dimension")
    try:
        dimension = len(first[name])
    except (KeyError, TypeError):
        raise InputError(f"the first document has no vector in its member {name!r}") from None
    return itertools.chain([first], documents), dimension


def build(
    docs: Iterable[Document] | Path | Sequence[Path],
    path: Path,
    *,
    fields: Sequence[str] = ("contents",),
    analyzer: str | Mapping[str, Any] = "english",
    store: Sequence[str] = (),
    schema: Mapping[str, Any] | str | None = None,
    vectors: npt.NDArray[np.float32 | np.float16] | str | None = None,
    metric: str = "ip",
    vector_store: str = "float",
    vector_index: str | dict[str, Any] = "flat",
    weights: str | None = None,
    codec: str = "bitpack",
    memory: int | str = "1G",
    threads: int = 0,
    format: str = "jsonl",
    forward: bool = True,
    positions: bool = False,
    static_scores: Path | None = None,
    skip_bad: bool = False,
    progress: bool = True,
) -> BuildReport:
    """Builds an index of text at the folder `path`, in the place of one that is there.

    It appears whole or not at all: where the documents end with an exception, a document is bad,
    or Ctrl-C comes, the folder stays as it was.

    Args:
        docs: dicts, one a document, from any iterable; or a table of pandas, Polars or Arrow, a
            row a document; or paths of files, of which all documents are read. The id is the
            first of the members ``id``, ``_id`` and ``docno`` that is there: a str or an int,
            without white space. Documents are read one by one, in the calling thread, and
            indexed beside that without the GIL.
        path: the folder of the index.
        fields: members whose texts are searched, joined; of files, of JSONL and CSV only. A document must
            have one of them.
        analyzer: how texts become terms: "english", "standard", "german" and so on, or a tokenizer
            and filters: {"tokenizer": "standard", "filters": ["lowercase"]}.
        store: members that the index keeps, for hits to show: texts or numbers.
        schema: columns, which filters ask for: {"year": {"type": "int"}, "lang": {"type":
            "keyword", "multiple": True}}, of the types keyword, int, float, date and bool. The
            members of these names are values, or lists of values where it says "multiple"; dates
            are str, or date and datetime objects. And text fields, which are searched in the place
            of `fields`, each by itself: {"title": {"type": "text", "weight": 2, "analyzer":
            "german"}}; a document may lack any. And vectors, sequences of floats, which each
            document must have: {"title_vec": {"type": "vector", "dimension": 384, "metric":
            "cosine"}}, with "store" and "index" as vector_store and vector_index below.
        vectors: a vector for each document: rows of an array (documents x components, float32 or
            float16, of which no copy is made), in the documents' order, or the name of the member
            that is each document's vector.
        metric: of vectors: "ip", "l2" or "cosine".
        vector_store: what the index keeps them as: "float" or "half".
        vector_index: how the nearest vectors are found: "flat", all are compared; or lists and
            codes, "ivf-flat", "ivf-pq", "ivf-sq8", "ivf-xfbq", "sq8" or "xfbq", or a dict of a
            "kind" and its settings: "lists", "train", "pq_bytes", "pq_bits", "bits", "rotated",
            "corrected", "seed".
        weights: the member with a document's terms and weights (``{"sea": 1.3}``), in the place of
            texts: the index is one of impacts. Not for files; these have format="sparse".
        codec: of posting lists: "bitpack", "pfor", "pfor-block" or "rice".
        memory: for the build, in bytes or as "4G"; 64 MiB or more.
        threads: 0: one for each processor.
        format: of files: "jsonl", "tsv", "csv", "trec", "text", "html" or "sparse"; plain, .gz,
            .zst or .xz.
        forward: whether the index keeps each document's terms (Searcher.document_vector()).
        positions: whether the index keeps where words stand in documents: then "phrases" can be
            searched for. If not, text fields of the schema with "positions" do.
        static_scores: a file of id<TAB>value lines that are added to scores.
        skip_bad: leave bad documents out and count them, instead of raising BadDocument.
        progress: show a bar, where tqdm is installed and standard error is a terminal.

    Raises:
        BadDocument: a document without an id, with the id of an earlier one, without a field, with
            a lone surrogate and so on. The message says which one.
        InputError: another number of vectors than of documents; a NaN.
        UsageError: an unknown name or a number out of range.
        IoError: a file or the folder cannot be read or written.
    """
    if not fields:
        raise UsageError("fields names no member; name one or more")
    options: dict[str, Any] = {
        "fields": fields,
        "analyzer": as_analyzer(analyzer),
        "store": store,
        "metric": metric,
        "vector_store": vector_store,
        "vector_index": vector_index,
        "codec": codec,
        "memory": as_bytes(memory),
        "threads": threads,
        "forward": forward,
        "positions": positions,
        "skip_bad": skip_bad,
        "format": format,
    }
    if schema is not None:
        options["schema"] = as_schema(schema)
    if static_scores is not None:
        options["static_scores"] = os.fspath(static_scores)
    if isinstance(vectors, str):
        options["vector_field"] = vectors
    elif vectors is not None:
        check_rows(vectors, "the vectors")
        options["vector_rows"] = vectors
    paths = as_paths(docs)
    with Bar(progress, "docs") as bar:
        if paths is not None:
            if weights is not None:
                raise UsageError("weights= is for dicts; files of weights have format='sparse'")
            made = _core.build_files(paths, os.fspath(path), bar.show, options)
        else:
            documents = as_dicts(docs)
            if isinstance(vectors, str):
                documents, options["dimension"] = _measure(documents, vectors)
            if weights is not None:
                options["weights"] = weights
            made = _core.build(documents, os.fspath(path), bar.show, options)
    return BuildReport(**made)
