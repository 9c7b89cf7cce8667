// The documents of a segment that a filter lets through, in order. Internal.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <span>

#include "cpu/kernels.hpp"
#include "warpdex/core/storage/removed_rows.hpp"

namespace warpdex {

/// The first document from `from` on that is not removed; `documents` if there is none. Of a
/// segment that has removed ones. O(words passed over).
inline std::uint32_t next_passing(const RemovedRows& removed, std::uint32_t from,
                                  std::uint32_t documents) {
  const std::span<const std::uint64_t> words = removed.words();
  if (from >= documents) return documents;
  std::size_t word = from / 64;
  std::uint64_t left = ~words[word] & ~std::uint64_t{0} << from % 64;
  while (left == 0) {
    if (++word == words.size()) return documents;
    left = ~words[word];
  }
  const auto next =
      static_cast<std::uint32_t>(word * 64) + static_cast<std::uint32_t>(std::countr_zero(left));
  return std::min(next, documents);
}

/// How many documents from `begin` to `end`, which is above it, pass; those in the words that both
/// lie in count, too. O((end - begin) / 64).
inline std::size_t count_passing(const Kernels& kernels, const RemovedRows& removed,
                                 std::uint32_t begin, std::uint32_t end) {
  const std::size_t first = begin / 64;
  const auto bits = static_cast<std::uint32_t>(((end - 1) / 64 + 1 - first) * 64);
  const std::uint64_t* const words = removed.words().data() + first;
  // The last bit apart: rank() may read 8 bytes past what it counts.
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words);
  return bits - kernels.rank(bytes, bits - 1) - (words[bits / 64 - 1] >> 63);
}

}  // namespace warpdex
