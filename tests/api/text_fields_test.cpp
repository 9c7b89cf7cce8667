// Indexes with text fields, from documents to answers.
#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include <gmock/gmock.h>

#include "tests/api/api_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using test::complaint;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::UnorderedElementsAre;

NewIndex with_schema(const std::string& json) {
  NewIndex made;
  made.schema = parse_schema(json);
  return made;
}

constexpr const char* kTitleAndBody = R"({"fields": {
    "title": {"type": "text", "weight": 2, "analyzer": "whitespace"},
    "body": {"type": "text"}}})";

class TextFields : public testing::Test {
 protected:
  void make(const NewIndex& settings,
            const std::vector<std::map<std::string, std::string>>& texts) {
    Writer writer(folder_ / "index", settings);
    for (std::size_t i = 0; i < texts.size(); ++i) {
      writer.add({.id = std::to_string(i + 1), .fields = texts[i]});
    }
    writer.commit();
  }
  void make_ships() {
    NewIndex settings = with_schema(kTitleAndBody);
    settings.stored = {"title", "body"};
    make(settings, {{{"title", "Old Ships"}, {"body", "They sailed at night"}},
                    {{"title", "Night"}, {"body", "Sails of old ships, ships and ships"}},
                    {{"body", "A harbour"}},
                    {{"title", "Harbour"}}});
  }
  Searcher open() const { return Searcher(folder_ / "index"); }
  std::vector<std::string> ids(const std::string& text, SearchOptions options = {}) const {
    options.syntax = QuerySyntax::kLucene;
    std::vector<std::string> found;
    for (const auto hit : open().search(text, options)) found.emplace_back(hit.id());
    std::sort(found.begin(), found.end());
    return found;
  }

  const test::TemporaryFolder folder_{test::place_in_memory()};
};

TEST_F(TextFields, QueriesNameFields) {
  make_ships();
  EXPECT_THAT(ids("title:Ships"), ElementsAre("1"));
  EXPECT_THAT(ids("title:ships"), IsEmpty());  // by whitespace: as it is written
  EXPECT_THAT(ids("body:ship"), ElementsAre("2"));
  EXPECT_THAT(ids("body:(ships night)"), ElementsAre("1", "2"));
  EXPECT_THAT(ids("+body:sail -title:Night"), ElementsAre("1"));
  EXPECT_THAT(ids("title:*"), ElementsAre("1", "2", "4"));
  EXPECT_THAT(ids("body:*"), ElementsAre("1", "2", "3"));
  EXPECT_THAT(ids("title:Sh*"), ElementsAre("1"));
  EXPECT_THAT(ids("body:s*"), ElementsAre("1", "2"));
  EXPECT_THAT(ids("title:?ld"), ElementsAre("1"));
  EXPECT_THAT(ids("title:[Harbour TO Night]"), ElementsAre("2", "4"));
  EXPECT_THAT(ids("title:[Night TO *]"), ElementsAre("1", "2"));
  EXPECT_THAT(ids("body:[* TO night]"), ElementsAre("1", "3"));
  EXPECT_THAT(ids("body:harbor~1"), ElementsAre("3"));
  EXPECT_THAT(ids("title:IN [Night Harbour]"), ElementsAre("2", "4"));
  EXPECT_THAT(complaint<InputError>([&] { ids("Old author:Melville"); }),
              HasSubstr("at byte 4: the index has no field 'author', it has 'title', 'body'"));
}

TEST_F(TextFields, WordsSearchTheFieldsWithTheirWeights) {
  make_ships();
  EXPECT_THAT(ids("Night"), ElementsAre("1", "2"));
  EXPECT_THAT(ids("harb*"), ElementsAre("3"));
  EXPECT_THAT(ids("Harb*"), ElementsAre("3", "4"));
  EXPECT_THAT(ids("Old AND Night"), ElementsAre("1", "2"));  // each word in one of the fields
  const auto score = [&](const std::string& text, const SearchOptions& options, const char* id) {
    SearchOptions wanted = options;
    wanted.syntax = QuerySyntax::kLucene;
    for (const auto hit : open().search(text, wanted)) {
      if (hit.id() == id) return hit.score();
    }
    return 0.0F;
  };
  const float title = score("title:Night", {}, "2");
  const float body = score("body:night", {}, "1");
  ASSERT_GT(title, 0);
  EXPECT_EQ(score("Night", {}, "2"), 2 * title);  // the schema's weight
  EXPECT_EQ(score("Night", {}, "1"), body);
  SearchOptions options;
  options.searched.fields = parse_searched_fields("title^3,body^0.5");
  EXPECT_EQ(score("Night", options, "2"), 3 * title);
  EXPECT_EQ(score("Night", options, "1"), 0.5F * body);
  options.searched.fields = parse_searched_fields("body");
  EXPECT_EQ(score("Night", options, "2"), 0);
  options.searched.fields = parse_searched_fields("author");
  EXPECT_THAT(complaint<UsageError>([&] { score("Night", options, "2"); }),
              HasSubstr("no text field 'author' to search; it has 'title', 'body'"));
}

TEST_F(TextFields, TheSumOverFieldsOrTheBestOne) {
  make(
      with_schema(R"({"fields": {"a": {"type": "text"}, "b": {"type": "text"}}})"),
      {{{"a", "sea sea"}, {"b", "sea"}}, {{"a", "sea"}, {"b", "ships"}}, {{"a", "x"}, {"b", "y"}}});
  const auto scores = [&](const std::string& text, FieldsType type) {
    SearchOptions options;
    options.searched.type = type;
    std::map<std::string, float> found;
    for (const auto hit : open().search(text, options)) found[std::string(hit.id())] = hit.score();
    return found;
  };
  const auto a = scores("+sea", FieldsType::kMostFields);
  SearchOptions in_b;
  in_b.searched.fields = {{"b"}};
  SearchOptions in_a;
  in_a.searched.fields = {{"a"}};
  const float of_a = open().search("sea", in_a)[0].score();
  const float of_b = open().search("sea", in_b)[0].score();
  EXPECT_NEAR(a.at("1"), of_a + of_b, 1e-6);
  EXPECT_EQ(scores("sea", FieldsType::kBestFields).at("1"), std::max(of_a, of_b));
  EXPECT_THAT(complaint<UsageError>([] { fields_type_from_name("all_fields"); }),
              HasSubstr("most_fields, best_fields, combined_fields or cross_fields"));
}

TEST_F(TextFields, ModesAndSigns) {
  make_ships();
  const auto found = [&](const std::string& text, QueryMode mode) {
    SearchOptions options;
    options.mode = mode;
    std::set<std::string> all;
    for (const auto hit : open().search(text, options)) all.emplace(hit.id());
    return all;
  };
  EXPECT_THAT(found("Old Night", QueryMode::kAnd), UnorderedElementsAre("1", "2"));
  EXPECT_THAT(found("Harbour sailed", QueryMode::kAnd), IsEmpty());
  EXPECT_THAT(found("+Harbour -a", QueryMode::kOr), UnorderedElementsAre("3", "4"));
  EXPECT_THAT(found("+Ships -Night", QueryMode::kOr), IsEmpty());
  EXPECT_THAT(found("Night^0 Harbour", QueryMode::kOr), UnorderedElementsAre("3", "4"));
  EXPECT_THAT(found("Old Night sailed", QueryMode::kAndOr), UnorderedElementsAre("1", "2"));
}

TEST_F(TextFields, HitsShowWhatMatchedInEachField) {
  make_ships();
  SearchOptions options;
  options.fields = {"title", "body"};
  options.snippets = true;
  options.snippet.before = "<";
  options.snippet.after = ">";
  options.snippet.is_html = false;
  options.explain = true;
  options.syntax = QuerySyntax::kLucene;
  const Answer answer = open().search("title:Old body:ship", options);
  std::map<std::string, std::vector<std::string>> snippets;
  for (const auto hit : answer) {
    for (const ShownField& field : hit.fields()) {
      snippets[std::string(hit.id())].push_back(*field.snippet);
    }
  }
  EXPECT_THAT(snippets["1"], ElementsAre("<Old> Ships", "They sailed at night"));
  EXPECT_THAT(snippets["2"], ElementsAre("Night", "Sails of old <ships>, <ships> and <ships>"));
  const Explanation& first = *answer[0].explanation();
  EXPECT_EQ(first.score, answer[0].score());
  EXPECT_THAT(to_text(first), HasSubstr(first.terms[0].field + ":" + first.terms[0].term));
}

TEST_F(TextFields, ExplanationsTakeTheBestField) {
  make_ships();
  SearchOptions options{.explain = true};
  options.searched.type = FieldsType::kBestFields;
  options.syntax = QuerySyntax::kLucene;
  std::size_t parts = 0;
  for (const std::string text : {"Old", "Old Ships Night", "title:Ni* OR ship", "[N TO S]"}) {
    for (const AnswerHit hit : open().search(text, options)) {
      const Explanation& why = *hit.explanation();
      EXPECT_EQ(why.score, hit.score()) << text;
      ASSERT_TRUE(why.tree) << text;
      EXPECT_EQ(why.tree->score, hit.score()) << text;
      EXPECT_TRUE(why.terms.empty());
      EXPECT_EQ(why.searched_by, SearchedBy::kTrees);
      if (why.tree->clause != "best of") continue;
      float best = 0;
      for (const ClauseExplanation& clause : why.tree->clauses) {
        best = std::max(best, clause.score);
        ++parts;
      }
      EXPECT_EQ(best, hit.score());
    }
  }
  EXPECT_GT(parts, 3U);
}

TEST_F(TextFields, ExplanationsOfPhrasesTellHowOften) {
  NewIndex settings = with_schema(kTitleAndBody);
  settings.positions = true;
  make(settings, {{{"title", "Old Ships"}, {"body", "old ships and ships; the old ships"}}});
  SearchOptions options{.syntax = QuerySyntax::kLucene, .explain = true};
  const Answer answer =
      open().search("body:\"old ships\" title:\"ships old\"~3^2 body:\"ships old old\"", options);
  ASSERT_EQ(answer.size(), 1U);
  const Explanation& why = *answer[0].explanation();
  EXPECT_EQ(why.score, answer[0].score());
  EXPECT_EQ(why.why_trees, "a phrase");
  const std::string text = to_text(why);
  EXPECT_THAT(text, HasSubstr("should body:\"old ship\": 2 times here\n"));
  EXPECT_THAT(text, HasSubstr("should title:\"ships old\"~3^2: no match, the document lacks"));
  EXPECT_THAT(text, HasSubstr("should body:\"ship old old\": no match, its words do not stand so"));
  EXPECT_EQ(why.score, why.tree->clauses[0].score);
}

TEST_F(TextFields, PhrasesAreMarkedInTheirField) {
  NewIndex settings = with_schema(kTitleAndBody);
  settings.positions = true;
  settings.stored = {"title", "body"};
  make(settings, {{{"title", "Old Ships"}, {"body", "Old ships, ships and ships"}}});
  SearchOptions options;
  options.fields = {"title", "body"};
  options.snippets = true;
  options.snippet.is_html = false;
  options.syntax = QuerySyntax::kLucene;
  const auto marked = [&](const std::string& query) {
    std::vector<std::string> found;
    const Answer answer = open().search(query, options);
    if (!answer.empty()) {
      for (const ShownField& field : answer[0].fields()) found.push_back(*field.snippet);
    }
    return found;
  };
  EXPECT_THAT(marked("body:\"old ships\""),
              ElementsAre("Old Ships", "<em>Old ships</em>, ships and ships"));
  EXPECT_THAT(marked("title:\"Old Ships\" body:\"ships ships\"~1"),
              ElementsAre("<em>Old Ships</em>", "Old <em>ships, ships and ships</em>"));
  EXPECT_THAT(marked("title:\"Ships Old\""), IsEmpty());
}

TEST_F(TextFields, ReadersNameFields) {
  make_ships();
  const IndexReader reader(folder_ / "index");
  EXPECT_EQ(reader.statistics("Night")->document_frequency, 1U);
  EXPECT_EQ(reader.statistics(reader.term_in("title", "Night"))->document_frequency, 1U);
  EXPECT_EQ(reader.statistics(reader.term_in("body", "ship"))->collection_frequency, 3U);
  EXPECT_FALSE(reader.statistics(reader.term_in("body", "Night")));
  EXPECT_EQ(reader.shown(reader.term_in("body", "ship")), "body:ship");
  EXPECT_EQ(reader.word_of(reader.term_in("body", "ship")), "ship");
  const auto terms = [&](std::string_view field) {
    std::vector<std::string> found;
    reader.for_each_term(
        [&](const TermStatistics& term) {
          found.push_back(term.term);
          return true;
        },
        {}, field);
    return found;
  };
  EXPECT_THAT(terms("title"), ElementsAre("Harbour", "Night", "Old", "Ships"));
  EXPECT_EQ(terms(""), terms("title"));
  EXPECT_THAT(terms("body"), ElementsAre("harbour", "night", "old", "sail", "ship"));
  EXPECT_EQ(reader.suggest("S", 10, "body")[0].term, "sail");
  EXPECT_EQ(reader.suggest("S", 10, "title")[0].term, "Ships");
  EXPECT_THROW(reader.suggest("S", 10, "author"), UsageError);
  EXPECT_EQ(reader.length(0), 4U);
  EXPECT_THAT(reader.terms(3), ElementsAre(DocumentTerm{"Harbour", 1, "title"}));
}

TEST_F(TextFields, WhatDoesNotFitIsRefused) {
  const NewIndex settings = with_schema(kTitleAndBody);
  {
    Writer writer(folder_ / "index", settings);
    EXPECT_THAT(complaint<UsageError>([&] { writer.add({.id = "1", .text = "sea"}); }),
                HasSubstr("by the names"));
    EXPECT_THAT(complaint<UsageError>([&] {
                  writer.add({.id = "1", .fields = {{"author", "Melville"}}});
                }),
                HasSubstr("no field 'author'"));
  }
  NewIndex weighted = settings;
  weighted.is_weighted = true;
  EXPECT_THROW(Writer(folder_ / "weighted", weighted), UsageError);
  BuildOptions build;
  build.output = folder_ / "impacts";
  build.schema = settings.schema;
  build.impacts.emplace();
  EXPECT_THROW(build_index(*documents_from_memory({}), build), UsageError);
  build.impacts.reset();
  build.schema.fields[0].analyzer = "Klingon";
  EXPECT_THROW(build_index(*documents_from_memory({}), build), UsageError);
  for (const char* fields : {"", "title,", "title,title", "title^x", "title^-1", "^2"}) {
    EXPECT_THROW(parse_searched_fields(fields), UsageError) << fields;
  }
  EXPECT_THAT(parse_searched_fields("title^2,body"),
              ElementsAre(SearchedField{"title", 2}, SearchedField{"body", 1}));
}

TEST_F(TextFields, FilesHaveAMemberOrAColumnForEach) {
  test::write_file(folder_ / "a.jsonl",
                   "{\"id\": 1, \"title\": \"Sea\", \"body\": \"waves\"}\n"
                   "{\"id\": 2, \"title\": null, \"body\": \"sea\"}\n"
                   "{\"id\": 3, \"title\": \"Sea\"}\n");
  test::write_file(folder_ / "a.csv", "id,body,title\n1,waves,Sea\n2,sea,\n3,,Sea\n");
  BuildOptions build;
  build.schema = parse_schema(kTitleAndBody);
  for (const auto& [format, file] :
       {std::pair(DocumentFormat::kJsonl, "a.jsonl"), std::pair(DocumentFormat::kCsv, "a.csv")}) {
    build.output = folder_ / "index";
    const auto reader = open_documents(
        {.format = format, .inputs = {folder_ / file}, .text_fields = {"title", "body"}});
    EXPECT_EQ(build_index(*reader, build).tokens, 4U);
    EXPECT_THAT(ids("title:Sea"), ElementsAre("1", "3"));
    EXPECT_THAT(ids("body:sea"), ElementsAre("2"));
    const Index index = Index::open(folder_ / "index");
    EXPECT_EQ(index.counts().texts.size(), 2U);
    EXPECT_EQ(index.counts().texts[0].documents, 2U);
    EXPECT_EQ(index.counts().texts[1].tokens, 2U);
  }
  test::write_file(folder_ / "bad.jsonl", "{\"id\": 1, \"title\": 7}\n");
  const auto bad =
      open_documents({.inputs = {folder_ / "bad.jsonl"}, .text_fields = {"title", "body"}});
  EXPECT_THAT(complaint<BadDocument>([&] { build_index(*bad, build); }),
              HasSubstr("'title' is an integer; only strings can be indexed"));
  EXPECT_THAT(complaint<UsageError>([&] {
                open_documents({.format = DocumentFormat::kTsv,
                                .inputs = {folder_ / "a.csv"},
                                .text_fields = {"title", "body"}});
              }),
              HasSubstr("'title' and others"));
}

TEST_F(TextFields, TermsThatAreTooLongWithTheirMarkAreLeftOut) {
  BuildOptions build;
  build.output = folder_ / "index";
  build.analyzer = "whitespace";
  build.schema = parse_schema(R"({"fields": {"a": {"type": "text"}, "b": {"type": "text"}}})");
  const std::string longest(65'535, 'x');
  const std::string fits(65'533, 'y');
  const BuildReport report = build_index(
      *documents_from_memory({{.id = "1", .texts = {longest + " " + fits, longest + " " + fits}}}),
      build);
  EXPECT_EQ(report.long_words, 1U);
  EXPECT_EQ(report.tokens, 3U);
  const IndexReader reader(folder_ / "index");
  EXPECT_TRUE(reader.statistics(longest));
  EXPECT_TRUE(reader.statistics(reader.term_in("b", fits)));
  EXPECT_EQ(verify_index(folder_ / "index").problems, std::vector<std::string>());
}

TEST_F(TextFields, PhrasesNeedPositionsOfTheirField) {
  make(with_schema(R"({"fields": {"title": {"type": "text", "positions": true},
                                  "body": {"type": "text"},
                                  "notes": {"type": "text", "positions": true}}})"),
       {{{"title", "sea captain"}, {"body", "sea captain"}, {"notes", "captain"}},
        {{"title", "captain sea"}, {"body", "sea"}, {"notes", "the sea captain"}}});
  EXPECT_THAT(ids("title:\"sea captain\""), ElementsAre("1"));
  EXPECT_THAT(ids("notes:\"sea captain\""), ElementsAre("2"));
  const Searcher searcher(folder_ / "index");
  SearchOptions options;
  options.syntax = QuerySyntax::kLucene;
  for (const std::string text :
       {"body:\"sea captain\"", "\"sea captain\"", "body:\"sea captain\"~3"}) {
    EXPECT_THAT(complaint<InputError>([&] { searcher.search(text, options); }),
                HasSubstr("the field 'body' has no positions of words (those with positions: "
                          "'title', 'notes'), which a phrase asks for"));
  }
  EXPECT_THAT(ids("body:\"captain\""), ElementsAre("1"));  // one word is none
  options.searched.fields = {{"title"}, {"notes"}};
  EXPECT_EQ(searcher.search("\"sea captain\"", options).size(), 2U);
  options.searched.synonyms = parse_synonyms("ocean => sea captain\n", "rules");
  EXPECT_EQ(searcher.search("ocean", options).size(), 2U);
  EXPECT_THAT(complaint<InputError>([&] { searcher.search("body:ocean", options); }),
              HasSubstr("the field 'body' has no positions of words"));
}

}  // namespace
}  // namespace warpdex
