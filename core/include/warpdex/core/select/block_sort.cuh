// Sorts keys in shared memory by a CTA: runs of 32 in registers, then merged two by two.
#pragma once

#include "warpdex/core/cuda/warp.cuh"
#include "warpdex/core/select/networks.cuh"

namespace warpdex {

/// Keys that a thread merges at a time: it looks for their place in both runs once.
inline constexpr std::uint32_t kMergedKeys = 4;

/// Stands behind all keys.
template <class Key>
inline constexpr Key kPastKeys = ~Key{0};

/// Room for `count` keys that are sorted.
__host__ __device__ constexpr std::uint32_t room_to_sort(std::uint32_t count) {
  return (count + kWarp - 1) / kWarp * kWarp;
}

/// Of two sorted runs, the smallest keys, sorted: half of what a bitonic merge does.
template <class Key>
__device__ inline void merge_smallest(const Key (&left)[kMergedKeys],
                                      const Key (&right)[kMergedKeys],
                                      Key (&smallest)[kMergedKeys]) {
#pragma unroll
  for (std::uint32_t i = 0; i < kMergedKeys; ++i) {
    smallest[i] = smaller(left[i], right[kMergedKeys - 1 - i]);
  }
#pragma unroll
  for (std::uint32_t step = kMergedKeys / 2; step > 0; step /= 2) {
#pragma unroll
    for (std::uint32_t i = 0; i < kMergedKeys; ++i) {
      if (i & step) continue;
      const Key a = smallest[i];
      const Key b = smallest[i + step];
      const bool are_swapped = b < a;
      smallest[i] = are_swapped ? b : a;
      smallest[i + step] = are_swapped ? a : b;
    }
  }
}

/// Writes places [at, at + kMergedKeys) of what the sorted runs from[begin, middle) and
/// from[middle, end) are together, from `begin` on. For one thread. Takes some 15 instructions for
/// each of the log2(middle - begin) + 1 steps of its search, and 130 more.
template <class Key>
__device__ inline void merge_some(const Key* from, Key* to, std::uint32_t begin,
                                  std::uint32_t middle, std::uint32_t end, std::uint32_t at) {
  const std::uint32_t before = at - begin;  // keys of both runs
  const Key* const left_run = from + begin;
  const Key* const right_last = from + middle + before - 1;
  std::uint32_t low = before - min(before, end - middle);
  std::uint32_t high = min(before, middle - begin);
  while (low < high) {  // so many of them are from the left run
    const std::uint32_t half = (low + high) / 2;
    if (left_run[half] <= *(right_last - half)) {
      low = half + 1;
    } else {
      high = half;
    }
  }
  const std::uint32_t first_left = begin + low;
  const std::uint32_t first_right = middle + before - low;
  Key left[kMergedKeys];
  Key right[kMergedKeys];
#pragma unroll
  for (std::uint32_t i = 0; i < kMergedKeys; ++i) {
    left[i] = first_left + i < middle ? from[first_left + i] : kPastKeys<Key>;
    right[i] = first_right + i < end ? from[first_right + i] : kPastKeys<Key>;
  }
  struct alignas(16) Merged {
    Key keys[kMergedKeys];
  } merged;
  merge_smallest(left, right, merged.keys);
  *reinterpret_cast<Merged*>(to + at) = merged;
}

/// Sorts `count` keys, which load(i) gives, into `keys`, ascending; kPastKeys fills the last 32.
/// `keys` and `other` have room_to_sort(count) places, by 16 bytes aligned; load() may read `keys`,
/// but at i only. Equal keys are alike, so there is one order. A whole CTA; log2(count / 32) + 1
/// barriers.
template <class Key, class Load>
__device__ inline void sort_block(std::uint32_t count, Load load, Key* keys, Key* other) {
  const std::uint32_t size = room_to_sort(count);
  Key* from = keys;
  Key* to = other;
  for (std::uint32_t run = kWarp; run < size; run *= 2) {  // so that the last level ends in `keys`
    Key* const swapped = from;
    from = to;
    to = swapped;
  }
  for (std::uint32_t first = warp_id() * kWarp; first < size; first += blockDim.x) {
    const std::uint32_t i = first + lane_id();
    Key key = i < count ? load(i) : kPastKeys<Key>;
    sort_lanes(key);
    from[i] = key;
  }
  for (std::uint32_t run = kWarp; run < size; run *= 2) {
    __syncthreads();
    for (std::uint32_t at = threadIdx.x * kMergedKeys; at < size; at += blockDim.x * kMergedKeys) {
      const std::uint32_t begin = at & ~(2 * run - 1);
      merge_some(from, to, begin, min(begin + run, size), min(begin + 2 * run, size), at);
    }
    Key* const swapped = from;
    from = to;
    to = swapped;
  }
  __syncthreads();
}

}  // namespace warpdex
