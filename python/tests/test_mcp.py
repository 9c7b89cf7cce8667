"""The MCP server, asked by the client of the package mcp over standard input and output."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest

import warpdex

PACKAGES = str(Path(warpdex.__file__).absolute().parents[1])


def ask(index: Path, questions: Callable[[Any], Awaitable[None]]) -> None:
    mcp = pytest.importorskip("mcp", reason="the package mcp is not installed")
    if not hasattr(mcp, "Client"):
        pytest.skip("the package mcp is older than 2.0")

    async def talk() -> None:
        server = mcp.StdioServerParameters(
            command=sys.executable,
            args=["-m", "warpdex.mcp", str(index)],
            env={"PYTHONPATH": PACKAGES},
        )
        async with mcp.Client(server) as client:
            await questions(client)

    asyncio.run(asyncio.wait_for(talk(), 60))


def test_tools(books: Path) -> None:
    async def questions(client: Any) -> None:
        tools = {tool.name: tool for tool in (await client.list_tools()).tools}
        assert set(tools) == {"search", "get_document"}
        assert tools["search"].input_schema["required"] == ["query"]
        assert "BM25" in tools["search"].description

        answer = await client.call_tool("search", {"query": "sea & sailing", "k": 5})
        assert not answer.is_error
        found = answer.structured_content
        wanted = warpdex.Searcher(books).search("sea & sailing", 5)
        assert found["documents"] == 3
        assert [(hit["id"], hit["score"]) for hit in found["hits"]] == [
            (hit.id, pytest.approx(hit.score)) for hit in wanted
        ]
        assert found["hits"][0]["snippets"] == {
            "title": "Treasure & Island", "contents": "the old captain sailed the sea"
        }
        assert "Treasure & Island" in answer.content[0].text

        answer = await client.call_tool("get_document", {"id": "moby"})
        assert answer.structured_content == {
            "id": "moby",
            "fields": {"title": "Moby-Dick", "contents": "I thought I would sail about"},
        }
        answer = await client.call_tool("search", {"query": "absent"})
        assert answer.structured_content["hits"] == []

    ask(books, questions)


def test_errors_are_told(books: Path) -> None:
    async def questions(client: Any) -> None:
        for tool, arguments, message in (
            ("get_document", {"id": "nobody"}, "no document 'nobody'"),
            ("search", {"query": "sea", "k": 0}, "k is 0"),
            ("search", {}, "query"),
        ):
            answer = await client.call_tool(tool, arguments)
            assert answer.is_error
            assert message in answer.content[0].text

    ask(books, questions)


def test_commits_are_seen(tmp_path: Path) -> None:
    warpdex.build([{"id": "1", "contents": "fish"}], tmp_path / "index")

    async def questions(client: Any) -> None:
        async def ids() -> list[str]:
            answer = await client.call_tool("search", {"query": "fish"})
            return [hit["id"] for hit in answer.structured_content["hits"]]

        assert await ids() == ["1"]
        with warpdex.Writer(tmp_path / "index") as writer:
            writer.add({"id": "2", "contents": "fish fish"})
        assert await ids() == ["2", "1"]

    ask(tmp_path / "index", questions)


def serve(index: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "warpdex.mcp", str(index)],
        stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
        env={**os.environ, "PYTHONPATH": PACKAGES}, timeout=60,
    )


def test_starting(books: Path, tmp_path: Path) -> None:
    try:
        import mcp  # noqa: F401
    except ImportError:
        done = serve(tmp_path)
        assert done.returncode == 1
        assert "warpdex[mcp]" in done.stderr
        return
    done = serve(tmp_path / "absent")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("warpdex.mcp: ")
    done = serve(books)  # standard input ends at once
    assert (done.returncode, done.stdout) == (0, "")
