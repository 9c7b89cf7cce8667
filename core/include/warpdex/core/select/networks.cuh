// Merging and sorting networks of odd sizes over a warp's registers: algorithms 1 and 2 of Johnson,
// Douze, Jégou, "Billion-scale similarity search with GPUs", section 4.1.
//
// An array of 32 n values lies lane-stride in n registers: value i is register i / 32 of lane
// i % 32. n may be any number, so the dummies by which the paper pads to a power of two are whole
// registers, which are left out at compile time. All functions are for whole warps.
#pragma once

#include "warpdex/core/select/packed.cuh"

namespace warpdex {

/// The largest power of two below n, for n of 2 or more.
__host__ __device__ constexpr int half_power(int n) {
  int power = 1;
  while (2 * power < n) power *= 2;
  return power;
}

/// The last steps of a merge, within one register: strides of 16 to 1 lanes.
template <typename Packed>
__device__ void merge_lanes(Packed& value) {
  const int lane = static_cast<int>(lane_id());
#pragma unroll
  for (int stride = 16; stride > 0; stride /= 2) {
    const Packed other = shuffle_xor(value, stride);
    value = (lane & stride) != 0 ? larger(value, other) : smaller(value, other);
  }
}

/// Sorts the registers [kFirst, kFirst + kSize), each half of which already holds what belongs
/// there. kLeft: the missing registers of the power of two stand before them, not behind.
template <bool kLeft, int kFirst, int kSize, typename Packed, int kRegisters>
__device__ void merge_odd_rest(Packed (&values)[kRegisters]) {
  if constexpr (kSize == 1) {
    merge_lanes(values[kFirst]);
  } else if constexpr (kSize > 1) {
    constexpr int kHalf = half_power(kSize);
#pragma unroll
    for (int i = kFirst; i < kFirst + kSize - kHalf; ++i) {
      const Packed low = smaller(values[i], values[i + kHalf]);
      values[i + kHalf] = larger(values[i], values[i + kHalf]);
      values[i] = low;
    }
    constexpr int kFront = kLeft ? kSize - kHalf : kHalf;
    merge_odd_rest<kLeft, kFirst, kFront>(values);
    merge_odd_rest<kLeft, kFirst + kFront, kSize - kFront>(values);
  }
}

/// Merges two sorted runs that lie side by side, of kLeftSize and kRightSize registers.
template <int kFirst, int kLeftSize, int kRightSize, typename Packed, int kRegisters>
__device__ void merge_odd(Packed (&values)[kRegisters]) {
  constexpr int kMiddle = kFirst + kLeftSize;
  constexpr int kPairs = kLeftSize < kRightSize ? kLeftSize : kRightSize;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {  // the first comparators are reversed: both runs rise
    Packed& left = values[kMiddle - 1 - i];
    Packed& right = values[kMiddle + i];
    const Packed from_right = shuffle_xor(right, 31);
    const Packed from_left = shuffle_xor(left, 31);
    left = smaller(left, from_right);
    right = larger(right, from_left);
  }
  merge_odd_rest<true, kFirst, kLeftSize>(values);
  merge_odd_rest<false, kMiddle, kRightSize>(values);
}

/// Sorts one register over the lanes.
template <typename Packed>
__device__ void sort_lanes(Packed& value) {
  const int lane = static_cast<int>(lane_id());
#pragma unroll
  for (int size = 2; size <= 32; size *= 2) {
    const Packed mirrored = shuffle_xor(value, size - 1);
    value = (lane & (size / 2)) != 0 ? larger(value, mirrored) : smaller(value, mirrored);
#pragma unroll
    for (int stride = size / 4; stride > 0; stride /= 2) {
      const Packed other = shuffle_xor(value, stride);
      value = (lane & stride) != 0 ? larger(value, other) : smaller(value, other);
    }
  }
}

/// Sorts the registers [kFirst, kFirst + kSize) from any order.
template <int kFirst, int kSize, typename Packed, int kRegisters>
__device__ void sort_odd(Packed (&values)[kRegisters]) {
  if constexpr (kSize == 1) {
    sort_lanes(values[kFirst]);
  } else {
    constexpr int kFront = kSize / 2;
    sort_odd<kFirst, kFront>(values);
    sort_odd<kFirst + kFront, kSize - kFront>(values);
    merge_odd<kFirst, kFront, kSize - kFront>(values);
  }
}

/// Leaves in `queue` (sorted) the best of it and of `arrivals` (sorted too), sorted. What is left
/// over is gone, so only the left half of the merge is done.
template <typename Packed, int kQueue, int kArrivals>
__device__ void merge_into(Packed (&queue)[kQueue], const Packed (&arrivals)[kArrivals]) {
  constexpr int kPairs = kQueue < kArrivals ? kQueue : kArrivals;
#pragma unroll
  for (int i = 0; i < kPairs; ++i) {
    queue[kQueue - 1 - i] = smaller(queue[kQueue - 1 - i], shuffle_xor(arrivals[i], 31));
  }
  merge_odd_rest<true, 0, kQueue>(queue);
}

}  // namespace warpdex
