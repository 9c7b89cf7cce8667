"""Changes an index of documents."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any

from . import _core
from ._build import Path, as_analyzer, as_bytes, as_paths, as_schema


@dataclass(frozen=True)
class CommitReport:
    """A commit that is in place: whatever its notes say, the change is made."""

    number: int
    """How often the index was changed since it was built."""
    notes: list[str] = field(default_factory=list)
    """A sentence for each thing that went wrong beside the change."""


@dataclass(frozen=True)
class FilesReport:
    """What Writer.add_files() took."""

    documents: int
    """Added."""
    skipped: int
    """Bad documents that were left out."""


class Writer:
    """An index open for changes, which searchers see with commit() and Searcher.refresh().

    As a context manager it commits at the end of the block; where the block ends with an
    exception, changes since the last commit are dropped, but for those that sync() made durable:
    the next writer of the folder takes them in. There is one writer of an index at a
    time; calls from several threads wait for each other.
    """

    def __init__(
        self,
        path: Path,
        *,
        fields: Sequence[str] = (),
        analyzer: str | Mapping[str, Any] = "english",
        store: Sequence[str] = (),
        schema: Mapping[str, Any] | str | None = None,
        vectors: str | None = None,
        dimension: int | None = None,
        metric: str = "ip",
        vector_store: str = "float",
        vector_index: str | dict[str, Any] = "flat",
        weights: str | None = None,
        codec: str = "bitpack",
        positions: bool = False,
        memory: int | str = "256M",
        threads: int = 0,
        merges: bool = True,
        journal: bool = False,
    ) -> None:
        """Opens the index of the folder `path`, or makes an empty one.

        Args:
            path: the folder of the index.
            fields: members of documents whose texts are searched, joined. Without any, those that
                the index was made with; of a new one, "contents".
            analyzer: of a new index, as store, schema, dimension, metric, vector_store, vector_index,
                weights, codec and positions: see build(). An index that is there keeps its own settings.
            store: members that a new index keeps; one that is there keeps its own.
            vectors: the member that is a document's vector, a sequence of floats.
            dimension: of the vectors of a new index.
            weights: the member with a document's terms and weights, in the place of texts.
            memory: in bytes or as "1G"; 128 MiB or more.
            threads: 0: one for each processor.
            merges: merge small segments on a thread of its own.
            journal: keep changes in a file of the index's folder, so that sync() can make them
                durable before they are committed.

        Raises:
            IoError: another writer has the index open.
            UsageError: settings out of range.
            FormatError: the index is damaged.
        """
        options: dict[str, Any] = {
            "fields": fields,
            "analyzer": as_analyzer(analyzer),
            "store": store,
            "metric": metric,
            "vector_store": vector_store,
            "vector_index": vector_index,
            "codec": codec,
            "positions": positions,
            "memory": as_bytes(memory),
            "threads": threads,
            "merges": merges,
            "journal": journal,
        }
        if schema is not None:
            options["schema"] = as_schema(schema)
        if vectors is not None:
            options["vectors"] = vectors
        if dimension is not None:
            options["dimension"] = dimension
        if weights is not None:
            options["weights"] = weights
        self._writer = _core.Writer(os.fspath(path), options)

    def add(self, document: Mapping[str, Any]) -> None:
        """Takes a document, a dict as of build(), which is analysed later, at the latest by
        commit(). Raises BadDocument, and it is not added, for one that cannot be indexed or whose
        id the index has."""
        self._writer.add(document)

    def update(self, document: Mapping[str, Any]) -> None:
        """The same, but the document takes the place of one with its id."""
        self._writer.update(document)

    def add_files(
        self, paths: Path | Sequence[Path], *, format: str = "jsonl", update: bool = False,
        skip_bad: bool = False,
    ) -> FilesReport:
        """Adds the documents of files, read as by build(): all, or none where it raises.

        Args:
            paths: in this order.
            format: of the files.
            update: documents whose ids the index has take their places.
            skip_bad: leave bad documents out and count them, instead of raising BadDocument.

        Raises:
            BadDocument: as add(); the message has file and line.
            IoError: a file cannot be read.
            UsageError: a writer with a journal.
        """
        files = as_paths(paths)
        if files is None:
            raise TypeError("paths must be a path or a list of them")
        options = {"format": format, "update": update, "skip_bad": skip_bad}
        return FilesReport(**self._writer.add_files(files, options))

    def delete(self, id: str) -> bool:
        """Removes a document. False if there is none with that id."""
        return self._writer.remove(id)

    def delete_where(self, filter: str) -> int:
        """Commits all changes so far, then removes the documents that fit a filter, as of
        Searcher.search(). Returns how many; commit() makes it visible."""
        return self._writer.remove_where(filter)

    def commit(self) -> CommitReport:
        """Makes all changes visible in one step, and waits until they are on the disk.

        Ctrl-C ends it, unless the changes are visible already; they are then lost, and where
        documents were among them, rollback() must be called before the next change.
        """
        number, notes = self._writer.commit()
        return CommitReport(number, notes)

    def sync(self) -> None:
        """Makes all changes so far durable, by one flush for all of them; commit() makes them
        visible. For a writer with a journal."""
        self._writer.sync()

    @property
    def recovered(self) -> int:
        """Changes of a journal that the writer took in when it was opened."""
        return self._writer.recovered

    def rollback(self) -> None:
        """Drops all changes since the last commit. A writer with a journal drops also what sync()
        made durable."""
        self._writer.rollback()

    def merge(self) -> None:
        """Merges all segments into one, without removed documents. commit() makes it visible."""
        self._writer.merge()

    def finish_merges(self) -> None:
        """Waits for merges on the thread of their own. commit() makes them visible."""
        self._writer.finish_merges()

    def close(self) -> None:
        """Ends the writer. Changes since the last commit are lost."""
        if not self._writer.is_closed:
            self._writer.close()

    def __enter__(self) -> Writer:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        try:
            if kind is None and not self._writer.is_closed:
                self.commit()
        finally:
            self.close()
