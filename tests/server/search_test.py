"""Searches over HTTP are the program's own, to the bit, and what they do not know is refused.
Run as: search_test.py SOURCE_FOLDER WARPDEX"""

import json
import re
import unittest
import urllib.parse

import serving

ROUNDS = 40


def hits_text(text):
    """The text of an answer's hits, as it was written."""
    return re.search(r'"matches":.*?"hits":\[.*\]\}', text).group(0)


class Searches(serving.ServerTest):
    def random_call(self):
        """Parameters of a search, and the options of the program that mean the same."""
        choose = self.random
        query = serving.words(choose, choose.randint(1, 5))
        if choose.random() < 0.3:
            query += " -" + choose.choice(serving.WORDS)
        asked, options = {"q": query}, []

        def add(name, value, option=None):
            asked[name] = value
            options.extend([option or "--" + name.replace("_", "-")]
                           + ([] if value is True else [str(value)]))
        if choose.random() < 0.5:
            add("k", choose.randint(1, 60), "-k")
        mode = choose.choice(["or", "and", "and-or"])
        add("mode", mode)
        if mode == "and-or" and choose.random() < 0.5:
            add("and_or_min", choose.randint(1, 30))
        if choose.random() < 0.3:
            add("count", True)
        if choose.random() < 0.3:
            add("scorer", "qld")
            add("mu", choose.choice([10, 500.5]))
        elif choose.random() < 0.3:
            add("scorer", choose.choice(["bm25+", "bm25-lucene", "qljm", "pl2"]))
        elif choose.random() < 0.5:
            add("k1", choose.choice([0, 0.5, 1.2]))
            add("bm25_form", choose.choice(["lucene", "pisa"]))
        if choose.random() < 0.4:
            asked["fields"] = "title,body"
            options += ["--show", "title,body"]
            if choose.random() < 0.5:
                add("matches_position", True, "--show-matches-position")
        if choose.random() < 0.3:
            add("explain", True)
        return asked, options

    def test_answers_are_those_of_the_program(self):
        for number in range(ROUNDS):
            asked, options = self.random_call()
            with self.subTest(number=number, asked=asked):
                told = serving.program("search", self.root / "texts", "--output-format", "json",
                                       *options, "--", *asked["q"].split())
                wanted = hits_text(told)
                query = urllib.parse.urlencode(
                    {name: "true" if value is True else value for name, value in asked.items()})
                by_address = self.get("/v1/texts/search?" + query)
                self.assertEqual(200, by_address.status, by_address.body)
                self.assertEqual(wanted, hits_text(by_address.body.decode()))
                body = dict(asked)
                if "fields" in body:
                    body["fields"] = body["fields"].split(",")
                by_body = self.ask("POST", "/v1/texts/search", body)
                self.assertEqual(wanted, hits_text(by_body.body.decode()))

    def test_snippets_as_they_are_asked_for(self):
        self.assertEqual(201, self.ask("PUT", "/v1/marked", {"store": ["body"]}).status)
        body = "<b>whale</b> " + "filler " * 40 + "& a whale"
        self.ask("PUT", "/v1/marked/documents/a?commit=true", {"text": body,
                                                               "fields": {"body": body}})
        asked = {"q": "whal*", "query_syntax": "lucene", "fields": ["body"], "snippet_bytes": 20}

        def snippet(**more):
            [hit] = self.ask("POST", "/v1/marked/search", {**asked, **more}).json()["hits"]
            return hit["snippets"]["body"]
        self.assertEqual("&lt;b&gt;<em>whale</em>&lt;/b&gt; filler\u2026", snippet())
        self.assertEqual("&lt;b&gt;<em>whale</em>&lt;/b&gt; filler\u2026<em>whale</em>",
                         snippet(snippet_fragments=2))
        self.assertEqual("<b><em>whale</em></b> filler\u2026<em>whale</em>",
                         snippet(snippet_html=False, snippet_fragments=3))

    def test_pages_follow_each_other(self):
        whole = self.get("/v1/texts/search?q=w0+w1&k=30").json()["hits"]
        self.assertEqual(30, len(whole))
        pages = [hit for first in range(0, 30, 7)
                 for hit in self.get(f"/v1/texts/search?q=w0+w1&k=7&from={first}").json()["hits"]]
        self.assertEqual(whole, pages[:30])
        # AND has more matches than a page: no page is OR's.
        target = "/v1/texts/search?q=w0+w1&mode=and-or&count=true&k=2"
        matches = self.get(target).json()["matches"]
        self.assertLess(2, matches)
        last = self.get(f"{target}&from={matches - 1}").json()
        self.assertEqual((False, 1), (last["fell_back_to_or"], len(last["hits"])))

    def test_what_is_not_known_is_refused_by_its_name(self):
        for target, named in (("q=w1&kk=3", "kk"), ("q=w1&kk=3", "q, query, vector"), ("q=w1&k=0", "k"), ("q=w1&k=10001", "k"),
                              ("q=w1&k=1&k=2", "k"), ("q=w1&mode=xor", "xor"), ("k=3", "q"),
                              ("q=w1&mu=3", "mu"), ("q=w1&and_or_min=3", "and_or_min"),
                              ("q=w1&count=maybe", "count"), ("q=w1&fields=author", "author"),
                              ("q=w1&k=9999&from=2", "from"), ("q=w1&fusion=rrf", "fusion"),
                              ("q=w1&vector=1,2", "vectors"), ("q=w1&snippets", "snippets"),
                              ("q=w1&k1=nan", "k1"), ("q=w1&b=2", "b"), ("q=w1^x^2e99", "1e9"),
                              ("q=w1&deadline=0", "deadline"), ("q=%ff", "UTF-8"),
                              ("q=a%00b", "NUL"), ("q=%zz", "%")):
            answer = self.get("/v1/texts/search?" + target)
            self.assertEqual(400, answer.status, target)
            self.assertIn(named, answer.reason(), target)

    def test_refusals_of_v1_have_its_form_whatever_names_begin_with(self):
        for target in ("/v1/_a/search?q=w1&q=w2", "/v1/texts/documents/_a?b=1&b=2", "/v1/_a/_b/c"):
            answer = self.get(target).json()
            self.assertEqual({"error", "request_id"}, set(answer), target)

    def test_bodies_that_are_refused(self):
        for body, named in (('{"q": "w1", "kk": 3}', "kk"), ('{"q": 3}', "q"), ("[]", "object"),
                            ('{"q": "w1", "q": "w2"}', "twice"), ('{"q": "w1"', "JSON"),
                            ('{"q": "w1", "k": 1.5}', "k"), ('{"q": "w1", "count": 1}', "count"),
                            ('{"q": "w1", "vector": [1, "a"]}', "vector"),
                            ('{"q": "\\ud800"}', "JSON"), (b'{"q": "\xff"}', "JSON"),
                            ('{"q": "w1", "search_after": "0-1"}', "search_after is for a sorted"),
                            ('{"q": "w1", "snippet_html": false}', "fields"),
                            ('{"q": "w1", "snippet_fragments": 2}', "fields"),
                            ('{"q": "w1", "fields": ["body"], "snippet_fragments": 0}', "1000"),
                            ("[" * 100000, "nested"), ('{"a":' * 70 + "1" + "}" * 70, "nested"),
                            ("", "JSON"), ("null", "object")):
            answer = self.ask("POST", "/v1/texts/search", body)
            self.assertEqual(400, answer.status, body[:40])
            self.assertIn(named, answer.reason(), body[:40])

    def test_queries_of_clauses(self):
        clauses = {"bool": {"must": [{"match": {"*": "w1 w2"}}], "should": {"prefix": {"*": "w3"}},
                            "must_not": [{"term": {"*": "w4"}}]}}
        told = serving.program("search", self.root / "texts", json.dumps(clauses), "--output-format",
                               "json", "--query-syntax", "json", "-k", 30, "--explain")
        wanted = hits_text(told)
        self.assertIn('"searched_by":"trees"', wanted)
        text = urllib.parse.urlencode({"query": json.dumps(clauses), "k": 30, "explain": "true"})
        for answer in (self.ask("POST", "/v1/texts/search", {"query": clauses, "k": 30,
                                                             "explain": True}),
                       self.get("/v1/texts/search?" + text)):
            self.assertEqual(200, answer.status, answer.body)
            self.assertEqual(wanted, hits_text(answer.body.decode()))
        for body, named in (({"query": clauses, "q": "w1"}, "'q' and 'query'"),
                            ({"query": clauses, "query_syntax": "lucene"}, "query_syntax"),
                            ({"query": {"bool": {"must": [{"term": {"year": 1}}]}}},
                             "query.bool.must[0].term.year"),
                            ({"query": {"match": {"*": []}}}, "query.match.*"),
                            ({"query": {}}, "query"), ({"query": 3}, "query")):
            answer = self.ask("POST", "/v1/texts/search", body)
            self.assertEqual(400, answer.status, body)
            self.assertIn(named, answer.reason(), body)

    def test_synonyms(self):
        rules = self.root / "rules"
        rules.write_text("w1, w2\nw5 => w6\n", encoding="utf-8")
        told = serving.program("search", self.root / "texts", "--synonyms", rules,
                               "--output-format", "json", "--", "w1", "w5", "-w3")
        for body in ({"q": "w1 w5 -w3"}, {"q": "w1 w5 -w3", "query_syntax": "lucene"}):
            answer = self.ask("POST", "/v1/texts/search", {**body, "synonyms": rules.read_text()})
            self.assertEqual(hits_text(told), hits_text(answer.body.decode()))
        answer = self.ask("POST", "/v1/texts/search", {"q": "w1", "synonyms": "a\nw1 =>"})
        self.assertEqual(400, answer.status)
        self.assertIn("'synonyms', line 2", answer.reason())

    def test_a_deadline_that_has_passed_is_told_with_its_certificate(self):
        answer = self.get("/v1/texts/search?q=w0+w1+w2&deadline=0.001").json()
        if not answer["complete"]:
            self.assertGreater(answer["max_missing_score"], 0)
        whole = self.get("/v1/texts/search?q=w0+w1+w2").json()
        self.assertTrue(whole["complete"])
        self.assertNotIn("max_missing_score", whole)

    def test_who_answered(self):
        self.assertEqual("cpu", self.get("/v1/texts/search?q=w0").json()["answered_by"])

    def test_terms_that_are_spelt_alike(self):
        answer = self.get("/v1/texts/similar?words=w0,w1x,nothing-like-it&count=2").json()
        known, misspelt, unknown = answer["words"]
        holding = sum("w0" in (text["title"] + " " + text["body"]).split() for text in self.texts)
        self.assertEqual({"word": "w0", "term": "w0", "documents": holding, "similar": []}, known)
        self.assertEqual(("w1x", 0, 2), (misspelt["word"], misspelt["documents"],
                                         len(misspelt["similar"])))
        for similar in misspelt["similar"]:
            self.assertIn(similar["term"], serving.WORDS)
            self.assertEqual(similar["term"], similar["word"])
            self.assertEqual(1, similar["edits"])
        self.assertEqual([], unknown["similar"])
        for parameters, named in (("", "words"), ("words=", "words"), ("words=a&count=0", "count"),
                                  ("words=" + "a," * 11, "11"), ("words=" + "a" * 1025, "1025"),
                                  ("words=a&q=b", "q")):
            refused = self.get("/v1/texts/similar?" + parameters)
            self.assertEqual(400, refused.status, parameters)
            self.assertIn(named, refused.reason())
        self.assertEqual(404, self.get("/v1/none/similar?words=a").status)

    def test_offers_are_words_as_people_write_them(self):
        """Not stems, such as "happi", which typed would be looked for as "happi" or not at all."""
        for stored in (["title"], []):
            self.assertEqual(201, self.ask("PUT", "/v1/written", {
                "analyzer": "english", "store": stored}).status)
            texts = ["Sailing ships", "sailing, Sails", "Happiness & happiness", "AGREED, agreed",
                     "Caf\u00e9s"]
            for number, text in enumerate(texts):
                told = self.ask("PUT", f"/v1/written/documents/{number}", {
                    "text": text, "fields": {"title": text} if stored else {}})
                self.assertEqual(201, told.status, told.body)
            self.assertEqual(200, self.ask("POST", "/v1/written/commit").status)
            told = self.get("/v1/written/similar?words=saxling,happxness,agrexd,cafxs").json()
            offered = [[each["word"] for each in word["similar"]] for word in told["words"]]
            terms = [[each["term"] for each in word["similar"]] for word in told["words"]]
            self.assertTrue(offered[0])
            if stored:
                self.assertEqual([["sailing"], ["happiness"], ["agreed"], ["Caf\u00e9s"]], offered)
            for word, term in zip(sum(offered, []), sum(terms, [])):
                found = self.get("/v1/written/search?q=" + urllib.parse.quote(word)).json()
                self.assertTrue(found["hits"], word)
                same = self.get("/v1/written/similar?words=" + urllib.parse.quote(word)).json()
                self.assertEqual(term, same["words"][0]["term"])
            self.assertEqual(200, self.ask("DELETE", "/v1/written").status)

    def test_the_id_of_a_request_comes_back(self):
        self.assertEqual("abc", self.get("/v1/texts/search?q=w1&id=abc").json()["id"])
        answer = self.get("/healthz", headers={"X-Request-ID": "a.b-c_9"})
        self.assertEqual("a.b-c_9", answer.headers["X-Request-ID"])
        answer = self.get("/healthz", headers={"X-Request-ID": "a b"})
        self.assertRegex(answer.headers["X-Request-ID"], "^[0-9a-f]{16}$")


if __name__ == "__main__":
    serving.run()
