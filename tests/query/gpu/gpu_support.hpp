// What the tests of the GPU engine share: an index with a GPU's copy of it, and the judgement of
// its answers.
#pragma once

#include <array>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "warpdex/core/cuda/device.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/cpu/cpu_engine.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

/// Skips the test, saying why, where there is no GPU.
#define WARPDEX_NEEDS_GPU() \
  if (warpdex::device_count() == 0) GTEST_SKIP() << warpdex::why_no_device()

namespace warpdex::test {

/// A way to search that must not change an answer.
struct Way {
  std::string_view name;
  GpuAblation ablation;
};
/// The usual one first; then those that change AND as well.
inline constexpr std::array<Way, 8> kWays{{{"usual", {}},
                                           {"exhaustive", {.exhaustive = true}},
                                           {"timed", {.time_stages = true}},
                                           {"without seeds", {.no_seeds = true}},
                                           {"adding up", {.or_by = OrMethod::kAccumulate}},
                                           {"looking up", {.or_by = OrMethod::kLookUp}},
                                           {"searching", {.or_by = OrMethod::kFusedLookUp}},
                                           {"decoding once", {.or_by = OrMethod::kDecodeOnce}}}};

inline constexpr std::size_t kWaysOfAnd = 3;

/// A GpuIndex that has resources of its own: a class, so that it can be used as one.
class LoneGpuIndex : private Resources, public GpuIndex {
 public:
  explicit LoneGpuIndex(const Index& index, const ResourceSettings& settings = {})
      : Resources(settings), GpuIndex(index, static_cast<Resources&>(*this)) {}
  using GpuIndex::device;
  using GpuIndex::memory;
};

/// A GPU engine that has a CPU engine answer what it cannot, a batch at a time.
class GpuSearcher {
 public:
  /// The index outlives the searcher.
  explicit GpuSearcher(const GpuIndex& index, const GpuAblation& ablation = {});

  std::vector<SearchResult> run(std::span<const PlannedQuery> plans,
                                const SearchSettings& settings);
  /// Starts on a batch, whose plans live until wait().
  void submit(std::span<const PlannedQuery> plans, const SearchSettings& settings);
  std::vector<SearchResult> wait();
  GpuStatistics statistics() const { return gpu_.statistics(); }

 private:
  const Index& index_;
  GpuEngine gpu_;
  std::unique_ptr<CpuEngine> cpu_;
  std::span<const PlannedQuery> plans_;
  SearchSettings settings_;
  Ticket ticket_{};
};

/// An index on disk, mapped and uploaded, and a searcher for each of kWays.
class UploadedIndex {
 public:
  explicit UploadedIndex(const std::filesystem::path& folder);

  const Index& index() const { return index_; }
  const GpuIndex& gpu_index() const { return *gpu_index_; }
  /// The usual one.
  GpuSearcher& searcher() { return searchers_[0]; }

  /// One batch, in one of kWays.
  std::vector<SearchResult> search(std::span<const Query> queries, const SearchSettings& settings,
                                   std::size_t way = 0);

 private:
  Index index_;
  std::unique_ptr<LoneGpuIndex> gpu_index_;
  std::vector<GpuSearcher> searchers_;
};

/// Plans the queries and runs them as one batch.
std::vector<SearchResult> search_by_gpu(GpuSearcher& searcher, const Index& index,
                                        std::span<const Query> queries,
                                        const SearchSettings& settings);

/// Runs the queries as one batch, in all ways, and then one by one in the usual one, and judges all
/// answers. Empty if they are right, else what is wrong with the first that is not. `collection`
/// holds what the index's lists do.
std::string judge_batch(const reference::Collection& collection, UploadedIndex& engine,
                        std::span<const Query> queries, const SearchSettings& settings);

/// Empty if two answers to the same query are the same to the bit, as far as it is told: numbers of
/// matches only where they are counted.
std::string disagreement(const SearchResult& one, const SearchResult& other,
                         const SearchSettings& settings);

}  // namespace warpdex::test
