// Launches a batch's kernels in their order.
#include "gpu/run/batch_launcher.hpp"

#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/stream_priority.hpp"

namespace warpdex::gpu {
namespace {

/// A stream of kAfterFirst where streams get kFirst; else one like them.
Stream make_second_stream(int device) {
  const StreamPriority now = StreamPriorityScope::current();
  const StreamPriorityScope scope(now == StreamPriority::kFirst ? StreamPriority::kAfterFirst
                                                                : now);
  return Stream(device);
}

}  // namespace

BatchLauncher::BatchLauncher(const SearchedIndex& index, const Stream& stream,
                             StageClock<GpuStage>& clock)
    : codec_(index.codec_kind),
      stream_(stream),
      clock_(clock),
      stream_of_and_(index.device),
      stream_of_early_and_(make_second_stream(index.device)),
      has_uploaded_(index.device, EventUse::kOrder),
      has_matched_(index.device, EventUse::kOrder) {}

void BatchLauncher::launch(const BatchStages& stages, const BatchPlan& plan) {
  launch_parse_tails(stages.finishing, codec_, stream_.handle());
  FinishBatch last = stages.finishing;
  const bool has_or = plan.shape.or_queries > 0;
  if (plan.has_and_beside()) {
    launch_beside(stages, plan);
    last.final_queries += plan.early_queries;
    last.state_count -= plan.early_queries;
    last.overlaps_launches = false;  // it follows kernels of two streams
  } else {
    launch_and_chunks(stages.matching, codec_, stream_.handle());
    clock_.end(GpuStage::kMatch, stream_);
    if (has_or) launch_or(stages, plan);
  }
  launch_finish(last, codec_, stream_.handle());
  clock_.end(GpuStage::kFinish, stream_);
}

void BatchLauncher::abandon() noexcept {
  cudaStreamSynchronize(stream_.handle());
  cudaStreamSynchronize(stream_of_and_.handle());
  cudaStreamSynchronize(stream_of_early_and_.handle());
}

/// Launches AND in a stream of its own, beside OR, and there answers the early queries.
void BatchLauncher::launch_beside(const BatchStages& stages, const BatchPlan& plan) {
  // Early answers of AND must not slow down OR, with which such a batch mostly ends.
  const Stream& beside = plan.early_queries > 0 ? stream_of_early_and_ : stream_of_and_;
  has_uploaded_.record(stream_);
  has_uploaded_.make_wait(beside);
  AndBatch apart = stages.matching;
  apart.overlaps_launches = false;  // it follows the upload in another stream
  launch_and_chunks(apart, codec_, beside.handle());
  if (plan.early_queries > 0) {
    FinishBatch first = stages.finishing;
    first.state_count = plan.early_queries;
    first.overlaps_launches = false;
    launch_finish(first, codec_, beside.handle());
  }
  has_matched_.record(beside);
  launch_or(stages, plan);
  has_matched_.make_wait(stream_);
}

void BatchLauncher::launch_or(const BatchStages& stages, const BatchPlan& plan) {
  const OrRounds& rounds = stages.rounds;
  const OrChoice& choice = plan.choice;
  if (!choice.is_by_bound()) launch_find_tile_blocks(rounds, stream_.handle());
  clock_.end(GpuStage::kTables, stream_);
  launch_bound_tiles(rounds, stream_.handle());
  clock_.end(GpuStage::kBounds, stream_);
  if (choice.is_by_bound()) {
    launch_or_by_bound(stages.by_bound, codec_, stream_.handle());
    clock_.end(GpuStage::kLookups, stream_);
  }
  for (std::uint32_t round = 0; round < choice.rounds; ++round) {
    if (rounds.stored != nullptr) store_lists(rounds, round);
    launch_begin_round(rounds, round, stream_.handle());
    clock_.end(GpuStage::kPlan, stream_);
    if (!plan.shape.adds_up_only) look_up(rounds, round);
    if (round != 0 && round + 1 != choice.rounds) continue;
    launch_or_tiles(rounds, round == 0 ? 0 : 1, codec_, stream_.handle());
    if (rounds.stored != nullptr) answer_stored(rounds, round);
    clock_.end(GpuStage::kTiles, stream_);
  }
}

/// Before the second round, decodes each list once, if that saves more than it costs; if documents
/// are looked up in such lists, before the first, where it surely does.
void BatchLauncher::store_lists(const OrRounds& rounds, std::uint32_t round) {
  if (round > 1 || (round == 0 && rounds.adds_stored)) return;
  launch_weigh_stored(rounds, round, stream_.handle());
  clock_.end(GpuStage::kPlan, stream_);
  launch_store_lists(rounds, round, codec_, stream_.handle());
  clock_.end(GpuStage::kRead, stream_);
}

/// Answers the tiles that were left to lists decoded once.
void BatchLauncher::answer_stored(const OrRounds& rounds, std::uint32_t round) {
  if (!rounds.adds_stored) {
    launch_search_stored(rounds, round, stream_.handle());
  } else if (round > 0) {
    launch_add_stored(rounds, stream_.handle());
  }
}

/// Launches the lookups of a round.
void BatchLauncher::look_up(const OrRounds& rounds, std::uint32_t round) {
  launch_find_blocks(rounds, round, stream_.handle());
  clock_.end(GpuStage::kFind, stream_);
  if (rounds.has_document_room) {
    launch_read_blocks(rounds, round, codec_, stream_.handle());
    clock_.end(GpuStage::kRead, stream_);
    launch_look_up_chunks(rounds, round, codec_, stream_.handle());
  } else {
    launch_search_blocks(rounds, round, codec_, stream_.handle());
  }
  clock_.end(GpuStage::kLookups, stream_);
}

}  // namespace warpdex::gpu
