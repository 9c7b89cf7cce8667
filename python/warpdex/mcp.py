"""An MCP server over standard input and output: programs that use language models search an index.

    python -m warpdex.mcp INDEX

Its tools are `search` and `get_document`. It takes the package mcp, 2.0 or later
(pip install "warpdex[mcp]").
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ._build import Path
from ._searcher import Searcher
from .errors import Error

if TYPE_CHECKING:
    from mcp.server import MCPServer  # type: ignore[import-not-found,unused-ignore]

MOST_HITS = 100
SNIPPET_BYTES = 400


@dataclass
class FoundDocument:
    """A document that a search found."""

    id: str
    score: float
    snippets: dict[str, str]
    """A piece of each stored field, around the query's words."""


@dataclass
class SearchAnswer:
    """What search answers."""

    hits: list[FoundDocument]
    """Best first."""
    documents: int
    """In the index."""


@dataclass
class StoredDocument:
    """What get_document answers."""

    id: str
    fields: dict[str, str]
    """The texts that the index keeps."""


def make_server(path: Path, *, device: Literal["auto", "cpu", "gpu"] = "auto") -> MCPServer:
    """A server of an index's documents. Raises as warpdex.Searcher does, and ImportError without
    the package mcp."""
    from mcp.server import MCPServer
    from mcp.server.mcpserver.exceptions import (  # type: ignore[import-not-found,unused-ignore]
        ToolError,
    )

    from . import __version__

    searcher = Searcher(path, device)
    server = MCPServer(
        "warpdex",
        version=__version__,
        instructions=f"Searches an index of {searcher.documents} documents: search finds ids and "
        "pieces of texts, get_document gives a document's whole stored text.",
        log_level="WARNING",
    )

    def search(query: str, k: int = 10) -> SearchAnswer:
        """Finds the documents that match a query's words best (BM25), best first.

        +word is required, -word excludes documents, word^2 counts twice.

        Args:
            query: words in plain language
            k: how many documents, 1 to 100
        """
        if not 1 <= k <= MOST_HITS:
            raise ToolError(f"k is {k}; give 1 to {MOST_HITS}")
        try:
            searcher.refresh()
            hits = searcher.search(
                query,
                k,
                fields=searcher.stored_fields,
                snippets=True,
                snippet_bytes=SNIPPET_BYTES,
                html=False,
                before="",
                after="",
            )
        except Error as error:
            raise ToolError(str(error)) from error
        found = [FoundDocument(hit.id, hit.score, hit.snippets) for hit in hits]
        return SearchAnswer(found, searcher.documents)

    def get_document(id: str) -> StoredDocument:
        """Gives the stored texts of a document.

        Args:
            id: as a search gave it
        """
        try:
            searcher.refresh()
            return StoredDocument(id, searcher.stored(id))
        except Error as error:
            raise ToolError(str(error)) from error

    server.tool()(search)
    server.tool()(get_document)
    return server


def main(arguments: list[str] | None = None) -> int:
    """Serves until standard input ends; the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m warpdex.mcp",
        description="Serves an index to programs that speak MCP, over standard input and output.",
    )
    parser.add_argument("index", metavar="INDEX", help="the folder of the index")
    parser.add_argument("--device", choices=["auto", "cpu", "gpu"], default="auto")
    parsed = parser.parse_args(arguments)
    try:
        server = make_server(parsed.index, device=parsed.device)
    except ImportError as error:
        print(f'warpdex.mcp: {error}; pip install "warpdex[mcp]"', file=sys.stderr)
        return 1
    except Error as error:
        print(f"warpdex.mcp: {error}", file=sys.stderr)
        return 1
    server.run("stdio")
    return 0


if __name__ == "__main__":
    sys.exit(main())
