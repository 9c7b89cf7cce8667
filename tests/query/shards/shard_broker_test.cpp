// The answers of parts, joined, are the oracle's for all documents, to the bit.
#include "warpdex/query/shards/shard_broker.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/shards/local_parts.hpp"
#include "tests/query/shards/part_support.hpp"
#include "tests/reference/compare.hpp"
#include "tests/support.hpp"
#include "warpdex/indexer/format/text_fields.hpp"

namespace warpdex::shards {
namespace {

using reference::Collection;

constexpr std::array<std::size_t, 4> kPartCounts{1, 2, 3, 8};

/// Indexes of the parts of a collection, each with a codec of its own.
std::vector<Snapshot> write_parts(test::Random& random, const Collection& collection,
                                  std::size_t count, const test::TemporaryFolder& folder) {
  const std::vector<CodecSettings> codecs = test::all_codecs();
  const std::vector<std::uint32_t> cuts = test::draw_cuts(random, collection.documents(), count);
  std::vector<Snapshot> parts;
  for (std::size_t i = 0; i < count; ++i) {
    const std::filesystem::path place = folder / std::to_string(i);
    test::write_index(test::slice(collection, cuts[i], cuts[i + 1]),
                      codecs[test::below(random, codecs.size())], place);
    parts.push_back(Snapshot::open(place));
  }
  return parts;
}

class ShardBrokerOf : public testing::TestWithParam<std::uint64_t> {
 protected:
  /// Batches of random queries and settings.
  void judge(const Collection& collection, std::uint64_t vocabulary, test::LocalParts& parts,
             int batches) {
    for (int batch = 0; batch < batches; ++batch) {
      std::vector<Query> queries;
      std::vector<SearchSettings> settings;
      for (int i = 0; i < 6; ++i) {
        queries.push_back(test::random_query(random_, vocabulary, maker_.draw_terms()));
        test::give_weights(random_, queries.back());
        for (QueryTerm& term : queries.back().terms) {
          term.term = field_mark(test::below(random_, texts_)) + term.term;
        }
        settings.push_back(maker_.draw());
      }
      const MergedBatch found = parts.broker().search(queries, settings, {.wants_names = true});
      EXPECT_TRUE(found.coverage.missing.empty());
      EXPECT_EQ(found.coverage.searched, collection.documents());
      for (std::size_t i = 0; i < queries.size(); ++i) {
        const std::string what =
            std::to_string(parts.snapshots().size()) + " parts, " +
            test::describe(collection.documents(), {}, settings[i], queries[i]);
        const test::Truth truth = test::find_truth(collection, queries[i], settings[i]);
        ASSERT_EQ(test::judge(truth, parts.joined(found.answers[i]), settings[i]), "") << what;
        ASSERT_TRUE(found.answers[i].is_complete) << what;
        ASSERT_NO_FATAL_FAILURE(expect_names(found.answers[i]));
      }
    }
  }

  static void expect_names(const MergedAnswer& answer) {
    ASSERT_EQ(answer.names.size(), answer.hits.size());
    for (std::size_t i = 0; i < answer.hits.size(); ++i) {
      ASSERT_EQ(answer.names[i], "d" + std::to_string(answer.hits[i].document));
    }
  }

  test::Random random_ = test::generator(7400 + GetParam());
  test::SettingsMaker maker_{random_};
  std::size_t texts_ = 1;
};

TEST_P(ShardBrokerOf, AnswersAsTheOracleDoesForAllDocuments) {
  for (const std::size_t count : kPartCounts) {
    test::CollectionMaker maker(random_, GetParam());
    const Collection collection = maker.make();
    const test::TemporaryFolder folder(test::place_in_memory());
    test::LocalParts parts(write_parts(random_, collection, count, folder));
    ASSERT_NO_FATAL_FAILURE(judge(collection, maker.vocabulary(), parts, 15));
  }
}

TEST_P(ShardBrokerOf, SeveralTextFieldsToo) {
  for (const std::size_t count : {2, 3}) {
    test::CollectionMaker maker(random_, GetParam());
    test::CollectionMaker other(random_, GetParam());
    Collection collection = maker.make();
    collection.add_text(other.make());
    texts_ = collection.texts();
    const test::TemporaryFolder folder(test::place_in_memory());
    test::LocalParts parts(write_parts(random_, collection, count, folder));
    ASSERT_NO_FATAL_FAILURE(judge(collection, maker.vocabulary(), parts, 6));
  }
}

constexpr std::array<std::uint64_t, 8> kWholeSizes{0, 1, 31, 33, 128, 1'000, 4'097, 20'000};
INSTANTIATE_TEST_SUITE_P(Sizes, ShardBrokerOf, testing::ValuesIn(kWholeSizes));

/// All documents are alike, so the order of parts and docIDs alone decides.
TEST(ShardBroker, TiesGoByPartAndDocument) {
  test::Random random = test::generator(7500);
  Collection collection;
  for (int i = 0; i < 700; ++i) collection.add_document(std::vector<std::string_view>{"a", "b"});
  for (const std::size_t count : kPartCounts) {
    const test::TemporaryFolder folder(test::place_in_memory());
    test::LocalParts parts(write_parts(random, collection, count, folder));
    for (const QueryMode mode : {QueryMode::kAnd, QueryMode::kOr, QueryMode::kAndOr}) {
      for (const std::uint32_t k : {1U, 10U, 350U, 700U, 1000U}) {
        const Query query{.id = {}, .terms = {{"a"}, {"b"}, {"c"}}};
        const SearchSettings settings{.mode = mode, .k = k, .count = true, .scorer = {}};
        const MergedBatch found = parts.broker().search({&query, 1}, {&settings, 1});
        const test::Truth truth = test::find_truth(collection, query, settings);
        ASSERT_EQ(test::judge(truth, parts.joined(found.answers[0]), settings), "") << k;
      }
    }
  }
}

/// The best documents are all in one part, which is asked again for them.
TEST(ShardBroker, APartThatFallsShortIsAskedAgain) {
  test::Random random = test::generator(7600);
  Collection collection;
  for (int i = 0; i < 4'000; ++i) {
    std::vector<std::string_view> words(1 + test::below(random, 9), "other");
    words.insert(words.end(), 1 + test::below(random, i >= 3'000 ? 8 : 2), "sea");
    collection.add_document(words);
  }
  const test::TemporaryFolder folder(test::place_in_memory());
  std::vector<Snapshot> snapshots;
  for (std::uint32_t i = 0; i < 4; ++i) {
    const std::filesystem::path place = folder / std::to_string(i);
    test::write_index(test::slice(collection, 1'000 * i, 1'000 * (i + 1)), {}, place);
    snapshots.push_back(Snapshot::open(place));
  }
  test::LocalParts parts(std::move(snapshots));
  const Query query{.id = {}, .terms = {{"sea"}}};
  for (const std::uint32_t k : {10U, 100U, 900U}) {
    const SearchSettings settings{.k = k, .scorer = {}};
    const MergedBatch found = parts.broker().search({&query, 1}, {&settings, 1});
    const test::Truth truth = test::find_truth(collection, query, settings);
    EXPECT_EQ(test::judge(truth, parts.joined(found.answers[0]), settings), "");
    EXPECT_GT(found.asked_again, 0U);
  }
}

TEST(ShardBroker, RemembersTermsAndAsksOnce) {
  test::Random random = test::generator(7700);
  test::CollectionMaker maker(random, 3'000);
  const test::TemporaryFolder folder(test::place_in_memory());
  test::LocalParts parts(write_parts(random, maker.make(), 3, folder));
  const Query query{.id = {}, .terms = {{"t0"}, {"unknown"}}};
  const SearchSettings settings{.k = 1, .scorer = {}};
  const MergedBatch first = parts.broker().search({&query, 1}, {&settings, 1});
  const MergedBatch second = parts.broker().search({&query, 1}, {&settings, 1});
  EXPECT_EQ(first.rounds, second.rounds + 1);
  EXPECT_EQ(first.answers[0].hits, second.answers[0].hits);
}

TEST(MergeHits, FirstAskForAFewMoreThanTheShare) {
  EXPECT_EQ(first_k(10, 1), 10U);
  EXPECT_EQ(first_k(1000, 0.125), 167U);
  EXPECT_EQ(first_k(1, 0.001), 1U);
  EXPECT_EQ(first_k(10, 0), 1U);
  EXPECT_LE(first_k(10, 0.999), 10U);
}

}  // namespace
}  // namespace warpdex::shards
