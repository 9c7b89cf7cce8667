// What tests of long queries share: frequent lists, and the judgement of queries that are asked
// alone, with a proof that they went by pieces.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "gpu/choice/or_choice.hpp"
#include "gpu/layout/layout.hpp"
#include "tests/query/engine/shaped_lists.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/support.hpp"

namespace warpdex::test {

inline constexpr CodecSettings kBitpack{CodecKind::kBitpack, 1};

inline std::string name_of(std::uint32_t term) { return 't' + std::to_string(term); }

/// `percent` of some documents from `first` on, in groups of neighbours far from each other if they
/// are `clustered`.
inline std::vector<std::uint32_t> draw_docids(Random& random, std::uint32_t first,
                                              std::uint32_t documents, std::uint32_t percent,
                                              bool clustered) {
  std::vector<std::uint32_t> docids;
  std::uint32_t left = 0;  // of a group, or of the gap behind it
  bool is_gap = false;
  for (std::uint32_t i = first; i < first + documents; ++i) {
    if (left == 0) {
      is_gap = !is_gap;
      left = static_cast<std::uint32_t>(1 + random() % (is_gap ? 900 : 300));
    }
    --left;
    if ((!clustered || !is_gap) && random() % 100 < percent) docids.push_back(i);
  }
  return docids;
}

/// Frequencies of up to 2^8, 2^18 or 2^24: most are small.
inline void add_list(reference::Collection& collection, std::uint32_t term,
                     const std::vector<std::uint32_t>& docids, std::uint32_t bits, Random& random) {
  std::vector<reference::Posting> postings;
  for (const std::uint32_t docid : docids) {
    const std::uint64_t range = random() % 500 == 0 ? std::uint64_t{1} << bits : 4;
    postings.push_back({docid, static_cast<std::uint32_t>(1 + random() % range)});
  }
  collection.add_list(name_of(term), std::move(postings));
}

/// Of terms [first, first + count), the last `prohibited` of which no document may have.
inline Query query_of(std::uint32_t first, std::uint32_t count, std::uint32_t prohibited = 0) {
  Query query;
  for (std::uint32_t i = 0; i < count; ++i) {
    query.terms.push_back(
        {name_of(first + i), i + prohibited < count ? Occur::kUnsigned : Occur::kMustNot});
  }
  return query;
}

/// Shorter queries go by bound where postings are few, as in all these tests.
inline bool goes_by_pieces(const Query& query) {
  return std::ranges::count(query.terms, Occur::kUnsigned, &QueryTerm::occur) > gpu::kLongQuery;
}

/// Runs queries alone, as usual and timed. The times say how they were answered.
class LoneQueries {
 public:
  /// Of an index or a snapshot.
  template <class Uploaded>
  explicit LoneQueries(const Uploaded& uploaded)
      : usual_(uploaded, {.max_batches = 1}),
        timed_(uploaded, {.max_batches = 1, .ablation = {.time_stages = true}}) {}

  /// The usual answer and the timed one. `documents`: of the index, removed ones too.
  std::array<SearchResult, 2> run(const Query& query, const PlannedQuery& plan,
                                  const SearchSettings& settings, std::size_t documents) {
    const GpuStatistics before = timed_.statistics();
    std::array<SearchResult, 2> results{answer(usual_, plan, settings),
                                        answer(timed_, plan, settings)};
    const GpuStatistics after = timed_.statistics();
    ++runs_;
    if (after.candidates_lost > before.candidates_lost) return results;  // and it ran again
    // By pieces all tiles are added up, and nobody asks for their bounds.
    constexpr auto kBounds = static_cast<std::size_t>(GpuStage::kBounds);
    if (goes_by_pieces(query)) {
      EXPECT_EQ(after.tiles - before.tiles,
                (documents + gpu::kTileDocuments - 1) / gpu::kTileDocuments);
      EXPECT_EQ(after.stages[kBounds], before.stages[kBounds]);
    } else {
      EXPECT_GT(after.stages[kBounds], before.stages[kBounds]);
    }
    return results;
  }

  std::uint64_t runs() const { return runs_; }
  /// How many of them ran again.
  std::uint64_t ran_again() const { return timed_.statistics().candidates_lost; }

 private:
  static SearchResult answer(GpuEngine& engine, const PlannedQuery& plan,
                             const SearchSettings& settings) {
    const BatchAnswers answers = engine.run(std::span(&plan, 1), std::span(&settings, 1));
    EXPECT_TRUE(answers[0].is_answered);
    return answers.result(0);
  }

  GpuEngine usual_;
  GpuEngine timed_;
  std::uint64_t runs_ = 0;
};

/// The index of a collection, on disk and mapped.
struct WrittenIndex {
  explicit WrittenIndex(const reference::Collection& collection) {
    write_index(collection, kBitpack, folder / "index");
    index.emplace(Index::open(folder / "index"));
  }

  TemporaryFolder folder;
  std::optional<Index> index;
};

/// Runs each query alone with each k, and judges the answers.
inline void expect_right(const reference::Collection& collection, const WrittenIndex& written,
                         LoneQueries& lone, std::span<const Query> queries,
                         std::initializer_list<std::uint32_t> ks) {
  for (const Query& query : queries) {
    const PlannedQuery plan = plan_query(*written.index, query);
    const Truth truth = find_truth(collection, query, settings_of(QueryMode::kOr, kMaxK));
    for (const std::uint32_t k : ks) {
      const SearchSettings settings = settings_of(QueryMode::kOr, k);
      for (const SearchResult& result : lone.run(query, plan, settings, collection.documents())) {
        EXPECT_EQ(judge(truth, result, settings), "") << query.terms.size() << " terms, k " << k;
      }
    }
  }
}

}  // namespace warpdex::test
