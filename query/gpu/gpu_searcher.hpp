// The GPU engine: batches of queries, decoded, matched, scored and selected on the GPU; the answers
// are the CPU engine's.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "warpdex/query/cpu/plan.hpp"
#include "warpdex/query/engine.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"
#include "warpdex/query/gpu/gpu_stages.hpp"

namespace warpdex {

/// How OR treats the documents of a range that may hold some of the answer.
enum class OrMethod {
  kByCost,     ///< in either of these ways, the cheaper by an estimate
  kAddingUp,   ///< decodes all lists there and adds up all documents' scores
  kLookingUp,  ///< decodes blocks that may decide, and looks their documents up in other lists
  /// The same, each warp what it found: as is done where there is little memory.
  kSearching,
  /// Decodes everything and adds it up in accumulators of all documents in global memory, as Ding
  /// et al. do: skips nothing, for comparison.
  kGlobalMemory,
};
/// "cost", "adding-up", "looking-up", "searching", "global-memory".
std::string_view or_method_name(OrMethod method);
/// By its name; throws UsageError that lists the names.
OrMethod parse_or_method(std::string_view name);

/// What may be turned off or on, to measure what it is worth.
struct GpuAblation {
  /// OR decodes and adds up everything, whatever its bounds; AND decodes the docIDs of all
  /// blocks of all lists.
  bool exhaustive = false;
  OrMethod or_by = OrMethod::kByCost;
  bool no_seeds = false;  ///< OR starts with a threshold of 0
  /// Fills GpuStatistics::stages and the counters of work; costs some microseconds a batch.
  bool time_stages = false;
};

/// What was done for the batches so far.
struct GpuStatistics {
  std::uint64_t gpu_queries = 0;      ///< answered by the GPU
  std::uint64_t cpu_queries = 0;      ///< answered by the CPU engine in its stead
  std::uint64_t parts = 0;            ///< of batches: as many queries as there is memory for
  std::uint64_t candidates_lost = 0;  ///< queries with more candidates than there was room for

  // If not all lists are resident:
  std::uint64_t cache_hits = 0;  ///< uses of lists that were in GPU memory
  std::uint64_t cache_misses =
      0;  ///< likewise that were not: brought, read in place, or by the CPU
  std::uint64_t bytes_uploaded = 0;  ///< of lists, to stay in GPU memory
  std::uint64_t bytes_staged = 0;    ///< likewise for the batch alone

  // If GpuAblation::time_stages:
  std::array<double, kGpuStages> stages{};  ///< seconds, by GpuStage
  PhaseCycles match_phases{};               ///< of GpuStage::kMatch
  PhaseCycles tile_phases{};                ///< of GpuStage::kTiles, by the warps that add up
  std::uint64_t tiles = 0;                  ///< of OR, that were added up
  std::uint64_t or_blocks = 0;              ///< decoded to look their documents up in other lists
  std::uint64_t lookups = 0;                ///< of a document in a list
  std::uint64_t and_blocks = 0;             ///< decoded to find documents of AND in them
  std::uint64_t exact_scores = 0;           ///< candidates that were left for exact scores
};

/// The answers of a batch, in the order of its queries. They lie in memory of the searcher's: good
/// until its next batch.
class GpuAnswers {
 public:
  /// Queries in the batch.
  std::size_t size() const;
  /// The best documents of a query, as SearchResult::hits.
  std::span<const Hit> hits(std::size_t query) const;
  /// All that is known of a query's answer, copied.
  SearchResult result(std::size_t query) const;

  struct State;  ///< for the searcher
  explicit GpuAnswers(const State& state) : state_(&state) {}

 private:
  const State* state_;
};

/// Answers batches of queries for one thread. Owns streams, and scratch memory on the GPU
/// that grows to what its batches need, within what the GpuIndex leaves. Move-only.
class GpuSearcher {
 public:
  /// Keeps a reference: the index outlives the searcher and is not moved meanwhile. Throws
  /// CudaError.
  explicit GpuSearcher(const GpuIndex& index, const GpuAblation& ablation = {});
  ~GpuSearcher();
  GpuSearcher(GpuSearcher&&) noexcept;
  GpuSearcher& operator=(GpuSearcher&&) noexcept;

  /// Answers queries planned over the index. A batch is the unit: thousands are faster a query than
  /// one. Throws UsageError for settings out of range, CudaError.
  GpuAnswers run(std::span<const PlannedQuery> plans, const SearchSettings& settings);

  /// Starts on a batch and returns while the GPU works; `plans` must live until wait(). One batch
  /// at a time; several searchers overlap theirs. UsageError where one is under way.
  void submit(std::span<const PlannedQuery> plans, const SearchSettings& settings);
  /// Waits for the batch of submit().
  GpuAnswers wait();

  /// Since construction.
  const GpuStatistics& statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
