"""Fields of values by OpenSearch's own client, and over /v1: filters, order, aggregations, deletes
by query, against plain loops over the documents.
Run as: opensearch_columns_test.py SOURCE_FOLDER WARPDEX"""

import collections
import json
import urllib.parse

import opensearchpy

import serving
from opensearch_client import ClientTest

MAPPING = {"mappings": {"properties": {
    "body": {"type": "text", "analyzer": "whitespace"}, "lang": {"type": "keyword"},
    "year": {"type": "integer"}, "price": {"type": "double"}, "draft": {"type": "boolean"},
    "added": {"type": "date"}}}}


def values(field):
    """As a list."""
    return [] if field is None else field if isinstance(field, list) else [field]


class Columns(ClientTest):
    def setUp(self):
        self.make("films", MAPPING)
        self.films = {}
        for i in range(300):
            film = {"body": serving.words(self.random, 1 + i % 20)}
            if self.random.random() < .8:
                film["lang"] = self.random.sample(["de", "en", "fr", "it"],
                                                  1 + self.random.randrange(3))
            if self.random.random() < .9:
                film["year"] = 1990 + self.random.randrange(12)
            film["price"] = self.random.randrange(40) / 4
            film["draft"] = self.random.random() < .3
            film["added"] = f"20{10 + self.random.randrange(10)}-0{1 + self.random.randrange(9)}-01"
            self.films[f"f{i}"] = film
        lines = []
        for id, film in self.films.items():
            lines += [{"index": {"_id": id}}, film]
        told = self.client.bulk(body=lines, index="films", refresh=True)
        self.assertFalse(told["errors"], told)

    def tearDown(self):
        self.client.indices.delete(index="films")

    def passing(self, passes):
        return {id for id, film in self.films.items() if passes(film)}

    def test_filters_let_through_what_a_loop_does(self):
        cases = [
            ({"term": {"year": 1995}}, lambda film: film.get("year") == 1995),
            ({"term": {"lang": {"value": "de"}}}, lambda film: "de" in values(film.get("lang"))),
            ({"terms": {"lang": ["it", "fr"]}},
             lambda film: {"it", "fr"} & set(values(film.get("lang")))),
            ({"range": {"year": {"gte": 1993, "lt": 1999}}},
             lambda film: 1993 <= film.get("year", 0) < 1999),
            ({"range": {"added": {"gt": "2014-03-01"}}}, lambda film: film["added"] > "2014-03-01"),
            ({"range": {"price": {"lte": 2.5}}}, lambda film: film["price"] <= 2.5),
            ({"exists": {"field": "year"}}, lambda film: "year" in film),
            ({"term": {"draft": True}}, lambda film: film["draft"]),
            ({"bool": {"must_not": [{"term": {"draft": "true"}}, {"exists": {"field": "lang"}}]}},
             lambda film: not film["draft"] and "lang" not in film),
            ({"bool": {"should": [{"term": {"year": 1990}}, {"term": {"lang": "it"}}],
                       "filter": {"term": {"draft": False}}, "minimum_should_match": 1}},
             lambda film: not film["draft"] and
             (film.get("year") == 1990 or "it" in values(film.get("lang")))),
        ]
        for query, passes in cases:
            wanted = self.passing(passes)
            self.assertEqual(wanted, self.ids(query, "films"), query)
            self.assertEqual(len(wanted), self.client.count(index="films",
                                                            body={"query": query})["count"])
            self.assertEqual(wanted, {hit["_id"] for hit in self.search(
                {"match_all": {}}, index="films", size=1000, post_filter=query)["hits"]["hits"]})
            words = {"match": {"body": "w0 w1"}}
            scored = {hit["_id"]: hit["_score"] for hit in self.search(
                words, index="films", size=1000)["hits"]["hits"] if hit["_id"] in wanted}
            filtered = self.search({"bool": {"must": words, "filter": [query]}}, index="films",
                                   size=1000)["hits"]["hits"]
            self.assertEqual(scored, {hit["_id"]: hit["_score"] for hit in filtered}, query)

    def test_words_and_columns_in_each_others_clauses(self):
        has = {id: set(film["body"].split()) for id, film in self.films.items()}
        for query, passes in (
                ({"bool": {"should": [{"term": {"year": 1995}}, {"match": {"body": "w1"}}]}},
                 lambda id, film: film.get("year") == 1995 or "w1" in has[id]),
                ({"bool": {"must": [{"bool": {"should": [
                    {"prefix": {"body": "w1"}}, {"exists": {"field": "lang"}}]}}],
                    "must_not": [{"range": {"year": {"lt": 1995}}}, {"match": {"body": "w2"}}]}},
                 lambda id, film: ("lang" in film or any(word[:2] == "w1" for word in has[id]))
                 and film.get("year", 2000) >= 1995 and "w2" not in has[id])):
            wanted = {id for id, film in self.films.items() if passes(id, film)}
            self.assertGreater(len(wanted), 10)
            self.assertEqual(wanted, self.ids(query, "films"), query)
            # There the text has no name.
            body = json.loads(json.dumps({"query": query, "k": 1000}).replace('"body"', '"*"'))
            hits = self.ask("POST", "/v1/films/search", body).json()["hits"]
            self.assertEqual(wanted, {hit["document"] for hit in hits})

    def test_beside_filters_of_columns_no_clause_has_to_match(self):
        words = {"match": {"body": "w0 w1"}}
        scored = {hit["_id"]: hit["_score"] for hit in self.search(
            words, index="films", size=1000)["hits"]["hits"]}
        late = {"range": {"year": {"gte": 1996}}}
        for least in (None, 0, 1):
            query = {"bool": {"filter": [late], "should": [words],
                              "must_not": [{"term": {"draft": True}}]}}
            if least is not None:
                query["bool"]["minimum_should_match"] = least
            wanted = {id: scored.get(id, 0) for id in self.passing(
                lambda film: film.get("year", 0) >= 1996 and not film["draft"])
                if id in scored or not least}
            self.assertGreater(len(wanted), 10)
            hits = self.search(query, index="films", size=1000)["hits"]["hits"]
            self.assertEqual(wanted, {hit["_id"]: hit["_score"] for hit in hits}, query)
            body = json.loads(json.dumps({"query": query, "k": 1000}).replace('"body"', '"*"'))
            hits = self.ask("POST", "/v1/films/search", body).json()["hits"]
            self.assertEqual(set(wanted), {hit["document"] for hit in hits}, query)

    def test_constant_scores_of_columns(self):
        query = {"constant_score": {"filter": {"term": {"year": 1995}}, "boost": 2.5}}
        hits = self.search(query, index="films", size=1000)["hits"]["hits"]
        self.assertEqual({id: 2.5 for id in self.passing(lambda film: film.get("year") == 1995)},
                         {hit["_id"]: hit["_score"] for hit in hits})

    def test_source_has_values_as_they_are(self):
        for id in ("f0", "f7", "f100"):
            source = self.client.get(index="films", id=id)["_source"]
            film = self.films[id]
            self.assertEqual(film["body"], source["body"])
            self.assertEqual(sorted(values(film.get("lang"))), values(source.get("lang")))
            self.assertEqual(film.get("year"), source.get("year"))
            self.assertEqual(film["added"] + "T00:00:00.000Z", source["added"])
            self.assertIs(film["draft"], source["draft"])
        told = self.client.indices.get_mapping(index="films")["films"]["mappings"]["properties"]
        self.assertEqual({"body": "text", "lang": "keyword", "year": "long", "price": "double",
                          "draft": "boolean", "added": "date"},
                         {name: field["type"] for name, field in told.items()})

    def test_an_update_keeps_values(self):
        self.client.update(index="films", id="f1", body={"doc": {"year": 1800, "lang": None}},
                           refresh=True)
        source = self.client.get(index="films", id="f1")["_source"]
        self.assertEqual(1800, source["year"])
        self.assertNotIn("lang", source)
        self.assertEqual(self.films["f1"]["price"], source["price"])

    def test_pages_in_the_order_of_values(self):
        order = [{"year": "desc"}, {"price": {"order": "asc", "missing": "_last"}}]
        hits, after = [], {}
        while told := self.search({"match_all": {}}, index="films", size=23, sort=order,
                                  **after)["hits"]["hits"]:
            hits += told
            after = {"search_after": told[-1]["sort"]}
        numbers = {id: i for i, id in enumerate(self.films)}
        wanted = sorted(self.films, key=lambda id: ("year" not in self.films[id],
                                                    -self.films[id].get("year", 0),
                                                    self.films[id]["price"], numbers[id]))
        self.assertEqual(wanted, [hit["_id"] for hit in hits])
        self.assertEqual(self.films[wanted[0]]["year"], hits[0]["sort"][0])

    def test_clauses_of_columns_score_by_their_boosts(self):
        def scored(query):
            found = self.search(query, index="films", size=300)["hits"]["hits"]
            return {hit["_id"]: hit["_score"] for hit in found}
        de = {"term": {"lang": {"value": "de", "boost": 3}}}
        recent = {"range": {"year": {"gte": 1995, "boost": 0.5}}}
        # A group that only excludes matches nothing, as in Lucene.
        for query, score in (
                ({"bool": {"must": [de]}}, lambda a, b, c: 3 if a else None),
                ({"bool": {"must": [de, recent]}}, lambda a, b, c: 3.5 if a and b else None),
                ({"bool": {"should": [de, recent], "boost": 2}},
                 lambda a, b, c: 6 * a + 1 * b or None),
                ({"bool": {"must": [recent], "should": [de]}},
                 lambda a, b, c: 0.5 + 3 * a if b else None),
                ({"bool": {"filter": [de]}}, lambda a, b, c: 0 if a else None),
                (de, lambda a, b, c: 3 if a else None),
                ({"bool": {}}, lambda a, b, c: 1), ({"bool": {"must": []}}, lambda a, b, c: 1),
                ({"bool": {"must": [], "boost": 2}}, lambda a, b, c: 2),
                ({"query_string": {"query": "lang:de^0.5 -year:[1995 TO *]"}},
                 lambda a, b, c: 0.5 if a and not b else None),
                ({"query_string": {"query": "+draft:true -(-lang:de)"}},
                 lambda a, b, c: 1 if c else None),
                ({"query_string": {"query": "+(-lang:de) +draft:true"}}, lambda a, b, c: None)):
            wanted = {id: score("de" in values(film.get("lang")), film.get("year", 0) >= 1995,
                                film["draft"]) for id, film in self.films.items()}
            wanted = {id: own for id, own in wanted.items() if own is not None}
            self.assertEqual(wanted, scored(query), query)

    def test_typed_keys(self):
        aggs = {"a": {"terms": {"field": "lang"}}, "b": {"terms": {"field": "year"}},
                "c": {"terms": {"field": "price"}}, "d": {"max": {"field": "year"}},
                "e": {"range": {"field": "price", "ranges": [{"to": 3}]}},
                "f": {"date_range": {"field": "added", "ranges": [{"from": "2015-01-01"}]}}}
        names = ["sterms#a", "lterms#b", "dterms#c", "max#d", "range#e", "date_range#f"]
        body = {"size": 0, "aggs": aggs}
        told = self.client.search(index="films", body=body, params={"typed_keys": "true"})
        self.assertEqual(names, list(told["aggregations"]))
        told = self.client.msearch(body=[{"index": "films"}, body], params={"typed_keys": "true"})
        self.assertEqual(names, list(told["responses"][0]["aggregations"]))
        told = self.client.search(index="films", body=body)
        self.assertEqual(list(aggs), list(told["aggregations"]))

    def test_aggregations_count_all_matches(self):
        query = {"range": {"year": {"gte": 1995}}}
        films = [self.films[id] for id in self.passing(lambda film: film.get("year", 0) >= 1995)]
        told = self.search(query, index="films", size=0, aggs={
            "langs": {"terms": {"field": "lang", "size": 2}},
            "years": {"terms": {"field": "year"}},
            "prices": {"range": {"field": "price", "ranges": [{"to": 3}, {"from": 3, "to": 7.5},
                                                             {"from": 7.5, "key": "dear"}]}},
            "all": {"stats": {"field": "price"}}, "least": {"min": {"field": "year"}},
            "mean": {"avg": {"field": "year"}}, "different": {"cardinality": {"field": "lang"}},
            "number": {"value_count": {"field": "lang"}},
            "drafts": {"terms": {"field": "draft"}},
            "days": {"date_range": {"field": "added", "ranges": [{"from": "2015-01-01"}]}}})
        aggs = told["aggregations"]
        self.assertEqual([], told["hits"]["hits"])
        self.assertEqual(len(films), told["hits"]["total"]["value"])
        langs = collections.Counter(lang for film in films for lang in values(film.get("lang")))
        top = sorted(langs.items(), key=lambda item: (-item[1], item[0]))
        self.assertEqual([{"key": key, "doc_count": count} for key, count in top[:2]],
                         aggs["langs"]["buckets"])
        self.assertEqual(sum(langs.values()) - top[0][1] - top[1][1],
                         aggs["langs"]["sum_other_doc_count"])
        years = collections.Counter(film["year"] for film in films)
        self.assertEqual(sorted(years.items(), key=lambda item: (-item[1], item[0])),
                         [(bucket["key"], bucket["doc_count"])
                          for bucket in aggs["years"]["buckets"]])
        prices = [film["price"] for film in films]
        self.assertEqual([sum(price < 3 for price in prices),
                          sum(3 <= price < 7.5 for price in prices),
                          sum(price >= 7.5 for price in prices)],
                         [bucket["doc_count"] for bucket in aggs["prices"]["buckets"]])
        self.assertEqual("dear", aggs["prices"]["buckets"][2]["key"])
        self.assertEqual({"count": len(prices), "min": min(prices), "max": max(prices),
                          "avg": sum(prices) / len(prices), "sum": sum(prices)}, aggs["all"])
        self.assertEqual(min(years), aggs["least"]["value"])
        self.assertAlmostEqual(sum(film["year"] for film in films) / len(films),
                               aggs["mean"]["value"])
        self.assertEqual(len(langs), aggs["different"]["value"])
        self.assertEqual(sum(langs.values()), aggs["number"]["value"])
        self.assertEqual({"true", "false"},
                         {bucket["key_as_string"] for bucket in aggs["drafts"]["buckets"]})
        self.assertEqual(sum(film["added"] >= "2015" for film in films),
                         aggs["days"]["buckets"][0]["doc_count"])

    def test_deletes_by_query(self):
        wanted = self.passing(lambda film: film["price"] < 2)
        told = self.client.delete_by_query(index="films", refresh=True,
                                           body={"query": {"range": {"price": {"lt": 2}}}})
        self.assertEqual(len(wanted), told["deleted"])
        self.assertEqual(set(self.films) - wanted, self.ids({"match_all": {}}, "films"))

    def test_v1_has_filters_order_and_facets(self):
        parameters = {"q": "*:*", "query_syntax": "lucene", "filter": "year >= 1995 AND NOT draft",
                      "sort": "year,price:desc", "facets": "lang,year:..2000..2010",
                      "k": 50, "fields": "year"}
        told = self.get("/v1/films/search?" + urllib.parse.urlencode(parameters)).json()
        wanted = self.passing(lambda film: film.get("year", 0) >= 1995 and not film["draft"])
        self.assertEqual(len(wanted), told["matches"])
        numbers = {id: i for i, id in enumerate(self.films)}
        order = sorted(wanted, key=lambda id: (self.films[id]["year"], -self.films[id]["price"],
                                               numbers[id]))
        self.assertEqual(order[:50], [hit["document"] for hit in told["hits"]])
        self.assertEqual(str(self.films[order[0]]["year"]), told["hits"][0]["fields"]["year"])
        parameters["search_after"] = told["hits"][-1]["cursor"]
        more = self.get("/v1/films/search?" + urllib.parse.urlencode(parameters)).json()
        self.assertEqual(order[50:100], [hit["document"] for hit in more["hits"]])
        langs = collections.Counter(lang for id in wanted
                                    for lang in values(self.films[id].get("lang")))
        self.assertEqual(dict(langs), {count["value"]: count["documents"]
                                       for count in told["facets"]["lang"]["top"]})
        years = [self.films[id]["year"] for id in wanted]
        self.assertEqual([{"to": "2000", "documents": sum(year < 2000 for year in years)},
                          {"from": "2000", "to": "2010",
                           "documents": sum(2000 <= year < 2010 for year in years)}],
                         told["facets"]["year"]["ranges"])
        answer = self.ask("PUT", "/v1/films/documents/new?commit=true",
                          {"text": "w0", "values": {"year": 2030, "lang": ["de", "en"]}})
        self.assertEqual(201, answer.status, answer.body)
        self.assertEqual({"new"}, self.ids({"term": {"year": 2030}}, "films"))
        del parameters["search_after"]
        parameters["filter"] = "yeer = 1"
        answer = self.get("/v1/films/search?" + urllib.parse.urlencode(parameters))
        self.assertEqual(400, answer.status)
        self.assertIn("there is no column 'yeer'", answer.reason())

    def test_what_does_not_fit_is_refused(self):
        for document in ({"year": "old"}, {"year": 1.5}, {"added": "2010-02-30"}, {"draft": "yes"},
                         {"price": {"a": 1}}, {"lang": 7}):
            with self.assertRaises(opensearchpy.RequestError) as caught:
                self.client.index(index="films", body={"body": "w0", **document})
            self.assertEqual("mapper_parsing_exception", caught.exception.error)
        for body in ({"query": {"range": {"year": {"gte": "x"}}}}, {"sort": "body"},
                     {"aggs": {"a": {"terms": {"field": "body"}}}},
                     {"aggs": {"a": {"avg": {"field": "lang"}}}},
                     {"aggs": {"a": {"histogram": {"field": "year"}}}},
                     {"sort": "year", "search_after": [1990]},
                     {"sort": ["_score", "year"]}, {"post_filter": {"match": {"body": "w0"}}}):
            with self.assertRaises(opensearchpy.RequestError, msg=body):
                self.client.search(index="films", body=body)
        with self.assertRaises(opensearchpy.RequestError):
            self.make("other", {"mappings": {"properties": {"id": {"type": "keyword"}}}})


if __name__ == "__main__":
    serving.run()
