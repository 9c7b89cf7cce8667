// Answers one batch at a time on the GPU. An engine has a lane for each batch that is under way.
// Internal.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/batch/batch_builder.hpp"
#include "gpu/batch/segment_plans.hpp"
#include "gpu/lists/filter_sets.hpp"
#include "gpu/lists/list_cache.hpp"
#include "gpu/run/batch_launcher.hpp"
#include "gpu/run/batch_memory.hpp"
#include "gpu/run/batch_plan.hpp"
#include "gpu/run/batch_stages.hpp"
#include "gpu/run/device_rows.hpp"
#include "gpu/run/lane_answers.hpp"
#include "gpu/run/list_stage.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stage_clock.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::gpu {

/// Used by one thread at a time.
class Lane {
 public:
  /// Over an index. Keeps a reference. The bits of `removed` are as in Batch::removed. Lanes of an
  /// engine share `slices`. Throws CudaError.
  Lane(const GpuIndex::State& index, const Removals& removed, const GpuEngineSettings& settings,
       std::shared_ptr<BatchBuilder::Slices> slices);
  /// Over the segments of a snapshot; plans must be for all of them. Lanes share `rows`, too.
  Lane(const SearchedIndex& joined, const GpuEngineSettings& settings,
       std::shared_ptr<BatchBuilder::Slices> slices, DeviceRows& rows);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Starts a batch; no other may be under way. Throws as Engine::submit() does, and CudaError;
  /// then no batch is under way.
  void submit(SegmentPlans plans, std::span<const SearchSettings> settings);
  /// The same for the queries `slots` only. Answers lie by slot; other slots have no answers.
  void submit(SegmentPlans plans, std::span<const SearchSettings> settings,
              std::span<const std::uint32_t> slots);
  /// Does the work that is possible without waiting. Returns whether the batch is answered.
  bool poll();
  /// As Engine::early_answers(), by slot.
  std::span<const std::uint32_t> early_answers() const;
  /// Returns when the batch is answered.
  void wait();

  /// The answers of the last batch, valid from its end until the next submit(). Before its end, the
  /// early ones.
  const LaneAnswers& answers() const { return answers_; }
  /// Sums since construction.
  const GpuStatistics& statistics() const { return statistics_; }

 private:
  Lane(const SearchedIndex& index, const GpuIndex::State* alone, const Removals& removed,
       const GpuEngineSettings& settings, std::shared_ptr<BatchBuilder::Slices> slices,
       DeviceRows* rows);

  /// Queries that are under way together.
  struct Part {
    explicit Part(int device) : ended(device, EventUse::kOrder) {}

    std::span<const std::uint32_t> slots;  ///< empty: nothing is under way
    std::uint32_t ticket = 0;              ///< 0: the host waits for `ended`, not for each answer
    std::size_t seen = 0;                  ///< answers that have arrived, counted from the first
    std::size_t early = 0;                 ///< so many of the first slots are answered early
    std::uint32_t polls = 0;               ///< since the part was started
    FilterSets::Set filter;                ///< of its queries; null if they have none
    bool has_guesses = false;              ///< thresholds may be too high for a filter
    Event ended;                           ///< recorded after the part if it has no ticket
  };

  void start(SegmentPlans plans, std::span<const SearchSettings> settings);
  void set_busy(bool is_busy) noexcept;
  void take_queries();
  bool is_huge(std::uint32_t slot) const;
  bool are_alike(std::uint32_t one, std::uint32_t other) const;
  void sort_by_kind();
  void put_and_first();
  std::span<const std::uint32_t> next_part() const;
  void start_part(Part& part);
  void stage_next();
  bool find_filter(Part& part);
  bool launch(Part& part);
  bool lay_out(BatchPlan& plan);
  PartFacts facts_of(const BatchPlan& plan, const Part& part) const;
  std::uint32_t next_ticket(std::span<const std::uint32_t> queries);
  bool advance();
  bool start_again();
  bool has_ended(Part& part) const;
  void finish_part(Part& part);
  bool has_guessed_wrong(const Part& part, std::uint32_t slot) const;
  void copy_work();
  void add_work();
  void end_batch();
  void abandon() noexcept;

  /// With more queries in a part, answers are not awaited one by one.
  static constexpr std::size_t kFewAwaited = 64;

  bool is_staging() const { return stage_ && stage_->is_on(); }

  const SearchedIndex& index_;
  ListCache* cache_;              ///< of an index whose lists are not all resident; else null
  const std::uint32_t* removed_;  ///< Batch::removed
  const GpuEngineSettings settings_;
  std::optional<ListStage> stage_;  ///< of an index
  BatchBuilder builder_;
  DeviceRows* rows_;            ///< of a snapshot; else null
  bool is_new_enough_ = false;  ///< the GPU has clusters and can overlap kernels
  Stream stream_;
  StageClock<GpuStage> clock_;
  BatchPlanner planner_;
  BatchMemory memory_;
  BatchLauncher launcher_;
  PinnedBuffer work_;  ///< counters of the part under way, for measurements
  LaneAnswers answers_;
  SegmentPlans plans_;
  BatchLists lists_;                     ///< if there is a list cache
  std::vector<std::uint32_t> slots_;     ///< queries to answer in this attempt
  bool has_huge_ = false;                ///< some is huge
  std::size_t started_ = 0;              ///< of these, from the first on
  std::span<const std::uint32_t> next_;  ///< of these, the part whose lists are staged
  Part part_;                            ///< the part that is answered next
  Part following_;                       ///< the part after it, if it was started
  std::uint32_t last_ticket_ = 0;
  std::vector<float> guesses_;        ///< by slot: BatchBuilder::read_guesses()
  std::vector<std::uint32_t> again_;  ///< queries that are to run again
  std::uint32_t attempt_ = 0;         ///< 0 for the first; later ones have more room
  bool is_busy_ = false;
  GpuStatistics statistics_;
};

}  // namespace warpdex::gpu
