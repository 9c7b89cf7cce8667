"""Text fields over HTTP: what /v1 and the OpenSearch subset find is what the program finds.
Run as: fields_test.py SOURCE_FOLDER WARPDEX"""

import json
import struct
import urllib.parse

import serving

SCHEMA = {"fields": {"title": {"type": "text", "weight": 2}, "body": {"type": "text"}}}
ROUNDS = 20


def as_float(number):
    """The float that a number stands for."""
    return struct.unpack("f", struct.pack("f", number))[0]


class Fields(serving.ServerTest):
    def make(self, name, texts):
        """The same documents through /v1, and in an index of the program beside the server."""
        answer = self.ask("PUT", f"/v1/{name}", {"analyzer": "whitespace", "store": ["title"],
                                                 "schema": SCHEMA})
        self.assertEqual(201, answer.status, answer.body)
        puts = "".join(json.dumps({"put": {"id": text["id"], "fields": {
            "title": text["title"], "body": text["body"]}}}) + "\n" for text in texts)
        answer = self.ask("POST", f"/v1/{name}/bulk?commit=true", puts,
                          headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual(200, answer.status, answer.body)
        folder = self.root.parent / f"{self.root.name}-{name}"
        schema = folder.with_suffix(".json")
        schema.write_text(json.dumps(SCHEMA), encoding="utf-8")
        lines = "".join(json.dumps(text) + "\n" for text in texts)
        serving.program("index", "--input", "-", "--format", "jsonl", "--schema", schema,
                        "--analyzer", "whitespace", "--output", folder, "--quiet", input=lines)
        return folder

    def told_by_program(self, folder, query, *options):
        text = serving.program("search", folder, query, "--query-syntax", "lucene",
                               "--output-format", "json", *options)
        hits = json.loads(text)["queries"][0]["hits"]
        return [(hit["document"], as_float(hit["score"])) for hit in hits]

    def told_by_v1(self, name, **parameters):
        answer = self.get(f"/v1/{name}/search?" + urllib.parse.urlencode(parameters))
        self.assertEqual(200, answer.status, answer.body)
        return [(hit["document"], as_float(hit["score"])) for hit in answer.json()["hits"]]

    def told_by_opensearch(self, name, query):
        answer = self.ask("POST", f"/{name}/_search", {"query": query, "size": 10})
        self.assertEqual(200, answer.status, answer.body)
        return [(hit["_id"], as_float(hit["_score"])) for hit in answer.json()["hits"]["hits"]]

    def test_each_face_finds_the_same(self):
        folder = self.make("apart", serving.documents(self.random, 300))
        for number in range(ROUNDS):
            word, other = (self.random.choice(serving.WORDS[:30]) for _ in range(2))
            wanted = {query: self.told_by_program(folder, query, *options)
                      for query, *options in ((f"title:{word}",), (f"{word} body:{other}",))}
            with self.subTest(number=number, word=word, other=other):
                for query, hits in wanted.items():
                    self.assertEqual(hits, self.told_by_v1("apart", q=query, query_syntax="lucene"))
                self.assertEqual(wanted[f"title:{word}"],
                                 self.told_by_opensearch("apart", {"match": {"title": word}}))
                self.assertEqual(wanted[f"title:{word}"],
                                 self.told_by_opensearch("apart", {"term": {"title": word}}))
                for kind in ("most_fields", "best_fields", "combined_fields", "cross_fields"):
                    hits = self.told_by_program(folder, word, "--query-fields", "title^3,body",
                                                "--fields-type", kind)
                    self.assertEqual(hits, self.told_by_v1("apart", q=word, fields_type=kind,
                                                           query_fields="title^3,body"))
                    asked = {"query": word, "fields": ["title^3", "body"]}
                    self.assertEqual(hits, self.told_by_opensearch(
                        "apart", {kind: asked} if kind == "combined_fields" else
                        {"multi_match": {**asked, "type": kind}}))
                both = self.told_by_program(folder, f"{word} {other}", "--mode", "and",
                                            "--query-fields", "title,body",
                                            "--fields-type", "best_fields")
                self.assertEqual(
                    [hit[0] for hit in both],
                    [hit[0] for hit in self.told_by_opensearch("apart", {"query_string": {
                        "query": f"{word} {other}", "default_operator": "and"}})])
                least = self.random.choice((1, 20, 200))
                either = ("--mode", "and-or", "--and-or-min", str(least))
                self.assertEqual(
                    self.told_by_program(folder, f"{word} {other}", *either),
                    self.told_by_v1("apart", q=f"{word} {other}", query_syntax="lucene",
                                    mode="and-or", and_or_min=least))
                self.assertEqual(
                    self.told_by_program(folder, word, "--query-fields", "body"),
                    self.told_by_opensearch("apart", {"query_string": {
                        "query": word, "default_field": "body"}}))

    def test_separate_fields_of_a_mapping(self):
        mapping = {"mappings": {"properties": {
            "title": {"type": "text", "analyzer": "whitespace"},
            "body": {"type": "text", "analyzer": "english"}}},
            "settings": {"index": {"separate_fields": True}}}
        self.assertEqual(200, self.ask("PUT", "/films", mapping).status)
        told = self.get("/films/_mapping").json()["films"]["mappings"]["properties"]
        self.assertEqual("whitespace", told["title"]["analyzer"])
        self.assertEqual("english", told["body"]["analyzer"])
        document = {"title": "Old Ships", "body": "They sailed old ships"}
        answer = self.ask("PUT", "/films/_doc/1?refresh=true", document)
        self.assertEqual(201, answer.status, answer.body)
        for query, count in (({"match": {"title": "Ships"}}, 1), ({"match": {"title": "ships"}}, 0),
                             ({"match": {"body": "ship"}}, 1), ({"prefix": {"title": "Sh"}}, 1),
                             ({"range": {"title": {"gte": "P"}}}, 1),
                             ({"multi_match": {"query": "Ships sailing"}}, 1)):
            with self.subTest(query=query):
                self.assertEqual(count, len(self.told_by_opensearch("films", query)))
        self.assertEqual(document, self.get("/films/_doc/1").json()["_source"])
        tokens = self.ask("POST", "/films/_analyze", {"field": "body", "text": "Ships"}).json()
        self.assertEqual("ship", tokens["tokens"][0]["token"])

    def test_positions_of_separate_fields(self):
        mapping = {"mappings": {"properties": {
            "title": {"type": "text"}, "body": {"type": "text", "index_options": "freqs"}}},
            "settings": {"index": {"separate_fields": True}}}
        self.assertEqual(200, self.ask("PUT", "/placed", mapping).status)
        for i, title in enumerate(("old ship", "ship old")):
            answer = self.ask("PUT", f"/placed/_doc/{i}?refresh=true",
                              {"title": title, "body": "old ship"})
            self.assertEqual(201, answer.status, answer.body)
        told = self.get("/v1/placed").json()
        self.assertFalse(told["positions"])
        self.assertTrue(told["schema"]["fields"]["title"]["positions"])
        phrase = {"match_phrase": {"title": "old ship"}}
        self.assertEqual(["0"], [hit[0] for hit in self.told_by_opensearch("placed", phrase)])
        answer = self.ask("POST", "/placed/_search",
                          {"query": {"match_phrase": {"body": "old ship"}}})
        self.assertEqual(400, answer.status)
        self.assertIn("the field 'body' has no positions of words (those with positions: 'title')",
                      answer.json()["error"]["reason"])

    def test_what_is_refused(self):
        self.make("apart2", serving.documents(self.random, 10))
        for query in ({"match": {"author": "w1"}},
                      {"combined_fields": {"query": "w1", "fields": ["title", "author"]}},
                      {"multi_match": {"query": "w1", "tie_breaker": 2}},
                      {"multi_match": {"query": "w1", "fields": ["title", "author"]}},
                      {"query_string": {"query": "author:w1"}}):
            with self.subTest(query=query):
                answer = self.ask("POST", "/apart2/_search", {"query": query})
                self.assertEqual(400, answer.status, answer.body)
        for parameters in ("q=w1&query_fields=author", "q=w1&fields_type=all_fields",
                           "q=author:w1&query_syntax=lucene"):
            with self.subTest(parameters=parameters):
                self.assertEqual(400, self.get(f"/v1/apart2/search?{parameters}").status)
        bad = {"schema": {"fields": {"title": {"type": "text", "analyzer": "klingon"}}}}
        self.assertEqual(400, self.ask("PUT", "/v1/bad", bad).status)


if __name__ == "__main__":
    serving.run()
