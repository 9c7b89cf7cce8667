// Bit sets of the longest lists that are decoded once, in shared memory, for a tile.
// Internal to kernels/stored/.
#pragma once

#include "gpu/kernels/stored/stored_rows.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {

/// Words of a list's bit set: a bit for each document of a tile.
inline constexpr std::uint32_t kTileWords = kTileDocuments / 32;
/// Words whose bits are counted together, and groups of them.
inline constexpr std::uint32_t kGroupWords = 8;
inline constexpr std::uint32_t kGroups = kTileWords / kGroupWords;
/// A bit set, and for each group how many bits are set in the groups before.
inline constexpr std::uint32_t kMarkBytes =
    kTileWords * sizeof(std::uint32_t) + kGroups * sizeof(std::uint16_t);
inline constexpr std::uint32_t kMarkWords = kMarkBytes / sizeof(std::uint32_t);

/// The lists of the first `count` rows, which have the most postings, are marked.
struct MarkedLists {
  std::uint32_t* words;  ///< kMarkWords for each row
  std::uint32_t count;

  /// Where the bit set of a row starts, in bytes.
  static __device__ std::uint32_t place_of(std::uint32_t row) { return row * kMarkBytes; }

  /// 1 if the list whose bit set starts at `place` has a posting's document, else 0.
  __device__ std::uint32_t bit(std::uint32_t place, StoredPosting posting) const {
    const auto* const bytes = reinterpret_cast<const unsigned char*>(words);
    const std::uint32_t word = slot_of(posting) / 32 * sizeof(std::uint32_t);
    return *reinterpret_cast<const std::uint32_t*>(bytes + place + word) >> slot_of(posting) % 32 &
           1;
  }

  /// How many of the documents of a list are before a document.
  __device__ std::uint32_t rank(std::uint32_t row, std::uint32_t slot) const {
    const std::uint32_t* const set = words + row * kMarkWords;
    const std::uint32_t group = slot / (32 * kGroupWords);
    const std::uint32_t word = slot / 32;
    std::uint32_t before = reinterpret_cast<const std::uint16_t*>(set + kTileWords)[group] +
                           __popc(set[word] & ((1U << slot % 32) - 1));
#pragma unroll
    for (std::uint32_t i = 0; i + 1 < kGroupWords; ++i) {
      if (group * kGroupWords + i < word) before += __popc(set[group * kGroupWords + i]);
    }
    return before;
  }

  /// Marks all lists. A whole CTA; ends with a barrier. Four warps share a list, since the longest
  /// has a thousand postings and more in a tile.
  __device__ void mark(const OrRounds& batch, std::uint32_t tile) const {
    constexpr std::uint32_t kTogether = 4;
    auto* const fours = reinterpret_cast<uint4*>(words);
    for (std::uint32_t i = threadIdx.x; i < count * kMarkWords / 4; i += blockDim.x) {
      fours[i] = {0, 0, 0, 0};
    }
    __syncthreads();
    for (std::uint32_t row = warp_id() / kTogether; row < count;
         row += blockDim.x / kWarp / kTogether) {
      const std::uint32_t first = batch.stored_marked[row];
      if (first == kNone) continue;
      const std::uint32_t* const starts = starts_of(batch, row) + tile;
      mark(batch.stored + first + starts[0], starts[1] - starts[0], warp_id() % kTogether * kWarp,
           kTogether * kWarp, words + row * kMarkWords);
    }
    __syncthreads();
    for (std::uint32_t row = warp_id(); row < count; row += blockDim.x / kWarp) {
      count_groups(words + row * kMarkWords);
    }
    __syncthreads();
  }

 private:
  /// A whole warp.
  static __device__ void count_groups(std::uint32_t* set) {
    static_assert(kGroups == 2 * kWarp && kGroupWords == 8);
    auto* const counts = reinterpret_cast<std::uint16_t*>(set + kTileWords);
    std::uint32_t before = 0;
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t group = half * kWarp + lane_id();
      const uint4 low = reinterpret_cast<const uint4*>(set)[2 * group];
      const uint4 high = reinterpret_cast<const uint4*>(set)[2 * group + 1];
      const std::uint32_t own = __popc(low.x) + __popc(low.y) + __popc(low.z) + __popc(low.w) +
                                __popc(high.x) + __popc(high.y) + __popc(high.z) + __popc(high.w);
      const std::uint32_t sum = inclusive_sum(own);
      counts[group] = static_cast<std::uint16_t>(before + sum - own);
      before += __shfl_sync(kWholeWarp, sum, kWarp - 1);
    }
  }

  /// Marks every `step`-th 32 postings of a list, from number `first` on. A whole warp, which reads
  /// several before it marks them.
  static __device__ void mark(const StoredPosting* postings, std::uint32_t count,
                              std::uint32_t first, std::uint32_t step, std::uint32_t* set) {
    constexpr std::uint32_t kAtOnce = 4;
    for (std::uint32_t begin = first + lane_id(); begin < count; begin += kAtOnce * step) {
      StoredPosting some[kAtOnce];
#pragma unroll
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        some[i] = begin + i * step < count ? __ldg(postings + begin + i * step) : 0;
      }
#pragma unroll
      for (std::uint32_t i = 0; i < kAtOnce; ++i) {
        const std::uint32_t slot = slot_of(some[i]);
        if (some[i] != 0) atomicOr(set + slot / 32, 1U << slot % 32);
      }
    }
  }
};

}  // namespace warpdex::gpu
