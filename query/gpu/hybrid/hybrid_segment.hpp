// A segment of a snapshot on a GPU, as the kernels of hybrid search see it. Internal.
#pragma once

#include <cstddef>
#include <optional>

#include "gpu/hybrid/hybrid_batch.hpp"
#include "gpu/index/gpu_snapshot_state.hpp"
#include "gpu/lists/filter_sets.hpp"

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

/// From now on all that a filter leaves out counts as removed; `number` is the segment's in the
/// snapshot. Returns the bits, which must live as long as `to` is read, or none, and `to` stays, if
/// there is no memory for them. Throws CudaError.
inline std::optional<FilterSets::Set> leave_out(const DocumentFilter& filter,
                                                const GpuSnapshot::State::Segment& segment,
                                                std::size_t number, HybridSegment& to) {
  const GpuIndex::State& placed = segment.uploaded->placed;
  const FilterSets::Segment own{number, placed.first_document};
  placed.filters->open();
  std::optional<FilterSets::Set> set = placed.filters->get(filter, {&own, 1});
  if (set) to.removed = set->bits + placed.first_document / 32;
  return set;
}

}  // namespace warpdex::gpu
