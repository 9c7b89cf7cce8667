// The order in which a batch's kernels are launched, once it is in the GPU's memory. Internal.
#pragma once

#include "gpu/index/gpu_index_state.hpp"
#include "gpu/run/batch_memory.hpp"
#include "warpdex/core/cuda/stage_clock.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::gpu {

/// One searcher's. All that is launched is in the order of its stream: AND may run in another, but
/// what follows waits for it.
class BatchLauncher {
 public:
  /// Keeps references.
  BatchLauncher(const GpuIndex::State& index, const GpuAblation& ablation,
                const BatchMemory& memory, const Stream& stream, StageClock<GpuStage>& clock);

  /// Launches the kernels of a batch that `memory` laid out last and has queued to be uploaded, up
  /// to those that write the answers. The index's GPU is the current one. Throws CudaError.
  void launch(const Batch& batch, const BatchShape& shape);
  /// Waits for all that was launched, after a failure, too.
  void abandon() noexcept;

 private:
  void launch_beside(const Batch& batch, const BatchShape& shape);
  void launch_or(const Batch& batch, const BatchShape& shape);
  void launch_accumulators(const Batch& batch, const BatchShape& shape);
  void look_up(const Batch& batch, std::uint32_t round);

  CodecKind codec_;
  GpuAblation ablation_;
  const BatchMemory& memory_;
  const Stream& stream_;
  StageClock<GpuStage>& clock_;
  Stream stream_of_and_;  ///< of batches with queries of both
  Event has_uploaded_;
  Event has_matched_;
};

}  // namespace warpdex::gpu
