"""Changes by OpenSearch's own client: its calls, its helpers and its exceptions.
Run as: opensearch_documents_test.py SOURCE_FOLDER WARPDEX"""

import time

import serving
from opensearch_client import MAPPING, ClientTest
import opensearchpy
from opensearchpy import helpers


class Documents(ClientTest):
    def test_indexes(self):
        self.assertFalse(self.client.indices.exists(index="made"))
        self.make("made", {"settings": {"index": {"number_of_shards": 1}},
                           "mappings": {"properties": {
                               "body": {"type": "text", "analyzer": "english"},
                               "url": {"type": "keyword", "index": False},
                               "vector": {"type": "knn_vector", "dimension": 3,
                                          "space_type": "innerproduct"}}}})
        self.assertTrue(self.client.indices.exists(index="made"))
        told = self.client.indices.get_mapping(index="made")["made"]["mappings"]
        self.assertEqual({"body": {"type": "text", "analyzer": "english"},
                          "url": {"type": "text", "index": False},
                          "vector": {"type": "knn_vector", "dimension": 3,
                                     "space_type": "innerproduct"}}, told["properties"])
        self.assertEqual(["vector"], told["_source"]["excludes"])
        self.assertEqual(told, self.client.indices.get(index="made")["made"]["mappings"])
        self.assertIn("made", [row["index"] for row in self.client.cat.indices(format="json")])
        self.assertRegex(self.client.cat.indices(index="made"),
                         r"^green +open +made +1 +0 +0 +0\n$")
        with self.assertRaises(opensearchpy.RequestError) as raised:
            self.make("made")
        self.assertEqual("resource_already_exists_exception", raised.exception.error)
        self.assertEqual({"acknowledged": True}, self.client.indices.delete(index="made"))
        with self.assertRaises(opensearchpy.NotFoundError) as raised:
            self.client.indices.delete(index="made")
        self.assertEqual("index_not_found_exception", raised.exception.error)

    def test_a_document_comes_and_goes(self):
        self.make("one")
        document = {"body": "alpha C:\\xampp \\ beta", "url": "u\\xFF"}
        told = self.client.index(index="one", id="a", body=document)
        self.assertEqual(("created", "a", "one"), (told["result"], told["_id"], told["_index"]))
        self.assertEqual("updated", self.client.index(index="one", id="a", body=document)["result"])
        with self.assertRaises(opensearchpy.ConflictError) as raised:
            self.client.create(index="one", id="a", body=document)
        self.assertEqual("version_conflict_engine_exception", raised.exception.error)
        with self.assertRaises(opensearchpy.ConflictError):
            self.client.index(index="one", id="a", body=document, op_type="create")
        with self.assertRaises(opensearchpy.NotFoundError):
            self.client.get(index="one", id="a")  # before it is committed
        self.client.indices.refresh(index="one")
        told = self.client.get(index="one", id="a")
        self.assertEqual((True, document), (told["found"], told["_source"]))
        self.assertTrue(self.client.exists(index="one", id="a"))
        self.assertEqual("deleted", self.client.delete(index="one", id="a",
                                                       refresh=True)["result"])
        self.assertFalse(self.client.exists(index="one", id="a"))
        with self.assertRaises(opensearchpy.NotFoundError) as raised:
            self.client.delete(index="one", id="a")
        self.assertEqual("not_found", raised.exception.info["result"])
        named = self.client.index(index="one", body=document, refresh="wait_for")["_id"]
        self.assertEqual(document, self.client.get(index="one", id=named)["_source"])

    def test_refreshes(self):
        self.make("seen")
        asked = {"match": {"body": "alpha"}}
        self.client.index(index="seen", id="a", body={"body": "alpha"}, refresh=False)
        self.assertEqual(set(), self.ids(asked, "seen"))
        self.client.index(index="seen", id="b", body={"body": "alpha"}, refresh="wait_for")
        self.assertEqual({"a", "b"}, self.ids(asked, "seen"))
        helpers.bulk(self.client, [{"_op_type": "delete", "_id": "a"}], index="seen",
                     refresh="true")
        self.assertEqual({"b"}, self.ids(asked, "seen"))
        self.client.delete(index="seen", id="b")
        self.client.indices.refresh()
        self.assertEqual(set(), self.ids(asked, "seen"))

    def test_bulk_helpers(self):
        self.make("bulk")
        items = [{"_id": f"b{i}", "body": f"all n{i % 7}"} for i in range(500)]
        done, errors = helpers.bulk(self.client, items, index="bulk", chunk_size=60, refresh=True)
        self.assertEqual((500, []), (done, errors))
        self.assertEqual({f"b{i}" for i in range(3, 500, 7)},
                         self.ids({"match": {"body": "n3"}}, "bulk"))
        actions = [{"_op_type": "create", "_id": "b1", "body": "x"},
                   {"_op_type": "create", "_id": "c1", "body": "x"},
                   {"_op_type": "delete", "_id": "none"},
                   {"_op_type": "update", "_id": "none", "doc": {"body": "x"}},
                   {"_op_type": "update", "_id": "b2", "doc": {"url": "u"}},
                   {"_op_type": "update", "_id": "b2", "doc": {"url": "u"}},
                   {"_op_type": "index", "_id": "b3", "body": "x", "colour": "red"},
                   {"_op_type": "index", "_id": "b 3", "body": "x"},
                   {"_op_type": "index", "_index": "none", "_id": "b3", "body": "x"}]
        told = list(helpers.streaming_bulk(self.client, actions, index="bulk",
                                           raise_on_error=False, refresh=True))
        results = [list(item.values())[0] for _, item in told]
        self.assertEqual([409, 201, 404, 404, 200, 200, 400, 400, 404],
                         [item["status"] for item in results])
        self.assertEqual(["version_conflict_engine_exception", None, None,
                          "document_missing_exception", None, None,
                          "strict_dynamic_mapping_exception", "illegal_argument_exception",
                          "index_not_found_exception"],
                         [item.get("error", {}).get("type") for item in results])
        self.assertEqual([None, "created", "not_found", None, "updated", "noop", None, None, None],
                         [item.get("result") for item in results])
        with self.assertRaises(helpers.BulkIndexError):
            helpers.bulk(self.client, actions[:1], index="bulk")

    def test_random_changes_are_those_of_a_map(self):
        self.make("living")
        kept = {}
        for number in range(60):
            actions, wanted = [], []
            for _ in range(self.random.randint(1, 12)):
                self.change(f"d{self.random.randrange(30)}", kept, actions, wanted)
            told = [list(item.values())[0]["status"] for _, item in helpers.streaming_bulk(
                self.client, actions, index="living", raise_on_error=False,
                refresh=self.random.choice(["true", "false"]))]
            self.assertEqual(wanted, told, number)
        self.client.indices.refresh(index="living")
        found = {hit["_id"]: hit["_source"] for hit in helpers.scan(self.client, index="living")}
        self.assertEqual(kept, found)
        for word in serving.WORDS[:10]:
            self.assertEqual({name for name, text in kept.items() if word in text["body"].split()},
                             self.ids({"match": {"body": word}}, "living"))

    def change(self, name, kept, actions, wanted):
        """An action on a document, and its status; `kept` is what is there after it."""
        kind = self.random.choice(["index", "create", "update", "upsert", "delete"])
        text = {"body": serving.words(self.random, 4)}
        if self.random.random() < 0.5:
            text["url"] = str(self.random.random())
        actions.append({"_id": name, "_op_type": "update" if kind == "upsert" else kind})
        if kind == "delete":
            wanted.append(200 if name in kept else 404)
            kept.pop(name, None)
        elif kind in ("update", "upsert"):
            actions[-1]["doc"] = text
            if kind == "upsert":
                actions[-1]["doc_as_upsert"] = True
            is_there = name in kept
            wanted.append(200 if is_there else 201 if kind == "upsert" else 404)
            if is_there or kind == "upsert":
                kept[name] = {**kept.get(name, {}), **text}
        else:
            actions[-1].update(text)
            is_refused = kind == "create" and name in kept
            wanted.append(409 if is_refused else 200 if name in kept else 201)
            if not is_refused:
                kept[name] = text

    def test_phrases(self):
        self.make("phrases")
        for name, text in {"a": "the old ship sails", "b": "a ship so old", "c": "old and grey ship",
                           "d": "old ship old ship"}.items():
            self.client.index(index="phrases", id=name, body={"body": text}, refresh=True)
        phrase = {"match_phrase": {"body": "old ship"}}
        self.assertEqual({"a", "d"}, self.ids(phrase, "phrases"))
        for slop, found in ((1, "ad"), (2, "acd"), (3, "abcd")):
            asked = {"match_phrase": {"body": {"query": "old ship", "slop": slop}}}
            self.assertEqual(set(found), self.ids(asked, "phrases"), slop)
        for members, found in (({"must": phrase, "must_not": {"match": {"body": "sails"}}}, "d"),
                               ({"must": {"match": {"body": "ship"}}, "must_not": phrase}, "bc"),
                               ({"should": [phrase, {"match": {"body": "grey"}}]}, "acd"),
                               ({"filter": phrase}, "ad")):
            self.assertEqual(set(found), self.ids({"bool": members}, "phrases"), members)
        self.assertEqual({"a"}, self.ids({"query_string": {"query": '"old ship sails"'}}, "phrases"))
        told = self.search(phrase, "phrases", highlight={"fields": {"body": {}}})
        marked = {hit["_id"]: hit["highlight"]["body"] for hit in told["hits"]["hits"]}
        self.assertEqual(["the <em>old ship</em> sails"], marked["a"])
        self.make("no-positions", {"mappings": {"properties": {
            "body": {"type": "text", "index_options": "freqs"}}}})
        with self.assertRaises(opensearchpy.RequestError):
            self.search(phrase, "no-positions")

    def test_updates(self):
        self.make("parts")
        self.client.index(index="parts", id="a", body={"body": "alpha", "url": "u"})
        told = self.client.update(index="parts", id="a", body={"doc": {"body": "beta"}},
                                  refresh=True)
        self.assertEqual("updated", told["result"])
        self.assertEqual({"body": "beta", "url": "u"},
                         self.client.get(index="parts", id="a")["_source"])
        self.assertEqual({"a"}, self.ids({"match": {"body": "beta"}}, "parts"))
        told = self.client.update(index="parts", id="a", body={"doc": {"url": "u"}})
        self.assertEqual("noop", told["result"])
        with self.assertRaises(opensearchpy.NotFoundError) as raised:
            self.client.update(index="parts", id="b", body={"doc": {"url": "u"}})
        self.assertEqual("document_missing_exception", raised.exception.error)
        told = self.client.update(index="parts", id="b", refresh=True,
                                  body={"doc": {"url": "u"}, "upsert": {"body": "new"}})
        self.assertEqual("created", told["result"])
        self.client.update(index="parts", id="a", body={"doc": {"url": None}}, refresh=True)
        got = self.client.mget(index="parts", body={"ids": ["b", "none", "a"]})["docs"]
        self.assertEqual([{"body": "new"}, None, {"body": "beta"}],
                         [document.get("_source") for document in got])
        self.assertEqual([True, False, True], [document["found"] for document in got])
        got = self.client.mget(body={"docs": [{"_index": "parts", "_id": "a"},
                                              {"_index": "none", "_id": "a"}]})["docs"]
        self.assertEqual("index_not_found_exception", got[1]["error"]["type"])
        self.make("thin", {"mappings": {"properties": {"body": {"type": "text"}},
                                        "_source": {"enabled": False}}})
        self.client.index(index="thin", id="a", body={"body": "alpha"}, refresh=True)
        self.assertNotIn("_source", self.search({"match": {"body": "alpha"}},
                                                "thin")["hits"]["hits"][0])
        with self.assertRaises(opensearchpy.RequestError) as raised:
            self.client.update(index="thin", id="a", body={"doc": {"body": "x"}})
        self.assertIn("store", str(raised.exception))

    def test_deletions_by_query(self):
        self.make("fewer")
        helpers.bulk(self.client, [{"_id": f"f{i}", "body": f"n{i % 3} m{i % 2}"}
                                   for i in range(60)], index="fewer")
        asked = {"bool": {"must": [{"match": {"body": "n1"}}],
                          "must_not": [{"match": {"body": "m0"}}]}}
        told = self.client.delete_by_query(index="fewer", body={"query": asked}, refresh=True)
        self.assertEqual((10, 10, []), (told["total"], told["deleted"], told["failures"]))
        self.assertEqual({f"f{i}" for i in range(60) if i % 3 != 1 or i % 2 == 0},
                         self.ids({"match_all": {}}, "fewer"))
        told = self.client.delete_by_query(index="fewer", body={"query": {"match_all": {}}},
                                           refresh=True)
        self.assertEqual(50, told["deleted"])
        self.assertEqual(0, self.client.count(index="fewer")["count"])

    def test_a_scroll_stays_with_its_commit(self):
        self.make("held")
        helpers.bulk(self.client, [{"_id": f"h{i}", "body": "alpha"} for i in range(30)],
                     index="held", refresh=True)
        before = {f"h{i}" for i in range(30)}
        for sort, gone in (("_doc", {"h1", "h2"}), ("_score", {"h3", "h4"})):
            page = self.client.search(index="held", scroll="1m", size=8,
                                      body={"query": {"match": {"body": "alpha"}}, "sort": sort})
            found = [hit["_id"] for hit in page["hits"]["hits"]]
            self.client.delete_by_query(index="held", refresh=True, body={"query": {
                "ids": {"values": sorted(gone)}}})
            while page["hits"]["hits"]:
                page = self.client.scroll(scroll_id=page["_scroll_id"], scroll="1m")
                found += [hit["_id"] for hit in page["hits"]["hits"]]
            self.assertEqual(sorted(before), sorted(found))
            self.assertEqual(len(before), page["hits"]["total"]["value"])
            before -= gone
            self.assertEqual(before, self.ids({"match_all": {}}, "held"))
            self.assertEqual({"succeeded": True, "num_freed": 1},
                             self.client.clear_scroll(scroll_id=page["_scroll_id"]))
            with self.assertRaises(opensearchpy.NotFoundError):
                self.client.scroll(scroll_id=page["_scroll_id"], scroll="1m")

    def test_a_scroll_ends_by_itself(self):
        self.make("short")
        page = self.client.search(index="short", scroll="50ms")
        time.sleep(0.2)
        with self.assertRaises(opensearchpy.NotFoundError) as raised:
            self.client.scroll(scroll_id=page["_scroll_id"], scroll="1m")
        self.assertEqual("search_context_missing_exception", raised.exception.error)

    def test_there_is_an_end_to_scrolls(self):
        self.make("many")
        ids = []
        with self.assertRaises(opensearchpy.TransportError) as raised:
            for _ in range(600):
                ids.append(self.client.search(index="many", scroll="1m")["_scroll_id"])
        self.assertEqual(429, raised.exception.status_code)
        self.assertEqual(len(ids), self.client.clear_scroll(scroll_id="_all")["num_freed"])

    def test_a_client_that_packs(self):
        """Its bodies, and the answers that it asks for."""
        texts = self.texts[:50]
        client = self.connect(http_compress=True)
        self.make("packed")
        helpers.bulk(client, [{"_index": "packed", "_id": text["id"], "body": text["body"]}
                              for text in texts], refresh=True)
        told = client.search(index="packed", body={"size": 100})
        self.assertEqual({text["id"]: text["body"] for text in texts},
                         {hit["_id"]: hit["_source"]["body"] for hit in told["hits"]["hits"]})
        query = {"size": 20, "query": {"match": {"body": "w0 w1"}}}
        wanted = self.client.search(index="packed", body=query)["hits"]
        self.assertEqual(wanted, client.search(index="packed", body=query)["hits"])
        told = client.msearch(index="packed", body=[{}, query, {}, query])["responses"]
        self.assertEqual([wanted] * 2, [each["hits"] for each in told])
        client.close()

    def test_highlights_are_escaped(self):
        self.make("marked")
        self.client.index(index="marked", id="a", refresh=True,
                          body={"body": "<script> alpha & beta </script>", "url": "alpha"})
        asked = {"match": {"body": "alpha"}}

        def marked(**highlight):
            hit = self.search(asked, "marked", highlight=highlight)["hits"]["hits"][0]
            return hit.get("highlight")
        self.assertEqual({"body": ["&lt;script&gt; <em>alpha</em> &amp; beta &lt;/script&gt;"]},
                         marked(fields={"body": {}}))
        self.assertEqual({"body": ["<script> <b>alpha</b> & beta </script>"]},
                         marked(fields={"body": {}}, pre_tags=["<b>"], post_tags=["</b>"],
                                encoder="default"))
        self.assertEqual({"body": ["<i>alpha</em>"]},
                         marked(fields=[{"body": {"pre_tags": "<i>", "fragment_size": 5,
                                                  "number_of_fragments": 1}}]))
        self.client.index(index="marked", id="b", refresh=True,
                          body={"body": "beta " + "gap " * 50 + "betas " + "gap " * 50 + "alphabet"})

        def of_b(query, **highlight):
            return next(hit["highlight"]["body"] for hit in self.search(
                query, "marked", highlight=highlight)["hits"]["hits"] if hit["_id"] == "b")
        asked = {"query_string": {"query": "alph* bet?", "default_field": "body"}}
        short = {"body": {"fragment_size": 5}}
        self.assertEqual(["<em>beta</em>", "<em>alphabet</em>"], of_b(asked, fields=short))
        self.assertEqual(["<em>beta</em>"], of_b(asked, fields=short, number_of_fragments=1))
        self.assertEqual(["beta " + "gap " * 50 + "betas " + "gap " * 50 + "<em>alphabet</em>"],
                         of_b({"prefix": {"body": "alphab"}},
                              fields={"body": {"number_of_fragments": 0}}))
        asked = {"ids": {"values": ["a"]}}
        self.assertIsNone(marked(fields={"body": {}}))


if __name__ == "__main__":
    serving.run()
