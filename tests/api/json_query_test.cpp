// Queries in JSON: what they find, by words and columns, against conditions that are evaluated
// document by document; and what they refuse.
#include <algorithm>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;

struct ListedDocument {
  std::vector<std::string> words{};
  int year = -1;  ///< -1: none
  std::set<std::string> languages{};
};

using Condition = std::function<bool(std::size_t)>;

/// A query, and what it finds.
struct AskedClause {
  std::string json;
  Condition fits;
};

std::string joined_clauses(const std::vector<AskedClause>& clauses) {
  std::string text;
  for (const AskedClause& clause : clauses) text += (text.empty() ? "" : ",") + clause.json;
  return "[" + text + "]";
}

class JsonQueries : public testing::Test {
 protected:
  JsonQueries() : random_(test::generator(5401)) {
    NewIndex made;
    made.analyzer = "whitespace";
    made.positions = true;
    made.schema = parse_schema(
        R"({"fields": {"year": {"type": "int"}, "lang": {"type": "keyword", "multiple": true}}})");
    Writer writer(folder_ / "index", made);
    for (std::size_t i = 0; i < 600; ++i) writer.add(draw(i));
    writer.commit();
    for (std::size_t i = 600; i < 700; ++i) writer.add(draw(i));
    writer.commit();
  }

  std::size_t below(std::size_t bound) { return random_() % bound; }
  bool chance(std::size_t percent) { return below(100) < percent; }

  NewDocument draw(std::size_t number) {
    ListedDocument& listed = documents_.emplace_back();
    NewDocument document{.id = "d" + std::to_string(number)};
    for (std::size_t n = below(12); n > 0; --n) {
      listed.words.push_back("w" + std::to_string(below(12)));
      document.text += listed.words.back() + " ";
    }
    if (chance(80)) {
      listed.year = static_cast<int>(below(30));
      document.values["year"] = {std::int64_t{listed.year}};
    }
    for (const char* language : {"en", "fr", "de"}) {
      if (!chance(30)) continue;
      listed.languages.insert(language);
      document.values["lang"].emplace_back(std::string(language));
    }
    return document;
  }

  bool has(std::size_t document, const std::string& word) const {
    return std::ranges::count(documents_[document].words, word) > 0;
  }
  std::string word() { return "w" + std::to_string(below(13)); }

  AskedClause leaf() {
    const std::string one = word();
    const std::string two = word();
    const int from = static_cast<int>(below(30));
    const int to = from + static_cast<int>(below(10));
    const std::string year = std::to_string(from);
    switch (below(9)) {
      case 0:
        return {R"({"term": {"*": ")" + one + "\"}}", [=, this](auto d) { return has(d, one); }};
      case 1:
        return {R"({"match": {"*": {"query": ")" + one + " " + two + R"(", "operator": "and"}}})",
                [=, this](auto d) { return has(d, one) && has(d, two); }};
      case 2:
        return {R"({"terms": {"*": [")" + one + "\", \"" + two + "\"]}}",
                [=, this](auto d) { return has(d, one) || has(d, two); }};
      case 3:
        return {R"({"match_phrase": {"*": ")" + one + " " + two + "\"}}", [=, this](auto d) {
                  const auto& words = documents_[d].words;
                  for (std::size_t i = 1; i < words.size(); ++i) {
                    if (words[i - 1] == one && words[i] == two) return true;
                  }
                  return false;
                }};
      case 4:
        return {R"({"term": {"year": )" + year + "}}",
                [=, this](auto d) { return documents_[d].year == from; }};
      case 5:
        return {
            R"({"range": {"year": {"gte": )" + year + R"(, "lt": )" + std::to_string(to) + "}}}",
            [=, this](auto d) { return documents_[d].year >= from && documents_[d].year < to; }};
      case 6:
        return {R"({"exists": {"field": "year"}})",
                [this](auto d) { return documents_[d].year >= 0; }};
      case 7:
        return {R"({"terms": {"lang": ["fr", "de"]}})", [this](auto d) {
                  const auto& languages = documents_[d].languages;
                  return languages.contains("fr") || languages.contains("de");
                }};
      default:
        return {R"({"ids": {"values": ["d)" + year + R"(", "d650", "none"]}})",
                [=](auto d) { return d == static_cast<std::size_t>(from) || d == 650; }};
    }
  }

  AskedClause clause(std::size_t depth) {
    if (depth == 0 || chance(25)) return leaf();
    if (chance(15)) {
      const AskedClause inner = clause(depth - 1);
      return {R"({"constant_score": {"boost": 2, "filter": )" + inner.json + "}}", inner.fits};
    }
    if (chance(15)) {
      const std::vector<AskedClause> all = some(1 + below(3), depth - 1);
      return {R"({"dis_max": {"tie_breaker": 0.5, "queries": )" + joined_clauses(all) + "}}",
              [all](auto d) {
                return std::ranges::any_of(all, [&](const auto& one) { return one.fits(d); });
              }};
    }
    return group(depth);
  }

  AskedClause group(std::size_t depth) {
    const auto must = some(below(3), depth - 1);
    const auto filter = some(below(2), depth - 1);
    const auto should = some(below(3), depth - 1);
    const auto must_not = some(below(2), depth - 1);
    const std::size_t least = below(should.size() + 1);
    const std::string json = R"({"bool": {"must": )" + joined_clauses(must) + R"(, "filter": )" +
                             joined_clauses(filter) + R"(, "should": )" + joined_clauses(should) +
                             R"(, "must_not": )" + joined_clauses(must_not) +
                             R"(, "minimum_should_match": )" + std::to_string(least) + "}}";
    return {json, [=](auto d) {
              const auto fits = [&](const AskedClause& one) { return one.fits(d); };
              const bool is_positive = !must.empty() || !filter.empty() || !should.empty();
              const std::size_t wanted =
                  least == 0 && must.empty() && filter.empty() && is_positive ? 1 : least;
              return std::ranges::all_of(must, fits) && std::ranges::all_of(filter, fits) &&
                     static_cast<std::size_t>(std::ranges::count_if(should, fits)) >= wanted &&
                     std::ranges::none_of(must_not, fits);
            }};
  }

  std::vector<AskedClause> some(std::size_t count, std::size_t depth) {
    std::vector<AskedClause> clauses;
    for (; count > 0; --count) clauses.push_back(clause(depth));
    return clauses;
  }

  std::string complaint_of(const std::string& json) const {
    try {
      Searcher(folder_ / "index").search(json, {.syntax = QuerySyntax::kJson});
    } catch (const InputError& error) {
      return error.what();
    }
    return "nothing was thrown";
  }

  std::mt19937_64 random_;
  test::TemporaryFolder folder_;
  std::vector<ListedDocument> documents_;
};

TEST_F(JsonQueries, FindWhatFits) {
  const Searcher searcher(folder_ / "index");
  SearchOptions options{.k = 1000, .count = true, .syntax = QuerySyntax::kJson};
  std::size_t hits = 0;
  for (int i = 0; i < 400; ++i) {
    const AskedClause asked = clause(3);
    SCOPED_TRACE(asked.json);
    options.explain = i % 10 == 0;
    const Answer answer = searcher.search(asked.json, options);
    std::set<std::string> found;
    for (const AnswerHit hit : answer) {
      found.emplace(hit.id());
      if (hit.explanation() != nullptr) {
        EXPECT_EQ(hit.explanation()->score, hit.score());
      }
    }
    std::set<std::string> wanted;
    for (std::size_t d = 0; d < documents_.size(); ++d) {
      if (asked.fits(d)) wanted.insert("d" + std::to_string(d));
    }
    ASSERT_EQ(found, wanted);
    EXPECT_EQ(answer.matches, wanted.size());
    hits += wanted.size();
  }
  EXPECT_GT(hits, 1000U);
}

TEST_F(JsonQueries, AreTheQuestionsOfTheSyntaxLucene) {
  const Searcher searcher(folder_ / "index");
  const std::vector<std::pair<std::string, std::string>> pairs{
      {R"({"match": {"*": "w1 w2"}})", "w1 w2"},
      {R"({"bool": {"must": {"match": {"*": "w1"}}, "must_not": [{"term": {"*": "w2"}}]}})",
       "+w1 -w2"},
      {R"({"match_phrase": {"*": {"query": "w1 w2", "slop": 3, "boost": 2}}})", "\"w1 w2\"~3^2"},
      {R"({"prefix": {"*": {"value": "w1", "boost": 3}}})", "w1*^3"},
      {R"({"wildcard": {"*": "?1"}})", "?1"},
      {R"({"fuzzy": {"*": {"value": "w11", "fuzziness": 1}}})", "w11~1"},
      {R"({"fuzzy": {"*": "w11"}})", "w11~1"},
      {R"({"range": {"*": {"gt": "w1", "lte": "w5"}}})", "{w1 TO w5]"},
      {R"({"query_string": {"query": "w1 w2", "default_operator": "AND"}})", "+w1 +w2"},
      {R"({"term": {"year": {"value": 3, "boost": 2}}})", "year:3^2"},
      {R"({"range": {"year": {"gte": 3, "lt": 9}}})", "year:[3 TO 9}"},
      {R"({"exists": {"field": "lang"}})", "lang:*"}};
  for (const auto& [json, lucene] : pairs) {
    const Answer a = searcher.search(json, {.k = 50, .syntax = QuerySyntax::kJson});
    const Answer b = searcher.search(lucene, {.k = 50, .syntax = QuerySyntax::kLucene});
    ASSERT_EQ(a.size(), b.size()) << json;
    EXPECT_GT(a.size(), 0U) << json;
    for (std::size_t i = 0; i < a.size(); ++i) {
      EXPECT_EQ(a[i].document(), b[i].document()) << json;
      EXPECT_EQ(a[i].score(), b[i].score()) << json;
    }
  }
}

TEST_F(JsonQueries, MistakesNameTheirPlace) {
  const std::vector<std::pair<std::string, std::string>> mistakes{
      {"{", "the query is no JSON"},
      {"[]", "query: an object stands here"},
      {"{}", "query: there is no query"},
      {R"({"match": {}, "term": {}})", "query: one query stands here, not 'match' and 'term'"},
      {R"({"geo": {}})", "query.geo: there is no query 'geo' here; there are bool, match,"},
      {R"({"geo": {}})", "combined_fields, term, terms, range,"},
      {R"({"match": {}})", "query.match: there is no field"},
      {R"({"match": {"*": {}}})", "query.match.*: there is no 'query'"},
      {R"({"match": {"*": {"query": "a", "slop": 1}}})",
       "query.match.*: there is no 'slop'; there are query,"},
      {R"({"match": {"*": {"query": "a", "operator": "xor"}}})",
       "query.match.*.operator: or or and stands here, not 'xor'"},
      {R"({"match": {"title": "a"}})", "query.match.title: the index has no field 'title'"},
      {R"({"bool": {"must": [{"match_all": {}}, {"term": {"year": "x"}}]}})",
       "query.bool.must[1].term.year: "},
      {R"({"bool": {"must": 3}})", "query.bool.must: an object stands here"},
      {R"({"bool": {"minimum_should_match": "75%"}})",
       "query.bool.minimum_should_match: a whole number"},
      {R"({"bool": {"boost": -1}})", "query.bool.boost: 0, or a number from 1e-9 to 1e9"},
      {R"({"bool": {"mst": []}})", "query.bool: there is no 'mst'; there are boost, must,"},
      {R"({"constant_score": {}})", "query.constant_score: one 'filter'"},
      {R"({"dis_max": {}})", "query.dis_max: there are no 'queries'"},
      {R"({"fuzzy": {"*": {"value": "a", "fuzziness": 3}}})",
       "query.fuzzy.*.fuzziness: auto or 0 or 1 or 2"},
      {R"({"ids": {}})", "query.ids: there are no 'values'"},
      {R"({"terms": {"lang": null}})", "query.terms.lang: an array of texts stands here"},
      {R"({"term": {"*": "a", "year": 1, "*": "b"}})", "query.term: '*' is there twice"},
      {R"({"ids": {"values": [{}]}})", "query.ids.values[0]: a text stands here"},
      {R"({"range": {"year": {"gte": 1, "gt": 2}}})",
       "query.range.year: there are two limits at one end"},
      {R"({"prefix": {"year": "19"}})", "query.prefix.year: 'year' is a column"},
      {R"({"query_string": {"query": "a (b"}})", "query.query_string.query: at byte 2"}};
  for (const auto& [json, wanted] : mistakes)
    EXPECT_THAT(complaint_of(json), HasSubstr(wanted)) << json;
  std::string deep = R"({"match_all": {}})";
  for (int i = 0; i < 70; ++i) deep = R"({"bool": {"must": )" + deep + "}}";
  EXPECT_THAT(complaint_of(deep), HasSubstr("too deep"));
  std::string many = R"({"match_all": {}})";
  for (int i = 0; i < 5000; ++i) many += R"(, {"match_all": {}})";
  EXPECT_THAT(complaint_of(R"({"bool": {"should": [)" + many + "]}}"),
              HasSubstr("more than 4096 clauses"));
  std::string members = R"({"n": 0)";  // compared one by one with all others, they take minutes
  for (int i = 0; i < 300'000; ++i) members += ", \"n" + std::to_string(i) + "\": 0";
  EXPECT_THAT(complaint_of(members + "}"), HasSubstr("query: one query stands here"));
  EXPECT_THROW(
      Searcher(folder_ / "index")
          .search(R"({"match_all": {}})", {.mode = QueryMode::kAnd, .syntax = QuerySyntax::kJson}),
      UsageError);
}

}  // namespace
}  // namespace warpdex
