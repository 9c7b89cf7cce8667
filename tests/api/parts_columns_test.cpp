// Columns of an index in parts: facets and sorted pages are those of one index of all live
// documents, to the bit.
#include <gmock/gmock.h>

#include "tests/api/api_support.hpp"
#include "tests/api/whole_and_parts.hpp"
#include "tests/reference/filters.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;

class PartsColumnsTest : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Few words and values, so that scores and columns tie within parts and across them.
  std::vector<NewDocument> draw(std::size_t count) {
    std::vector<NewDocument> documents;
    for (std::size_t i = 0; i < count; ++i) {
      NewDocument& document = documents.emplace_back();
      document.id = "d" + std::to_string(i);
      for (std::size_t words = random_() % 6; words > 0; --words) document.text += word() + " ";
      const FieldValues values = reference::random_values(random_, schema_);
      for (std::size_t field = 0; field < schema_.fields.size(); ++field) {
        document.values.emplace(schema_.fields[field].name, values[field]);
      }
    }
    return documents;
  }
  std::string word() { return "w" + std::to_string(random_() % (1 + random_() % 12)); }

  NewIndex settings() const {
    NewIndex settings;
    settings.analyzer = "whitespace";
    settings.schema = schema_;
    return settings;
  }

  /// The mode, the syntax and a filter.
  SearchOptions draw_options() {
    SearchOptions options;
    options.k = 1 + static_cast<std::uint32_t>(random_() % 40);
    options.mode = static_cast<QueryMode>(random_() % 3);
    options.and_or_min = static_cast<std::uint32_t>(random_() % 60);
    options.count = random_() % 2 == 0;
    if (random_() % 2 == 0) {
      options.filter = filter_text(reference::random_filter(random_, schema_));
    }
    if (random_() % 3 > 0) return options;
    options.syntax = QuerySyntax::kLucene;
    if (options.mode == QueryMode::kAndOr) options.mode = QueryMode::kOr;
    return options;
  }
  std::string draw_query(const SearchOptions& options) {
    const std::string words = word() + " " + word();
    if (options.syntax != QuerySyntax::kLucene) return words;
    return random_() % 2 == 0 ? "*:* " + words : "(" + words + ") OR w1*";
  }

  std::mt19937_64 random_ = test::generator(7800 + GetParam());
  Schema schema_ = reference::random_schema(random_);
};

TEST_P(PartsColumnsTest, FacetsAreThoseOfOneIndex) {
  const test::WholeAndParts whole(random_, settings(), test::parts_of(GetParam()), draw(260));
  std::uint64_t matches = 0;
  for (int round = 0; round < 20; ++round) {
    SearchOptions options = draw_options();
    for (const Field& field : schema_.fields) {
      options.facets.push_back({.column = field.name, .values = 1 + std::uint32_t(random_() % 9)});
      if (field.type == FieldType::kInt) options.facets.back().ranges = {{"-5", "7"}, {"", "0"}};
    }
    const std::string query = draw_query(options);
    const PartedAnswer found = whole.search(query, options);
    const Answer wanted = whole.one().search(query, options);
    ASSERT_NO_FATAL_FAILURE(test::expect_same(found, wanted)) << query << " " << options.filter;
    ASSERT_EQ(found.facets, wanted.facets) << query << " " << options.filter;
    matches += wanted.matches;
  }
  EXPECT_GT(matches, 0U);
}

/// Page after page, some with a facet.
TEST_P(PartsColumnsTest, SortedPagesAreThoseOfOneIndex) {
  const test::WholeAndParts whole(random_, settings(), test::parts_of(GetParam()), draw(260));
  std::size_t pages = 0;
  for (int round = 0; round < 12; ++round) {
    SearchOptions options = draw_options();
    options.k = 1 + static_cast<std::uint32_t>(random_() % 60);
    for (std::size_t keys = 1 + random_() % 3; keys > 0; --keys) {
      const Field& field = schema_.fields[random_() % schema_.fields.size()];
      options.sort.push_back({field.name, random_() % 2 == 0});
    }
    if (round % 4 == 0) options.facets = {{.column = schema_.fields[0].name}};
    const std::string query = draw_query(options);
    SearchOptions of_one = options;
    for (bool is_last = false; !is_last; ++pages) {
      const PartedAnswer found = whole.search(query, options);
      const Answer wanted = whole.one().search(query, of_one);
      ASSERT_NO_FATAL_FAILURE(test::expect_same(found, wanted)) << query << " " << options.filter;
      ASSERT_EQ(found.facets, wanted.facets);
      is_last = wanted.size() < options.k;
      if (is_last) break;
      options.search_after = found.hits.back().cursor;
      of_one.search_after = wanted[wanted.size() - 1].cursor();
    }
  }
  EXPECT_GT(pages, 0U);
}

TEST_P(PartsColumnsTest, CursorsOfNoHitAreRefused) {
  test::WholeAndParts whole(random_, settings(), 3, draw(90));
  SearchOptions options;
  options.sort = {{schema_.fields[0].name}};
  const PartedAnswer first = whole.search("w0 w1 w2", options);
  ASSERT_FALSE(first.hits.empty());
  const std::string cursor = first.hits.back().cursor;
  const auto refusal = [&](const std::string& text, const std::string& after) {
    options.search_after = after;
    return test::complaint<UsageError>([&] { whole.search(text, options); });
  };
  EXPECT_THAT(refusal("w0", "7"), HasSubstr("no cursor"));
  EXPECT_THAT(refusal("w0", cursor + "x"), HasSubstr("no cursor"));
  EXPECT_THAT(refusal("w0", cursor + "999"), HasSubstr("not there"));
  EXPECT_THAT(refusal("w0", "1" + cursor.substr(cursor.find('-'))), HasSubstr("another version"));
  EXPECT_THAT(refusal("unknown", cursor), HasSubstr("does not match"));
  options.sort.clear();
  EXPECT_THAT(refusal("w0", cursor), HasSubstr("sort by a column"));
  options.search_after.clear();
  options.sort = {{"nothing"}};
  EXPECT_THROW(whole.search("w0", options), UsageError);
}

TEST_P(PartsColumnsTest, AMissingPartIsTold) {
  test::WholeAndParts whole(random_, settings(), 3, draw(90));
  SearchOptions options;
  options.sort = {{schema_.fields[0].name, true}};
  const std::string cursor = whole.search("w0 w1 w2", options).hits.at(0).cursor;
  const std::size_t part = static_cast<std::size_t>(cursor[cursor.find('-') + 1] - '0');
  whole.take_away(part);
  EXPECT_THROW(whole.search("w0 w1 w2", options), IoError);
  const std::vector<std::string_view> texts{"w0 w1 w2"};
  const PartedBatch batch = whole.parts().search(texts, options, true);
  EXPECT_FALSE(batch.answers.at(0).is_complete);
  EXPECT_EQ(batch.missing.size(), 1U);
  for (const PartedHit& hit : batch.answers[0].hits) EXPECT_NE(hit.part, part);
  options.search_after = cursor;
  EXPECT_THROW(whole.parts().search(texts, options, true), IoError);
  options.search_after.clear();
  options.sort.clear();
  options.facets = {{.column = schema_.fields[0].name}};
  const PartedBatch counted = whole.parts().search(texts, options, true);
  EXPECT_EQ(counted.missing.size(), 1U);
  EXPECT_EQ(counted.answers.at(0).matches, batch.answers[0].matches);
  EXPECT_LE(counted.answers[0].facets.at(0).documents, counted.answers[0].matches);
}

TEST_P(PartsColumnsTest, WhatIsNoColumnIsRefused) {
  test::WholeAndParts whole(random_, settings(), 3, draw(40));
  SearchOptions options;
  options.facets = {{.column = "nothing"}};
  EXPECT_THAT(test::complaint<UsageError>([&] { whole.search("w0", options); }),
              HasSubstr("no column 'nothing'"));
  for (const Field& field : schema_.fields) {
    if (field.type == FieldType::kKeyword) continue;
    options.facets = {{.column = field.name, .ranges = {{"no number", ""}}}};
    EXPECT_THROW(whole.search("w0", options), InputError);
  }
  options.facets = {{.column = schema_.fields[0].name}};
  whole.take_away(1);
  EXPECT_THROW(whole.search("w0", options), IoError);
}

INSTANTIATE_TEST_SUITE_P(Seeds, PartsColumnsTest, testing::Range<std::uint64_t>(0, 20));

/// Sums of floats depend on the order in which they are added.
TEST(PartsFacets, SumsOfFloatsAreThoseOfOneIndex) {
  std::mt19937_64 random = test::generator(7850);
  NewIndex settings;
  settings.analyzer = "whitespace";
  settings.schema = parse_schema(R"({"fields": {"price": {"type": "float"}}})");
  std::vector<NewDocument> documents;
  for (int i = 0; i < 400; ++i) {
    NewDocument& document = documents.emplace_back();
    document.id = std::to_string(i);
    document.text = "sea";
    const double price =
        std::ldexp(static_cast<double>(random() % 1000) / 7, static_cast<int>(random() % 60) - 30);
    document.values["price"] = {random() % 2 == 0 ? price : -price};
  }
  for (const std::size_t parts : {1, 2, 3, 8}) {
    const test::WholeAndParts whole(random, settings, parts, documents);
    SearchOptions options;
    options.facets = {{.column = "price"}};
    const Answer wanted = whole.one().search("sea", options);
    EXPECT_EQ(whole.search("sea", options).facets, wanted.facets);
    EXPECT_NE(wanted.facets.at(0).sum, 0);
  }
}

}  // namespace
}  // namespace warpdex
