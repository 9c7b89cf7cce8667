"""Requests and answers of HTTP/1.1, as bytes of a connection."""

from __future__ import annotations

import asyncio
import email.utils
import re
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from urllib.parse import unquote_to_bytes

from .errors import HttpError, bad_request, phrase

JSON = "application/json"
LINES = "application/x-ndjson"

REQUEST_LINE = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+) ([!-~]+) HTTP/1\.([01])")
HEADER = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t -~\x80-\xff]*?)[ \t]*")
REQUEST_ID = re.compile(r"[!-~]{1,128}")
WHOLE = re.compile(r"[0-9]{1,15}")


@dataclass
class Request:
    """Of a connection, without its body at first."""

    method: str
    path: str
    """Without escapes, and without what follows the question mark."""
    query: list[tuple[str, str]]
    headers: dict[str, list[str]]
    """By their names in small letters."""
    is_http_1_0: bool
    body: bytes = b""
    id: str = ""

    def header(self, name: str) -> str:
        """Its first value; empty where there is none."""
        return self.headers.get(name, [""])[0]

    @property
    def stays(self) -> bool:
        """Whether the connection may have another request after this one."""
        said = self.header("connection").lower()
        return "close" not in said and (not self.is_http_1_0 or "keep-alive" in said)

    def body_bytes(self, most: int) -> int:
        """That follow. Raises HttpError where they cannot be taken."""
        lengths = self.headers.get("content-length", [])
        if "transfer-encoding" in self.headers:
            raise HttpError(411, "length_required", "send the body with a Content-Length")
        if not lengths:
            return 0
        if len(lengths) > 1 or not WHOLE.fullmatch(lengths[0]):
            raise bad_request("a request has one Content-Length, a whole number")
        if self.header("content-encoding") not in ("", "identity"):
            raise HttpError(415, "unsupported_media_type", "send the body as it is, not packed")
        if (length := int(lengths[0])) > most:
            raise HttpError(413, "too_large", f"the body has {length} bytes; {most} are allowed")
        return length


def _text(escaped: bytes, what: str) -> str:
    try:
        return unquote_to_bytes(escaped).decode("utf-8")
    except UnicodeDecodeError:
        raise bad_request(f"{what} is not UTF-8") from None


def _query(text: bytes) -> list[tuple[str, str]]:
    pairs: list[tuple[str, str]] = []
    for part in text.split(b"&"):
        name, _, value = part.replace(b"+", b" ").partition(b"=")
        if not name and not value:
            continue
        pairs.append((_text(name, "the address"), _text(value, "the address")))
    names = [name for name, _ in pairs]
    for each in names:
        if names.count(each) > 1:
            raise bad_request(f"the parameter '{each}' is there twice; give it once")
    return pairs


def parse(head: bytes, request_id: str) -> Request:
    """A request of its first line and its header, with the empty line behind them.
    `request_id`: where the client gives none. Raises HttpError."""
    first, *lines = head[:-4].split(b"\r\n")
    line = REQUEST_LINE.fullmatch(first)
    if not line:
        raise bad_request("the first line is none of HTTP/1.1")
    headers: dict[str, list[str]] = {}
    for each in lines:
        found = HEADER.fullmatch(each)
        if not found:
            raise bad_request("a line of the header is malformed")
        name = found[1].decode("ascii").lower()
        headers.setdefault(name, []).append(found[2].decode("latin-1"))
    target = line[2]
    if not target.startswith(b"/"):
        raise bad_request("the address does not begin with a slash")
    path, _, query = target.partition(b"?")
    given = headers.get("x-request-id", [""])[0]
    return Request(line[1].decode("ascii"), _text(path, "the address"), _query(query), headers,
                   line[3] == b"0", id=given if REQUEST_ID.fullmatch(given) else request_id)


@dataclass
class Response:
    """An answer: whole, or in parts."""

    body: str = ""
    status: int = 200
    content_type: str = JSON
    headers: dict[str, str] = field(default_factory=dict)
    parts: AsyncIterator[str] | None = None
    """Sent as they come, in the place of the body."""

    def head(self, request_id: str, *, stays: bool, in_chunks: bool) -> bytes:
        """The first line and the header."""
        lines = {"Date": email.utils.formatdate(usegmt=True), "Content-Type": self.content_type}
        if self.parts is None:
            lines["Content-Length"] = str(len(to_bytes(self.body)))
        elif in_chunks:
            lines["Transfer-Encoding"] = "chunked"
        if not stays:
            lines["Connection"] = "close"
        lines |= {"X-Request-ID": request_id, "X-Content-Type-Options": "nosniff", **self.headers}
        text = f"HTTP/1.1 {self.status} {phrase(self.status)}\r\n" + "".join(
            f"{name}: {value}\r\n" for name, value in lines.items())
        return (text + "\r\n").encode("latin-1", "replace")


def to_bytes(text: str) -> bytes:
    return text.encode("utf-8", "replace")


async def read_head(
    reader: asyncio.StreamReader, idle: float, limit: float, most: int
) -> bytes | None:
    """A request's first line and header; None where the client has gone, or asks nothing within
    `idle` seconds. Raises HttpError where the rest does not come within `limit` seconds, or is
    larger than `most` bytes, which the reader was made for."""
    try:
        async with asyncio.timeout(idle):
            first = await reader.readexactly(1)
    except (TimeoutError, asyncio.IncompleteReadError):
        return None
    try:
        async with asyncio.timeout(limit):
            return first + await reader.readuntil(b"\r\n\r\n")
    except TimeoutError:
        raise HttpError(408, "request_timeout", "the request came too slowly") from None
    except asyncio.LimitOverrunError:
        raise HttpError(
            431, "header_too_large", f"line and header have more than {most} bytes") from None
    except asyncio.IncompleteReadError:
        return None
