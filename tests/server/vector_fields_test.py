"""Vectors by name over HTTP: what /v1 and the OpenSearch subset find is what a plain comparison of
all vectors finds. Run as: vector_fields_test.py SOURCE_FOLDER WARPDEX"""

import json

import serving

COUNT, K = 60, 7
DIMENSIONS = {"title_vec": 3, "body_vec": 5}
PROPERTIES = {"body": {"type": "text", "analyzer": "whitespace"}, "year": {"type": "integer"},
              "title_vec": {"type": "knn_vector", "dimension": 3, "space_type": "l2"},
              "body_vec": {"type": "knn_vector", "dimension": 5, "space_type": "innerproduct"}}
SCHEMA = {"fields": {"year": {"type": "int"},
                     "title_vec": {"type": "vector", "dimension": 3, "metric": "l2"},
                     "body_vec": {"type": "vector", "dimension": 5, "metric": "ip"}}}


def nearness(field, row, query):
    """A smaller one is nearer. Whole numbers: sums are exact."""
    if field == "title_vec":
        return sum((a - b) ** 2 for a, b in zip(row, query))
    return -sum(a * b for a, b in zip(row, query))


class VectorFields(serving.ServerTest):
    def row(self, field):
        return [self.random.randrange(-50, 50) for _ in range(DIMENSIONS[field])]

    def document(self, year):
        return {"body": serving.words(self.random, 4), "year": year,
                **{field: self.row(field) for field in DIMENSIONS}}

    def nearest(self, documents, field, query, count=K):
        """Ids by a loop over all documents, those of one nearness by id."""
        return sorted(documents, key=lambda id: (nearness(field, documents[id][field], query), id))[:count]

    def told(self, method, target, body=None, status=200):
        answer = self.ask(method, target, body)
        self.assertEqual(status, answer.status, answer.body)
        return answer.json()

    def check(self, documents, found, field, query):
        """The nearest; equally near ones may come in any order."""
        wanted = self.nearest(documents, field, query, len(found))
        self.assertEqual([nearness(field, documents[id][field], query) for id in wanted],
                         [nearness(field, documents[id][field], query) for id in found])

    def test_opensearch(self):
        self.told("PUT", "/named", {"mappings": {"properties": PROPERTIES},
                                    "settings": {"index.knn": True}})
        documents = {f"d{i:02}": self.document(1990 + i % 10) for i in range(COUNT)}
        lines = "".join(json.dumps({"index": {"_id": id}}) + "\n" + json.dumps(document) + "\n"
                        for id, document in documents.items())
        told = self.ask("POST", "/named/_bulk?refresh=true", lines,
                        headers={"Content-Type": "application/x-ndjson"}).json()
        self.assertFalse(told["errors"], told)
        mapping = self.told("GET", "/named/_mapping")["named"]["mappings"]
        for field in DIMENSIONS:
            self.assertEqual(PROPERTIES[field], mapping["properties"][field])
        self.assertEqual({"title_vec", "body_vec"}, set(mapping["_source"]["excludes"]) - {"body"})

        def knn(field, query, **more):
            hits = self.told("POST", "/named/_search", {"size": K, "query": {
                "knn": {field: {"vector": query, "k": K, **more}}}})["hits"]["hits"]
            return [hit["_id"] for hit in hits]

        for field in DIMENSIONS:
            query = self.row(field)
            found = knn(field, query)
            self.assertEqual(K, len(found))
            self.check(documents, found, field, query)
            some = {id: each for id, each in documents.items() if each["year"] < 1993}
            self.check(some, knn(field, query, filter={"range": {"year": {"lt": 1993}}}), field, query)
        changed = self.row("body_vec")
        self.told("POST", "/named/_update/d07?refresh=true", {"doc": {"body_vec": changed}})
        documents["d07"]["body_vec"] = changed
        self.told("DELETE", "/named/_doc/d08?refresh=true")
        del documents["d08"]
        for field in DIMENSIONS:
            query = documents["d07"][field]
            self.check(documents, knn(field, query), field, query)
        word = documents["d07"]["body"].split()[0]
        hits = self.told("POST", "/named/_search", {"size": 1, "query": {"hybrid": {"queries": [
            {"match": {"body": word}},
            {"knn": {"title_vec": {"vector": documents["d07"]["title_vec"], "k": 20}}}]}}})
        self.assertEqual(1, len(hits["hits"]["hits"]))
        self.told("DELETE", "/named")

    def test_opensearch_refuses(self):
        self.told("PUT", "/named", {"mappings": {"properties": PROPERTIES}})
        for body, named in (({"knn": {"vec": {"vector": [1], "k": 3}}}, "'title_vec', 'body_vec'"),
                            ({"knn": {"title_vec": {"vector": [1], "k": 3}}}, "have 3")):
            answer = self.ask("POST", "/named/_search", {"query": body})
            self.assertEqual(400, answer.status)
            self.assertIn(named, answer.reason())
        whole = self.document(1990)
        for change, named in (({"title_vec": None}, "no vector 'title_vec'"),
                              ({"title_vec": [1, 2]}, "'title_vec' of 2 components"),
                              ({"title_vec": "x"}, "[title_vec]"), ({"other": [1]}, "[other]")):
            answer = self.ask("PUT", "/named/_doc/x", {**whole, **change})
            self.assertEqual(400, answer.status, answer.body)
            self.assertIn(named, answer.reason())
        self.told("DELETE", "/named")

    def test_v1(self):
        self.told("PUT", "/v1/ours", {"analyzer": "whitespace", "schema": SCHEMA}, 201)
        documents = {f"d{i:02}": self.document(1990 + i % 10) for i in range(COUNT)}
        puts = "".join(json.dumps({"put": {
            "id": id, "text": each["body"], "values": {"year": each["year"]},
            "vectors": {field: each[field] for field in DIMENSIONS}}}) + "\n"
            for id, each in documents.items())
        answer = self.ask("POST", "/v1/ours/bulk?commit=true", puts,
                          headers={"Content-Type": "application/x-ndjson"})
        self.assertEqual(200, answer.status, answer.body)
        self.assertEqual({"created"}, {item["result"] for item in answer.json()["items"]})
        for field in DIMENSIONS:
            query = self.row(field)
            hits = self.told("POST", "/v1/ours/search",
                             {"vector": query, "vector_field": field, "k": K})["hits"]
            self.assertEqual(K, len(hits))
            self.check(documents, [hit["document"] for hit in hits], field, query)
        shown = self.told("GET", "/v1/ours/documents/d03?vector=true")
        self.assertEqual({field: documents["d03"][field] for field in DIMENSIONS}, shown["vectors"])
        self.assertNotIn("vector", shown)
        schema = self.told("GET", "/v1/ours")["schema"]["fields"]
        self.assertEqual(3, schema["title_vec"]["dimension"])
        for body, named in (({"vector": [1, 2, 3]}, "'title_vec', 'body_vec'; name one"),
                            ({"vector": [1, 2, 3], "vector_field": "x"}, "none called 'x'"),
                            ({"vector": [1, 2, 3], "vector_field": "body_vec"}, "have 5"),
                            ({"q": "w1", "vector_field": "body_vec"}, "'vector_field'")):
            answer = self.ask("POST", "/v1/ours/search", body)
            self.assertEqual(400, answer.status, answer.body)
            self.assertIn(named, answer.reason())
        for vectors, named in (({"title_vec": [1, 2, 3]}, "no vector 'body_vec'"),
                               ({"title_vec": "x"}, "'title_vec'"), ([1], "no object of vectors")):
            answer = self.ask("PUT", "/v1/ours/documents/x", {"text": "w1", "vectors": vectors})
            self.assertEqual(400, answer.status, answer.body)
            self.assertIn(named, answer.reason())
        self.told("DELETE", "/v1/ours")


if __name__ == "__main__":
    serving.run()
