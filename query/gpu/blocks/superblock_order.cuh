// A query's superblocks in a CTA: their bounds, and the order in which they are taken. Internal.
#pragma once

#include "gpu/blocks/block_reader.cuh"

namespace warpdex::gpu {

/// Superblocks are sorted by so many levels of their bounds.
inline constexpr std::uint32_t kLevels = 256;
/// Superblocks that a thread bounds together, so that reads of memory overlap.
inline constexpr std::uint32_t kBoundedTogether = 2;

/// Of a CTA, in shared memory.
template <std::uint32_t kThreads>
struct BlockScratch {
  OpenList lists[kMostBlockTerms];
  PresentList present[kThreads / kWarp][kMostBlockTerms];  ///< in the canonical order
  std::uint32_t levels[kLevels];  ///< superblocks of each; then where these end
  std::uint32_t found;
  std::uint32_t next;       ///< place in the order
  std::uint32_t highest;    ///< bound, as bits
  std::uint32_t threshold;  ///< a float's bits, which never fall
};

/// What a CTA knows of the superblocks of a segment that are ordered together. The threshold may
/// rise at any time.
template <std::uint32_t kThreads>
class SuperblockOrder {
 protected:
  __device__ SuperblockOrder(const BlockQuery& query, BlockScratch<kThreads>& shared, float* sums,
                             std::uint32_t most)
      : query_(query),
        shared_(shared),
        sums_(sums),
        order_(reinterpret_cast<std::uint16_t*>(sums + most)) {}

  /// Sums of the largest impacts: first of lists with words, superblock by superblock, then of the
  /// others, list by list.
  __device__ void bound_superblocks() {
    for (std::uint32_t first = threadIdx.x; first < size_; first += kBoundedTogether * kThreads) {
      float sums[kBoundedTogether] = {};
#pragma unroll 2
      for (std::uint32_t list = 0; list < lists_; ++list) {
        const OpenList& own = shared_.lists[list];
        if (own.words != nullptr) add_bounds(own, first, sums);
      }
#pragma unroll
      for (std::uint32_t i = 0; i < kBoundedTogether; ++i) {
        if (first + i * kThreads < size_) sums_[first + i * kThreads] = sums[i];
      }
    }
    if (threadIdx.x < kLevels) shared_.levels[threadIdx.x] = 0;
    if (threadIdx.x == 0) {
      shared_.next = 0;
      shared_.highest = 0;
    }
    __syncthreads();
    for (std::uint32_t list = warp_id_; list < lists_; list += kThreads / kWarp) {
      const OpenList& own = shared_.lists[list];
      if (own.words != nullptr) continue;
      for (std::uint32_t i = lane_id(); i < own.count; i += kWarp) {
        const std::uint32_t superblock = __ldg(own.numbers + i) - begin_;
        if (superblock >= size_) continue;
        atomicAdd(sums_ + superblock, own.weight * static_cast<float>(__ldg(own.largest + i)));
      }
    }
    __syncthreads();
  }

  /// Of a list with words.
  __device__ void add_bounds(const OpenList& list, std::uint32_t first,
                             float (&sums)[kBoundedTogether]) const {
    std::uint32_t places[kBoundedTogether];
#pragma unroll
    for (std::uint32_t i = 0; i < kBoundedTogether; ++i) {
      const std::uint32_t superblock = first + i * kThreads;
      places[i] = superblock < size_ ? list.place_in_word(begin_ + superblock) : BlockList::kNone;
    }
#pragma unroll
    for (std::uint32_t i = 0; i < kBoundedTogether; ++i) {
      const std::uint32_t largest =
          places[i] != BlockList::kNone ? __ldg(list.largest + places[i]) : 0;
      sums[i] += list.weight * static_cast<float>(largest);
    }
  }

  __device__ float threshold() const {
    return __uint_as_float(*static_cast<const volatile std::uint32_t*>(&shared_.threshold));
  }
  __device__ std::uint32_t found() const {
    return *static_cast<const volatile std::uint32_t*>(&shared_.found);
  }
  __device__ bool can_enter(float bound) const { return bound * query_.slack >= threshold(); }
  /// No superblock of a lower bound can have a document that enters.
  __device__ float lowest() const { return threshold() / query_.slack * (2 - query_.slack); }
  /// 0 is that of the highest bounds.
  __device__ std::uint32_t level(float bound) const {
    return min(static_cast<std::uint32_t>((highest_ - bound) * scale_), kLevels - 1);
  }

  /// Sorts the superblocks that can enter by levels of their bounds.
  __device__ void order_superblocks() {
    float highest = 0;
    for (std::uint32_t i = threadIdx.x; i < size_; i += kThreads)
      highest = fmaxf(highest, sums_[i]);
    highest = warp_max(highest);
    if (lane_id() == 0) atomicMax(&shared_.highest, __float_as_uint(highest));
    __syncthreads();
    highest_ = __uint_as_float(shared_.highest);
    const float least = lowest();
    scale_ = highest_ > least ? static_cast<float>(kLevels - 1) / (highest_ - least) : 0.0F;
    for (std::uint32_t i = threadIdx.x; i < size_; i += kThreads) {
      if (sums_[i] > 0 && sums_[i] >= least) atomicAdd(shared_.levels + level(sums_[i]), 1U);
    }
    __syncthreads();
    if (warp_id_ == 0) begin_levels();
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < size_; i += kThreads) {
      if (sums_[i] > 0 && sums_[i] >= least) {
        order_[atomicAdd(shared_.levels + level(sums_[i]), 1U)] = static_cast<std::uint16_t>(i);
      }
    }
    __syncthreads();
  }

  /// Makes the levels' sizes their beginnings. A whole warp.
  __device__ void begin_levels() {
    constexpr std::uint32_t kOfLane = kLevels / kWarp;
    std::uint32_t* const own = shared_.levels + lane_id() * kOfLane;
    std::uint32_t sizes[kOfLane];
    std::uint32_t sum = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kOfLane; ++i) {
      sizes[i] = own[i];
      sum += sizes[i];
    }
    std::uint32_t begin = inclusive_sum(sum) - sum;
#pragma unroll
    for (std::uint32_t i = 0; i < kOfLane; ++i) {
      own[i] = begin;
      begin += sizes[i];
    }
  }

  /// How many of the order can still enter.
  __device__ std::uint32_t end_of_order() const {
    const float least = lowest();
    return least > highest_ ? 0 : shared_.levels[level(least)];
  }

  /// The place in the order of a superblock that can enter; size_ where the warp stops. A whole
  /// warp. The threshold may rise at any time, so one lane decides.
  __device__ std::uint32_t take(std::uint32_t enough) {
    std::uint32_t place = size_;
    if (lane_id() == 0) {
      while (found() <= enough) {
        const std::uint32_t next = atomicAdd(&shared_.next, 1U);
        if (next >= end_of_order()) break;
        if (!can_enter(sums_[order_[next]])) continue;
        place = next;
        break;
      }
    }
    return __shfl_sync(kWholeWarp, place, 0);
  }

  const BlockQuery query_;
  BlockScratch<kThreads>& shared_;
  float* const sums_;  ///< bounds, by superblock
  std::uint16_t* const order_;
  const std::uint32_t warp_id_ = warp_id();
  std::uint32_t lists_ = 0;
  std::uint32_t begin_ = 0;  ///< of the superblocks that are ordered together
  std::uint32_t size_ = 0;
  float highest_ = 0;
  float scale_ = 0;
};

}  // namespace warpdex::gpu
