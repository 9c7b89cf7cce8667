// The interface of the indexes that a lane searches: an index in GPU memory, or the segments of a
// snapshot as one. Internal.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "gpu/layout/layout.hpp"
#include "gpu/layout/placed_index.hpp"
#include "warpdex/codecs/codec.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"

namespace warpdex::gpu {

/// Pointers are the GPU's.
struct SearchedIndex {
  int device = 0;
  CodecKind codec_kind = CodecKind::kBitpack;
  std::unique_ptr<MemoryBudget> budget;      ///< of what is searched and its engines
  std::size_t scratch = 0;                   ///< bytes for all lanes together
  std::unique_ptr<MemoryBudget> row_budget;  ///< of `scratch`, for rows of terms of a snapshot
  mutable std::atomic<std::size_t> lanes = 0;
  mutable std::atomic<std::size_t> batches = 0;  ///< under way, of all engines

  // By docID, or by spaced docID; always resident:
  Lengths lengths{};
  const float* static_scores = nullptr;
  const float* static_bounds = nullptr;

  std::uint64_t documents = 0;
  std::uint32_t document_end = 0;                    ///< where the docIDs end
  std::vector<std::uint64_t> documents_of_segments;  ///< one number if there is one segment
  std::vector<const PlacedIndex*> segments;          ///< those of a snapshot; none of an index
  const std::uint32_t* removed_bits = nullptr;       ///< of a snapshot: Batch::removed
  const SpaceEntry* space = nullptr;                 ///< of a snapshot: FinishBatch::space

  /// GPU memory that one of the lanes may take.
  std::size_t scratch_share() const {
    const std::size_t rows = row_budget == nullptr ? 0 : row_budget->used();
    return (scratch - rows) / std::max<std::size_t>(lanes, 1);
  }

 protected:
  ~SearchedIndex() = default;
};

}  // namespace warpdex::gpu
