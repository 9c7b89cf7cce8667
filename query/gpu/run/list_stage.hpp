// Lists that are not in GPU memory, copied there part by part for a large batch that reads all of
// them, while the part before is answered. Internal.
#pragma once

#include <unordered_map>

#include "gpu/index/gpu_index_state.hpp"
#include "gpu/lists/host_lists.hpp"
#include "gpu/run/batch_memory.hpp"
#include "gpu/run/lane_answers.hpp"
#include "gpu/run/stage_plan.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// One searcher's: the index as its kernels see it, with copies of lists that are not resident.
/// They take turns with two halves of some of the searcher's scratch memory.
class ListStage final : public PlacedIndex {
 public:
  /// Keeps a reference. Without a list cache it does nothing.
  explicit ListStage(const GpuIndex::State& placed);
  /// Waits for the copies that are under way.
  ~ListStage();
  ListStage(const ListStage&) = delete;
  ListStage& operator=(const ListStage&) = delete;

  /// As GpuIndex::State::place(); a list that was brought lies where it is here.
  void place(const PostingsEntry& entry, List& list) const override;

  /// For a batch of which nothing is under way: decides which lists to bring, if any, takes room
  /// for them from `memory`'s and orders `slots` so that they share them. `plans` outlives the
  /// batch. Throws CudaError.
  void begin(std::span<const PlannedQuery> plans, std::span<std::uint32_t> slots,
             const LaneAnswers& answers, const GpuAblation& ablation, BatchMemory& memory);
  /// Whether lists are brought for the batch.
  bool is_on() const { return !plan_.is_empty(); }
  /// How many of the queries `slots`, the first ones, can be a part.
  std::size_t queries_of_part(std::span<const std::uint32_t> slots) const {
    return plan_.queries_of_part(slots);
  }
  /// Queues copying the lists of a part, to the half that the part before the last one had, which
  /// has been answered. The image of the last part has been built. Returns their bytes. Throws
  /// CudaError.
  std::uint64_t bring(std::span<const std::uint32_t> part);
  /// Makes what is queued from now on wait for the lists that were brought last.
  void hold_back(const Stream& stream) const;
  /// Of what comes now, all is read where the index has it, and `memory` has its room again. What
  /// was brought has been answered.
  void end(BatchMemory& memory);
  /// After a failure.
  void abandon() noexcept;

 private:
  bool take_room(std::span<const PlannedQuery> plans, std::span<const std::uint32_t> slots,
                 std::uint32_t k, BatchMemory& memory);
  void forget();

  const GpuIndex::State& placed_;
  Stream stream_;
  Event arrived_;
  AccountedBuffer memory_;
  std::size_t half_bytes_ = 0;
  std::size_t half_ = 0;  ///< where the lists that were brought last are
  StagePlan plan_;
  std::unordered_map<std::uint32_t, EncodedBytes> brought_;  ///< by first block
};

}  // namespace warpdex::gpu
