// The GPU engine: decodes, matches, scores and selects for batches of queries on the GPU. Its
// answers are the CPU engine's.
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
#include "warpdex/query/gpu/gpu_snapshot.hpp"
#include "warpdex/query/gpu/gpu_stages.hpp"

namespace warpdex {

/// How OR answers the tiles (ranges of 16,384 docIDs) that may hold documents of the answer.
enum class OrMethod {
  kByCost,      ///< accumulates or looks up, whichever an estimate says is cheaper
  kAccumulate,  ///< decodes all lists and accumulates the scores of all documents
  kLookUp,      ///< decodes competitive blocks and looks their documents up in other lists
  /// The same, but each warp looks up the documents that it found, as where memory is short.
  kFusedLookUp,
  /// Decodes each list once for all queries of a batch. By cost, large batches do so whose queries
  /// share lists. Over several segments, with static scores and for query likelihood as by cost.
  kDecodeOnce,
};
/// "cost", "adding-up", "looking-up", "searching", "decoding-once".
std::string_view or_method_name(OrMethod method);
/// The method of a name; throws UsageError with all names.
OrMethod parse_or_method(std::string_view name);

/// Turns parts of the engine on or off, to measure what they are worth.
struct GpuAblation {
  /// OR accumulates all tiles, whatever their bounds are. AND over `bitpack`, by BM25, decodes the
  /// docIDs of all blocks of all lists; other AND is as it is without this.
  bool exhaustive = false;
  OrMethod or_by = OrMethod::kByCost;
  bool no_seeds = false;  ///< OR starts with a threshold of 0
  /// Fills GpuStatistics::stages and the work counters, and with `bitpack`, by BM25, the
  /// phases; costs some microseconds a batch.
  bool time_stages = false;
};

/// What was done for all answered batches.
struct GpuStatistics {
  std::uint64_t queries = 0;             ///< answered
  std::uint64_t unanswered_queries = 0;  ///< that another engine must answer
  std::uint64_t parts = 0;               ///< of batches; a part has as many queries as memory
                                         ///< allows
  std::uint64_t candidates_lost = 0;     ///< queries with more candidates than there was room for

  // If not all lists are resident:
  std::uint64_t cache_hits = 0;  ///< uses of resident lists
  std::uint64_t cache_misses =
      0;  ///< likewise that were not: brought, read in place, or by the CPU
  std::uint64_t bytes_uploaded = 0;  ///< of lists that became resident
  std::uint64_t bytes_staged = 0;    ///< of lists that were staged for one batch

  // If GpuAblation::time_stages:
  std::array<double, kGpuStages> stages{};  ///< seconds, by GpuStage
  PhaseCycles match_phases{};               ///< of GpuStage::kMatch
  PhaseCycles tile_phases{};                ///< of GpuStage::kTiles; decoding warps only
  std::uint64_t tiles = 0;                  ///< accumulated by OR
  std::uint64_t or_blocks = 0;              ///< decoded to look their documents up in other lists
  std::uint64_t lookups = 0;                ///< of a document in a list
  std::uint64_t and_blocks = 0;             ///< decoded to find documents of AND in them
  std::uint64_t exact_scores = 0;           ///< candidates that got exact scores
};

struct GpuEngineSettings {
  /// Batches that may be under way, or answered and not released; 1 or more. Each of them has its
  /// own scratch memory on the GPU, once it was needed.
  std::size_t max_batches = 4;
  std::chrono::microseconds spin = kDefaultSpin;  ///< a waiting thread spins so long before it
                                                  ///< sleeps
  /// For batches of much work, beside which those of other engines are to go on: these come first
  /// where both have work.
  bool is_background = false;
  GpuAblation ablation{};
};

/// Answers batches. Thousands of queries at a time are faster per query than one. Cannot answer
/// queries of more than 64 distinct terms, nor those for which there is no memory. Used by one
/// thread at a time; several engines may share a GpuIndex or a GpuSnapshot.
class GpuEngine final : public Engine {
 public:
  /// The index must outlive the engine and must not be moved meanwhile. Throws CudaError, and
  /// UsageError for settings out of range.
  explicit GpuEngine(const GpuIndex& index, const GpuEngineSettings& settings = {});
  /// Over a snapshot, which it shares: batches under way keep theirs, whatever is committed. Plans
  /// are those of the snapshot, documents its docIDs. Throws likewise.
  explicit GpuEngine(const GpuSnapshot& snapshot, const GpuEngineSettings& settings = {});
  /// Waits for what is under way.
  ~GpuEngine() override;
  GpuEngine(GpuEngine&&) noexcept;
  GpuEngine& operator=(GpuEngine&&) noexcept;

  /// Throws CudaError, beside what Engine::submit() throws.
  Ticket submit(std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings) override;
  bool poll(Ticket ticket) override;
  /// The answers of a plain index lie in page-locked memory. The engine uses it again when the
  /// answers and all copies of them are gone.
  BatchAnswers wait(Ticket ticket) override;

  /// Sums over all batches that were answered since construction.
  GpuStatistics statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Add or subtract all counters and times.
void add(const GpuStatistics& part, GpuStatistics& sum);
void subtract(const GpuStatistics& part, GpuStatistics& sum);

}  // namespace warpdex
