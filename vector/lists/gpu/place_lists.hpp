// Helpers for placing the lists of an inverted file in GPU memory. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <type_traits>
#include <vector>

#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Entry n: how much the n largest lists have together, where list i has begins[i + 1] - begins[i].
/// O(lists · log lists).
inline std::vector<std::size_t> sizes_of_largest(std::span<const std::uint64_t> begins) {
  std::vector<std::size_t> sizes;
  for (std::size_t list = 0; list + 1 < begins.size(); ++list) {
    sizes.push_back(begins[list + 1] - begins[list]);
  }
  std::sort(sizes.rbegin(), sizes.rend());
  sizes.insert(sizes.begin(), 0);
  for (std::size_t i = 1; i < sizes.size(); ++i) sizes[i] += sizes[i - 1];
  return sizes;
}

/// Where the panels of each list begin, and the end: a panel has four groups of 32 vectors.
inline std::vector<std::uint32_t> panels_of_groups(std::span<const std::uint64_t> group_begins) {
  std::vector<std::uint32_t> panels{0};
  for (std::size_t list = 0; list + 1 < group_begins.size(); ++list) {
    const std::uint64_t groups = group_begins[list + 1] - group_begins[list];
    panels.push_back(panels.back() + static_cast<std::uint32_t>((groups + 3) / 4));
  }
  return panels;
}

/// Takes room for `from`, and queues its copy unless `stream` is null. Null where it is empty.
template <class To, class From>
const To* place(Arena& arena, std::span<const From> from, const Stream* stream) {
  if (from.empty()) return nullptr;
  To* const to = arena.take<To>(from.size());
  if (stream == nullptr) return to;
  if constexpr (std::is_same_v<To, From>) {
    copy_to_gpu(to, from.data(), from.size(), *stream);
  } else {
    const std::vector<To> narrowed(from.begin(), from.end());
    copy_to_gpu(to, narrowed.data(), narrowed.size(), *stream);
  }
  return to;
}

template <class Value>
const Value* place(Arena& arena, const std::vector<Value>& from, const Stream* stream) {
  return place<Value>(arena, std::span<const Value>(from), stream);
}

}  // namespace warpdex::vector
