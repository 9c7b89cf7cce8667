"""Documents over HTTP: put, read, removed, in bulk; indexes made and removed; commits, merges,
snapshots.
Run as: documents_test.py SOURCE_FOLDER WARPDEX"""

import json
import tempfile
import threading
import urllib.parse
from pathlib import Path

import serving

OPERATIONS = 300


def lines(items):
    return "".join(json.dumps(item) + "\n" for item in items)


class Documents(serving.ServerTest):
    @classmethod
    def setUpClass(cls):
        cls.copies = tempfile.TemporaryDirectory()
        cls.options = ("--snapshots", cls.copies.name)
        super().setUpClass()

    @classmethod
    def tearDownClass(cls):
        super().tearDownClass()
        cls.copies.cleanup()

    def bulk(self, index, items, query="", **headers):
        body = items if isinstance(items, (str, bytes)) else lines(items)
        return self.ask("POST", f"/v1/{index}/bulk{query}", body,
                        headers={"Content-Type": "application/x-ndjson", **headers})

    def make(self, name, **settings):
        answer = self.ask("PUT", f"/v1/{name}", {"analyzer": "whitespace", "store": ["body"],
                                                 **settings})
        self.assertEqual(201, answer.status, answer.body)

    def found(self, index, query):
        answer = self.get(f"/v1/{index}/search?q={query}&k=10000")
        return {hit["document"] for hit in answer.json()["hits"]}

    def test_a_document_comes_back(self):
        for text in self.random.sample(self.texts, 20):
            answer = self.get(f"/v1/texts/documents/{text['id']}")
            self.assertEqual(200, answer.status)
            told = answer.json()
            self.assertEqual(text["id"], told["document"])
            self.assertEqual({"title": text["title"], "body": text["body"]}, told["fields"])
            self.assertEqual(len(text["title"].split()) + len(text["body"].split()),
                             told["length"])
        self.assertEqual(404, self.get("/v1/texts/documents/none").status)
        self.assertEqual(404, self.get("/v1/none/documents/d1").status)

    def test_texts_with_backslashes_come_back(self):
        self.ask("PUT", "/v1/slashes", {"store": ["path"],
                                        "schema": {"fields": {"path": {"type": "keyword"}}}})
        path, name = "C:\\xampp\\x41 <b>", "a\\x41"
        told = self.ask("PUT", f"/v1/slashes/documents/{urllib.parse.quote(name)}?commit=true",
                        {"text": path, "fields": {"path": path}, "values": {"path": path}})
        self.assertEqual(201, told.status, told.body)
        told = self.get(f"/v1/slashes/documents/{urllib.parse.quote(name)}").json()
        self.assertEqual((name, path), (told["document"], told["fields"]["path"]))
        told = self.ask("POST", "/v1/slashes/search", {"q": "xampp", "fields": "path",
                                                       "facets": ["path"]}).json()
        self.assertEqual((name, path), (told["hits"][0]["document"], told["hits"][0]["fields"]["path"]))
        value = told["facets"]["path"]["top"][0]["value"]
        self.assertEqual(path, value)
        told = self.ask("POST", "/v1/slashes/search", {"query": {"term": {"path": value}},
                                                       "sort": ["path:desc"]}).json()
        self.assertEqual([name], [hit["document"] for hit in told["hits"]])

    def test_random_changes_are_those_of_a_map(self):
        self.make("living")
        kept = {}
        choose = self.random
        for number in range(OPERATIONS):
            name = f"d {number % 40}/x".replace(" ", "-")
            path = "/v1/living/documents/" + name.replace("/", "%2F")
            if choose.random() < 0.3:
                answer = self.ask("DELETE", path)
                self.assertEqual(200 if name in kept else 404, answer.status)
                kept.pop(name, None)
            elif choose.random() < 0.5:
                text = serving.words(choose, 5)
                answer = self.ask("PUT", path, {"text": text, "fields": {"body": text}})
                self.assertEqual(200 if name in kept else 201, answer.status, answer.body)
                self.assertEqual("updated" if name in kept else "created",
                                 answer.json()["result"])
                kept[name] = text
            else:
                self.change_many(choose, kept)
            if choose.random() < 0.1:
                self.assertEqual(200, self.ask("POST", "/v1/living/commit").status)
                self.check("living", kept)
        self.assertEqual(200, self.ask("POST", "/v1/living/merge?all=true").status)
        self.check("living", kept)
        self.assertEqual(1 if kept else 0, self.get("/v1/living").json()["segments"])

    def change_many(self, choose, kept):
        items, wanted = [], []
        for _ in range(choose.randint(1, 8)):
            name = f"d-{choose.randrange(40)}/x"
            text = serving.words(choose, 4)
            document = {"id": name, "text": text, "fields": {"body": text}}
            action = choose.choice(["put", "add", "delete"])
            if action == "delete":
                items.append({"delete": {"id": name}})
                wanted.append(200 if name in kept else 404)
                kept.pop(name, None)
            else:
                items.append({action: document})
                is_refused = action == "add" and name in kept
                wanted.append(409 if is_refused else 200 if name in kept else 201)
                if not is_refused:
                    kept[name] = text
        answer = self.bulk("living", items)
        self.assertEqual(200, answer.status, answer.body)
        told = answer.json()
        self.assertEqual(wanted, [item["status"] for item in told["items"]])
        self.assertEqual(sum(status >= 400 for status in wanted), told["failed"])

    def check(self, index, kept):
        self.assertEqual(len(kept), self.get(f"/v1/{index}").json()["documents"])
        for word in self.random.sample(serving.WORDS, 8):
            self.assertEqual({name for name, text in kept.items() if word in text.split()},
                             self.found(index, word))
        for name, text in list(kept.items())[:5]:
            told = self.get(f"/v1/{index}/documents/{name.replace('/', '%2F')}").json()
            self.assertEqual({"body": text}, told["fields"])

    def test_changes_are_seen_by_the_commit_that_was_asked_for(self):
        self.make("seen")
        self.ask("PUT", "/v1/seen/documents/a", {"text": "alpha"})
        self.assertEqual(set(), self.found("seen", "alpha"))
        self.assertEqual(1, self.get("/v1/seen").json()["uncommitted_changes"])
        answer = self.ask("PUT", "/v1/seen/documents/b?commit=true", {"text": "alpha"})
        self.assertEqual({"a", "b"}, self.found("seen", "alpha"))
        self.assertEqual(answer.json()["commit"], self.get("/v1/seen").json()["commit"])
        self.bulk("seen", [{"delete": {"id": "a"}}], "?commit")
        self.assertEqual({"b"}, self.found("seen", "alpha"))
        self.assertEqual(0, self.get("/v1/seen").json()["uncommitted_changes"])

    def test_changes_of_many_clients_are_all_kept(self):
        self.make("many")
        told = []

        def write(client_number):
            client = self.server.connect()
            for number in range(25):
                answer = self.ask("PUT", f"/v1/many/documents/c{client_number}-{number}",
                                  {"text": "all"}, connection=client)
                told.append(answer.status)
            client.close()
        clients = [threading.Thread(target=write, args=(number,)) for number in range(8)]
        for client in clients:
            client.start()
        for client in clients:
            client.join()
        self.assertEqual([201] * 200, told)
        self.ask("POST", "/v1/many/commit")
        self.assertEqual({f"c{client}-{number}" for client in range(8) for number in range(25)},
                         self.found("many", "all"))

    def test_a_bulk_that_is_none_changes_nothing(self):
        self.make("whole")
        good = {"put": {"id": "a", "text": "alpha"}}
        for bad, named in (('{"put": {"id": "b", "text": 3}}', "text"), ('{"put": {}}', "id"),
                           ('{"put": {"id": "b", "txt": ""}}', "txt"), ("{", "JSON"),
                           ('{"index": {"id": "b"}}', "index"), ("[]", "line 2"),
                           ('{"delete": {"id": "a", "x": 1}}', "x"), ('{"delete": "a"}', "object"),
                           ('{"put": {"id": "b"}, "add": {"id": "c"}}', "line 2"),
                           ('{"put": {"id": "b", "fields": {"body": 1}}}', "body")):
            answer = self.bulk("whole", json.dumps(good) + "\n" + bad + "\n")
            self.assertEqual(400, answer.status, bad)
            self.assertIn(named, answer.reason(), bad)
            self.assertIn("line 2", answer.reason(), bad)
        self.assertEqual(0, self.get("/v1/whole").json()["uncommitted_changes"])

    def test_vectors_in_lists_and_all_of_them_compared(self):
        count = 4200
        rows = [[self.random.gauss(0, 1) for _ in range(4)] for _ in range(count)]
        lists = {"kind": "ivf-pq", "lists": 20, "pq_bytes": 2, "seed": 3}
        for name, kind in (("listed", lists), ("compared", "flat")):
            self.make(name, vectors={"dimension": 4, "metric": "l2", "index": kind})
            told = self.bulk(name, [{"put": {"id": f"d{i}", "text": "alpha", "vector": row}}
                                    for i, row in enumerate(rows)], "?commit").json()
            self.assertEqual(0, told["failed"])
        self.assertEqual("ivf-pq", self.get("/v1/listed").json()["vectors"]["index"])
        self.assertNotIn("index", self.get("/v1/compared").json()["vectors"])

        def nearest(name, **members):
            body = {"vector": rows[7], "k": 300, **members}
            return self.ask("POST", f"/v1/{name}/search", body).json()["hits"]

        for words in ({}, {"q": "alpha", "fusion": "neighbors"}):
            self.assertEqual(nearest("compared", **words),
                             nearest("listed", probes=20, refine=count, **words))
        self.assertNotEqual(nearest("compared"), nearest("listed", probes=1))
        for body, named in (({"q": "alpha", "probes": 3}, "probes"),
                            ({"vector": rows[7], "probes": 0}, "probes"),
                            ({"q": "alpha", "vector": rows[7], "fusion": "filter", "refine": 3},
                             "refine")):
            answer = self.ask("POST", "/v1/listed/search", body)
            self.assertEqual(400, answer.status, body)
            self.assertIn(named, answer.reason())
        for kind, named in (("trees", "trees"), ({"kind": "ivf-pq", "pq_bytes": 5}, "4 bytes"),
                            ({"kind": "ivf-pq", "lists": 3, "x": 1}, "'x'")):
            answer = self.ask("PUT", "/v1/refused", {"vectors": {"dimension": 4, "index": kind}})
            self.assertEqual(400, answer.status, answer.body)
            self.assertIn(named, answer.reason())

    def test_documents_that_the_index_refuses(self):
        self.make("refusing", vectors={"dimension": 3})
        for document, named in (({"id": "a b", "vector": [1, 2, 3]}, "white space"),
                                ({"id": "", "vector": [1, 2, 3]}, "id"),
                                ({"id": "a", "vector": [1, 2]}, "components"),
                                ({"id": "a", "text": "b"}, "has no vector"),
                                ({"id": "a", "vector": [1, 2, 3], "fields": {"no": "x"}}, "'no'"),
                                ({"id": "a", "vector": [1, 2, 3], "weights": {"x": 1}}, "weights"),
                                ({"id": "a", "vector": [1, 2, 3], "text": "a\0b"}, "NUL")):
            told = self.bulk("refusing", [{"put": document}]).json()
            self.assertEqual(1, told["failed"], document)
            self.assertEqual(400, told["items"][0]["status"])
            self.assertIn(named, told["items"][0]["reason"])
            self.assertNotIn(str(self.root), told["items"][0]["reason"])
        answer = self.ask("PUT", "/v1/refusing/documents/a?commit",
                          {"text": "alpha", "vector": [1, 0.5, 3]})
        self.assertEqual(201, answer.status)
        told = self.get("/v1/refusing/documents/a?vector=true").json()
        self.assertEqual([1, 0.5, 3], told["vector"])
        both = self.ask("POST", "/v1/refusing/search",
                        {"q": "alpha", "vector": [1, 0, 0], "fusion": "convex"}).json()
        self.assertEqual(["a"], [hit["document"] for hit in both["hits"]])

    def test_weights_that_no_commit_could_take_are_refused_at_once(self):
        self.assertEqual(201, self.ask("PUT", "/v1/weights", {"weighted": True}).status)
        for weights, named in (({"": 1}, "empty term"), ({"x": 0}, "above 0"),
                               ({"x": 1.5}, "whole number"), ({"x": 256}, "whole number")):
            answer = self.ask("PUT", "/v1/weights/documents/2", {"weights": weights})
            self.assertEqual(400, answer.status, weights)
            self.assertIn(named, answer.reason())
        answer = self.ask("PUT", "/v1/weights/documents/3?commit=true", {"weights": {"x": 1}})
        self.assertEqual(201, answer.status, answer.body)
        self.assertEqual(404, self.get("/v1/weights/documents/2").status)

    def test_indexes_are_made_and_removed(self):
        for name in ("..", "a%2Fb", "A", "_a", "v1", "", "%00", "x" * 201, "-a", ".a", "a%20b"):
            self.assertIn(self.ask("PUT", f"/v1/{name}", {}).status, (400, 404, 405), name)
        self.make("made")
        self.assertEqual(409, self.ask("PUT", "/v1/made", {}).status)
        self.assertEqual(400, self.ask("PUT", "/v1/other", {"analyser": "x"}).status)
        self.assertEqual(400, self.ask("PUT", "/v1/other", {"analyzer": "x"}).status)
        self.assertIn("analyzer,", self.ask("PUT", "/v1/other", {"analyser": "x"}).reason())
        answer = self.ask("PUT", "/v1/texts/documents/a%20b", {"text": "x"})
        self.assertRegex(answer.reason(), "^the document: the id 'a b' holds white space")
        self.assertTrue((self.root / "made").exists())
        self.ask("PUT", "/v1/made/documents/a", {"text": "alpha"})
        self.assertEqual(200, self.ask("DELETE", "/v1/made").status)
        self.assertFalse((self.root / "made").exists())
        self.assertEqual([], [path for path in self.root.iterdir() if "made" in path.name])
        self.assertEqual(404, self.ask("DELETE", "/v1/made").status)
        self.assertEqual(404, self.get("/v1/made").status)
        self.make("made")
        self.assertEqual(0, self.get("/v1/made").json()["documents"])

    def test_a_snapshot_stays_as_it_was(self):
        self.make("copied")
        self.ask("PUT", "/v1/copied/documents/a?commit", {"text": "alpha"})
        self.ask("PUT", "/v1/copied/documents/b", {"text": "alpha"})  # in the journal alone
        answer = self.ask("POST", "/v1/copied/snapshot")
        self.assertEqual(201, answer.status, answer.body)
        copy = Path(self.copies.name) / answer.json()["snapshot"]
        self.assertEqual(409, self.ask("POST", "/v1/copied/snapshot").status)
        self.ask("DELETE", "/v1/copied/documents/a?commit")
        self.ask("POST", "/v1/copied/merge?all")
        serving.program("verify", copy)
        told = json.loads(serving.program("search", copy, "--output-format", "json", "alpha"))
        self.assertEqual(["a"], [hit["document"] for hit in told["queries"][0]["hits"]])

    def test_a_second_server_only_reads_and_follows(self):
        self.make("shared")
        self.ask("PUT", "/v1/shared/documents/a?commit", {"text": "alpha"})
        second = serving.Served(self.root)
        try:
            answer = second.ask("PUT", "/v1/shared/documents/b", {"text": "alpha"})
            self.assertEqual(409, answer.status)
            self.assertEqual("locked", answer.json()["error"]["type"])
            self.assertEqual(409, second.ask("DELETE", "/v1/shared").status)
            self.ask("PUT", "/v1/shared/documents/b?commit", {"text": "alpha"})
            self.assertTrue(second.ask("POST", "/v1/shared/refresh").json()["is_new"]
                            or len(second.get("/v1/shared/search?q=alpha").json()["hits"]) == 2)
            self.assertEqual(2, len(second.get("/v1/shared/search?q=alpha").json()["hits"]))
        finally:
            self.assertEqual(0, second.end())


if __name__ == "__main__":
    serving.run()
