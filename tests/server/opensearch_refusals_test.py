"""What the subset of OpenSearch does not have is refused, and named; nothing is passed over.
Run as: opensearch_refusals_test.py SOURCE_FOLDER WARPDEX"""

import json
import tempfile
import unittest
import urllib.parse
from pathlib import Path

import serving


NAMES = ("query match multi_match combined_fields term bool must should must_not ids values knn vector "
         "hybrid queries query_string simple_query_string match_all match_none body fields operator "
         "boost minimum_should_match default_operator size from sort _score order _source includes "
         "excludes highlight pre_tags post_tags encoder fragment_size explain track_total_hits "
         "timeout scroll scroll_id docs _id _index text analyzer field doc upsert doc_as_upsert "
         "search_pipeline phase_results_processors k filter type").split()


def match(text, **members):
    return {"match": {"body": {"query": text, **members}}}


class Refusals(serving.ServerTest):
    @classmethod
    def build(cls):
        super().build()
        lines = "".join(json.dumps({"id": each["id"], "body": each["body"]}) + "\n"
                        for each in cls.texts)
        serving.program("index", "--input", "-", "--format", "jsonl", "--fields", "body",
                        "--store", "body", "--analyzer", "whitespace", "--output",
                        cls.root / "single", "--quiet", input=lines)

    def refused(self, method, target, body, *named, status=400, kind=None):
        answer = self.ask(method, target, body)
        with self.subTest(method=method, target=target, body=body):
            self.assertEqual(status, answer.status, answer.body)
            told = answer.json()
            self.assertEqual(status, told["status"])
            error = told["error"]
            self.assertEqual({"type": error["type"], "reason": error["reason"]},
                             error["root_cause"][0])
            self.assertRegex(error["type"], "^[a-z_]+_exception$")
            for name in named:
                self.assertIn(name, error["reason"])
            if kind:
                self.assertEqual(kind, error["type"])

    def refused_query(self, query, *named):
        self.refused("POST", "/single/_search", {"query": query}, *named)

    def test_queries(self):
        for query, *named in (
                ({"geo_shape": {}}, "geo_shape"),
                ({"match_phrase": {"body": "a b"}}, "positions"), ({"prefix": {}}, "prefix"),
                ({"fuzzy": {}}, "fuzzy"), ({"function_score": {}}, "function_score"),
                ({"terms": {"title": ["a"]}}, "title"), ({"exists": {}}, "exists"),
                ({}, "one member"), ([], "one member"), ({"match": {}, "ids": {}}, "one member"),
                ({"match": {"title": "w1"}}, "title", "'body'"), ({"match": {}}, "match"),
                (match("w1", fuzziness=1), "fuzziness"), (match("w1", operator="xor"), "xor"),
                (match("w1", analyzer="english"), "analyzer"),
                (match("w1", boost=-1), "boost"), (match("w1", boost=2e9), "boost"),
                (match("w1 w2", minimum_should_match="75%"), "minimum_should_match"),
                ({"fuzzy": {"body": {"value": "w1", "fuzziness": 3}}}, "fuzziness"),
                ({"wildcard": {"title": "w*"}}, "title"), ({"terms": {"body": 1}}, "body"),
                (match("w1", zero_terms_query="all"), "zero_terms_query"), (match([]), "query"),
                ({"match": {"body": []}}, "match"), ({"match": {"body": {}}}, "query"),
                ({"match_all": {"x": 1}}, "x"), ({"match_none": {"x": 1}}, "x"),
                ({"multi_match": {"query": "w1", "fields": ["title"]}}, "title"),
                ({"multi_match": {"query": "w1", "fields": ["body^3"]}}, "body^3"),
                ({"multi_match": {"query": "w1", "type": "phrase"}}, "phrase"),
                ({"multi_match": {"query": "w1", "tie_breaker": 1.3}}, "tie_breaker"),
                ({"term": {"body": {"value": "w1", "case_insensitive": True}}},
                 "case_insensitive"), ({"term": {"body": None}}, "body"),
                ({"term": {"title": "w1"}}, "title"), ({"ids": {}}, "values"),
                ({"ids": {"values": "d1"}}, "values"), ({"ids": {"values": [], "type": "x"}}, "type"),
                ({"knn": {"vector": {"vector": [1], "k": 3}}}, "vector"),
                ({"hybrid": {"queries": [match("w1")]}}, "hybrid"),
                ({"hybrid": {"queries": [match("w1"), match("w2")]}}, "hybrid", "match")):
            self.refused_query(query, *named)

    def test_clauses(self):
        for members, *named in (
                ({"musts": []}, "musts"), ({"must": "w1"}, "bool.must"),
                ({"must": [match("w1"), {}]}, "query.bool.must[1]: "),
                ({"must": [{"bool": {"should": [match("w1"), {"term": {"title": "a"}}]}}]}, "title"),
                ({"must": [{"match_phrase": {"body": "w1 w2"}}]}, "positions"),
                ({"should": [match("w1"), match("w2")], "minimum_should_match": "75%"},
                 "minimum_should_match"),
                ({"must": [match("w1")], "boost": -1}, "query.bool.boost"),
                ({"filter": [{"exists": {"fields": "body"}}]}, "filter[0].exists")):
            self.refused_query({"bool": members}, *named)
        self.refused_query({"constant_score": {}}, "filter")
        self.refused_query({"dis_max": {"tie_breaker": 1}}, "queries")
        self.refused_query({"dis_max": {"queries": [match("w1")], "tie_breaker": 2}}, "tie_breaker")
        deep = match("w1")
        for _ in range(70):
            deep = {"bool": {"must": [deep]}}
        self.refused_query(deep, "deep")
        self.refused_query({"bool": {"must": [match("w1")] * 5000}}, "clauses")

    def test_operators_of_texts(self):
        for text, named in (('"w1 w2"', "positions"), ("title:w1", "title"), ("*", "*"),
                            ("w1~3", "~"), ("(w1 w2", "("), ("w1 w2)", ")"), ("w1 AND", "operator"),
                            ("OR w2", "operator"), ("[a", "range"), ("/w1/", "regular"),
                            ("w1^", "^"), ("w1^x", "^"), ("--w1", "sign"), ("w1 -", "sign"),
                            ('w1 "w2', "quote"), ("w1^9999999999", "1e9")):
            self.refused_query({"query_string": {"query": text}}, named)
            self.refused("GET", "/single/_search?q=" + urllib.parse.quote(text), None, named)
        for text, named in (('"w1 w2"', '"'), ("w*", "*"), ("w1~2", "~"), ("(w1)", "("),
                            ("w1 + w2 | w3", "|"), ("w1 + w2 w3", "operator"), ("w1 +", "operator"),
                            ("| w1", "|"), ("w1 -w2", "default_operator"), ("w1 + -", "-")):
            self.refused_query({"simple_query_string": {"query": text}}, named)
        self.refused_query({"query_string": {"query": "w1", "fuzziness": 1}}, "fuzziness")
        self.refused_query({"query_string": {"query": "w1", "default_field": "title"}}, "title")
        self.refused_query({"simple_query_string": {"query": "w1", "flags": "AND"}}, "flags")

    def test_fields_that_are_searched_together(self):
        for query, *named in (
                ({"match": {"body": "w1"}}, "body", "combined_fields"),
                ({"multi_match": {"query": "w1", "fields": ["title", "body"]}}, "best_fields"),
                ({"multi_match": {"query": "w1", "type": "cross_fields", "fields": ["body"]}},
                 "'title', 'body'"),
                ({"combined_fields": {"query": "w1", "fields": ["body", "body"]}}, "twice"),
                ({"combined_fields": {"query": "w1"}}, "fields"),
                ({"query_string": {"query": "w1", "default_field": "title"}}, "title")):
            self.refused("POST", "/texts/_search", {"query": query}, *named)

    def test_members_of_searches(self):
        for members, *named in (
                ({"aggs": []}, "aggs"), ({"aggs": {"a": {"terms": {"field": "body"}}}}, "body"),
                ({"search_after": [1]}, "search_after"),
                ({"min_score": 1}, "min_score"), ({"post_filter": {}}, "post_filter"),
                ({"rescore": {}}, "rescore"), ({"suggest": {}}, "suggest"),
                ({"stored_fields": []}, "stored_fields"), ({"collapse": {}}, "collapse"),
                ({"size": -1}, "size"), ({"size": 10001}, "10000"), ({"from": 10000}, "10000"),
                ({"from": 5, "size": 9996}, "10000"), ({"size": "3"}, "size"),
                ({"sort": "title"}, "title"), ({"sort": {"_score": "asc"}}, "asc"),
                ({"sort": [{"_score": {"order": "desc", "mode": "min"}}]}, "mode"),
                ({"track_total_hits": -1}, "track_total_hits"), ({"timeout": "1"}, "timeout"),
                ({"timeout": "0s"}, "timeout"), ({"timeout": "1w"}, "timeout"),
                ({"timeout": "99d"}, "timeout"), ({"explain": "yes"}, "explain"),
                ({"_source": "title"}, "title"), ({"_source": {"inclde": []}}, "inclde"),
                ({"_source": 3}, "_source"), ({"query": match("w1"), "querry": {}}, "querry"),
                ({"highlight": {}}, "fields"), ({"highlight": {"fields": {"title": {}}}}, "title"),
                ({"highlight": {"fields": {"body": {}}, "type": "fvh"}}, "type"),
                ({"highlight": {"fields": {"body": {}}, "encoder": "xml"}}, "xml"),
                ({"highlight": {"fields": {"body": {}}, "pre_tags": ["a", "b"]}}, "pre_tags"),
                ({"highlight": {"fields": {"body": {"number_of_fragments": -1}}}},
                 "number_of_fragments"),
                ({"search_pipeline": {"phase_results_processors": []}}, "search_pipeline")):
            self.refused("POST", "/single/_search", members, *named)
        for body, kind in (("{", "parsing_exception"), ("[]", "parsing_exception"),
                           ('{"size": 1, "size": 2}', "parsing_exception")):
            self.refused("POST", "/single/_search", body, kind=kind)

    def test_orders_and_places(self):
        both, by_document = ["_score", "_doc"], {"sort": "_doc"}
        for members, *named in (
                ({"sort": ["_doc", "_score"]}, "sort"), ({"sort": ["_score", "_id"]}, "_id"),
                ({"sort": ["_score", "_score"]}, "sort"), ({"sort": {"_doc": "desc"}}, "_doc desc"),
                ({"search_after": [1, 2]}, "sort"), ({"sort": "_score", "search_after": [1]}, "_doc"),
                ({"sort": both, "search_after": [1]}, "2 values"),
                ({"sort": both, "search_after": {}}, "search_after"),
                ({"sort": both, "search_after": ["1", 2]}, "search_after"),
                ({"sort": both, "search_after": [1, -2]}, "search_after"),
                ({"sort": both, "search_after": [1, 2.5]}, "search_after"),
                ({**by_document, "search_after": [1, 2]}, "1 values"),
                ({**by_document, "search_after": [1], "from": 1}, "from"),
                ({**by_document, "explain": True, "query": match("w1")}, "explain"),
                ({**by_document, "timeout": "1s"}, "timeout"),
                ({**by_document, "highlight": {"fields": {"body": {}}}}, "highlight"),
                ({"sort": both, "search_after": [1, 2], "query": match("w1"),
                  "highlight": {"fields": {"body": {}}}}, "highlight")):
            self.refused("POST", "/single/_search", members, *named)
        self.refused("POST", "/single/_search?scroll=1m", {**by_document, "search_after": [1]},
                     "scroll")
        lines = [{}, {"query": match("w1"), "sort": both, "search_after": [1, 2]}]
        told = self.ask("POST", "/single/_msearch", "".join(json.dumps(line) + "\n"
                                                           for line in lines),
                        headers={"Content-Type": "application/x-ndjson"}).json()["responses"]
        self.assertEqual(400, told[0]["status"])
        self.assertIn("_msearch", told[0]["error"]["reason"])

    def test_parameters(self):
        for target, *named in (
                ("/single/_search?routing=1", "routing"), ("/single/_search?q=w1&df=title", "title"),
                ("/single/_search?preference=x", "preference"), ("/single/_search?df=body", "df"),
                ("/single/_search?sort=_score:asc", "asc"), ("/single/_search?sort=x,y", "sort"),
                ("/single/_search?filter_path=hits", "filter_path"),
                ("/single/_search?_source=title", "title"), ("/single/_search?scroll=1", "scroll"),
                ("/single/_search?scroll=2d", "scroll"), ("/single/_search?scroll=1m&from=1", "from"),
                ("/single/_search?scroll=1m&size=0", "size"),
                ("/single/_search?scroll=1m&explain&q=w1", "explain"),
                ("/single/_search?scroll=1m&timeout=1s", "timeout"),
                ("/single/_search?explain", "explain"),
                ("/single/_search?scroll=1m&track_total_hits=false", "track_total_hits"),
                ("/single,texts/_search", "single,texts"), ("/s*/_search", "s*"),
                ("/_search", "name it"), ("/_all/_search", "name it"),
                ("/single/_count?min_score=1", "min_score"), ("/single/_doc/d1?routing=1", "routing"),
                ("/single/_doc/d1?realtime=true", "realtime"), ("/_cat/indices?h=index", "h"),
                ("/_cat/indices?format=yaml", "yaml"), ("/_cluster/health?level=shards", "level"),
                ("/single/_mapping?include_type_name=true", "include_type_name"),
                ("/?human", "human"), ("/_search/scroll", "scroll")):
            self.refused("GET", target, None, *named)

    def test_a_thing_is_said_once(self):
        for target, body in (("size=3", {"size": 3}), ("q=w1", {"query": match("w1")}),
                             ("_source=body", {"_source": True}), ("timeout=1s", {"timeout": "1s"})):
            self.refused("POST", "/single/_search?" + target, body)

    def test_indexes_that_cannot_be(self):
        def text(**members):
            return {"mappings": {"properties": {"body": {"type": "text", **members}}}}

        def field(name, **members):
            return {"mappings": {"properties": {name: members}}}
        for body, *named in (
                ({"aliases": {}}, "aliases"), (text(fielddata=True), "fielddata"),
                (text(analyzer="klingon"), "klingon"), (text(index="no"), "index"),
                (field("n", type="ip"), "ip"), (field("k", type="keyword", index="no"), "index"),
                (field("o", properties={}), "object"), (field("_id", type="text"), "_id"),
                (field("a,b", type="text"), "a,b"), (field("v", type="knn_vector"), "'v'"),
                (field("vector", type="knn_vector"), "dimension"),
                (field("vector", type="knn_vector", dimension=3, method={}), "method"),
                (field("vector", type="knn_vector", dimension=3, method={"name": "hnsw"}), "ivf"),
                (field("vector", type="knn_vector", dimension=3, method={
                    "name": "ivf", "parameters": {"encoder": {"name": "sq"}}}), "sq"),
                (field("vector", type="knn_vector", dimension=3, space_type="l1"), "l1"),
                ({"mappings": {"dynamic": "true"}}, "dynamic"),
                ({"mappings": {"_routing": {}}}, "_routing"),
                ({"mappings": {"_source": {"enabled": False}, "properties": {
                    "b": {"type": "text", "index": False}}}}, "b"),
                ({"mappings": {"properties": {"a": {"type": "text", "analyzer": "english"},
                                              "b": {"type": "text", "analyzer": "standard"}}}},
                 "one analyzer"),
                ({"settings": {"number_of_shards": 2}}, "number_of_shards"),
                ({"settings": {"index": {"number_of_replicas": "1"}}}, "number_of_replicas"),
                ({"settings": {"index.refresh_interval": "1s"}}, "refresh_interval"),
                ({"settings": {"index.knn": True}}, "knn"), ({"setting": {}}, "setting"),
                ({"settings": {"analysis": {"filters": {}}}}, "filters")):
            self.refused("PUT", "/wrong", body, *named)
        for name in ("Upper", "-a", "a%20b", "x" * 201):
            self.refused("PUT", f"/{name}", {})
        self.assertEqual(404, self.get("/wrong").status)
        self.refused("DELETE", "/_all", None, "all")
        self.refused("DELETE", "/sin*", None, "sin*")
        self.refused("GET", "/_nope", None, "_nope", kind="invalid_index_name_exception")
        self.refused("GET", "/none/_search", None, status=404, kind="index_not_found_exception")

    def test_documents_that_are_refused(self):
        for body, kind in (({"title": "x"}, "strict_dynamic_mapping_exception"),
                           ({"body": 3}, "mapper_parsing_exception"),
                           ({"body": {"a": "b"}}, "mapper_parsing_exception"),
                           ("[]", "mapper_parsing_exception"), ("{", "parsing_exception"),
                           ('{"body": "a", "body": "b"}', "mapper_parsing_exception"),
                           ({"body": "a\0b"}, "illegal_argument_exception")):
            self.refused("PUT", "/single/_doc/x", body, kind=kind)
        for target in ("routing=1", "pipeline=x", "if_seq_no=1&if_primary_term=1", "version=3",
                       "op_type=x", "refresh=maybe", "wait_for_active_shards=1", "require_alias"):
            self.refused("PUT", "/single/_doc/x?" + target, {"body": "a"},
                         target.partition("=")[2] if target[:2] == "op" else
                         target.partition("=")[0])
        for body, *named in (({"script": "x"}, "script"), ({}, "doc"), ({"doc": {}, "lang": 1}, "lang"),
                             ({"doc": {}, "upsert": {}, "doc_as_upsert": True}, "upsert")):
            self.refused("POST", "/single/_update/d1", body, *named)
        self.refused("POST", "/single/_delete_by_query", {}, "query")
        self.refused("POST", "/single/_delete_by_query?slices=2", {"query": match("w1")}, "slices")
        self.refused("POST", "/single/_delete_by_query", {"query": match("w1"), "max_docs": 1},
                     "max_docs")
        self.refused("POST", "/single/_mget", {}, "docs")
        self.refused("POST", "/single/_mget", {"ids": ["a"], "docs": []}, "docs")
        self.refused("POST", "/single/_mget", {"docs": [{"_id": "a", "routing": "x"}]}, "routing")
        self.refused("POST", "/none/_mget", {"docs": [{"_id": "a"}]}, "none", status=404)
        self.assertEqual(404, self.get("/single/_doc/x").status)

    def test_bulks_whose_lines_are_none(self):
        good = '{"index": {"_id": "x"}}\n{"body": "x"}\n'
        for bad, *named in (("{", "line 3"), ("[]\n{}", "[3]"), ('{"put": {}}\n{}', "put", "[3]"),
                            ('{"index": {"_id": "y", "routing": "r"}}\n{}', "routing"),
                            ('{"index": {"_id": "y"}}', "line 3"), ('{"delete": {}}', "_id"),
                            ('{"update": {}}\n{}', "_id"), ('{"index": {}}\n{', "line 4")):
            self.refused("POST", "/single/_bulk", good + bad + "\n", *named)
        self.refused("POST", "/single/_bulk", "", "body")
        self.refused("POST", "/single/_bulk?pipeline=x", good, "pipeline")
        self.refused("POST", "/single/_msearch", "", "no requests")
        self.refused("POST", "/single/_msearch", "{}\n", "header")
        self.assertEqual(0, self.get("/v1/single").json()["uncommitted_changes"])

    def random_json(self, depth):
        choose = self.random
        if depth == 0 or choose.random() < 0.3:
            return choose.choice([None, True, 3, -1, 1.5, 1e300, "", "w1 w2", "body", "1m", "_doc",
                                  "and", "*", "<b>", [], {}, ["body"], [1, 2]])
        if choose.random() < 0.2:
            return [self.random_json(depth - 1) for _ in range(choose.randint(0, 3))]
        return {choose.choice(NAMES): self.random_json(depth - 1)
                for _ in range(choose.choice([1, 1, 1, 2, 3]))}

    def test_random_bodies_are_answered_or_refused(self):
        for number in range(1500):
            body = self.random_json(5)
            if isinstance(body, dict) and self.random.random() < 0.5:
                body = {"query": body}
            for target, statuses in (("/single/_search", (200, 400)), ("/single/_count", (200, 400)),
                                     ("/single/_search?scroll=1s", (200, 400, 429)),
                                     ("/single/_delete_by_query", (400,)),
                                     ("/_search/scroll", (400, 404)), ("/single/_mget", (200, 400)),
                                     ("/single/_analyze", (200, 400)),
                                     ("/single/_update/none", (400, 404))):
                if "delete" in target and "query" in str(body):
                    continue
                answer = self.ask("POST", target, json.dumps(body))
                self.assertIn(answer.status, statuses, (number, target, body, answer.body))

    def test_addresses_that_are_none(self):
        for method, target in (("GET", "/_nodes/stats"), ("POST", "/single/_update_by_query"),
                               ("POST", "/_reindex"),
                               ("GET", "/single/_termvectors/d1"), ("PUT", "/_template/a")):
            self.refused(method, target, None, "no handler", target)
        answer = self.ask("PUT", "/single/_search", {})
        self.assertEqual((405, "GET, POST"), (answer.status, answer.headers["Allow"]))
        self.assertEqual("method_not_allowed_exception", answer.json()["error"]["type"])
        self.assertEqual(415, self.ask("POST", "/single/_search", "{}",
                                       headers={"Content-Type": "text/plain"}).status)

    def test_pretty_answers_say_the_same(self):
        plain = self.get("/single/_search?q=w1+w2").json()
        answer = self.get("/single/_search?q=w1+w2&pretty")
        self.assertGreater(answer.body.count(b"\n"), 50)
        self.assertEqual(plain["hits"], answer.json()["hits"])

    def test_vectors_have_no_words(self):
        self.refused("POST", "/single/_count", {"query": {"knn": {"vector": {
            "vector": [1, 2], "k": 1}}}}, "vector")


class Keys(serving.ServerTest):
    """Each address needs the role that it should."""

    @classmethod
    def setUpClass(cls):
        cls.secrets = tempfile.TemporaryDirectory()
        path = Path(cls.secrets.name) / "keys"
        path.write_text("read r-key-0123456789abcdef\nwrite w-key-0123456789abcdef\n"
                        "admin a-key-0123456789abcdef\n")
        path.chmod(0o600)
        cls.options = ("--keys", str(path))
        super().setUpClass()

    def test_roles(self):
        def status(key, method, target, body=None):
            headers = {"Authorization": f"Bearer {key}-key-0123456789abcdef"} if key else {}
            return self.ask(method, target, body, headers=headers).status
        self.assertEqual(401, status("", "GET", "/texts/_search"))
        self.assertEqual(200, status("r", "GET", "/texts/_search"))
        self.assertEqual(403, status("r", "PUT", "/texts/_doc/x", {"body": "x"}))
        self.assertEqual(403, status("r", "POST", "/texts/_refresh"))
        self.assertEqual(201, status("w", "PUT", "/texts/_doc/x", {"body": "x"}))
        self.assertEqual(403, status("w", "DELETE", "/texts"))
        self.assertEqual(403, status("w", "PUT", "/new", {}))
        self.assertEqual(200, status("a", "PUT", "/new", {}))
        self.assertEqual(200, status("a", "DELETE", "/new"))


if __name__ == "__main__":
    serving.run()
