"""A cluster over HTTP: its answers and refusals are those of `warpdex serve` over one index."""

from __future__ import annotations

import json
import random
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from conftest import Program, words

pytest.importorskip("fsspec")
from clusters import HostsHere, seed
from http_served import JSON, LINES, Start, ask, hosts, start  # noqa: F401  fixtures


@pytest.fixture(scope="module")
def one(hosts: tuple[HostsHere, Path], program: Program) -> Iterator[int]:
    """The port of `warpdex serve` over the one index."""
    running = subprocess.Popen(
        [program.path, "serve", str(hosts[1] / "indexes"), "--listen", "127.0.0.1:0"],
        stderr=subprocess.PIPE, text=True)
    assert running.stderr
    found = re.search(r"127\.0\.0\.1:(\d+)", running.stderr.readline())
    assert found
    yield int(found[1])
    running.terminate()
    running.wait(30)
    running.stderr.close()


def same_answer(mine: dict[str, Any], its: dict[str, Any]) -> bool:
    """But for what differs between any two servers, and counts that are none."""
    for each in (mine, its):
        for name in ("took_us", "answered_by", "commit"):
            each.pop(name)
        if not each["matches_exact"]:
            each.pop("matches")
    return mine == its


def random_search(generator: random.Random) -> dict[str, Any]:
    asked: dict[str, Any] = {"q": words(generator, 5)}
    if generator.random() < 0.2:
        asked["q"] = f"+w{generator.randrange(9)} -w{generator.randrange(9)} {asked['q']}"
    for name, values in (
        ("k", [1, 3, 100, 1000]), ("from", [0, 2, 700]), ("mode", ["or", "and", "and-or"]),
        ("count", [True, False]), ("id", ["", "é\"\n7"]), ("deadline", [20_000, 1e4 + 0.5]),
        ("scorer", ["bm25", "qld", "bm25+", "bm25-lucene", "qljm", "pl2"]),
        ("query_syntax", ["signed", "lucene"]),
    ):
        if generator.random() < 0.4:
            asked[name] = generator.choice(values)
    if asked.get("mode") == "and-or" and generator.random() < 0.5:
        asked["and_or_min"] = generator.choice([1, 5, 1000])
    if asked.get("scorer", "bm25") == "bm25" and generator.random() < 0.5:
        asked |= {"k1": 0.7, "b": 0.1, "bm25_form": generator.choice(["lucene", "pisa"])}
    return asked


def address(asked: dict[str, Any]) -> str:
    texts = {name: str(value).lower() if isinstance(value, bool) else str(value)
             for name, value in asked.items()}
    return "/v1/one/search?" + urlencode(texts)


def test_answers_are_those_of_one_index(start: Start, one: int) -> None:
    generator = random.Random(seed())
    served = start(search_time=30)
    searches = [random_search(generator) for _ in range(150)]
    searches += [{"query": {"match": {"text": "w1 w2"}}}, {"q": ""}, {"q": "w1 OR w2"}]
    found = 0
    for asked in searches:
        body = json.dumps(asked).encode()
        answers = [ask(port, "POST", "/v1/one/search", body, JSON) for port in (served.port, one)]
        assert answers[0][0] == answers[1][0] and same_outcome(*answers), (asked, answers)
        if "query" not in asked:
            answers = [ask(port, "GET", address(asked)) for port in (served.port, one)]
            assert answers[0][0] == answers[1][0] and same_outcome(*answers), (asked, answers)
            found += answers[0][0] == 200
    assert found > 100
    lines = "\n".join(json.dumps(each) for each in searches[:70]) + "\n\n[1\n{\"q\": 3}\n"
    for text in (lines, "", "\n", lines * 5):
        answers = [ask(port, "POST", "/v1/one/search/batch", text.encode(), LINES)
                   for port in (served.port, one)]
        mine, its = (answer.decode().splitlines() for _, answer in answers)
        assert answers[0][0] == answers[1][0] == 200 and len(mine) == len(its)
        assert len(mine) == sum(bool(line) for line in text.splitlines())
        for a, b in zip(mine, its):
            assert same_outcome((200, a.encode()), (200, b.encode())), a


def same_outcome(mine: tuple[int, bytes], its: tuple[int, bytes]) -> bool:
    a, b = json.loads(mine[1]), json.loads(its[1])
    if "error" not in b:
        return same_answer(a, b)
    texts = [re.sub(r"is no JSON.*", "is no JSON", each["error"]["reason"]) for each in (a, b)]
    return a["error"]["status"] == b["error"]["status"] and texts[0] == texts[1]


WRONG_ADDRESSES = [
    "q=w1&k=0", "q=w1&k=10001", "q=w1&k=-1", "q=w1&k=1.5", "q=w1&k=9999&from=2", "q=w1&count=maybe",
    "q=w1&mode=x", "q=w1&and_or_min=3", "q=w1&scorer=x", "q=w1&mu=3", "q=w1&scorer=qld&b=0.5",
    "q=w1&scorer=bm25&delta=1", "q=w1&k1=nan", "q=w1&k1=1_0", "q=w1&k1=-1", "q=w1&b=2",
    "q=w1&k1=%201", "q=w1&deadline=0", "q=w1&deadline=1e9", "q=w1&q=w2", "q=w1&query=w2",
    "q=w1&query_syntax=x", 'q="w1&query_syntax=lucene', "q=w1&filter=x", "q=w1&fields_type=x",
    "q=w1&bm25_form=x", "q=w1&scorer=qld&bm25_form=pisa", "q=%ff", "q=w1&query_fields=none",
]
WRONG_BODIES = [
    b'{"q": 3}', b'{"q": "w1", "k": "3"}', b'{"q": "w1", "k": 3.0}', b'{"q": "w1", "k": true}',
    b'{"q": "w1", "count": 1}', b'{"q": "w1", "q": "w2"}', b"[]", b"3", b"{", b'{"q": "w1"} x',
    b'{"q": "w1", "k1": NaN}', b'{"q": "w1", "b": "0.5"}', b'{"q": "\xff"}', b'{"q": null}',
    b'{"q": "w1", "k1": 1e999}', b'{"q": "w1", "k": 99999999999999999999}', b"[" * 100 + b"]" * 100,
    b'{"q": "\\ud800"}', b'{"query": {"no": 1}}', b'{"q": "w1\x00"}',
]


def test_refusals_are_those_of_one_index(start: Start, one: int) -> None:
    served = start()
    asked: list[tuple[str, str, bytes | None, dict[str, str]]] = [
        ("GET", "/v1/one/search?" + each, None, {}) for each in WRONG_ADDRESSES]
    asked += [("POST", "/v1/one/search", each, JSON) for each in WRONG_BODIES]
    asked += [
        ("GET", "/v1/two/search?q=w1", None, {}), ("DELETE", "/v1/one/search", None, {}),
        ("POST", "/v1/one/search", b"{}", {}), ("POST", "/v1/one/search", b"{}", LINES),
        ("POST", "/v1/one/search/batch", b"{}", {"Content-Type": "text/plain"}),
        ("POST", "/v1/one/search?k=3", b"{}", JSON),
        ("GET", "/healthz?x=1", None, {}), ("GET", "/v1?x=1", None, {}),
        ("GET", "/v1/one/search?q=w1", None, {"Host": "evil.example"}),
        ("GET", "/v1/one/search?q=w1", None, {"Origin": "http://evil.example"}),
        ("GET", "/healthz", None, {"Host": "evil.example"}),
    ]
    for each in asked:
        mine, its = ask(served.port, *each), ask(one, *each)
        assert mine[0] == its[0] >= 400, (each, mine, its)
        assert json.loads(mine[1])["error"]["type"] == json.loads(its[1])["error"]["type"], each
    for path in ("/healthz", "/readyz"):
        assert ask(served.port, "GET", path) == ask(one, "GET", path)
        assert ask(served.port, "HEAD", path) == (200, b"")


def test_what_is_not_for_clusters(start: Start) -> None:
    served = start(search_time=0.5)
    for name in ("vector", "facets", "sort", "fields", "snippets", "explain", "synonyms"):
        status, body = ask(served.port, "GET", f"/v1/one/search?q=w1&{name}=x")
        assert status == 400 and f"'{name}' is not for clusters" in body.decode()
    status, body = ask(served.port, "PUT", "/v1/one/documents/1", b"{}", JSON)
    assert status == 404
    status, body = ask(served.port, "GET", "/v1/one")
    assert json.loads(body)["documents"] == 600 and json.loads(body)["commit"] == 1
    whole = json.loads(ask(served.port, "GET", "/v1/one/search?q=w0+w1&k=600")[1])
    served.replicas.dead = {(1, 0), (1, 1)}
    status, body = ask(served.port, "GET", "/v1/one/search?q=w0+w1")
    assert status == 503 and "part 1" in json.loads(body)["error"]["reason"]
    assert ask(served.port, "GET", "/readyz")[0] == 503
    status, body = ask(served.port, "GET", "/v1/one/search?q=w0+w1&partial=true&k=600")
    found = json.loads(body)
    assert status == 200 and not found["complete"] and not found["matches_exact"]
    assert [each["part"] for each in found["coverage"]["missing"]] == [1]
    best = {hit["document"]: hit["score"] for hit in whole["hits"]}
    there = {hit["document"] for hit in found["hits"]}
    assert there and all(best[hit["document"]] == hit["score"] for hit in found["hits"])
    assert all(score <= found["max_missing_score"] for document, score in best.items()
               if document not in there)
    text = ask(served.port, "GET", "/metrics")[1].decode()
    assert 'warpdex_requests_total{method="GET",route="/v1/{index}/search",status="5xx"} 1' in text
    assert "warpdex_index_documents" not in text  # a part does not answer
