// A segment of a snapshot on a GPU, as the kernels of hybrid search see it. Internal.
#pragma once

#include <cstddef>

#include "gpu/hybrid/hybrid_batch.hpp"
#include "gpu/index/gpu_snapshot_state.hpp"

namespace warpdex::gpu {

inline HybridSegment hybrid_segment(const GpuSnapshot::State::Segment& segment,
                                    std::size_t first_word) {
  const GpuIndex::State& placed = segment.uploaded->placed;
  return {.lengths = placed.lengths,
          .static_scores = placed.static_scores,
          .removed = segment.own_bits(),
          .first_document = placed.first_document,
          .documents = static_cast<std::uint32_t>(placed.documents),
          .snapshot_document = segment.first_document,
          .first_word = static_cast<std::uint32_t>(first_word)};
}

}  // namespace warpdex::gpu
