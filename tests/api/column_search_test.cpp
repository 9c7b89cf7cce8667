// Columns through the front door: filters, sorted pages and facets against plain loops over the
// documents, also of a journal.
#include <gmock/gmock.h>

#include <algorithm>
#include <map>
#include <set>

#include "tests/reference/filters.hpp"
#include "tests/support.hpp"
#include "warpdex/index_reader.hpp"
#include "warpdex/indexer/field_value.hpp"
#include "warpdex/searcher.hpp"
#include "warpdex/writer.hpp"

namespace warpdex {
namespace {

using testing::HasSubstr;

struct ColumnDocument {
  std::string text;
  FieldValues values;
};

class ColumnSearchTest : public testing::Test {
 protected:
  void make(std::size_t documents, bool keeps_journal) {
    NewIndex settings;
    settings.analyzer = "whitespace";
    settings.schema = schema_;
    WriterOptions options;
    options.journal = keeps_journal;
    Writer writer(index(), settings, options);
    for (std::size_t i = 0; i < documents; ++i) {
      put(writer, i);
      if (i % (documents / 3 + 1) == 5) writer.commit();
    }
    for (std::size_t i = 0; i < documents; i += 9) put(writer, i);
    for (std::size_t i = 4; i < documents; i += 11) {
      EXPECT_TRUE(writer.remove(id_of(i)));
      live_.erase(id_of(i));
    }
    if (keeps_journal) {
      writer.sync();
    } else {
      writer.commit();
    }
  }

  std::filesystem::path index() const { return folder_ / "index"; }
  static std::string id_of(std::size_t number) { return "d" + std::to_string(number); }

  void put(Writer& writer, std::size_t number) {
    ColumnDocument document;
    for (std::size_t words = random_() % 12; words > 0; --words) {
      document.text += "w" + std::to_string(random_() % (1 + random_() % 40)) + " ";
    }
    document.values = reference::random_values(random_, schema_);
    NewDocument given{.id = id_of(number), .text = document.text};
    for (std::size_t i = 0; i < schema_.fields.size(); ++i) {
      auto values = document.values[i];
      std::ranges::shuffle(values, random_);
      given.values.emplace(schema_.fields[i].name, values);
    }
    writer.update(std::move(given));
    live_[id_of(number)] = document;
  }

  /// All live documents with their values come back, and filters let through what a plain loop
  /// does.
  void expect_all() {
    const Searcher searcher(index());
    ASSERT_EQ(searcher.documents(), live_.size());
    const IndexReader reader(searcher);
    for (const auto& [id, document] : live_) {
      std::map<std::string, std::vector<FieldValue>> wanted;
      for (std::size_t i = 0; i < schema_.fields.size(); ++i) {
        if (!document.values[i].empty()) wanted[schema_.fields[i].name] = document.values[i];
      }
      ASSERT_EQ(reader.values(reader.find(id).value()), wanted) << id;
    }
    for (int i = 0; i < 30; ++i) {
      const FilterNode filter = reference::random_filter(random_, schema_);
      std::set<std::string> wanted;
      for (const auto& [id, document] : live_) {
        if (reference::passes(filter, schema_, id, document.values)) wanted.insert(id);
      }
      SearchOptions options;
      options.k = 10'000;
      options.syntax = QuerySyntax::kLucene;
      options.filter = filter_text(filter);
      std::set<std::string> found;
      for (const AnswerHit hit : searcher.search("*:*", options)) found.emplace(hit.id());
      ASSERT_EQ(found, wanted) << options.filter;
    }
  }

  std::mt19937_64 random_ = test::generator(70);
  Schema schema_ = reference::random_schema(random_);
  test::TemporaryFolder folder_;
  std::map<std::string, ColumnDocument> live_;
};

TEST_F(ColumnSearchTest, ValuesLiveAsTheIndexDoes) {
  make(300, false);
  expect_all();
  Writer writer(index());
  writer.merge();
  writer.commit();
  expect_all();
}

TEST_F(ColumnSearchTest, FiltersRemoveDocuments) {
  make(200, false);
  Writer writer(index());
  const FilterNode filter = reference::random_filter(random_, schema_);
  NewDocument waiting{.id = "waiting"};
  writer.add(waiting);
  live_["waiting"].values.resize(schema_.fields.size());
  const std::size_t before = live_.size();
  std::erase_if(live_, [&](const auto& document) {
    return reference::passes(filter, schema_, document.first, document.second.values);
  });
  EXPECT_EQ(writer.remove_where(filter_text(filter)), before - live_.size());
  EXPECT_THROW(writer.remove_where(" "), UsageError);
  EXPECT_THROW(writer.remove_where("nothing = 1"), InputError);
  writer.commit();
  expect_all();
}

TEST_F(ColumnSearchTest, AJournalKeepsThem) {
  make(120, true);
  Writer writer(index());
  EXPECT_GT(writer.recovered(), 0U);
  writer.commit();
  expect_all();
}

/// Where a document is in the order of keys: the least or largest value; without one, last.
struct Place {
  std::vector<std::pair<bool, FieldValue>> values;
  float score = 0;
  std::uint32_t document = 0;
};

bool is_before(const Place& one, const Place& other, const std::vector<SortKey>& keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const auto& [missing, value] = one.values[i];
    const auto& [other_missing, other_value] = other.values[i];
    if (missing != other_missing) return other_missing;
    if (missing || value == other_value) continue;
    return keys[i].descending ? value > other_value : value < other_value;
  }
  return one.score != other.score ? one.score > other.score : one.document < other.document;
}

TEST_F(ColumnSearchTest, SortedPagesAreThoseOfAPlainSort) {
  make(400, false);
  const Searcher searcher(index());
  for (int round = 0; round < 60; ++round) {
    SearchOptions options;
    options.k = 10'000;
    options.mode = static_cast<QueryMode>(random_() % 3);
    if (round % 2 == 0) options.filter = filter_text(reference::random_filter(random_, schema_));
    if (round % 3 == 0) options.syntax = QuerySyntax::kLucene;
    if (round % 3 == 0 && options.mode == QueryMode::kAndOr) options.mode = QueryMode::kOr;
    const std::string query = round % 3 == 0   ? "*:* w1"
                              : round % 3 == 1 ? "w0 w1 w2"
                                               : "w" + std::to_string(random_() % 4);
    std::vector<SortKey> keys;
    for (std::size_t i = 1 + random_() % 3; i > 0; --i) {
      const std::string name = schema_.fields[random_() % schema_.fields.size()].name;
      keys.push_back({name, random_() % 2 == 0});
    }
    const Answer all = searcher.search(query, options);
    std::vector<Place> wanted;
    for (const AnswerHit hit : all) {
      Place place{{}, hit.score(), hit.document()};
      for (const SortKey& key : keys) {
        const auto& values = live_.at(std::string(hit.id())).values[*schema_.find(key.column)];
        if (values.empty()) {
          place.values.emplace_back(true, FieldValue());
        } else {
          place.values.emplace_back(false, key.descending ? values.back() : values.front());
        }
      }
      wanted.push_back(place);
    }
    std::ranges::sort(wanted,
                      [&](const Place& a, const Place& b) { return is_before(a, b, keys); });
    options.sort = keys;
    options.k = 1 + static_cast<std::uint32_t>(random_() % 40);
    if (options.mode == QueryMode::kAndOr) options.and_or_min = 10'000;
    std::size_t next = 0;
    do {
      const Answer page = searcher.search(query, options);
      ASSERT_EQ(page.matches, wanted.size());
      ASSERT_EQ(page.size(), std::min<std::size_t>(options.k, wanted.size() - next));
      for (const AnswerHit hit : page) {
        ASSERT_EQ(hit.document(), wanted[next].document) << round << " at " << next;
        ASSERT_EQ(hit.score(), wanted[next++].score);
        options.search_after = hit.cursor();
      }
    } while (next < wanted.size());
  }
}

TEST_F(ColumnSearchTest, FacetsAreThoseOfAPlainCount) {
  make(500, false);
  const Searcher searcher(index());
  for (int round = 0; round < 40; ++round) {
    SearchOptions options;
    options.k = 10'000;
    if (round % 2 == 0) options.filter = filter_text(reference::random_filter(random_, schema_));
    const Answer all = searcher.search("w0 w1 w3", options);
    options.k = 3;
    if (round % 4 == 0) options.sort = {{schema_.fields[0].name}};
    for (const Field& field : schema_.fields) {
      options.facets.push_back({.column = field.name, .values = 5});
      if (field.type == FieldType::kInt) options.facets.back().ranges = {{"-5", "7"}, {"", "0"}};
    }
    const Answer answer = searcher.search("w0 w1 w3", options);
    ASSERT_EQ(answer.facets.size(), schema_.fields.size());
    EXPECT_TRUE(answer.matches_exact);
    EXPECT_EQ(answer.matches, all.size());
    for (std::size_t i = 0; i < schema_.fields.size(); ++i) {
      const Field& field = schema_.fields[i];
      Facet wanted{.column = field.name};
      std::map<FieldValue, std::uint64_t> counts;
      std::vector<double> numbers;
      if (field.type == FieldType::kInt) wanted.ranges = {{{"-5", "7"}}, {{"", "0"}}};
      for (const AnswerHit hit : all) {
        const auto& values = live_.at(std::string(hit.id())).values[i];
        wanted.documents += values.empty() ? 0 : 1;
        wanted.values += values.size();
        for (const FieldValue& value : std::set<FieldValue>(values.begin(), values.end())) {
          ++counts[value];
        }
        const auto has = [&](std::int64_t from, std::int64_t to) {
          return std::ranges::any_of(values, [&](const FieldValue& value) {
            return std::get<std::int64_t>(value) >= from && std::get<std::int64_t>(value) < to;
          });
        };
        if (field.type == FieldType::kInt) {
          wanted.ranges[0].documents += has(-5, 7) ? 1 : 0;
          wanted.ranges[1].documents += has(-1000, 0) ? 1 : 0;
        }
        for (const FieldValue& value : values) {
          if (const auto* number = std::get_if<std::int64_t>(&value)) {
            numbers.push_back(static_cast<double>(*number));
          } else if (const auto* real = std::get_if<double>(&value)) {
            numbers.push_back(*real);
          } else if (const auto* flag = std::get_if<bool>(&value)) {
            numbers.push_back(*flag ? 1 : 0);
          }
        }
      }
      wanted.distinct = counts.size();
      std::vector<std::pair<FieldValue, std::uint64_t>> sorted(counts.begin(), counts.end());
      std::ranges::stable_sort(sorted, std::greater<>(),
                               &std::pair<FieldValue, std::uint64_t>::second);
      for (std::size_t n = 0; n < std::min<std::size_t>(5, sorted.size()); ++n) {
        wanted.top.push_back({value_text(field, sorted[n].first), sorted[n].second});
      }
      if (!numbers.empty()) {
        wanted.min = *std::ranges::min_element(numbers);
        wanted.max = *std::ranges::max_element(numbers);
        for (const double number : numbers) wanted.sum += number;  // quarters: exact
      }
      EXPECT_EQ(answer.facets[i], wanted) << field.name << " " << options.filter;
    }
  }
}

template <class Exception>
std::string message_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Exception& error) {
    return error.what();
  }
  return "nothing was refused";
}

TEST_F(ColumnSearchTest, SortedAnswersTellOfTermsThatAreCut) {
  NewIndex settings{.analyzer = "whitespace"};
  settings.schema =
      parse_schema(R"({"fields": {"year": {"type": "int"}, "at": {"type": "keyword"}}})");
  std::string many;
  for (int i = 0; i < 16'384; ++i) many += "p" + std::to_string(100'000 + i) + " ";
  Writer writer(index(), settings);
  writer.add({.id = "many", .text = many, .values = {{"year", {std::int64_t{1}}}}});
  writer.add({.id = "last", .text = "pz", .values = {{"at", {std::string("a b")}}}});
  writer.commit();
  const Searcher searcher(index());
  for (const bool is_cut : {true, false}) {
    for (const bool is_sorted : {true, false}) {
      SearchOptions options{.count = true, .syntax = QuerySyntax::kLucene};
      if (is_sorted) options.sort = {{"year"}};
      const Answer answer = searcher.search(is_cut ? "p*" : "p1*", options);
      EXPECT_EQ(answer.terms_cut, is_cut) << is_sorted;
      EXPECT_EQ(answer.matches_exact, !is_cut) << is_sorted;
      EXPECT_EQ(answer.size(), 1U) << is_sorted;
    }
  }
  const Answer quoted = searcher.search("at:\"a b\"", {.syntax = QuerySyntax::kLucene});
  ASSERT_EQ(quoted.size(), 1U);
  EXPECT_EQ(quoted[0].id(), "last");
}

TEST_F(ColumnSearchTest, WhatCannotBeIsRefused) {
  schema_ = parse_schema(R"({"fields": {"year": {"type": "int"}}})");
  make(20, false);
  const Searcher searcher(index());
  const auto refusal = [&](const SearchOptions& options) {
    return message_of<UsageError>([&] { searcher.search("w0", options); });
  };
  EXPECT_THAT(refusal({.sort = {{"yeer"}}}), HasSubstr("no column 'yeer'; the index has year"));
  EXPECT_THAT(refusal({.facets = {{.column = "x"}}}), HasSubstr("no column 'x'"));
  EXPECT_THAT(refusal({.search_after = "1-2"}), HasSubstr("is for a sorted search"));
  EXPECT_THAT(refusal({.sort = {{"year"}}, .search_after = "x"}), HasSubstr("is no cursor"));
  EXPECT_THAT(refusal({.sort = {{"year"}}, .search_after = "999-0"}), HasSubstr("of commit 999"));
  EXPECT_THAT(message_of<InputError>([&] { searcher.search("w0", {.filter = "year = x"}); }),
              HasSubstr("the filter, at byte 0"));
  Writer writer(index());
  NewDocument document{.id = "new"};
  document.values["year"] = {std::string("1990")};
  EXPECT_THAT(message_of<BadDocument>([&] { writer.add(document); }),
              HasSubstr("the document 'new': the field 'year' has the value '1990'"));
  document.values = {{"day", {std::int64_t{1}}}};
  EXPECT_THAT(message_of<BadDocument>([&] { writer.add(document); }), HasSubstr("no column 'day'"));
}

}  // namespace
}  // namespace warpdex
