// Launches a batch's kernels once its image is queued for upload. Internal.
#pragma once

#include "gpu/index/searched_index.hpp"
#include "gpu/run/batch_plan.hpp"
#include "gpu/run/batch_stages.hpp"
#include "warpdex/core/cuda/stage_clock.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/gpu/gpu_stages.hpp"

namespace warpdex::gpu {

/// Belongs to a lane. All work is ordered by the lane's stream. AND may run in another stream, but
/// later kernels wait for it.
class BatchLauncher {
 public:
  /// Keeps references.
  BatchLauncher(const SearchedIndex& index, const Stream& stream, StageClock<GpuStage>& clock);

  /// Launches the kernels of a batch, up to those that write the answers. Its upload is queued in
  /// the stream. The index's GPU must be the current device. Throws CudaError.
  void launch(const BatchStages& stages, const BatchPlan& plan);
  /// Waits for all launched kernels. Also after a failure.
  void abandon() noexcept;

 private:
  void launch_beside(const BatchStages& stages, const BatchPlan& plan);
  void launch_or(const BatchStages& stages, const BatchPlan& plan);
  void store_lists(const OrRounds& rounds, std::uint32_t round);
  void answer_stored(const OrRounds& rounds, std::uint32_t round);
  void look_up(const OrRounds& rounds, std::uint32_t round);

  CodecKind codec_;
  const Stream& stream_;
  StageClock<GpuStage>& clock_;
  Stream stream_of_and_;  ///< for batches with both AND and OR
  /// Likewise, if AND is answered early. Its priority is lower than OR's.
  Stream stream_of_early_and_;
  Event has_uploaded_;
  Event has_matched_;
};

}  // namespace warpdex::gpu
