// What the tests of blocks of documents on the GPU share: an index there, queries, the judgement.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <memory>
#include <set>

#include "tests/query/engine/random_engine_inputs.hpp"
#include "tests/query/gpu/gpu_snapshot_support.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"
#include "warpdex/query/gpu/gpu_blocks.hpp"

namespace warpdex::test {

inline SearchSettings best(std::uint32_t k) {
  SearchSettings settings;
  settings.k = k;
  return settings;
}

/// Of 1 to `most` of the words of a living index.
inline Query query_of_words(Random& random, std::size_t most) {
  Query query;
  std::set<std::string> words;
  for (std::uint64_t left = 1 + below(random, most); left > 0; --left) {
    const double uniform = static_cast<double>(below(random, 1'000'000)) / 1e6;
    words.insert("w" + std::to_string(static_cast<int>(std::pow(2000.0, uniform))));
  }
  const bool are_whole = chance(random, 50);
  for (const std::string& word : words) {
    const auto whole = static_cast<float>(1 + below(random, 5));
    query.terms.push_back({word, Occur::kUnsigned, are_whole ? whole : whole * 0.37F});
  }
  return query;
}

struct BlocksLog {
  BlocksLog(Random& random, const Snapshot& snapshot, std::size_t queries, std::size_t most_words) {
    const CpuSearcher planner(snapshot);
    for (std::size_t i = 0; i < queries; ++i) {
      plans.push_back(planner.plan(query_of_words(random, most_words)));
      settings.push_back(best(std::array{1U, 2U, 10U, 100U, 512U}[below(random, 5)]));
    }
  }
  std::vector<PlannedQuery> plans;
  std::vector<SearchSettings> settings;
};

inline void expect_as_lists(const Snapshot& snapshot, const BlocksLog& log,
                            const BatchAnswers& answers) {
  CpuSearcher cpu(snapshot);
  ASSERT_EQ(answers.size(), log.plans.size());
  for (std::size_t i = 0; i < answers.size(); ++i) {
    ASSERT_TRUE(answers[i].is_answered);
    const SearchResult wanted = cpu.run(log.plans[i], log.settings[i]);
    ASSERT_EQ(answers.result(i).hits, wanted.hits)
        << "query " << i << ", k " << log.settings[i].k << ", " << log.plans[i].terms.size()
        << " terms, " << snapshot.segments().size() << " segments";
  }
}

/// An index, its blocks, and both on a GPU.
struct BlocksOnGpu {
  explicit BlocksOnGpu(const std::filesystem::path& folder)
      : snapshot(Snapshot::open(folder)), uploaded(snapshot, resources) {
    Resources* const gpu = &resources;
    blocks = std::make_shared<const GpuBlocks>(snapshot, SnapshotBlocks(snapshot, 1),
                                               std::span(&gpu, 1));
  }
  Resources resources;
  Snapshot snapshot;
  GpuSnapshot uploaded;
  std::shared_ptr<const GpuBlocks> blocks;
};

}  // namespace warpdex::test
