// Numbers of matches where documents were removed, against sets of documents. The tiles of counted
// queries have all sizes: one tile or two, cut into pieces or not, the last one not full.
#include <gtest/gtest.h>

#include <bitset>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex {
namespace {

using Random = std::mt19937_64;

constexpr std::size_t kTerms = 64;
/// Terms that stand for the bits of a document's number, from 1 on. The other terms are in many
/// documents, so that queries of many terms have their tiles cut into pieces.
constexpr std::size_t kBits = 16;
using Terms = std::bitset<kTerms>;

/// Documents that have each of these terms or not, and whether they were removed.
struct CountedDocuments {
  CountedDocuments(Random& random, std::size_t count) : terms(count), removed(count) {
    for (std::size_t i = 0; i < count; ++i) {
      const bool is_dense = random() % 3 > 0;  // else it has few terms
      for (std::size_t term = 0; term < kTerms; ++term) {
        terms[i][term] = term < kBits ? ((i + 1) >> term & 1) != 0 : is_dense && random() % 32 > 0;
      }
    }
  }

  /// Those from `begin` on.
  std::vector<Document> documents(std::size_t begin, std::size_t end, bool as_vectors) const {
    std::vector<Document> all;
    for (std::size_t i = begin; i < end; ++i) {
      Document document{"d" + std::to_string(i), ""};
      for (std::size_t term = 0; term < kTerms; ++term) {
        if (!terms[i][term]) continue;
        const std::string word = "t" + std::to_string(term);
        if (as_vectors) document.vector.push_back({word, static_cast<float>(1 + i % 200)});
        if (!as_vectors) document.text += word + " ";
      }
      all.push_back(std::move(document));
    }
    return all;
  }

  /// The live documents that have one of the terms, and none of the others.
  std::uint64_t count(const Terms& any, const Terms& none) const {
    std::uint64_t matches = 0;
    for (std::size_t i = 0; i < terms.size(); ++i) {
      const bool matches_it = (terms[i] & any).any() && (terms[i] & none).none();
      matches += matches_it && !removed[i] ? 1 : 0;
    }
    return matches;
  }

  std::vector<Terms> terms;  ///< by document
  std::vector<bool> removed;
};

/// A query that counts, and its terms.
struct CountedQuery {
  CountedQuery(const Terms& wanted, const Terms& prohibited) : any(wanted), none(prohibited) {
    for (std::size_t term = 0; term < kTerms; ++term) {
      const std::string word = "t" + std::to_string(term);
      if (any[term]) query.terms.push_back({word});
      if (none[term]) query.terms.push_back({word, Occur::kMustNot});
    }
  }

  Terms any;
  Terms none;
  Query query;
};

/// Of two bits each, with and without a third one that is prohibited; of many terms last.
std::vector<CountedQuery> counted_queries(Random& random) {
  std::vector<CountedQuery> queries;
  for (std::size_t one = 0; one < kBits; ++one) {
    for (std::size_t other = 0; other < one; ++other) {
      Terms prohibited;
      if (random() % 4 == 0) prohibited.set(kBits + random() % (kTerms - kBits));
      queries.emplace_back(Terms().set(one).set(other), prohibited);
    }
  }
  for (const std::size_t first : {0U, 16U, 32U, 40U, 48U}) {
    queries.emplace_back(Terms().set() << first, Terms());
  }
  return queries;
}

/// Counts all queries in one batch, then the last ones one by one.
void expect_counts(const CountedDocuments& documents, const std::filesystem::path& folder,
                   Random& random) {
  const Snapshot snapshot = Snapshot::open(folder);
  Resources resources;
  const GpuSnapshot gpu(snapshot, resources);
  GpuEngine engine(gpu);
  const std::vector<CountedQuery> queries = counted_queries(random);
  std::vector<PlannedQuery> plans;
  for (const CountedQuery& each : queries) plans.push_back(plan_query(snapshot, each.query));
  SearchSettings settings;
  settings.count = true;
  settings.scorer = effective_scorer(snapshot.settings(), settings.scorer);
  const auto expect = [&](std::size_t first, std::size_t count) {
    const BatchAnswers answers = engine.run({plans.data() + first, count}, settings);
    for (std::size_t i = 0; i < count; ++i) {
      const CountedQuery& asked = queries[first + i];
      ASSERT_TRUE(answers[i].is_answered);
      ASSERT_EQ(answers.result(i).matches, documents.count(asked.any, asked.none))
          << "any of " << asked.any << ", none of " << asked.none;
    }
  };
  expect(0, queries.size());
  for (std::size_t i = queries.size() - 8; i < queries.size(); ++i) expect(i, 1);
}

/// Which documents are removed: bits of their numbers, neighbours in a row, few, or most.
std::vector<std::function<bool(std::size_t)>> removals(Random& random, std::size_t count) {
  const std::size_t bit = random() % kBits;
  const std::size_t begin = random() % count;
  const std::size_t size = 1 + random() % 100;
  const std::size_t one = random() % count;
  return {[=](std::size_t i) { return i == one; },
          [=](std::size_t i) { return (i >> bit & 1) != 0; },
          [=](std::size_t i) { return i >= begin && i - begin < size; },
          [&random](std::size_t) { return random() % 5 == 0; },
          [&random, one](std::size_t i) { return i != one && random() % 32 > 0; }};
}

struct CountedIndex {
  std::size_t documents;
  std::size_t in_second;  ///< of these, in a second segment
};

class LiveCounts : public testing::TestWithParam<CountedIndex> {};

TEST_P(LiveCounts, AreThoseOfSets) {
  WARPDEX_NEEDS_GPU();
  Random random = test::generator(902);
  const auto [count, in_second] = GetParam();
  for (const bool as_vectors : {false, true}) {
    CountedDocuments documents(random, count);
    const test::TemporaryFolder folder(test::place_in_memory());
    const auto reader = [&](std::size_t begin, std::size_t end) {
      std::vector<Document> some = documents.documents(begin, end, as_vectors);
      return as_vectors ? vectors_from_memory(std::move(some))
                        : documents_from_memory(std::move(some));
    };
    BuildOptions options;
    options.output = folder / "index";
    options.analyzer = "whitespace";
    options.codec.kind = random() % 2 == 0 ? CodecKind::kBitpack : CodecKind::kRice;
    build_index(*reader(0, count - in_second), options);
    if (in_second > 0) {
      LivingIndex writer(folder / "index");
      writer.add(*reader(count - in_second, count));
      writer.commit();
    }
    for (const auto& is_removed : removals(random, count)) {
      LivingIndex writer(folder / "index");
      for (std::size_t i = 0; i < count; ++i) {
        if (documents.removed[i] || !is_removed(i)) continue;
        ASSERT_TRUE(writer.remove("d" + std::to_string(i)));
        documents.removed[i] = true;
      }
      writer.commit();
      expect_counts(documents, folder / "index", random);
      ASSERT_FALSE(HasFatalFailure());
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Sizes, LiveCounts,
                         testing::Values(CountedIndex{1, 0}, CountedIndex{33, 0},
                                         CountedIndex{1'025, 0}, CountedIndex{16'384, 0},
                                         CountedIndex{16'385, 0}, CountedIndex{16'385, 1},
                                         CountedIndex{8 * 2'048 + 2'047, 0},
                                         CountedIndex{32'767, 0}, CountedIndex{49'153, 0},
                                         CountedIndex{36'000, 17'001}));

}  // namespace
}  // namespace warpdex
