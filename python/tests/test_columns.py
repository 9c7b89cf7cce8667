"""Columns: filters, order, facets, and what documents may hold."""

import datetime

import pytest

import warpdex

SCHEMA = {"year": {"type": "int"}, "lang": {"type": "keyword", "multiple": True},
          "day": {"type": "date"}, "draft": {"type": "bool"}, "price": {"type": "float"}}
DOCUMENTS = [
    {"id": "a", "contents": "sea sail", "year": 1990, "lang": ["en", "de"], "price": 1.5,
     "day": datetime.date(2020, 2, 29), "draft": True},
    {"id": "b", "contents": "sea", "year": 1995, "lang": "en", "price": 2, "draft": False,
     "day": "2021-01-01T00:00:00Z"},
    {"id": "c", "contents": "sea ship", "lang": None, "day": 0},
]


@pytest.fixture(params=["build", "writer"])
def searcher(request, tmp_path):
    path = tmp_path / "index"
    if request.param == "build":
        warpdex.build(iter(DOCUMENTS), path, schema=SCHEMA, progress=False)
    else:
        with warpdex.Writer(path, schema=SCHEMA, memory="128M") as writer:
            for document in DOCUMENTS:
                writer.add(document)
    return warpdex.Searcher(path, device="cpu")


@pytest.mark.parametrize("condition, ids", [
    ("year >= 1990", "ab"), ("lang = en AND NOT draft", "b"), ("lang NOT EXISTS", "c"),
    ("day >= 2020-02-29", "ab"), ("price < 2", "a"), ("id IN [a, c]", "ac")])
def test_filters_let_through_what_fits(searcher, condition, ids):
    assert sorted(searcher.search("sea", filter=condition).ids) == list(ids)


def test_sorted_pages_go_on_by_cursors(searcher):
    page = searcher.search("sea", k=2, sort="year:desc")
    assert page.ids == ["b", "a"]
    assert searcher.search("sea", k=2, sort="year:desc", search_after=page[-1].cursor).ids == ["c"]


def test_facets_count_all_matches(searcher):
    facets = searcher.search("sea", k=1, facets=["lang", "year"]).facets
    assert facets["lang"]["top"] == [("en", 2), ("de", 1)]
    assert facets["year"] == {"documents": 2, "values": 2, "distinct": 2, "min": 1990, "max": 1995,
                              "sum": 3985, "top": [("1990", 1), ("1995", 1)]}


def test_facets_count_ranges(searcher):
    facets = searcher.search("sea", facets=["year:..1991..", "day:2020-02-29..2021", "lang",
                                            "year:1990..1996"]).facets
    assert facets["year"]["ranges"] == [(None, "1991", 1), ("1991", None, 1), ("1990", "1996", 2)]
    assert facets["day"]["ranges"] == [("2020-02-29", "2021", 1)]
    assert "ranges" not in facets["lang"]
    for wrong in ("year:1990....2000", "year:..", "", ":..1"):
        with pytest.raises(warpdex.UsageError):
            searcher.search("sea", facets=[wrong])
    with pytest.raises(warpdex.InputError, match="'year' has the value 'x'"):
        searcher.search("sea", facets=["year:x.."])


def test_columns_are_shown(searcher):
    assert searcher.search("sail", fields=["lang", "year"])[0].fields == {"lang": "de, en",
                                                                         "year": "1990"}


def test_filters_delete(searcher, tmp_path):
    with warpdex.Writer(tmp_path / "index") as writer:
        assert writer.delete_where("year > 1990") == 1
    searcher.refresh()
    assert searcher.search("sea").ids and "b" not in searcher.search("sea").ids


@pytest.mark.parametrize("values", [{"year": "1990"}, {"year": 1.5}, {"day": "1990-02-30"},
                                    {"draft": 1}, {"year": [1, 2]}, {"year": 2**70}])
def test_what_does_not_fit_is_refused(tmp_path, values):
    with pytest.raises(warpdex.BadDocument):
        warpdex.build([{"id": "a", "contents": "x", **values}], tmp_path / "bad", schema=SCHEMA,
                      progress=False)


def test_a_bad_filter_is_refused(searcher):
    with pytest.raises(warpdex.InputError, match="at byte 0: there is no column 'yeer'"):
        searcher.search("sea", filter="yeer = 1")
