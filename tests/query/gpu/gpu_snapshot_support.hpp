// What the tests of changed indexes on the GPU share: uploads, and the CPU's judgement.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <span>
#include <string>

#include "tests/query/engine/living_support.hpp"
#include "tests/query/gpu/gpu_support.hpp"
#include "tests/reference/compare.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex::test {

/// Bytes of the bits of a segment of so many tiles of 16,384 documents.
inline constexpr std::size_t bits_of_tiles(std::size_t tiles) { return tiles * 16'384 / 8; }

/// Judges the answers to queries [first, first + answers) of the log.
inline void expect_right(const Snapshot& snapshot, const LivingLog& log, std::size_t first,
                         const BatchAnswers& answers) {
  CpuSearcher cpu(snapshot);
  for (std::size_t i = 0; i < answers.size(); ++i) {
    const PlannedQuery& plan = log.plans[first + i];
    const SearchSettings& settings = log.settings[first + i];
    const std::string what = reference::describe(log.queries[first + i]) + " " +
                             reference::describe(settings) + ", " +
                             std::to_string(snapshot.segments().size()) + " segments, " +
                             std::to_string(snapshot.removed_documents()) + " removed documents";
    ASSERT_TRUE(answers[i].is_answered) << what;
    const SearchResult wanted = cpu.run(plan, settings);
    ASSERT_EQ(disagreement(wanted, answers.result(i), settings), "") << what;
  }
}

/// Runs queries in one batch, then a few one by one.
inline void expect_as_cpu(Living& living, const GpuSnapshot& gpu, std::size_t queries,
                          const GpuAblation& ablation = {}) {
  const Snapshot& snapshot = gpu.snapshot();
  GpuEngine engine(gpu, {.ablation = ablation});
  const LivingLog log(living, snapshot, queries);
  expect_right(snapshot, log, 0, engine.run(log.plans, log.settings));
  for (std::size_t i = 0; i < std::min<std::size_t>(queries, 4); ++i) {
    const Ticket ticket =
        engine.submit(std::span(log.plans).subspan(i, 1), std::span(log.settings).subspan(i, 1));
    while (!engine.poll(ticket)) {
    }
    expect_right(snapshot, log, i, engine.wait(ticket));
  }
  EXPECT_EQ(engine.statistics().queries + engine.statistics().unanswered_queries,
            queries + std::min<std::size_t>(queries, 4));
}

/// What is on the GPU of an index that changes.
class Uploaded {
 public:
  /// Opens the index as the last commit left it.
  const GpuSnapshot& open(const Living& living) {
    const Snapshot snapshot = Snapshot::open(living.index());
    gpu_ = gpu_ ? gpu_->next(snapshot) : GpuSnapshot(snapshot, resources_);
    return *gpu_;
  }
  void close() { gpu_.reset(); }
  std::size_t used() { return resources_.memory().used(); }

 private:
  Resources resources_;
  std::optional<GpuSnapshot> gpu_;
};

struct Kind {
  CodecKind codec;
  bool weights;
};

}  // namespace warpdex::test
