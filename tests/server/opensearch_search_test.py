"""Searches by OpenSearch's own client: what is found is the program's own, to the bit.
Run as: opensearch_search_test.py SOURCE_FOLDER WARPDEX"""

import json

import opensearchpy
from opensearchpy import helpers

import serving
from opensearch_client import BOTH, ClientTest, as_float, told_by_client, told_by_program

ROUNDS = 30


class Searches(ClientTest):
    def words_of(self, text):
        return (text["title"] + " " + text["body"]).split()

    def matching(self, is_match):
        return {text["id"] for text in self.texts if is_match(set(self.words_of(text)))}

    def test_who_answers(self):
        told = self.client.info()
        self.assertEqual("opensearch", told["version"]["distribution"])
        self.assertRegex(told["version"]["number"], r"^\d+\.\d+\.\d+$")
        self.assertTrue(self.client.ping())
        self.assertEqual("green", self.client.cluster.health()["status"])

    def test_scores_are_those_of_the_program(self):
        for number in range(ROUNDS):
            query = serving.words(self.random, self.random.randint(1, 5))
            operator = self.random.choice(["or", "and"])
            size = self.random.randint(1, 40)
            wanted = told_by_program(self.root / "texts", query, "-k", size, "--mode", operator)
            for asked in ({"combined_fields": {"query": query, "fields": BOTH,
                                               "operator": operator}},
                          {"multi_match": {"query": query, "fields": BOTH[::-1],
                                           "type": "cross_fields", "operator": operator}},
                          {"query_string": {"query": query, "default_operator": operator}},
                          {"simple_query_string": {"query": query,
                                                   "default_operator": operator}}):
                with self.subTest(number=number, asked=asked):
                    answer = self.search(asked, size=size)
                    self.assertEqual(wanted, told_by_client(answer))
                    wants = all if operator == "and" else any
                    count = len(self.matching(
                        lambda has: wants(word in has for word in query.split())))
                    self.assertEqual({"value": count, "relation": "eq"}, answer["hits"]["total"])
                    self.assertEqual(wanted[0][1] if wanted else None, answer["hits"]["max_score"]
                                     and as_float(answer["hits"]["max_score"]))

    def match(self, text, **members):
        return {"combined_fields": {"query": text, "fields": BOTH, **members}}

    def test_bool_is_the_signed_syntax(self):
        for number in range(ROUNDS):
            must, should, without = (serving.words(self.random, self.random.randint(0, 2)).split()
                                     for _ in range(3))
            if not must and not should:
                continue
            signed = " ".join(["+" + word for word in must] + should
                              + ["-" + word for word in without])
            wanted = told_by_program(self.root / "texts", signed, "-k", 30)
            asked = {"bool": {"must": [self.match(word) for word in must],
                              "should": [self.match(word) for word in should],
                              "must_not": self.match(" ".join(without))}}
            with self.subTest(number=number, signed=signed):
                self.assertEqual(wanted, told_by_client(self.search(asked, size=30)))
                by_text = self.search({"query_string": {"query": signed}}, size=30)
                self.assertEqual(wanted, told_by_client(by_text))
                by_address = self.client.search(index="texts", q=signed, size=30)
                self.assertEqual(wanted, told_by_client(by_address))
                matching = self.matching(
                    lambda has: all(word in has for word in must)
                    and (must or any(word in has for word in should))
                    and not any(word in has for word in without))
                self.assertEqual(len(matching), by_text["hits"]["total"]["value"])

    def test_groups_within_bool(self):
        one, two, three, four = self.random.sample(serving.WORDS[:12], 4)
        together = {"bool": {"must": self.match(one),
                             "must_not": [self.match(f"{two} {three}", operator="and"),
                                          self.match(four)]}}
        self.assertEqual(
            self.matching(lambda has: one in has and not {two, three} <= has and four not in has),
            self.ids(together, "texts"))
        nested = {"bool": {"must": [self.match(f"{one} {two}", operator="and"),
                                    {"bool": {"should": [self.match(three)]}}],
                           "must_not": self.match(four)}}
        self.assertEqual(
            self.matching(lambda has: {one, two, three} <= has and four not in has),
            self.ids(nested, "texts"))
        alone = {"bool": {"must": [self.match(f"{one} {two}")], "must_not": [self.match(three)]}}
        self.assertEqual(
            self.matching(lambda has: (one in has or two in has) and three not in has),
            self.ids(alone, "texts"))

    def random_query(self, depth):
        """A query, and whether it matches a document of these words."""
        choose = self.random
        if depth == 0 or choose.random() < 0.3:
            words = choose.sample(serving.WORDS[:25], choose.randint(1, 3))
            wants = choose.choice([any, all])
            query = self.match(" ".join(words), operator="or" if wants is any else "and")
            return query, lambda has: wants(word in has for word in words)
        if choose.random() < 0.2:
            inner, matches = self.random_query(depth - 1)
            return {"constant_score": {"filter": inner, "boost": 2}}, matches
        if choose.random() < 0.2:
            clauses = [self.random_query(depth - 1) for _ in range(choose.randint(1, 3))]
            return ({"dis_max": {"queries": [query for query, _ in clauses], "tie_breaker": 0.3}},
                    lambda has: any(matches(has) for _, matches in clauses))
        parts = {name: [self.random_query(depth - 1) for _ in range(choose.choice([0, 0, 1, 1, 2]))]
                 for name in ("must", "filter", "should", "must_not")}
        least = choose.choice([None, None, 1, 2])

        def is_match(has):
            must, keeps, should, without = ([matches(has) for _, matches in parts[name]]
                                            for name in ("must", "filter", "should", "must_not"))
            usual = 0 if must or keeps or not should else 1
            return (all(must) and all(keeps) and not any(without)
                    and sum(should) >= max(usual, least or 0))
        asked = {name: [query for query, _ in part] for name, part in parts.items() if part}
        if least:
            asked["minimum_should_match"] = least
        return {"bool": asked}, is_match

    def test_random_queries_match_what_they_say(self):
        for number in range(300):
            query, is_match = self.random_query(self.random.randint(1, 3))
            wanted = self.matching(is_match)
            with self.subTest(number=number, query=query):
                answer = self.ask("POST", "/texts/_search?size=1000", {"query": query})
                self.assertEqual(200, answer.status, answer.body)
                told = answer.json()["hits"]
                self.assertEqual(wanted, {hit["_id"] for hit in told["hits"]})
                self.assertEqual(len(wanted), told["total"]["value"])
                self.assertEqual(wanted, {hit["_id"] for hit in helpers.scan(
                    self.client, index="texts", query={"query": query}, size=400)})

    def test_the_syntax_of_lucene(self):
        for text, wanted in (("w1 AND w2", lambda has: {"w1", "w2"} <= has),
                             ("w1 AND NOT w2", lambda has: "w1" in has and "w2" not in has),
                             ("(w1 w2) AND w3", lambda has: has & {"w1", "w2"} and "w3" in has),
                             ("w1*", lambda has: any(word.startswith("w1") for word in has)),
                             ("w?", lambda has: any(len(word) == 2 for word in has)),
                             ("*:* -w1", lambda has: "w1" not in has),
                             ("-w1", lambda has: "w1" not in has),
                             ("[w1 TO w12]", lambda has: any("w1" <= word <= "w12" for word in has))):
            with self.subTest(text=text):
                self.assertEqual(self.matching(wanted),
                                 self.ids({"query_string": {"query": text}}, "texts"))

    def test_boosts_are_weights(self):
        wanted = told_by_program(self.root / "texts", "w1^3 w2", "-k", 20)
        asked = {"bool": {"should": [self.match("w1", boost=3), self.match("w2")]}}
        self.assertEqual(wanted, told_by_client(self.search(asked, size=20)))

    def test_simple_query_strings(self):
        for text, wanted in (("w1 + w2", lambda has: {"w1", "w2"} <= has),
                             ("w1+w2", lambda has: {"w1", "w2"} <= has),
                             ("w1 | w2 |w3", lambda has: has & {"w1", "w2", "w3"})):
            self.assertEqual(self.matching(wanted),
                             self.ids({"simple_query_string": {"query": text}}, "texts"), text)
        asked = {"simple_query_string": {"query": "w1 -w2", "default_operator": "AND"}}
        self.assertEqual(self.matching(lambda has: "w1" in has and "w2" not in has),
                         self.ids(asked, "texts"))

    def test_documents_without_words(self):
        answer = self.search({"match_all": {}}, size=1000)
        self.assertEqual({text["id"] for text in self.texts},
                         {hit["_id"] for hit in answer["hits"]["hits"]})
        self.assertEqual({1.0}, {hit["_score"] for hit in answer["hits"]["hits"]})
        self.assertEqual(400, answer["hits"]["total"]["value"])
        pages = [hit for first in range(0, 400, 90)
                 for hit in self.client.search(index="texts", from_=first,
                                               size=90)["hits"]["hits"]]
        self.assertEqual(answer["hits"]["hits"], pages)
        answer = self.search({"ids": {"values": ["d7", "none", "d3", "d7"]}})
        self.assertEqual({"d3", "d7"}, {hit["_id"] for hit in answer["hits"]["hits"]})
        self.assertEqual(2, answer["hits"]["total"]["value"])
        self.assertEqual([], self.search({"match_none": {}})["hits"]["hits"])

    def test_shapes(self):
        answer = self.search(self.match("w1"), size=0)
        self.assertEqual([], answer["hits"]["hits"])
        self.assertIsNone(answer["hits"]["max_score"])
        self.assertGreater(answer["hits"]["total"]["value"], 0)
        self.assertEqual({"total": 1, "successful": 1, "skipped": 0, "failed": 0},
                         answer["_shards"])
        self.assertIs(False, answer["timed_out"])
        self.assertIsInstance(answer["took"], int)
        count = answer["hits"]["total"]["value"]
        answer = self.search(self.match("w1"), track_total_hits=2)
        self.assertEqual({"value": 2, "relation": "gte"}, answer["hits"]["total"])
        answer = self.search(self.match("w1"), track_total_hits=False)
        self.assertNotIn("total", answer["hits"])
        answer = self.search(self.match("w1"), track_total_hits=count, timeout="10s",
                             sort=[{"_score": {"order": "desc"}}])
        self.assertEqual({"value": count, "relation": "eq"}, answer["hits"]["total"])
        self.assertEqual("texts", answer["hits"]["hits"][0]["_index"])

    def test_sources(self):
        text = {each["id"]: each for each in self.texts}
        for wanted, names in ((True, BOTH), (["title"], ["title"]), ("b*", ["body"]),
                              ({"excludes": ["ti*"]}, ["body"]),
                              ({"includes": ["*"], "excludes": ["body"]}, ["title"]),
                              ({"excludes": ["*"]}, [])):
            for hit in self.search(self.match("w1 w2"), _source=wanted)["hits"]["hits"]:
                self.assertEqual({name: text[hit["_id"]][name] for name in names}, hit["_source"])
        hit = self.search(self.match("w1"), _source=False)["hits"]["hits"][0]
        self.assertNotIn("_source", hit)
        hit = self.client.search(index="texts", q="w1", _source_includes="title")["hits"]["hits"][0]
        self.assertEqual({"title"}, set(hit["_source"]))

    def test_explanations_add_up(self):
        for hit in self.search(self.match("w1 w2 w3"), explain=True)["hits"]["hits"]:
            told = hit["_explanation"]
            self.assertEqual(hit["_score"], told["value"])
            self.assertAlmostEqual(hit["_score"], sum(part["value"] for part in told["details"]),
                                   places=4)

    def test_trees_are_explained(self):
        query = {"bool": {"must": [{"query_string": {"query": "w1*"}}, self.match("w2 w3")],
                          "should": [{"constant_score": {"filter": self.match("w4"), "boost": 3}}],
                          "must_not": self.match("w5")}}
        hits = self.search(query, explain=True)["hits"]["hits"]
        self.assertGreater(len(hits), 1)
        for hit in hits:
            told = hit["_explanation"]
            self.assertEqual(hit["_score"], told["value"])
            parts = told["details"][0]["details"]
            self.assertEqual(4, len(parts))
            self.assertAlmostEqual(hit["_score"], sum(part["value"] for part in parts), places=4)
            alone = self.client.explain(index="texts", id=hit["_id"], body={"query": query})
            self.assertEqual((True, told), (alone["matched"], alone["explanation"]))
        found = {hit["_id"] for hit in self.search(query, size=400)["hits"]["hits"]}
        other = next(text["id"] for text in self.texts if text["id"] not in found)
        alone = self.client.explain(index="texts", id=other, body={"query": query})
        self.assertFalse(alone["matched"])
        self.assertEqual(0, alone["explanation"]["value"])
        self.assertIn("no match", json.dumps(alone["explanation"]))

    def test_many_searches_in_one_request(self):
        queries = [serving.words(self.random, 3) for _ in range(40)]
        lines = []
        for query in queries:
            lines += [{"index": "texts"}, {"query": self.match(query), "size": 5}]
        lines += [{"index": "none"}, {"query": {"match_all": {}}},
                  {}, {"query": {"geo": {}}}, {}, {"query": {"match_all": {}}, "size": 1}]
        told = self.client.msearch(body=lines, index="texts")["responses"]
        for query, answer in zip(queries, told):
            self.assertEqual(told_by_program(self.root / "texts", query, "-k", 5),
                             told_by_client(answer))
            self.assertEqual(200, answer["status"])
        self.assertEqual([404, 400, 200], [answer["status"] for answer in told[40:]])
        self.assertEqual("index_not_found_exception", told[40]["error"]["type"])
        self.assertIn("geo", told[41]["error"]["reason"])

    def test_counts(self):
        self.assertEqual(400, self.client.count(index="texts")["count"])
        for _ in range(10):
            one, two = self.random.sample(serving.WORDS, 2)
            wanted = len(self.matching(lambda has: one in has or two in has))
            body = {"query": self.match(f"{one} {two}")}
            self.assertEqual(wanted, self.client.count(index="texts", body=body)["count"])
            self.assertEqual(wanted, self.client.count(index="texts", q=f"{one} {two}")["count"])

    def test_scans_reach_every_document(self):
        wanted = {text["id"]: {name: text[name] for name in BOTH} for text in self.texts}
        found = {hit["_id"]: hit["_source"]
                 for hit in helpers.scan(self.client, index="texts", size=37)}
        self.assertEqual(wanted, found)
        word = self.random.choice(serving.WORDS[:10])
        for in_order in (False, True):
            found = [hit["_id"] for hit in helpers.scan(
                self.client, index="texts", size=13, query={"query": self.match(word)},
                preserve_order=in_order)]
            self.assertEqual(len(set(found)), len(found))
            self.assertEqual(self.matching(lambda has: word in has), set(found))
            if in_order:
                self.assertEqual([hit for hit, _ in told_by_program(self.root / "texts", word,
                                                                    "-k", 400)], found)

    def test_packed_bodies(self):
        packed = self.connect(http_compress=True)
        self.assertEqual(self.search(self.match("w1 w2"))["hits"],
                         packed.search(index="texts", body={"query": self.match("w1 w2")})["hits"])
        packed.close()

    def test_analysis(self):
        told = self.client.indices.analyze(body={"analyzer": "english",
                                                 "text": "😀 The Running foxes"})
        self.assertEqual([("😀", 0, 2), ("run", 7, 14), ("fox", 15, 20)][-2:],
                         [(token["token"], token["start_offset"], token["end_offset"])
                          for token in told["tokens"]][-2:])
        told = self.client.indices.analyze(index="texts", body={"text": ["A b", "a"]})
        self.assertEqual([("A", 0, 1, 0), ("b", 2, 3, 1), ("a", 4, 5, 2)],
                         [(token["token"], token["start_offset"], token["end_offset"],
                           token["position"]) for token in told["tokens"]])


class Vectors(ClientTest):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.rows = {f"v{i}": ([cls.random.uniform(-1, 1) for _ in range(4)],
                              serving.words(cls.random, 6)) for i in range(60)}
        for space in ("l2", "innerproduct", "cosinesimil"):
            cls.client.indices.create(index=space, body={"mappings": {"properties": {
                "body": {"type": "text", "analyzer": "whitespace"},
                "vector": {"type": "knn_vector", "dimension": 4, "space_type": space}}}})
            helpers.bulk(cls.client, [{"_id": name, "body": text, "vector": vector}
                                      for name, (vector, text) in cls.rows.items()],
                         index=space, refresh=True)

    def value(self, space, one, two):
        product = sum(a * b for a, b in zip(one, two))
        if space == "innerproduct":
            return product
        if space == "l2":
            return 1 / (1 + sum((a - b) ** 2 for a, b in zip(one, two)))
        size = (sum(a * a for a in one) * sum(b * b for b in two)) ** 0.5
        return product / size

    def nearest(self, space, vector, names):
        return sorted(names, key=lambda name: -self.value(space, vector, self.rows[name][0]))

    def check(self, space, vector, wanted, answer):
        hits = answer["hits"]["hits"]
        self.assertEqual(wanted, [hit["_id"] for hit in hits])
        for hit in hits:
            self.assertAlmostEqual(self.value(space, vector, self.rows[hit["_id"]][0]),
                                   hit["_score"], places=5)

    def test_the_nearest(self):
        vector = [self.random.uniform(-1, 1) for _ in range(4)]
        for space in ("l2", "innerproduct", "cosinesimil"):
            asked = {"knn": {"vector": {"vector": vector, "k": 7}}}
            answer = self.search(asked, space)
            self.check(space, vector, self.nearest(space, vector, self.rows)[:7], answer)
            self.assertEqual({"value": 7, "relation": "eq"}, answer["hits"]["total"])
            answer = self.search(asked, space, size=3)
            self.assertEqual({"value": 3, "relation": "gte"}, answer["hits"]["total"])
            asked["knn"]["vector"]["filter"] = {"match": {"body": "w1 w2"}}
            among = [name for name, (_, text) in self.rows.items()
                     if {"w1", "w2"} & set(text.split())]
            self.check(space, vector, self.nearest(space, vector, among)[:7],
                       self.search(asked, space))

    def test_hybrids_are_those_of_the_servers_own_face(self):
        vector = [self.random.uniform(-1, 1) for _ in range(4)]
        words = {"w1 w2 w3": {"match": {"body": "w1 w2 w3"}}, "+w1* -w2": {"bool": {
            "must": [{"prefix": {"body": "w1"}}], "must_not": [{"match": {"body": "w2"}}]}}}
        rrf = {"phase_results_processors": [{"score-ranker-processor": {
            "combination": {"technique": "rrf", "rank_constant": 60}}}]}
        mean = {"phase_results_processors": [{"normalization-processor": {
            "normalization": {"technique": "min_max"},
            "combination": {"technique": "arithmetic_mean",
                            "parameters": {"weights": [0.25, 0.75]}}}}]}
        for text, of_words in words.items():
            asked = {"hybrid": {"queries": [of_words,
                                            {"knn": {"vector": {"vector": vector, "k": 50}}}]}}
            filtered = {"vector": vector, "k": 50, "filter": {"ids": {"values": ["none"]}}}
            with self.assertRaises(opensearchpy.RequestError):  # it would be of both halves
                self.search({"hybrid": {"queries": [of_words, {"knn": {"vector": filtered}}]}}, "l2")
            own = {"q": text, "query_syntax": "lucene", "vector": vector, "fusion_depth": 50,
                   "k": 9}
            for pipeline, options in ((None, {"fusion": "rrf"}), (rrf, {"fusion": "rrf"}),
                                      (mean, {"fusion": "convex", "fusion_weight": 0.25})):
                members = {"search_pipeline": pipeline} if pipeline else {}
                told = self.ask("POST", "/v1/l2/search", {**own, **options}).json()
                hits = [(hit["document"], as_float(hit["score"])) for hit in told["hits"]]
                self.assertEqual(hits, told_by_client(
                    self.search(asked, "l2", size=9, **members)))

    def test_lists_of_vectors(self):
        method = {"name": "ivf", "parameters": {
            "nlist": 16, "encoder": {"name": "pq", "parameters": {"m": 2}}}}
        self.client.indices.create(index="listed", body={"mappings": {"properties": {"vector": {
            "type": "knn_vector", "dimension": 2, "space_type": "l2", "method": method}}}})
        told = self.client.indices.get_mapping(index="listed")["listed"]["mappings"]["properties"]
        self.assertEqual(method, told["vector"]["method"])
        self.client.index(index="listed", id="a", body={"vector": [1, 2]}, refresh=True)
        found = self.search({"knn": {"vector": {"vector": [1, 2], "k": 3, "method_parameters": {
            "nprobes": 4}}}}, "listed")
        self.assertEqual(["a"], [hit["_id"] for hit in found["hits"]["hits"]])

    def test_updates_keep_vectors(self):
        self.client.update(index="l2", id="v1", body={"doc": {"body": "changed"}}, refresh=True)
        told = self.get("/v1/l2/documents/v1?vector=true").json()["vector"]
        self.assertEqual([as_float(number) for number in self.rows["v1"][0]],
                         [as_float(number) for number in told])
        self.client.update(index="l2", id="v1", body={"doc": {"body": self.rows["v1"][1]}},
                           refresh=True)


if __name__ == "__main__":
    serving.run()
