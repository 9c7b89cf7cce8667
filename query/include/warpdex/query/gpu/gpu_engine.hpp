// The GPU engine: batches of queries, decoded, matched, scored and selected on the GPU. Its answers
// are the CPU engine's.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include "warpdex/query/engine/engine.hpp"
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

/// What was done for the batches that are answered.
struct GpuStatistics {
  std::uint64_t queries = 0;             ///< answered
  std::uint64_t unanswered_queries = 0;  ///< that another engine is to answer
  std::uint64_t parts = 0;               ///< of batches: as many queries as there is memory for
  std::uint64_t candidates_lost = 0;     ///< queries with more candidates than there was room for

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

struct GpuEngineSettings {
  /// Batches that may be under way, or answered and not released: 1 or more. Each that was ever
  /// under way beside others has scratch memory of its own on the GPU.
  std::size_t max_batches = 4;
  std::chrono::microseconds spin = kDefaultSpin;  ///< awake before a thread that waits sleeps
  GpuAblation ablation{};
};

/// Answers batches: thousands of queries are faster a query than one. Cannot answer queries of more
/// than 64 distinct terms or with weights that are not whole numbers, nor those whose sums of
/// impacts could pass 2^24 or for which it finds no memory. Used by one thread at a time; several
/// engines may share a GpuIndex.
class GpuEngine final : public Engine {
 public:
  /// The index outlives the engine and is not moved meanwhile. Throws CudaError, and UsageError for
  /// settings out of range.
  explicit GpuEngine(const GpuIndex& index, const GpuEngineSettings& settings = {});
  /// Ends what is under way.
  ~GpuEngine() override;
  GpuEngine(GpuEngine&&) noexcept;
  GpuEngine& operator=(GpuEngine&&) noexcept;

  /// Throws CudaError beside what Engine says.
  Ticket submit(std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings) override;
  bool poll(Ticket ticket) override;
  /// The answers lie in page-locked memory that the engine uses again when they and all their
  /// copies are gone.
  BatchAnswers wait(Ticket ticket) override;

  /// Of all batches that were answered since construction.
  GpuStatistics statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Adds all counters and times, or takes them off.
void add(const GpuStatistics& part, GpuStatistics& sum);
void subtract(const GpuStatistics& part, GpuStatistics& sum);

}  // namespace warpdex
