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
#include "gpu/lists/filter_sets.hpp"
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
  std::unique_ptr<FilterSets> filters;       ///< of `scratch`, too, once there are some
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
    return (scratch - rows - filters->reserved()) / std::max<std::size_t>(lanes, 1);
  }

  /// Sets `filters`, when all else is known. DocIDs start at `first`.
  void keep_filters(std::uint32_t first, std::uint32_t tiles) {
    constexpr std::size_t kShares = 32;  // of scratch memory
    const std::uint64_t end = std::uint64_t{first} + std::uint64_t{tiles} * kTileDocuments;
    filters = std::make_unique<FilterSets>(first, end, scratch / kShares, *budget, device);
  }

 protected:
  ~SearchedIndex() = default;
};

}  // namespace warpdex::gpu
