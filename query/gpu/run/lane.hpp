// One batch at a time on the GPU, from plans to answers. An engine has a lane for each batch that
// is under way. Internal.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/batch/batch_builder.hpp"
#include "gpu/lists/list_cache.hpp"
#include "gpu/run/batch_launcher.hpp"
#include "gpu/run/batch_memory.hpp"
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
  /// Keeps a reference. Throws CudaError.
  Lane(const GpuIndex& index, const GpuEngineSettings& settings);
  ~Lane();
  Lane(const Lane&) = delete;
  Lane& operator=(const Lane&) = delete;

  /// Starts on a batch; none is under way. Throws as Engine::submit() does, and CudaError; then
  /// none is under way.
  void submit(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings);
  /// Does what can be done without waiting. Whether all is answered.
  bool poll();
  /// Returns when all is answered.
  void wait();

  /// Of the last batch, once it is answered, until the next.
  const LaneAnswers& answers() const { return answers_; }
  /// Since construction.
  const GpuStatistics& statistics() const { return statistics_; }

 private:
  /// Queries that are under way together.
  struct Part {
    explicit Part(int device) : ended(device, EventUse::kOrder) {}

    std::span<const std::uint32_t> slots;  ///< none: nothing is under way
    std::uint32_t ticket = 0;              ///< if its answers are awaited one by one
    std::size_t seen = 0;                  ///< answers that are there, of these
    std::uint32_t looks = 0;               ///< for answers that were not there
    Event ended;                           ///< recorded behind the part if there is no ticket
  };

  void take_queries();
  void sort_by_scorer();
  std::span<const std::uint32_t> next_part() const;
  void start_part(Part& part);
  void bring_next();
  bool launch(Part& part);
  Batch describe(const BatchShape& shape, std::span<const std::uint32_t> queries);
  std::uint32_t next_ticket(std::span<const std::uint32_t> queries);
  bool advance();
  bool start_again();
  bool has_ended(Part& part) const;
  void finish_part(Part& part);
  void copy_work(const Batch& batch);
  void add_work();
  void end_batch();
  void abandon() noexcept;

  const GpuIndex& index_;
  const GpuIndex::State& uploaded_;
  const GpuEngineSettings settings_;
  ListStage stage_;
  BatchBuilder builder_;
  bool is_new_enough_ = false;  ///< the GPU, for clusters and kernels that overlap
  Stream stream_;
  StageClock<GpuStage> clock_;
  BatchMemory memory_;
  BatchLauncher launcher_;
  PinnedBuffer work_;  ///< counters of the part under way, if they are wanted
  LaneAnswers answers_;
  std::span<const PlannedQuery> plans_;
  BatchLists lists_;                     ///< with a list cache
  std::vector<std::uint32_t> slots_;     ///< queries that are to be answered in this attempt
  std::size_t started_ = 0;              ///< of them, so far
  std::span<const std::uint32_t> next_;  ///< of them, the part whose lists were brought
  Part part_;                            ///< of them, those that are answered next
  Part following_;                       ///< and those behind it, if they were started
  std::uint32_t last_ticket_ = 0;
  std::vector<std::uint32_t> lost_;  ///< those that had more candidates than room
  std::uint32_t attempt_ = 0;        ///< how often all were lost before: they get more room
  bool is_busy_ = false;
  GpuStatistics statistics_;
};

}  // namespace warpdex::gpu
