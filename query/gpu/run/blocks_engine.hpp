// Answers batches of OR by blocks of documents. Internal.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "gpu/blocks/block_batch.hpp"
#include "gpu/blocks/gpu_blocks_state.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/gpu/gpu_snapshot.hpp"

namespace warpdex::gpu {

/// Used by one thread at a time. Each batch is answered whole, by one kernel.
class BlocksEngine {
 public:
  /// The snapshot is whole and on one GPU. Shares both. Orders so many superblocks together, or
  /// fewer if the GPU has no room. Throws CudaError.
  BlocksEngine(const GpuSnapshot& snapshot, std::shared_ptr<const GpuBlocks> blocks,
               const GpuEngineSettings& settings, std::uint32_t together = kOrderedSuperblocks);
  ~BlocksEngine();

  /// Whether it answers such a batch, and faster than lists do: OR of several terms each, with
  /// nothing that blocks do not know of. The settings must have been checked. O(terms).
  bool takes(std::span<const PlannedQuery> plans, std::span<const SearchSettings> settings) const;

  /// Starts a batch that it takes. None where there is no memory for it. Throws CudaError, and
  /// UsageError for too many batches.
  std::optional<Ticket> submit(std::span<const PlannedQuery> plans,
                               std::span<const SearchSettings> settings);
  bool poll(Ticket ticket);
  EarlyAnswers early_answers(Ticket ticket);  ///< none, of a ticket that is known
  BatchAnswers wait(Ticket ticket);
  /// Queries that were answered.
  std::uint64_t queries() const { return queries_; }

 private:
  class Batch;
  using Batches = std::map<std::uint64_t, std::shared_ptr<Batch>>;

  /// For a batch of such settings.
  BlockShape shape(std::span<const SearchSettings> settings) const;
  Batches::iterator find(Ticket ticket);
  std::shared_ptr<Batch> take_batch();

  const GpuSnapshot snapshot_;
  const std::shared_ptr<const GpuBlocks> blocks_;
  const std::size_t max_batches_;
  const bool is_background_;
  const std::chrono::microseconds spin_;
  bool is_of_use_ = true;  ///< the GPU has room, and no segment what blocks do not know of
  std::vector<PlacedBlocks> segments_;
  std::size_t shared_memory_ = 0;              ///< that a CTA of the GPU can have
  std::uint32_t superblocks_ = 0;              ///< that are to be ordered together
  std::vector<std::shared_ptr<Batch>> known_;  ///< each is used again when nobody else has it
  Batches batches_;                            ///< under way
  std::uint64_t last_ticket_ = 0;
  std::uint64_t queries_ = 0;
};

}  // namespace warpdex::gpu
