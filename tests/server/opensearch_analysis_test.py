"""Analyzers that the settings of an index describe, by OpenSearch's own client.
Run as: opensearch_analysis_test.py SOURCE_FOLDER WARPDEX"""

import serving
from opensearch_client import ClientTest
import opensearchpy


def with_analysis(analysis, **fields):
    properties = {name: {"type": "text", "analyzer": analyzer}
                  for name, analyzer in (fields or {"body": "mine"}).items()}
    return {"settings": {"analysis": analysis}, "mappings": {"properties": properties}}


class Analysis(ClientTest):
    def terms(self, index, text, **more):
        told = self.client.indices.analyze(index=index, body={"text": text, **more})
        return [token["token"] for token in told["tokens"]]

    def made_terms(self, analyzer, text, **parts):
        """Those of an index whose analyzer this is."""
        self.make("custom", with_analysis({"analyzer": {"mine": analyzer}, **parts}))
        found = self.terms("custom", text)
        self.client.indices.delete(index="custom")
        return found

    def test_tokenizers_and_filters(self):
        custom = {"type": "custom", "tokenizer": "standard"}
        for analyzer, text, terms in (
                (custom, "Old Ships", ["Old", "Ships"]),
                ({"tokenizer": "whitespace", "filter": "lowercase"}, "Old-Ships a", ["old-ships", "a"]),
                ({**custom, "tokenizer": "keyword"}, "Old Ships", ["Old Ships"]),
                ({**custom, "filter": ["lowercase", "asciifolding"], "char_filter": []},
                 "Été Ångström", ["ete", "angstrom"]),
                ({**custom, "filter": ["lowercase", "stop"]}, "The old ship", ["old", "ship"]),
                ({**custom, "filter": ["lowercase", "stop", "porter_stem"]},
                 "the ponies generously", ["poni", "gener"]),
                ({**custom, "filter": ["snowball"]}, "ponies generously", ["poni", "generous"]),
                ({**custom, "filter": ["stemmer"]}, "generously", ["gener"]),
                ({**custom, "filter": ["lowercase", "elision"]}, "L'avion", ["avion"]),
                ({**custom, "filter": ["cjk_bigram"]}, "東京都", ["東京", "京都"]),
                ({"type": "german"}, "Die Häuser", ["haus"]),
                ({"type": "standard", "stopwords": ["old"]}, "The old ship", ["the", "ship"]),
                ({"type": "english", "stopwords": "_none_"}, "The ships", ["the", "ship"])):
            with self.subTest(analyzer=analyzer):
                self.assertEqual(terms, self.made_terms(analyzer, text))

    def test_definitions(self):
        analyzer = {"type": "custom", "tokenizer": "words",
                    "filter": ["lowercase", "leave", "german", "articles", "pairs"]}
        self.assertEqual(["haus", "avion", "東", "東京", "京"], self.made_terms(
            analyzer, "ach Häuser l'avion 東京",
            tokenizer={"words": {"type": "standard"}},
            filter={"leave": {"type": "stop", "stopwords": ["ach"], "ignore_case": False},
                    "german": {"type": "stemmer", "language": "German"},
                    "articles": {"type": "elision", "articles": ["l"]},
                    "pairs": {"type": "cjk_bigram", "output_unigrams": True},
                    "not used": {"type": "stemmer", "name": "porter2"}}))

    def test_fields_and_the_default(self):
        analysis = {"analyzer": {"default": {"tokenizer": "whitespace", "filter": ["lowercase"]},
                                 "mine": {"tokenizer": "keyword"}}}
        self.make("usual", {"settings": {"index": {"analysis": analysis}}})
        self.assertEqual(["old", "ships"], self.terms("usual", "Old Ships"))
        body = with_analysis(analysis, title="mine", body="default", other="english")
        body["settings"]["separate_fields"] = True
        self.make("several", body)
        for field, terms in (("title", ["Old Ships"]), ("body", ["old", "ships"]),
                             ("other", ["old", "ship"])):
            self.assertEqual(terms, self.terms("several", "Old Ships", field=field))
        document = {"title": "Old Ships", "body": "Old Ships", "other": "Old Ships"}
        self.client.index(index="several", id="a", body=document, refresh=True)
        for query, found in (({"title": "Old Ships"}, {"a"}), ({"title": "ships"}, set()),
                             ({"body": "SHIPS"}, {"a"}), ({"other": "shipped"}, {"a"})):
            self.assertEqual(found, self.ids({"match": query}, "several"), query)

    def test_what_is_not_there_is_named(self):
        def custom(**members):
            return {"analyzer": {"mine": {"tokenizer": "standard", **members}}}
        for analysis, named in (
                (custom(filter=["word_delimiter"]), "word_delimiter"),
                (custom(tokenizer="ngram"), "ngram"), (custom(char_filter=["html_strip"]), "html_strip"),
                (custom(filters=["lowercase"]), "filters"), ({"analyzer": {"mine": {}}}, "tokenizer"),
                ({"analyzer": {"mine": {"type": "pattern"}}}, "pattern"),
                ({"filter": {"x": {"type": "synonym_graph", "synonyms": ["a, b"]}}},
                 r"synonym_graph\], .* with each search"),
                (custom(filter=["synonym"]), "with each search"),
                ({"filter": {"x": {}}}, r"\[x\]"), ({"filter": ["x"]}, "filter"),
                ({"filter": {"x": {"type": "stop", "ignore_case": True}}}, "ignore_case"),
                ({"tokenizer": {"x": {"type": "edge_ngram"}}}, "edge_ngram"),
                ({"char_filter": {"x": {"type": "mapping"}}}, "mapping"),
                ({"normalizer": {}}, "normalizer"),
                ({**custom(filter=["x"]), "filter": {"x": {"type": "stemmer", "name": "klingon"}}},
                 "klingon"),
                ({"analyzer": {"default_search": {"type": "standard"}}}, "default_search"),
                (custom(filter=["stop", 3]), "filter")):
            with self.subTest(analysis=analysis):
                with self.assertRaisesRegex(opensearchpy.RequestError, named):
                    self.client.indices.create(index="wrong", body=with_analysis(analysis))
        self.assertFalse(self.client.indices.exists(index="wrong"))


if __name__ == "__main__":
    serving.run()
