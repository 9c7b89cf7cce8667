// Launches a batch's kernels in their order.
#include "gpu/run/batch_launcher.hpp"

#include "gpu/kernels/kernels.cuh"

namespace warpdex::gpu {

BatchLauncher::BatchLauncher(const GpuIndex::State& index, const GpuAblation& ablation,
                             const BatchMemory& memory, const Stream& stream,
                             StageClock<GpuStage>& clock)
    : codec_(index.index.settings().codec.kind),
      ablation_(ablation),
      memory_(memory),
      stream_(stream),
      clock_(clock),
      stream_of_and_(index.device),
      has_uploaded_(index.device, EventUse::kOrder),
      has_matched_(index.device, EventUse::kOrder) {}

void BatchLauncher::launch(const Batch& batch, const BatchShape& shape) {
  launch_parse_tails(batch, codec_, stream_.handle());
  Batch last = batch;
  // AND and OR of different queries run at the same time, unless OR depends on what AND matched.
  const bool has_both = batch.and_queries > 0 && batch.or_queries > 0;
  if (has_both && !shape.has_fallback && !ablation_.time_stages) {
    launch_beside(batch, shape);
    last.overlaps_launches = false;  // it follows kernels of two streams
  } else {
    launch_and_chunks(batch, codec_, stream_.handle());
    clock_.end(GpuStage::kMatch, stream_);
    if (batch.or_queries > 0) launch_or(batch, shape);
  }
  launch_finish(last, codec_, stream_.handle());
  clock_.end(GpuStage::kFinish, stream_);
}

void BatchLauncher::abandon() noexcept {
  cudaStreamSynchronize(stream_.handle());
  cudaStreamSynchronize(stream_of_and_.handle());
}

/// Launches AND in a stream of its own, beside OR.
void BatchLauncher::launch_beside(const Batch& batch, const BatchShape& shape) {
  has_uploaded_.record(stream_);
  has_uploaded_.make_wait(stream_of_and_);
  Batch apart = batch;
  apart.overlaps_launches = false;  // it follows the upload in another stream
  launch_and_chunks(apart, codec_, stream_of_and_.handle());
  has_matched_.record(stream_of_and_);
  launch_or(batch, shape);
  has_matched_.make_wait(stream_);
}

void BatchLauncher::launch_or(const Batch& batch, const BatchShape& shape) {
  if (batch.round_count > 0) launch_find_tile_blocks(batch, stream_.handle());
  clock_.end(GpuStage::kTables, stream_);
  launch_bound_tiles(batch, memory_.inline_query(), stream_.handle());
  clock_.end(GpuStage::kBounds, stream_);
  if (batch.round_count == 0) {
    launch_or_by_bound(batch, codec_, stream_.handle());
    clock_.end(GpuStage::kLookups, stream_);
  }
  for (std::uint32_t round = 0; round < batch.round_count; ++round) {
    launch_begin_round(batch, round, stream_.handle());
    clock_.end(GpuStage::kPlan, stream_);
    if (!shape.adds_up_only) look_up(batch, round);
    if (round != 0 && round + 1 != batch.round_count) continue;
    launch_or_tiles(batch, round == 0 ? 0 : 1, codec_, stream_.handle());
    clock_.end(GpuStage::kTiles, stream_);
  }
}

/// Launches the lookups of a round.
void BatchLauncher::look_up(const Batch& batch, std::uint32_t round) {
  launch_find_blocks(batch, round, stream_.handle());
  clock_.end(GpuStage::kFind, stream_);
  if (batch.has_document_room) {
    launch_read_blocks(batch, round, codec_, stream_.handle());
    clock_.end(GpuStage::kRead, stream_);
    launch_look_up_chunks(batch, round, codec_, stream_.handle());
  } else {
    launch_search_blocks(batch, round, codec_, stream_.handle());
  }
  clock_.end(GpuStage::kLookups, stream_);
}

}  // namespace warpdex::gpu
