// Copies lists that are not resident to the GPU, for large batches that read all of their lists.
// The lists of one part are copied while the part before is answered. With a quarter of the index
// in GPU memory, counting takes 33 us a query with copies, and 53 if lists are read over the bus;
// with half of it, copies are 4 % slower (H200). Internal.
#pragma once

#include <unordered_map>

#include "gpu/batch/segment_plans.hpp"
#include "gpu/index/gpu_index_state.hpp"
#include "gpu/lists/host_lists.hpp"
#include "gpu/run/batch_memory.hpp"
#include "gpu/run/lane_answers.hpp"
#include "gpu/run/stage_plan.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// One lane's view of the index, with copies of lists that are not resident. Parts take turns
/// with two halves of some of the lane's scratch memory.
class ListStage final : public PlacedIndex {
 public:
  /// Keeps a reference. Does nothing if there is no list cache. The bits of `removed` are as in
  /// Batch::removed.
  ListStage(const GpuIndex::State& placed, const Removals& removed);
  /// Waits for the copies that are under way.
  ~ListStage();
  ListStage(const ListStage&) = delete;
  ListStage& operator=(const ListStage&) = delete;

  /// As GpuIndex::State::place(), but with the addresses of staged copies.
  void place(const PostingsEntry& entry, ListSource& list) const override;
  RawList find_raw(const PostingsEntry& entry) const override { return placed_.find_raw(entry); }
  void prefetch(const PostingsEntry& entry) const override { placed_.prefetch(entry); }

  /// Starts a batch: decides which lists to stage, if any, reserves room for them in `memory`, and
  /// orders `slots` so that queries share the copies. No batch may be under way. `plans` must
  /// outlive the batch. Throws CudaError.
  void begin(SegmentPlans plans, std::span<std::uint32_t> slots, const LaneAnswers& answers,
             const GpuAblation& ablation, const BatchPlanner& planner, BatchMemory& memory);
  /// Whether the batch has staged lists.
  bool is_on() const { return !plan_.is_empty(); }
  /// How many of the queries `slots`, from the first on, can be one part.
  std::size_t queries_of_part(std::span<const std::uint32_t> slots) const {
    return plan_.queries_of_part(slots);
  }
  /// Queues copies of a part's lists. They go to the half of the part before the last one, which
  /// must have been answered; the last part's image must have been built. Returns their bytes.
  /// Throws CudaError.
  std::uint64_t stage(std::span<const std::uint32_t> part);
  /// Makes the stream wait for the lists that were staged last.
  void make_wait(const Stream& stream) const;
  /// Ends staging for the batch and gives the room back to `memory`. All parts with staged lists
  /// must have been answered.
  void end(BatchMemory& memory);
  /// Gives up the batch after a failure.
  void abandon() noexcept;

 private:
  bool take_room(SegmentPlans plans, std::span<const std::uint32_t> slots, std::uint32_t k,
                 const BatchPlanner& planner, BatchMemory& memory);
  void clear();

  const GpuIndex::State& placed_;
  Stream stream_;
  Event arrived_;
  AccountedBuffer memory_;
  std::size_t half_bytes_ = 0;
  std::size_t half_ = 0;  ///< the half with the lists that were staged last
  StagePlan plan_;
  std::unordered_map<std::uint32_t, EncodedBytes> staged_;  ///< by first block
};

}  // namespace warpdex::gpu
