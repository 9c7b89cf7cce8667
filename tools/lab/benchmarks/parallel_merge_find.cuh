// Parallel Merge Find: the places of all elements of a sorted list in another one. Section 7 of
// Ding, He, Yan, Suel, "Using Graphics Processors for High Performance IR Query Processing".
//
// With no level of recursion every element is searched for in the whole other list. With levels,
// every 1024th element (a splitter) is placed first, and the elements between two splitters are
// then searched for between their places only, by one block, in shared memory if they lie close.
// More levels place the splitters themselves in the same way, from coarse to fine.
#pragma once

#include <cstdint>

namespace warpdex {

inline constexpr int kMergeThreads = 256;
inline constexpr int kMergeEach = 4;                                     // elements a thread
inline constexpr std::uint32_t kMergeTile = kMergeThreads * kMergeEach;  // elements a block
inline constexpr std::uint32_t kMergeStage = 4096;  // of the longer list, 16 KB

/// The first place in [low, high) whose value is not below `value`; high if there is none. Works on
/// global and shared memory. O(log(high - low)) dependent reads.
__device__ inline std::uint32_t merge_find(const std::uint32_t* values, std::uint32_t low,
                                           std::uint32_t high, std::uint32_t value) {
  while (low < high) {
    const std::uint32_t middle = low + (high - low) / 2;
    if (values[middle] < value) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

/// Splitters of one level: places[i] is the place of element i * stride of the shorter list; one
/// more stands for the longer list's end.
struct SplitterLevel {
  std::uint32_t* places;
  std::uint32_t count;   ///< without the last
  std::uint32_t stride;  ///< in elements
};

/// Work item: a splitter. `coarser` has been placed and bounds the search, unless its count is 0.
/// Bound by the latency of dependent reads.
static __global__ void place_splitters(const std::uint32_t* shorter, const std::uint32_t* longer,
                                       std::uint32_t longer_size, SplitterLevel coarser,
                                       SplitterLevel level) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > level.count) return;
  if (i == level.count) {
    level.places[i] = longer_size;
    return;
  }
  std::uint32_t low = 0;
  std::uint32_t high = longer_size;
  if (coarser.count != 0) {
    const std::uint32_t above = i / (coarser.stride / level.stride);
    low = coarser.places[above];
    high = coarser.places[above + 1];
  }
  level.places[i] = merge_find(longer, low, high, shorter[i * level.stride]);
}

/// The tiles' common elements, one bit each in their order, and how many they are.
struct TileMatches {
  std::uint32_t* words;   ///< kMergeTile / 32 a tile
  std::uint32_t* counts;  ///< one a tile
};

/// Work item: a tile of kMergeTile elements of the shorter list; 256 threads; 16 KB of shared
/// memory. `level` has a stride of kMergeTile, or a count of 0: then the whole list is searched.
/// Bound by reading both lists once where they are of like length, else by the latency of reads.
static __global__ void __launch_bounds__(kMergeThreads)
    match_tiles(const std::uint32_t* shorter, std::uint32_t shorter_size,
                const std::uint32_t* longer, std::uint32_t longer_size, SplitterLevel level,
                TileMatches matches) {
  __shared__ std::uint32_t stage[kMergeStage];
  __shared__ std::uint32_t total;
  const bool split = level.count != 0;
  const std::uint32_t low = split ? level.places[blockIdx.x] : 0;
  const std::uint32_t high = split ? level.places[blockIdx.x + 1] : longer_size;
  const bool staged = split && high - low <= kMergeStage;
  const std::uint32_t first = blockIdx.x * kMergeTile + threadIdx.x;
  std::uint32_t elements[kMergeEach] = {};  // on their way while the stage is filled
#pragma unroll
  for (int j = 0; j < kMergeEach; ++j) {
    const std::uint32_t i = first + j * kMergeThreads;
    if (i < shorter_size) elements[j] = shorter[i];
  }
  if (threadIdx.x == 0) total = 0;
  if (staged) {
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < high - low; i += kMergeThreads) {
      stage[i] = longer[low + i];
    }
  }
  __syncthreads();
  const std::uint32_t* const values = staged ? stage : longer + low;
  const std::uint32_t size = high - low;
#pragma unroll
  for (int j = 0; j < kMergeEach; ++j) {
    bool found = false;
    if (first + j * kMergeThreads < shorter_size) {
      const std::uint32_t value = elements[j];
      const std::uint32_t place = merge_find(values, 0, size, value);
      found = place < size && values[place] == value;
    }
    const std::uint32_t word = __ballot_sync(0xFFFFFFFFU, found);
    if (threadIdx.x % 32 == 0) {
      matches.words[blockIdx.x * (kMergeTile / 32) + (j * kMergeThreads + threadIdx.x) / 32] = word;
      if (word != 0) atomicAdd(&total, static_cast<std::uint32_t>(__popc(word)));
    }
  }
  __syncthreads();
  if (threadIdx.x == 0) matches.counts[blockIdx.x] = total;
}

/// Work item: a tile. Writes its common elements behind those of the
/// tiles before it, whose number is starts[tile]. Bound by reading that and writing.
static __global__ void __launch_bounds__(kMergeThreads)
    write_matches(const std::uint32_t* from, const std::uint32_t* words,
                  const std::uint32_t* starts, std::uint32_t tiles, std::uint32_t* out,
                  std::uint32_t* out_size) {
  constexpr int kWords = kMergeTile / 32;
  static_assert(kWords == 32, "one word a lane");
  __shared__ std::uint32_t before[kWords];
  const std::uint32_t* const tile_words = words + blockIdx.x * kWords;
  if (threadIdx.x < 32) {
    const auto mine = static_cast<std::uint32_t>(__popc(tile_words[threadIdx.x]));
    std::uint32_t sum = mine;
#pragma unroll
    for (int distance = 1; distance < 32; distance *= 2) {
      const std::uint32_t other = __shfl_up_sync(0xFFFFFFFFU, sum, distance);
      if (threadIdx.x >= static_cast<unsigned>(distance)) sum += other;
    }
    before[threadIdx.x] = starts[blockIdx.x] + sum - mine;
    if (threadIdx.x == 31 && blockIdx.x == tiles - 1) *out_size = starts[blockIdx.x] + sum;
  }
  __syncthreads();
#pragma unroll
  for (int j = 0; j < kMergeEach; ++j) {
    const std::uint32_t at = j * kMergeThreads + threadIdx.x;
    const std::uint32_t word = tile_words[at / 32];
    const std::uint32_t bit = 1U << (at % 32);
    if ((word & bit) == 0) continue;
    out[before[at / 32] + __popc(word & (bit - 1))] = from[blockIdx.x * kMergeTile + at];
  }
}

}  // namespace warpdex
