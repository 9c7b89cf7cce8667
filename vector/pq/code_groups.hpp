// How the codes of a list lie: 32 vectors beside each other, so that the threads of a GPU's warp
// read 16 bytes each from one piece of memory.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace warpdex::vector {

inline constexpr std::size_t kGroupVectors = 32;
inline constexpr std::size_t kCodeChunkBytes = 16;

/// A group has the codes of 32 vectors of one list, cut into chunks: the first 16 bytes of vector
/// 0, of vector 1, and so on, then the next 16 bytes of each. The last chunk has what is left of
/// each code, with zeros up to a multiple of 4 bytes. The last group of a list has codes of zeros
/// where there are no vectors.
struct CodeGroups {
  std::size_t code_bytes;

  /// Bytes of a vector.
  constexpr std::size_t stored_bytes() const { return (code_bytes + 3) / 4 * 4; }
  constexpr std::size_t group_bytes() const { return kGroupVectors * stored_bytes(); }
  /// Bytes of a vector in the chunk that begins at byte `first` of the codes.
  constexpr std::size_t chunk_width(std::size_t first) const {
    return std::min(kCodeChunkBytes, stored_bytes() - first);
  }
  /// Where a byte of a vector's code lies in its group.
  constexpr std::size_t offset(std::size_t vector, std::size_t byte) const {
    const std::size_t first = byte / kCodeChunkBytes * kCodeChunkBytes;
    return first * kGroupVectors + vector * chunk_width(first) + byte - first;
  }

  void write(const std::uint8_t* code, std::size_t vector, std::uint8_t* group) const {
    for (std::size_t byte = 0; byte < code_bytes; ++byte) group[offset(vector, byte)] = code[byte];
  }
  void read(const std::uint8_t* group, std::size_t vector, std::uint8_t* code) const {
    for (std::size_t byte = 0; byte < code_bytes; ++byte) code[byte] = group[offset(vector, byte)];
  }
};

/// The groups of a list of so many vectors.
constexpr std::uint64_t groups_of(std::uint64_t vectors) {
  return (vectors + kGroupVectors - 1) / kGroupVectors;
}

}  // namespace warpdex::vector
