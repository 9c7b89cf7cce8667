"""The order of hits, and pages behind a hit, by OpenSearch's own client.
Run as: opensearch_order_test.py SOURCE_FOLDER WARPDEX"""

import opensearchpy

import serving
from opensearch_client import ClientTest

BOTH = ["_score", "_doc"]


class Order(ClientTest):
    """Most documents have the score of many others."""

    options = ("--max-k", "350")

    @classmethod
    def build(cls):
        for text in cls.texts:
            text["title"] = "t"
            text["body"] = " ".join(cls.random.choice(("w0", "w1")) for _ in range(3))
        serving.build_index(cls.root / "texts", cls.texts)

    def pages(self, query, size, **members):
        hits, after = [], {}
        while True:
            told = self.search(query, size=size, **members, **after)["hits"]
            self.assertLessEqual(len(told["hits"]), size)
            if not told["hits"]:
                return hits, told["total"]["value"]
            hits += told["hits"]
            after = {"search_after": told["hits"][-1]["sort"]}

    def words(self, words):
        return {"query_string": {"query": words}}

    def test_pages_by_score_are_the_whole_answer(self):
        for query in (self.words("+w0 -w1"), self.words("+w0 +w1"), {"match_none": {}},
                      {"ids": {"values": ["d3", "d9", "d1", "none", "d7"]}}):
            whole = self.search(query, size=350, sort=BOTH)["hits"]
            self.assertEqual(whole["total"]["value"], len(whole["hits"]))
            plain = self.search(query, size=350)["hits"]["hits"]
            self.assertEqual(plain, [{name: hit[name] for name in hit if name != "sort"}
                                     for hit in whole["hits"]])
            for hit in whole["hits"]:
                self.assertEqual(hit["_score"], hit["sort"][0])
            for size in (1, 7, 350):
                hits, total = self.pages(query, size, sort=BOTH)
                self.assertEqual(whole["hits"], hits, (query, size))
                self.assertEqual(whole["total"]["value"], total)

    def test_pages_by_document_reach_all_that_match(self):
        """Also more than a search by score does."""
        order = [text["id"] for text in self.texts]
        for query, matches in (({"match_all": {}}, lambda has: True),
                               (self.words("w0"), lambda has: "w0" in has),
                               (self.words("+w0 -w1"), lambda has: "w1" not in has)):
            wanted = [text["id"] for text in self.texts if matches(text["body"].split())]
            for size in (37, 350):
                hits, total = self.pages(query, size, sort="_doc", _source=["body"])
                self.assertEqual(wanted, [hit["_id"] for hit in hits])
                self.assertEqual(len(wanted), total)
            for hit in hits:
                self.assertIsNone(hit["_score"])
                self.assertEqual([order.index(hit["_id"])], hit["sort"])
                self.assertEqual({"body"}, set(hit["_source"]))
            told = self.search(query, **{"from": 3}, size=5, sort=[{"_doc": "asc"}])
            self.assertEqual(wanted[3:8], [hit["_id"] for hit in told["hits"]["hits"]])
        told = self.client.msearch(body=[{}, {"query": self.words("w0"), "sort": "_doc", "size": 3},
                                         {}, {"sort": "_doc", "search_after": [396]}],
                                   index="texts")["responses"]
        self.assertEqual([text["id"] for text in self.texts if "w0" in text["body"]][:3],
                         [hit["_id"] for hit in told[0]["hits"]["hits"]])
        self.assertEqual(order[397:], [hit["_id"] for hit in told[1]["hits"]["hits"]])

    def test_pages_of_everything_by_score(self):
        hits, total = self.pages({"match_all": {"boost": 2}}, 90, sort=BOTH)
        self.assertEqual([text["id"] for text in self.texts], [hit["_id"] for hit in hits])
        self.assertEqual({2.0}, {hit["sort"][0] for hit in hits})
        for score, wanted in ((1, 0), (3, 400)):
            told = self.search({"match_all": {"boost": 2}}, size=350, sort=BOTH,
                               search_after=[score, 0])["hits"]["hits"]
            self.assertEqual(min(350, wanted), len(told))

    def test_a_page_past_the_reach_is_refused(self):
        """Rather than cut short: 400 documents match, of which a search finds 350."""
        query = self.words("w0 w1")
        self.assertEqual(400, self.search(query, sort=BOTH)["hits"]["total"]["value"])
        with self.assertRaises(opensearchpy.RequestError) as raised:
            self.pages(query, 90, sort=BOTH)
        self.assertIn("_doc", raised.exception.info["error"]["reason"])

    def test_places_are_told_by_the_address_too(self):
        told = self.client.search(index="texts", q="w0", sort="_score:desc,_doc", size=3)
        wanted = self.search(self.words("w0"), size=3, sort=BOTH)
        self.assertEqual(wanted["hits"], told["hits"])


if __name__ == "__main__":
    serving.run()
