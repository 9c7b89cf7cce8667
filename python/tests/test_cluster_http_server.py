"""What a server of HTTP must withstand: many searches, malformed requests, strangers, its end."""

from __future__ import annotations

import socket
import threading
from pathlib import Path

import pytest

import warpdex

pytest.importorskip("fsspec")
from clusters import PARTS
from http_served import Start, ask, hosts, start  # noqa: F401  fixtures

from warpdex.cluster.http import HttpServer, HttpSettings

KEY = "0123456789abcdef"


def test_more_searches_than_are_taken(start: Start) -> None:
    served = start(queue=4)
    served.replicas.delays = {(part, i): 1.0 for part in range(PARTS) for i in range(2)}
    found: list[int] = []
    threads = [
        threading.Thread(target=lambda: found.append(
            ask(served.port, "GET", "/v1/one/search?q=w1")[0])) for _ in range(12)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    assert sorted(found) == [200] * 4 + [429] * 8


def send(port: int, data: bytes) -> bytes:
    """All that comes back until the connection ends."""
    with socket.create_connection(("127.0.0.1", port), 60) as connection:
        connection.sendall(data)
        answer = b""
        while block := connection.recv(1 << 16):
            answer += block
        return answer


def status_of(answer: bytes) -> int:
    return int(answer.split(b" ")[1])


def test_malformed_requests(start: Start) -> None:
    served = start(read_timeout=0.5, idle_timeout=1.0, body_bytes=1000, connections=50)
    host = b"Host: localhost\r\n"
    for data, status in (
        (b"\x16\x03\x01\r\n\r\n", 400), (b"GET / HTTP/2.0\r\n" + host + b"\r\n", 400),
        (b"GET x HTTP/1.1\r\n" + host + b"\r\n", 400), (b"GET  / HTTP/1.1\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nno colon\r\n\r\n", 400), (b"GET / HTTP/1.1\r\na : b\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nConnection: close\r\n\r\n", 400),  # no Host
        (b"GET / HTTP/1.1\r\n" + host + host + b"Connection: close\r\n\r\n", 400),
        (b"GET / HTTP/1.1\r\nx: " + b"y" * 20_000 + b"\r\n\r\n", 431),
        (b"GET / HTTP/1.1\r\n" + host, 408),
        (b"POST /v1/one/search HTTP/1.1\r\n" + host + b"Content-Length: 1001\r\n\r\n", 413),
        (b"POST /v1/one/search HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n", 400),
        (b"POST /v1/one/search HTTP/1.1\r\n" + host
         + b"Content-Length: 1\r\nContent-Length: 2\r\n\r\n", 400),
        (b"POST /v1/one/search HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\n", 411),
        (b"POST /v1/one/search HTTP/1.1\r\n" + host
         + b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{", 408),
        (b"GET /healthz HTTP/1.1\r\n" + host + b"Content-Length: 3\r\n\r\nabc", 400),
    ):
        answer = send(served.port, data)
        assert status_of(answer) == status and b"Connection: close\r\n" in answer, data[:60]
    # Half a body, and the client goes; then the server is as it was.
    with socket.create_connection(("127.0.0.1", served.port)) as connection:
        connection.sendall(b"POST /v1/one/search HTTP/1.1\r\n" + host
                           + b"Content-Type: application/json\r\nContent-Length: 9\r\n\r\n{")
    get = b"GET /healthz HTTP/1.1\r\n" + host
    several = send(served.port, get + b"\r\n" + get + b"\r\n" + get + b"Connection: close\r\n\r\n")
    assert several.count(b"HTTP/1.1 200 OK\r\n") == 3
    assert send(served.port, b"GET /healthz HTTP/1.0\r\n\r\n").endswith(b'{"status":"ok"}\n')
    body = b'{"q": "w1"}\n' * 3
    old = send(served.port, b"POST /v1/one/search/batch HTTP/1.0\r\nContent-Type: "
               b"application/x-ndjson\r\nContent-Length: %d\r\n\r\n" % len(body) + body)
    assert b"chunked" not in old and old.count(b'"hits"') == 3
    named = send(served.port, get + b"X-Request-ID: mine\r\nConnection: close\r\n\r\n")
    assert b"X-Request-ID: mine\r\n" in named


def test_keys(start: Start, tmp_path: Path) -> None:
    file = tmp_path / "keys"
    with pytest.raises(warpdex.UsageError, match="give keys"):
        HttpServer("one", None, HttpSettings("0.0.0.0"))  # type: ignore[arg-type]
    for text in ("", "read short\n", f"reader {KEY}\n", f"read {KEY} more\n"):
        file.write_text(text)
        with pytest.raises(warpdex.InputError):
            HttpServer("one", None, HttpSettings(keys=str(file)))  # type: ignore[arg-type]
    file.write_text(f"# of people\nread {KEY}\n")
    served = start(keys=str(file), hosts=["search.example"])
    search = ("GET", "/v1/one/search?q=w1", None)
    assert ask(served.port, *search)[0] == 401
    assert ask(served.port, *search, {"X-API-Key": KEY[:-1]})[0] == 401
    assert ask(served.port, *search, {"X-API-Key": KEY, "Host": "search.example:80"})[0] == 200
    assert ask(served.port, *search, {"Authorization": f"Bearer {KEY}"})[0] == 200
    assert ask(served.port, "GET", "/healthz")[0] == 200
    file.write_text(f"read {KEY[::-1]}\n")
    served.http.keys.reload()
    assert ask(served.port, *search, {"X-API-Key": KEY})[0] == 401


def test_the_end(start: Start) -> None:
    """Requests under way are answered; those that come later are not."""
    served = start()
    served.replicas.delays = {(part, i): 0.5 for part in range(PARTS) for i in range(2)}
    found: list[int] = []
    search = threading.Thread(target=lambda: found.append(
        ask(served.port, "GET", "/v1/one/search?q=w1")[0]))
    idle = socket.create_connection(("127.0.0.1", served.port))
    search.start()
    while not served.http._routes._under_way:
        pass
    served.run(served.http.drain(30))
    search.join()
    assert found == [200] and idle.recv(1) == b""
    idle.close()
    with pytest.raises(ConnectionError):
        socket.create_connection(("127.0.0.1", served.port))
