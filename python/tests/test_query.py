"""Queries as objects: they ask what texts ask, and name the argument that is wrong."""

import datetime

import conftest
import pytest

import warpdex
from warpdex.query import (
    Bool, Boost, ConstantScore, DisMax, Exists, Fuzzy, Ids, Match, MatchAll, Phrase, Prefix,
    QueryString, Range, Term, Terms, Wildcard)

PAIRS = [
    (Term("w1"), "w1"),
    (Match("w1 w2"), "w1 w2"),
    (Match("w1 w2", all_words=True), "+w1 +w2"),
    (Phrase("w1 w2"), '"w1 w2"'),
    (Phrase("w1 w2", slop=3), '"w1 w2"~3'),
    (Prefix("w1"), "w1*"),
    (Wildcard("?1"), "?1"),
    (Fuzzy("w11", edits=1), "w11~1"),
    (Range(gte="w1", lt="w3"), "[w1 TO w3}"),
    (MatchAll(), "*:*"),
    (QueryString("w1 -w2"), "w1 -w2"),
    (Bool(must=Term("w1"), should=[Term("w3")], must_not=[Prefix("w2")]), "+w1 w3 -w2*"),
    (Bool(should=[Term("w1"), Boost(Bool(must=[Term("w2"), Term("w3")]), 2)]),
     "w1 (+w2 +w3)^2"),
    (Boost(Term("w1"), 2.5), "w1^2.5"),
]


@pytest.fixture(scope="module")
def searcher(tmp_path_factory):
    path = tmp_path_factory.mktemp("query") / "index"
    docs = conftest.documents(77, 400)
    for number, document in enumerate(docs):
        document["year"] = 1900 + number % 50
        document["day"] = datetime.date(2020, 1, 1 + number % 28)
    warpdex.build(docs, path, analyzer="whitespace", positions=True, progress=False,
                  schema={"year": {"type": "int"}, "day": {"type": "date"}})
    return warpdex.Searcher(path, device="cpu")


def answer(hits):
    return [(hit.id, hit.score) for hit in hits]


@pytest.mark.parametrize("query, text", PAIRS)
def test_objects_ask_what_texts_ask(searcher, query, text):
    wanted = answer(searcher.search(text, k=50, syntax="lucene"))
    assert wanted
    assert answer(searcher.search(query, k=50)) == wanted


def test_batches_take_objects_beside_texts(searcher):
    objects = [query for query, _ in PAIRS]
    texts = [text for _, text in PAIRS]
    wanted = searcher.search_batch(texts, k=20, syntax="lucene", progress=False).to_dict()
    for queries, options in ((objects, {}), (objects[:5] + texts[5:], {"syntax": "lucene"})):
        found = searcher.search_batch(queries, k=20, progress=False, **options).to_dict()
        assert found == wanted
    with pytest.raises(warpdex.UsageError, match="lucene"):
        searcher.search_batch(["w1", Term("w2")], progress=False)


def test_columns_and_scores(searcher):
    year = {hit.id: 1900 + int(hit.id[1:]) % 50 for hit in searcher.search(MatchAll(), k=400)}
    found = searcher.search(Range("year", gte=1910, lt=1913), k=400)
    assert {hit.id for hit in found} == {id for id, of in year.items() if 1910 <= of < 1913}
    found = searcher.search(Range("day", gt=datetime.date(2020, 1, 27)), k=400)
    assert {hit.id for hit in found} == {id for id in year if int(id[1:]) % 28 == 27}
    assert len(searcher.search(Exists("year"), k=400)) == 400
    assert sorted(searcher.search(Ids(["d7", "d3", "none"])).ids) == ["d3", "d7"]
    assert {hit.score for hit in searcher.search(ConstantScore(Terms(["w1", "w2"]), 3))} == {3.0}
    both = searcher.search(DisMax([Term(1910, "year"), Boost(MatchAll(), 0.5)]), k=400)
    assert {hit.id for hit in both if hit.score == 1} == {id for id, of in year.items()
                                                          if of == 1910}


def test_explanations_of_clauses_add_up(searcher):
    query = Bool(must=[Match("w1 w2"), Prefix("w")], should=[Phrase("w1 w2", slop=2)],
                 filter=Range("year", lte=1930))
    hits = searcher.search(query)
    assert len(hits) == 10
    for hit in hits:
        why = hit.explain()
        assert (why.score, why.searched_by) == (hit.score, "trees")
        assert why.tree.matches and why.tree.clauses[2].role == "filter"
        assert sum(each.score for each in why.tree.clauses) == pytest.approx(hit.score)
        assert searcher.explain(query, hit.id).tree.score == why.tree.score
    missed = searcher.explain(Bool(must=[Term("w1"), Term("none")]), hits[0].id)
    assert (missed.score, missed.tree) == (missed.score, None)
    why_not = searcher.explain(Bool(must=[Prefix("w1"), Prefix("x")]), hits[0].id)
    assert why_not.score == 0 and not why_not.tree.matches
    assert why_not.tree.clauses[1].why_not


@pytest.mark.parametrize("as_object", [False, True])
def test_synonyms(searcher, as_object):
    def rules(text):
        return warpdex.Synonyms(text) if as_object else text

    def found(query, text, **options):
        return answer(searcher.search(query, k=50, synonyms=rules(text), **options))
    assert found("w1", "w1 => w2") == answer(searcher.search("w2", k=50))
    assert found(Match("w1"), "w1 => w2 w3") == answer(searcher.search(Phrase("w2 w3"), k=50))
    assert found("w1", "w1, w2") == found("w2", "# both\nw2, w1", syntax="plain")
    with pytest.raises(warpdex.InputError, match="line 2"):
        found("w1", "w1, w2\nw3 =>")


@pytest.mark.parametrize("make, named", [
    (lambda: Phrase("a", slop="b"), "Phrase: slop must be an int of 0 or more, not str"),
    (lambda: Phrase(["a", "b"]), "Phrase: words must be a str, not list"),
    (lambda: Bool(must="a"), "Bool: must must be a query, or a list of queries, not str"),
    (lambda: Bool(minimum_should_match=-1), "Bool: minimum_should_match"),
    (lambda: Boost(Term("a"), "2"), "Boost: factor must be a number, not str"),
    (lambda: Terms("abc"), "Terms: terms must be a list"),
    (lambda: Range(field=3), "Range: field must be a str or None, not int")])
def test_wrong_arguments_are_named(make, named):
    with pytest.raises(TypeError) as caught:
        make()
    assert named in str(caught.value)


def test_what_the_index_has_not_is_named(searcher):
    with pytest.raises(warpdex.InputError, match=r"query\.bool\.must\[1\]\.term\.nope"):
        searcher.search(Bool(must=[Term("w1"), Term("w2", field="nope")]))
    with pytest.raises(warpdex.UsageError, match="syntax"):
        searcher.search(Term("w1"), syntax="lucene")
