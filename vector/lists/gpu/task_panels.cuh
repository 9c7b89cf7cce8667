// What all products of a task have in common: a task is up to 128 queries that probe a list, and
// the list's panels.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "flat/gpu/panel_product.cuh"
#include "lists/gpu/kernels.hpp"

namespace warpdex::vector {

/// Copies a chunk of the task's queries to shared memory, one of `rows` for each row of the panel;
/// zeros where there is no query. `panels` has the chunks of all queries, 128 queries a panel and
/// `chunks` of them. A CTA; has no barrier.
template <typename Row>
__device__ void bring_queries(const Row* rows, const std::uint8_t* panels, std::uint32_t chunks,
                              std::uint32_t chunk, std::uint32_t to) {
  constexpr std::uint32_t kUnits = kChunkBytes / kPanelRows / 16;
  for (std::uint32_t i = threadIdx.x; i < kPanelRows * kUnits; i += kProductThreads) {
    const std::uint32_t row = i / kUnits;
    const std::uint32_t unit = i % kUnits;
    const std::uint32_t query = rows[row].query;
    if (query == kNoEntry) {
      store_16_bytes(to + unit_offset(row, unit), uint4{0, 0, 0, 0});
      continue;
    }
    const std::size_t panel = std::size_t{query / kPanelRows} * chunks + chunk;
    copy_16_bytes(to + unit_offset(row, unit),
                  panels + panel * kChunkBytes + unit_offset(query % kPanelRows, unit));
  }
}

/// Into how many parts the panels of each list are cut, a CTA each, so that a few tasks have four
/// CTAs for each place on the GPU. `resident` is the number of places.
inline std::uint32_t parts_of_list(std::uint32_t resident, std::uint32_t tasks,
                                   std::uint32_t max_parts = 16) {
  return std::clamp(4 * resident / tasks, 1U, max_parts);
}

}  // namespace warpdex::vector
