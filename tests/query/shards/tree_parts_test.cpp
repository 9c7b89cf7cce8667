// Trees over parts: phrases, groups, prefixes, ranges and near words answer as over one index of
// what is live in all parts, to the bit.
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/shards/local_parts.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/analysis/analyzer.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/tree/tree_query.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex::shards {
namespace {

using NamedHits = std::vector<std::pair<std::string, float>>;

class TreeParts : public testing::Test {
 protected:
  void SetUp() override {
    for (const std::string part : {"0", "1", "2"}) {
      // Each part has words that no other has.
      std::vector<Document> documents = draw(300, "p" + part);
      build(folder_ / part, {documents.begin(), documents.begin() + 200});
      LivingIndex index(folder_ / part);
      index.add(*documents_from_memory({documents.begin() + 200, documents.end()}));
      std::erase_if(documents, [&](const Document& document) {
        return test::chance(random_, 15) && index.remove(document.id);
      });
      index.commit();
      live_.insert(live_.end(), documents.begin(), documents.end());
      parts_.push_back(Snapshot::open(folder_ / part));
    }
    build(folder_ / "whole", live_);
  }

  static void build(const std::filesystem::path& output, std::vector<Document> documents) {
    BuildOptions options;
    options.output = output;
    options.analyzer = "whitespace";
    options.positions = true;
    options.threads = 1;
    build_index(*documents_from_memory(std::move(documents)), options);
  }

  std::string word() {
    const double uniform = static_cast<double>(test::below(random_, 1'000'000)) / 1e6;
    return "w" + std::to_string(static_cast<int>(std::pow(60.0, uniform)));
  }

  std::vector<Document> draw(std::size_t count, const std::string& own) {
    std::vector<Document> documents(count);
    for (Document& document : documents) {
      document.id = "d" + std::to_string(next_++);
      for (std::uint64_t words = test::below(random_, 40); words > 0; --words) {
        document.text += (test::chance(random_, 5) ? own : word()) + " ";
      }
    }
    return documents;
  }

  /// A clause in Lucene's syntax.
  std::string clause(int depth) {
    switch (test::below(random_, depth == 0 ? 7 : 10)) {
      case 0: return "\"" + word() + " " + word() + "\"";
      case 1: return "\"" + word() + " " + word() + "\"~" + std::to_string(random_() % 4);
      case 2: return "w" + std::to_string(random_() % 6) + "*";
      case 3: return "[" + word() + " TO " + word() + "]";
      case 4: return "p" + std::to_string(random_() % 3) + "^1.5";
      case 5: return word();
      case 6: return word() + "~" + std::to_string(random_() % 3);
      case 7: return "*:*";
      default: return "(" + text(depth - 1) + ")^0.5";
    }
  }

  std::string text(int depth) {
    constexpr const char* kSigns[] = {"", "", "", "+", "-"};
    std::string text;
    for (std::uint64_t clauses = 1 + test::below(random_, 3); clauses > 0; --clauses) {
      text += std::string(kSigns[test::below(random_, 5)]) + clause(depth) + " ";
    }
    return text;
  }

  static Query parsed(const std::string& text) {
    Query query;
    take_tree(query, parse_lucene(text), *make_analyzer({"whitespace"}), true);
    return query;
  }

  test::Random random_ = test::generator(8000);
  test::TemporaryFolder folder_{test::place_in_memory()};
  std::vector<Document> live_;
  std::vector<Snapshot> parts_;
  int next_ = 0;
};

TEST_F(TreeParts, AnswerAsOneIndex) {
  const Snapshot whole = Snapshot::open(folder_ / "whole");
  TreeSearcher searcher(whole);
  test::LocalParts parts(parts_);
  test::SettingsMaker settings_maker(random_);
  int trees = 0;
  int found_some = 0;
  for (int i = 0; i < 400; ++i) {
    const std::string asked = text(2);
    const Query query = parsed(asked);
    if (!query.tree) continue;
    ++trees;
    const SearchSettings settings = settings_maker.draw();
    const MergedAnswer answer =
        parts.broker().search({&query, 1}, {&settings, 1}, {.wants_names = true}).answers[0];
    const SearchResult one = searcher.search(*query.tree, settings).result;
    NamedHits wanted;
    for (const Hit& hit : one.hits) {
      wanted.emplace_back(whole.document_name(hit.document), hit.score);
    }
    NamedHits found;
    for (std::size_t rank = 0; rank < answer.hits.size(); ++rank) {
      found.emplace_back(answer.names[rank], answer.hits[rank].score);
    }
    ASSERT_EQ(found, wanted) << asked;
    ASSERT_EQ(settings.count ? answer.matches : 0, settings.count ? one.matches : 0) << asked;
    found_some += found.empty() ? 0 : 1;
  }
  EXPECT_GT(trees, 100);
  EXPECT_GT(found_some, 50);
}

/// Some words of a place of the phrase are in some parts alone; they count for its score all the
/// same.
TEST_F(TreeParts, PhrasesWithWordsOfOtherParts) {
  const Snapshot whole = Snapshot::open(folder_ / "whole");
  test::LocalParts parts(parts_);
  Query query;
  query.tree = std::make_shared<QueryNode>(QueryNode{.kind = QueryNode::Kind::kPhrase,
                                                     .texts = {"w1", "w2", "p0", "p1", "none"},
                                                     .positions = {0, 1, 1, 1, 1}});
  const SearchSettings settings{.k = 1000, .count = true, .scorer = {}};
  const MergedAnswer answer = parts.broker().search({&query, 1}, {&settings, 1}).answers[0];
  const SearchResult one = TreeSearcher(whole).search(*query.tree, settings).result;
  ASSERT_GT(one.hits.size(), 3U);
  ASSERT_EQ(answer.hits.size(), one.hits.size());
  for (std::size_t rank = 0; rank < one.hits.size(); ++rank) {
    EXPECT_EQ(answer.hits[rank].score, one.hits[rank].score);
  }
}

TEST_F(TreeParts, WhatPartsCannotKnowIsRefused) {
  const SearchSettings settings;
  std::vector<Document> many(3);
  for (int i = 0; i < 10'000; ++i) many[0].text += "x" + std::to_string(i) + " ";
  for (int i = 0; i < 10'000; ++i) many[1].text += "x" + std::to_string(20'000 + i) + " ";
  many[0].id = "a";
  many[1].id = "b";
  many[2] = {"c", "x1"};
  build(folder_ / "a", {many[0]});
  build(folder_ / "b", {many[1]});
  build(folder_ / "c", {many[2]});
  test::LocalParts large({Snapshot::open(folder_ / "a"), Snapshot::open(folder_ / "b"),
                          Snapshot::open(folder_ / "c")});
  const Query beginning = parsed("x*");
  EXPECT_THROW(large.broker().search({&beginning, 1}, {&settings, 1}), UsageError);
  const Query fewer = parsed("x1*");
  EXPECT_EQ(large.broker().search({&fewer, 1}, {&settings, 1}).answers[0].hits.size(), 2U);
}

}  // namespace
}  // namespace warpdex::shards
