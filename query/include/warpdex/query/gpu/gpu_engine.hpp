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
#include "warpdex/query/gpu/gpu_blocks.hpp"
#include "warpdex/query/gpu/gpu_index.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"
#include "warpdex/query/gpu/gpu_stages.hpp"
#include "warpdex/query/gpu/or_rules.hpp"

namespace warpdex {

/// The maximum number of terms of a query that a GpuEngine answers.
inline constexpr std::size_t kMaxGpuTerms = 1024;

/// How OR answers the tiles (ranges of 16,384 docIDs) that may hold documents of the answer.
enum class OrMethod {
  kByCost,      ///< accumulates or looks up, whichever an estimate says is cheaper
  kAccumulate,  ///< decodes all lists and accumulates the scores of all documents
  kLookUp,      ///< decodes competitive blocks and looks their documents up in other lists
  /// As kLookUp, but each warp looks up the documents that it found itself. kLookUp does this too
  /// if memory is short.
  kFusedLookUp,
  /// Decodes each list once for all queries of a batch. (kByCost does this for large batches whose
  /// queries share lists.) The same as kByCost over several segments, with static scores, and for
  /// query likelihood.
  kDecodeOnce,
};
/// In the order of OrMethod: "cost", "adding-up", "looking-up", "searching", "decoding-once".
std::string_view or_method_name(OrMethod method);
/// The method of a name; throws UsageError with all names.
OrMethod parse_or_method(std::string_view name);

/// Turns parts of the engine on or off, to measure their effect.
struct GpuAblation {
  /// OR accumulates all tiles, whatever their bounds are. AND over `bitpack`, by BM25, decodes the
  /// docIDs of all blocks of all lists; other AND is not changed.
  bool exhaustive = false;
  OrMethod or_by = OrMethod::kByCost;
  bool no_seeds = false;  ///< OR starts with a threshold of 0
  /// Fills GpuStatistics::stages and the work counters, and with `bitpack`, by BM25, the
  /// phases; costs some microseconds a batch.
  bool time_stages = false;
};

/// Counts over all answered batches.
struct GpuStatistics {
  std::uint64_t queries = 0;             ///< answered
  std::uint64_t unanswered_queries = 0;  ///< left to another engine
  std::uint64_t parts = 0;               ///< parts of batches; a part has as many queries as
                                         ///< memory allows
  std::uint64_t candidates_lost = 0;     ///< queries with more candidates than there was room for
  OrCounts or_counts{};                  ///< how parts answered OR

  // If not all lists are resident:
  std::uint64_t cache_hits = 0;  ///< uses of resident lists
  std::uint64_t cache_misses =
      0;  ///< uses of other lists: uploaded, read over the bus, or searched by the CPU
  std::uint64_t bytes_uploaded = 0;  ///< of lists that became resident
  std::uint64_t bytes_staged = 0;    ///< of lists that were staged for one batch

  // If GpuAblation::time_stages:
  std::array<double, kGpuStages> stages{};  ///< seconds, by GpuStage
  PhaseCycles match_phases{};               ///< of GpuStage::kMatch
  PhaseCycles tile_phases{};                ///< of GpuStage::kTiles; decoding warps only
  std::uint64_t tiles = 0;                  ///< tiles that OR accumulated
  std::uint64_t or_blocks = 0;              ///< decoded to look their documents up in other lists
  std::uint64_t lookups = 0;                ///< lookups of a document in a list
  std::uint64_t and_blocks = 0;             ///< decoded to find documents of AND in them
  std::uint64_t exact_scores = 0;           ///< candidates that got exact scores
};

struct GpuEngineSettings {
  /// Batches that may be under way, or answered and not released; 1 or more. Each has its own
  /// scratch memory on the GPU, which is allocated when it is first needed.
  std::size_t max_batches = 4;
  std::chrono::microseconds spin = kDefaultSpin;  ///< how long a waiting thread spins before it
                                                  ///< sleeps
  /// For batches of much work. The GPU prefers the work of other engines, so that their batches go
  /// on beside these.
  bool is_background = false;
  /// The snapshot's, on this GPU too: batches of OR of several terms go by them, unless the GPU has
  /// less than 128 KiB of shared memory for a block. Such batches count apart in max_batches, and
  /// `ablation` does not change them. Null: none.
  std::shared_ptr<const GpuBlocks> blocks{};
  GpuAblation ablation{};
};

/// Answers batches. A query takes far less time in a batch of thousands than alone. Cannot answer
/// queries of more than kMaxGpuTerms distinct terms, nor those for which there is too little
/// memory. Used by one thread at a time; several engines may share a GpuIndex or a GpuSnapshot.
class GpuEngine final : public Engine {
 public:
  /// The index must outlive the engine and must not be moved meanwhile. Throws CudaError, and
  /// UsageError for settings out of range.
  explicit GpuEngine(const GpuIndex& index, const GpuEngineSettings& settings = {});
  /// Over a snapshot, which the engine shares: later commits do not affect it. Plans must be made
  /// for the snapshot; answers have its docIDs. Throws likewise.
  explicit GpuEngine(const GpuSnapshot& snapshot, const GpuEngineSettings& settings = {});
  /// Over the parts of a snapshot, on a GPU each or on the same, in the order of their docIDs. They
  /// are searched at the same time, and what they find is merged. Throws likewise.
  explicit GpuEngine(std::span<const GpuSnapshot> parts, const GpuEngineSettings& settings = {});
  /// Waits for batches that are under way.
  ~GpuEngine() override;
  GpuEngine(GpuEngine&&) noexcept;
  GpuEngine& operator=(GpuEngine&&) noexcept;

  /// Throws CudaError, and as Engine::submit() does.
  Ticket submit(std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings) override;
  bool poll(Ticket ticket) override;
  EarlyAnswers early_answers(Ticket ticket) override;
  /// The answers of a plain index lie in page-locked memory. The engine uses it again when the
  /// answers and all copies of them are gone.
  BatchAnswers wait(Ticket ticket) override;

  /// Sums over all batches that were answered since construction.
  GpuStatistics statistics() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Adds all counters and times of `part` to `sum`, or subtracts them from it.
void add(const GpuStatistics& part, GpuStatistics& sum);
void subtract(const GpuStatistics& part, GpuStatistics& sum);

}  // namespace warpdex
