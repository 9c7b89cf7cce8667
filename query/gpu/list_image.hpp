// A long list's pieces of the index's sections, and how they lie together in one piece of GPU
// memory. Internal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/gpu/layout.hpp"

namespace warpdex::gpu {

/// Offsets are from the image's beginning and multiples of 16; the encoded bytes have their
/// kReadSlack behind them.
struct ListImage {
  static constexpr std::size_t kPieces = 11;
  /// Of the mapped index, and where it goes.
  struct Piece {
    std::span<const std::uint8_t> bytes;
    std::size_t offset;
  };

  /// Of a list that is not short. O(1).
  ListImage(const Index& index, const PostingsEntry& entry);

  /// Fills in where a list's blocks are, its image being at `memory`, which may be the GPU's.
  void place(const std::uint8_t* memory, List& list) const;

  std::array<Piece, kPieces> pieces;  ///< in the order of their offsets, some empty
  std::size_t bytes = 0;              ///< of all of it
};

/// Fills in what a list's places leave out: counts and parameters.
void describe_list(const Index& index, const PostingsEntry& entry, List& list);

}  // namespace warpdex::gpu
