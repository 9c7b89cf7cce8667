// Learned weights by blocks of documents, in the memory of GPUs.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"

namespace warpdex {

/// The blocks of a snapshot on one or more GPUs, for GpuEngineSettings::blocks. Immutable; any
/// thread.
class GpuBlocks {
 public:
  /// Uploads the blocks of all segments to each GPU once, and shares with `before` (null: nothing)
  /// what both have. The resources must outlive this. O(bytes): some 6 a posting. Throws CudaError,
  /// and UsageError where there is too little memory.
  GpuBlocks(const Snapshot& snapshot, const SnapshotBlocks& blocks,
            std::span<Resources* const> gpus, const GpuBlocks* before = nullptr);
  ~GpuBlocks();
  GpuBlocks(const GpuBlocks&) = delete;
  GpuBlocks& operator=(const GpuBlocks&) = delete;

  /// Bytes of GPU memory, on all GPUs.
  std::size_t memory() const;

  struct State;  ///< for engines
  const State& state() const { return *state_; }

 private:
  std::unique_ptr<const State> state_;
};

}  // namespace warpdex
