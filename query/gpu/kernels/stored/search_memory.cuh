// A warp's shared memory while it searches a tile by lists that were decoded once. Internal to
// kernels/stored/.
#pragma once

#include "gpu/layout/batch.hpp"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {

/// Sums of documents, in shared memory, all 0 between queries. Documents of a tile whose numbers
/// are equal modulo kSums share a sum, so it may be too high. A sum has 16 bits and counts in steps
/// of 2^kShift units.
struct StoredSums {
  static constexpr std::uint32_t kSums = 2048;
  static constexpr std::uint32_t kBytes = kSums * sizeof(std::uint16_t);
  static constexpr std::uint32_t kShift = 4;
  // Each document has kMaxSum units or little more.
  static_assert(kTileDocuments / kSums * ((65'535 >> kShift) + kMaxLists) < 1U << 16);

  uint4 words[kBytes / sizeof(uint4)];

  /// The offset, in bytes, of the sum of a posting's document. A posting's low bits are twice the
  /// number of its document.
  static __device__ std::uint32_t place_of(StoredPosting posting) { return posting % kBytes; }

  __device__ void add(StoredPosting posting, std::uint32_t units) {
    const std::uint32_t place = place_of(posting);
    atomicAdd(reinterpret_cast<std::uint32_t*>(words) + place / 4, ((units >> kShift) + 1)
                                                                       << place % 4 * 8);
  }

  /// An upper bound of a document's units in the lists that were added up.
  __device__ std::uint32_t of(StoredPosting posting) const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(words) + place_of(posting);
    return std::uint32_t{*reinterpret_cast<const std::uint16_t*>(bytes)} << kShift;
  }

  /// A whole warp.
  __device__ void clear() {
    for (std::uint32_t i = lane_id(); i < kBytes / sizeof(uint4); i += kWarp) {
      words[i] = {0, 0, 0, 0};
    }
  }
};

/// A warp's shared memory.
struct alignas(16) SearchMemory {
  /// A list's postings in the tile.
  struct alignas(16) Walk {
    std::uint32_t first;  ///< the number of the first, among all stored ones
    std::uint32_t count;
    std::uint32_t weight;  ///< stored_weight()
    std::uint32_t list;    ///< its number among the query's; above, from bit 5 on, the units that a
                           ///< posting must have if the list is an answer's first
  };
  /// A marked list.
  struct Mark {
    std::uint32_t place;  ///< MarkedLists::place_of
    std::uint32_t bound;  ///< a posting counts no more units
  };

  StoredSums sums;
  Walk walks[kMaxSearchedLists];
  Mark marks[kMaxSearchedLists];
  uint2 found[3 * kWarp];  ///< FoundQueue
};

}  // namespace warpdex::gpu
