"""What schemathesis, started by schema_test.py, is told of the server: names that are there, bodies
of lines, keys. Writes "METHOD PATH STATUS" of each answer into the file $WARPDEX_ANSWERS."""

import json
import os
import random

import jsonschema_rs
import schemathesis
from schemathesis.core.parameters import ParameterLocation

INDEXES = ["texts", "texts", "living", "points"]
# Members of a search that go together, whatever their values; "*": all.
TOGETHER = ["q k count query_syntax id", "q from snippet_bytes explain deadline", "q scorer",
            "q fields snippets", "q k1 b bm25_form", "vector k", "q vector fusion", "*", "*"]
KEYS = json.loads(os.environ["WARPDEX_KEYS"])  # (header, value); of no key, none
OPEN = ["/healthz", "/readyz", "/openapi.json"]  # without a key
RANDOM = random.Random(os.environ["WARPDEX_SEED"])
MADE = []  # indexes that are there to be removed
DOCUMENT = "/v1/{index}/documents/{id}"
LINES = "application/x-ndjson"
answers = open(os.environ["WARPDEX_ANSWERS"], "w", buffering=1)


@schemathesis.serializer(LINES)
def as_line(context, value):
    return value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n"


@schemathesis.hook
def before_call(context, case, kwargs):
    """Three of four requests go to what is there. Each has a key, where there are some."""
    choice = RANDOM.randrange(10**6)
    name_is_wrong = case.meta is not None and case.meta.is_negative_at(ParameterLocation.PATH)
    if case.path_parameters and not name_is_wrong and choice % 4 > 0:
        place(case, choice // 4)
        narrow(case, choice // 4)
    if KEYS:
        for name in ("Authorization", "X-API-Key"):
            case.headers.pop(name, None)
        name, key = RANDOM.choice(KEYS)
        if name:
            case.headers[name] = key


def place(case, choice):
    path, method = case.path, case.method.upper()
    if path == "/v1/{index}" and method == "DELETE":
        if MADE:
            case.path_parameters["index"] = MADE.pop()
    elif path == "/v1/{index}/nearest":
        case.path_parameters["index"] = "points"
    elif not (path == "/v1/{index}" and method == "PUT"):
        case.path_parameters["index"] = INDEXES[choice % 4]
    if path == DOCUMENT and choice % 3 > 0:
        case.path_parameters["id"] = f"d{choice % 150}"


def narrow(case, choice):
    """Leaves members to a right body or address that can stand together, and gives them what an
    index has."""
    by_address = case.path == "/v1/{index}/search" and case.method.upper() == "GET"
    place = ParameterLocation.QUERY if by_address else ParameterLocation.BODY
    members = case.query if by_address else case.body
    if case.meta is None or case.meta.is_negative_at(place) or not isinstance(members, dict):
        return
    if case.path == "/v1/{index}/nearest":
        one, many = {"vector": [choice], "k": 1 + choice % 5}, {"vectors": [[1], [2]]}
        case.body = one if choice % 2 else many
    elif case.path == DOCUMENT and case.method.upper() == "PUT" and choice % 2:
        case.body = {"text": members.get("text", "w1")}
        case.path_parameters["index"] = "texts"
    elif case.path in ("/v1/{index}/search", "/v1/{index}/search/batch"):
        narrow_search(case, members, by_address, TOGETHER[choice % len(TOGETHER)])


def narrow_search(case, members, by_address, kept):
    if kept == "*":
        return
    names = kept.split()
    known = {"vector": "1.5", "fields": "body"} if by_address else {"vector": [1.5],
                                                                    "fields": ["body"]}
    narrowed = {name: members[name] for name in names if name in members}
    narrowed |= {name: known[name] for name in names if name in known}
    if "q" in names:
        narrowed["q"] = members.get("q") or "w1 w2"
    if "vector" in names:
        case.path_parameters["index"] = "living"
    if by_address:
        case.query = narrowed
    else:
        case.body = narrowed


@schemathesis.hook
def after_call(context, case, response):
    method = case.method.upper()
    answers.write(f"{method} {case.path} {response.status_code}\n")
    if (method, case.path, response.status_code) == ("PUT", "/v1/{index}", 201):
        MADE.append(response.json()["name"])


@schemathesis.hook
def filter_failure(context, failure, case, response):
    """What schemathesis takes for wrong, and is not."""
    kind, status = type(failure).__name__, response.status_code
    if kind == "AcceptedNegativeData":  # a wrong line has an error of its own; each text is a word
        is_told = case.path == "/v1/{index}/search/batch" and b'{"error":' in response.content
        return not (is_told or case.path == "/v1/{index}/similar")
    # Keys are asked for before methods.
    return not (kind == "UnsupportedMethodResponse" and KEYS and status in (401, 403))


@schemathesis.check
def each_line_conforms(context, response, case):
    if response.status_code != 200 or not response.headers["content-type"][0].startswith(LINES):
        return
    whole = case.operation.schema.raw_schema
    stated = whole["paths"][case.path][case.method.lower()]["responses"]["200"]["content"]
    validator = jsonschema_rs.validator_for({**stated[LINES]["schema"],
                                             "components": whole["components"]})
    for line in response.content.splitlines():
        error = next(validator.iter_errors(json.loads(line)), None)
        assert error is None, f"{line}: {error}"


@schemathesis.check
def keys_are_needed(context, response, case):
    if not KEYS or case.path in OPEN or not 200 <= response.status_code < 300:
        return
    sent = response.request.headers
    key = sent.get("X-API-Key") or sent.get("Authorization", "").removeprefix("Bearer ")
    assert key.startswith("admin-") or key.startswith("read-") and case.method.upper() in (
        "GET", "POST"), key
