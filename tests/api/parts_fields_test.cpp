// Fields and snippets of an index in parts, and near words, combined fields and synonyms, are those
// of one index of all live documents.
#include <gmock/gmock.h>

#include "tests/api/api_support.hpp"
#include "tests/api/whole_and_parts.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

bool are_same(const ShownField& a, const ShownField& b) {
  return a.name == b.name && a.text == b.text && a.snippet == b.snippet && a.marked == b.marked &&
         a.fragments == b.fragments;
}

class PartsFieldsTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  PartsFieldsTest() {
    settings_.schema = parse_schema(R"({"fields": {
        "title": {"type": "text", "positions": true},
        "body": {"type": "text", "positions": true},
        "year": {"type": "int"}}})");
    settings_.analyzer = "whitespace";
    settings_.stored = {"title", "body", "note"};
  }

  /// Words that differ by a letter or two; some are in few documents, so in some parts alone.
  std::string word() {
    std::string word = random_() % 20 == 0 ? "island" : "sea";
    for (std::size_t changes = random_() % 3; changes > 0; --changes) {
      const std::size_t place = random_() % word.size();
      const char letter = static_cast<char>('a' + random_() % 4);
      if (random_() % 2 == 0) {
        word[place] = letter;
      } else {
        word.insert(place, 1, letter);
      }
    }
    return word;
  }
  std::string words(std::size_t most) {
    std::string words;
    for (std::size_t n = random_() % (most + 1); n > 0; --n) words += word() + " ";
    return words;
  }

  std::vector<NewDocument> draw(std::size_t count) {
    std::vector<NewDocument> documents;
    for (std::size_t i = 0; i < count; ++i) {
      NewDocument& document = documents.emplace_back();
      document.id = "d" + std::to_string(i);
      document.fields = {{"title", words(3)}, {"body", words(30)}};
      if (random_() % 2 == 0) document.fields["note"] = words(20);  // which is not searched
      if (random_() % 3 > 0) document.values["year"] = {std::int64_t(1990 + random_() % 9)};
    }
    return documents;
  }

  SearchOptions draw_options() {
    SearchOptions options;
    options.k = 1 + static_cast<std::uint32_t>(random_() % 30);
    options.syntax = QuerySyntax::kLucene;
    options.count = random_() % 2 == 0;
    options.searched.type = static_cast<FieldsType>(random_() % 3);
    options.searched.fields = {{"title", 2.5F}, {"body", 1}};
    // Of which one reads the frequencies of terms in all documents.
    if (random_() % 2 == 0) options.scorer.kind = ScorerKind::kQueryLikelihood;
    return options;
  }

  std::string clause() {
    switch (random_() % 7) {
      case 0: return word() + "~" + std::to_string(1 + random_() % 2);
      case 1: return "body:" + word() + "~1";
      case 2: return word().substr(0, 2) + "*";
      case 3: return "\"" + word() + " " + word() + "\"~3";
      case 4: return "title:[a TO " + word() + "]";
      default: return word();
    }
  }
  std::string query() {
    std::string text = clause();
    for (std::size_t more = random_() % 3; more > 0; --more) text += " " + clause();
    return text;
  }

  std::mt19937_64 random_ = test::generator(7900 + GetParam());
  NewIndex settings_;
};

TEST_P(PartsFieldsTest, AnswersAreThoseOfOneIndex) {
  const test::WholeAndParts whole(random_, settings_, test::parts_of(GetParam()), draw(200));
  std::size_t found_some = 0;
  for (int round = 0; round < 40; ++round) {
    SearchOptions options = draw_options();
    if (round % 4 == 0) {
      options.searched.synonyms =
          parse_synonyms("sea, seb, island\n" + word() + " => " + word() + ", " + word(), "rules");
    }
    const bool by_terms = options.searched.type == FieldsType::kCombinedFields || round % 4 == 0;
    if (by_terms && random_() % 2 == 0) options.syntax = QuerySyntax::kPlain;
    const std::string text =
        options.syntax == QuerySyntax::kPlain ? word() + " " + word() : query();
    const Answer wanted = whole.one().search(text, options);
    ASSERT_NO_FATAL_FAILURE(test::expect_same(whole.search(text, options), wanted)) << text;
    found_some += wanted.empty() ? 0 : 1;
  }
  EXPECT_GT(found_some, 10U);
}

TEST_P(PartsFieldsTest, HitsShowTheSameFields) {
  const test::WholeAndParts whole(random_, settings_, test::parts_of(GetParam()), draw(120));
  std::size_t snippets = 0;
  for (int round = 0; round < 20; ++round) {
    SearchOptions options = draw_options();
    options.fields = {"note", "year", "title"};
    if (random_() % 2 == 0) options.fields.push_back("body");
    options.snippets = round % 4 > 0;
    options.positions = random_() % 2 == 0;
    options.snippet.max_bytes = 1 + random_() % 60;
    options.snippet.fragments = 1 + random_() % 3;
    options.snippet.is_html = random_() % 2 == 0;
    const std::string text = query();
    const PartedAnswer found = whole.search(text, options);
    const Answer wanted = whole.one().search(text, options);
    ASSERT_NO_FATAL_FAILURE(test::expect_same(found, wanted)) << text;
    for (std::size_t rank = 0; rank < wanted.size(); ++rank) {
      const std::vector<ShownField>& one = wanted[rank].fields();
      ASSERT_TRUE(std::ranges::equal(found.hits[rank].fields, one, are_same)) << text;
      snippets += !one.empty() && one.back().snippet ? 1 : 0;
    }
  }
  EXPECT_GT(snippets, 0U);
}

TEST_P(PartsFieldsTest, WhatPartsDoNotShowIsRefused) {
  test::WholeAndParts whole(random_, settings_, 3, draw(40));
  SearchOptions options;
  options.fields = {"nothing"};
  EXPECT_THROW(whole.search("sea seb seaa", options), UsageError);
  options.fields.clear();
  options.explain = true;
  EXPECT_THROW(whole.search("sea", options), UsageError);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PartsFieldsTest, testing::Range<std::uint64_t>(0, 20));

}  // namespace
}  // namespace warpdex
