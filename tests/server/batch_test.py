"""Searches of many queries, searches by vectors, and whether answers are as openapi.json says.
Run as: batch_test.py SOURCE_FOLDER WARPDEX"""

import json
import struct
import unittest

import serving

LINES = 700
DIMENSION = 4


def write_fvecs(file, rows):
    file.write_bytes(b"".join(struct.pack(f"<i{len(row)}f", len(row), *row) for row in rows))


class Many(serving.ServerTest):
    @classmethod
    def build(cls):
        rows = [[cls.random.gauss(0, 1) for _ in range(DIMENSION)] for _ in cls.texts]
        write_fvecs(cls.root / "rows.fvecs", rows)
        (cls.root / "ids.txt").write_text("".join(text["id"] + "\n" for text in cls.texts))
        serving.build_index(cls.root / "texts", cls.texts, "--vectors", cls.root / "rows.fvecs",
                            "--vector-metric", "l2")
        serving.program("vector", "build", "--input", cls.root / "rows.fvecs", "--output", cls.root / "points",
                        "--index", "flat", "--ids", cls.root / "ids.txt", "--quiet")
        serving.program("vector", "build", "--input", cls.root / "rows.fvecs", "--output", cls.root / "lists",
                        "--index", "ivf-flat", "--lists", "8", "--quiet")
        cls.rows = rows

    def batch(self, lines, index="texts"):
        answer = self.ask("POST", f"/v1/{index}/search/batch", lines,
                          headers={"Content-Type": "application/x-ndjson"})
        return answer

    def random_search(self):
        asked = {"q": serving.words(self.random, self.random.randint(1, 4)),
                 "k": self.random.choice([1, 10, 200]), "id": str(self.random.randrange(10**9))}
        if self.random.random() < 0.3:
            asked["fields"] = ["title"]
        if self.random.random() < 0.2:
            asked["mode"] = "and"
        if self.random.random() < 0.2:
            asked["vector"] = self.random.choice(self.rows)
            asked["fusion"] = self.random.choice(["rrf", "convex", "rerank", "filter", "neighbors"])
        return asked

    def test_a_filter_in_a_query_is_of_its_words_alone(self):
        # Beside a vector the nearest are found whatever the words ask for.
        query = {"bool": {"must": {"match": {"*": "w1"}}, "filter": [{"ids": {"values": ["none"]}}]}}
        told = self.ask("POST", "/v1/texts/search", {"query": query, "vector": self.rows[0], "k": 5})
        self.assertEqual(5, len(told.json()["hits"]), told.body)
        told = self.ask("POST", "/v1/texts/search", {"query": query, "k": 5})
        self.assertEqual([], told.json()["hits"], told.body)

    def test_answers_are_those_of_single_searches_in_order(self):
        asked = [self.random_search() for _ in range(LINES)]
        answer = self.batch("".join(json.dumps(each) + "\n" for each in asked))
        self.assertEqual(200, answer.status)
        self.assertEqual("application/x-ndjson", answer.headers["Content-Type"])
        told = [json.loads(line) for line in answer.body.splitlines()]
        self.assertEqual([each["id"] for each in asked], [each["id"] for each in told])
        for number in self.random.sample(range(LINES), 60):
            single = self.ask("POST", "/v1/texts/search", asked[number]).json()
            for name in ("hits", "matches", "score_is", "complete"):
                self.assertEqual(single[name], told[number][name], asked[number])

    def test_a_bad_line_has_an_error_in_its_place(self):
        answer = self.batch('{"q": "w1"}\n{"qq": 1}\n\n{"q": "w2", "vector": [1]}\nnonsense\n'
                            '{"q": "w1"}')
        told = [json.loads(line) for line in answer.body.splitlines()]
        self.assertEqual([False, True, True, True, False], ["error" in each for each in told])
        self.assertEqual([400] * 3, [each["error"]["status"] for each in told[1:4]])
        self.assertIn("line 2", told[1]["error"]["reason"])
        self.assertIn("line 5", told[3]["error"]["reason"])
        self.assertEqual(b"", self.batch("").body)
        self.assertEqual(404, self.batch("{}", "nothing").status)
        self.assertEqual(400, self.batch("{}", "points").status)

    def test_vectors_find_what_the_program_finds(self):
        for _ in range(10):
            row = [self.random.gauss(0, 1) for _ in range(DIMENSION)]
            write_fvecs(self.root / "query.fvecs", [row])
            wanted = json.loads(serving.program(
                "search", self.root / "texts", "--vector-queries", self.root / "query.fvecs",
                "-k", "7", "--output-format", "json"))["queries"][0]
            exact = list(struct.unpack(f"<{DIMENSION}f", struct.pack(f"<{DIMENSION}f", *row)))
            told = self.ask("POST", "/v1/texts/search", {"vector": exact, "k": 7}).json()
            self.assertEqual(wanted["hits"], told["hits"])
            self.assertEqual("distance", told["score_is"])
            by_address = self.get("/v1/texts/search?k=7&vector=" + ",".join(map(repr, exact)))
            self.assertEqual(wanted["hits"], by_address.json()["hits"])

    def test_nearest_are_those_of_the_program(self):
        rows = [[self.random.gauss(0, 1) for _ in range(DIMENSION)] for _ in range(20)]
        write_fvecs(self.root / "queries.fvecs", rows)
        exact = [list(struct.unpack(f"<{DIMENSION}f", struct.pack(f"<{DIMENSION}f", *row)))
                 for row in rows]
        for index in ("points", "lists"):
            wanted = [json.loads(line) for line in serving.program(
                "vector", "search", self.root / index, "--queries", self.root / "queries.fvecs",
                "-k", "5", "--json", "-").splitlines()]
            told = self.ask("POST", f"/v1/{index}/nearest", {"vectors": exact, "k": 5})
            self.assertEqual(200, told.status, told.body)
            self.assertEqual(wanted, told.json()["queries"])
            one = self.ask("POST", f"/v1/{index}/nearest", {"vector": exact[3], "k": 5}).json()
            self.assertEqual(wanted[3]["neighbors"], one["queries"][0]["neighbors"])

    def test_nearest_among_some(self):
        among = [text["id"] for text in self.random.sample(self.texts, 9)]
        told = self.ask("POST", "/v1/points/nearest",
                        {"vector": self.rows[0], "k": 20, "among": among}).json()
        self.assertEqual(set(among), {each["id"] for each in told["queries"][0]["neighbors"]})
        told = self.ask("POST", "/v1/points/nearest",
                        {"vector": self.rows[0], "among": ["none", among[0]]}).json()
        self.assertEqual(among[:1], [each["id"] for each in told["queries"][0]["neighbors"]])
        told = self.ask("POST", "/v1/lists/nearest", {"vector": self.rows[0], "among": [5, "7"]})
        self.assertEqual({5, 7}, {each["row"] for each in told.json()["queries"][0]["neighbors"]})
        for body, named in (({"vector": [1]}, "components"), ({}, "vector"),
                            ({"vector": self.rows[0], "vectors": [self.rows[0]]}, "vector"),
                            ({"vectors": [[1, 2, 3, "a"]]}, "vectors"), ({"vectors": []}, "vectors"),
                            ({"vectors": [1]}, "components"), ({"vector": self.rows[0], "k": 0}, "k"),
                            ({"vector": self.rows[0], "probes": 3}, "probes"),
                            ({"vector": self.rows[0], "among": [1.5]}, "whole numbers")):
            answer = self.ask("POST", "/v1/points/nearest", body)
            self.assertEqual(400, answer.status, body)
            self.assertIn(named, answer.reason(), body)
        self.assertEqual(400, self.get("/v1/points/search?q=a").status)
        self.assertEqual(400, self.ask("POST", "/v1/texts/nearest", {"vector": []}).status)
        self.assertEqual(400, self.ask("POST", "/v1/points/commit").status)


class Described(serving.ServerTest):
    """What openapi.json says of the answers holds."""

    def setUp(self):
        self.described = self.get("/openapi.json").json()

    def check(self, value, schema, where):
        """That a value is of a schema, as far as such schemas go."""
        if "$ref" in schema:
            schema = self.described["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
        kinds = schema.get("type", [])
        kinds = [kinds] if isinstance(kinds, str) else kinds
        is_kind = {"object": dict, "array": list, "string": str, "boolean": bool, "integer": int,
                   "number": (int, float), "null": type(None)}
        if kinds:
            self.assertTrue(any(isinstance(value, is_kind[kind]) for kind in kinds), (where, value))
        if isinstance(value, dict) and "object" in kinds:
            self.assertLessEqual(set(schema.get("required", [])), set(value), where)
            for name, inner in value.items():
                rest = schema.get("additionalProperties", True)
                known = schema.get("properties", {})
                self.assertTrue(name in known or rest is not False, (where, name))
                inner_schema = known.get(name, rest if isinstance(rest, dict) else {})
                self.check(inner, inner_schema, f"{where}.{name}")
        if isinstance(value, list):
            for inner in value:
                self.check(inner, schema.get("items", {}), where + "[]")
        if "enum" in schema:
            self.assertIn(value, schema["enum"], where)

    def told(self, method, target, path, status=200, body=None, **headers):
        answer = self.ask(method, target, body, headers=headers)
        self.assertEqual(status, answer.status, (target, answer.body))
        responses = self.described["paths"][path][method.lower()]["responses"]
        response = responses[str(status)]
        if "$ref" in response:
            response = self.described["components"]["responses"][
                response["$ref"].rpartition("/")[2]]
        kind = answer.headers["Content-Type"].partition(";")[0]
        schema = response["content"][kind]["schema"]
        if kind == "application/json":
            self.check(answer.json(), schema, path)
        return answer

    def test_answers(self):
        ndjson = {"Content_Type": "application/x-ndjson"}
        ndjson = {name.replace("_", "-"): value for name, value in ndjson.items()}
        index, document = "/v1/{index}", "/v1/{index}/documents/{id}"
        search = index + "/search"
        for path in ("/healthz", "/readyz", "/metrics", "/openapi.json", "/v1"):
            self.told("GET", path, path)
        self.told("PUT", "/v1/new", index, 201, {"store": ["body"], "vectors": {"dimension": 2}})
        self.told("PUT", "/v1/new", index, 409, {})
        self.told("PUT", "/v1/new/documents/a", document, 201,
                  {"text": "w1", "fields": {"body": "w1"}, "vector": [1, 2]})
        self.told("PUT", "/v1/new/documents/a?commit", document, 200, {"text": "", "vector": [0, 0]})
        self.told("GET", "/v1/new/documents/a?vector", document)
        self.told("GET", "/v1/new/documents/b", document, 404)
        self.told("POST", "/v1/new/bulk?commit", index + "/bulk", 200,
                  '{"add": {"id": "a"}}\n{"put": {"id": "b", "vector": [1, 1]}}\n'
                  '{"delete": {"id": "c"}}', **ndjson)
        self.told("DELETE", "/v1/new/documents/b", document)
        self.told("POST", "/v1/new/commit", index + "/commit")
        self.told("POST", "/v1/new/merge?all=true", index + "/merge")
        self.told("POST", "/v1/new/refresh", index + "/refresh")
        self.told("POST", "/v1/new/snapshot", index + "/snapshot", 403)
        self.told("GET", "/v1/new", index)
        self.told("DELETE", "/v1/new", index)
        self.told("GET", "/v1/new", index, 404)
        options = "&fields=title,body&matches_position&explain&count"
        self.told("GET", "/v1/texts/search?q=w1" + options, search)
        self.told("GET", "/v1/texts/search?q=w0&deadline=0.001", search)
        self.told("GET", "/v1/texts/search?x=1", search, 400)
        self.told("POST", "/v1/texts/search", search, 200, {"q": "w1"})
        self.told("POST", "/v1/texts/search", search, 415, "{}", **{"Content-Type": "text/plain"})


if __name__ == "__main__":
    serving.run()
