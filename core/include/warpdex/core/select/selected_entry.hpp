// What the radix path collects, and its order.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {

/// An entry of one of many rows. An id of all ones stands for none.
struct alignas(16) SelectedEntry {
  std::uint32_t row;
  std::uint32_t code;  ///< a KeyCode
  std::uint64_t id;
};

/// Bytes of scratch memory that sort_selected() needs.
std::size_t sort_selected_bytes(std::size_t size);

/// Queues the sorting of entries in GPU memory by row, code and id. `scratch`: as many bytes as
/// sort_selected_bytes(size) says. O(n log n) comparisons; stable order does not matter, since
/// equal entries are the same.
void sort_selected(SelectedEntry* entries, std::size_t size, void* scratch, const Stream& stream);

}  // namespace warpdex
