// Shares a CTA's queries out to its warps. Internal to kernels/stored/.
#pragma once

#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {

/// Most queries are dealt out to the warps in turn. Some take many times as long as others, so the
/// last quarter is taken one by one, by warps that are done sooner. Queries are known by their
/// numbers among the CTA's.
class QueryShare {
 public:
  /// Numbers fit 16 bits.
  static constexpr std::uint32_t kMaxNumber = (1U << 16) - 1;
  /// The most numbers after the last query that a warp may take.
  static constexpr std::uint32_t kBehind = 5;

  /// `next`: in shared memory; one thread sets it to dealt(count) before.
  __device__ QueryShare(std::uint32_t count, std::uint32_t* next)
      : count_(count), dealt_(dealt(count)), next_(next) {}

  static __device__ std::uint32_t dealt(std::uint32_t count) { return count / 4 * 3; }

  __device__ std::uint32_t count() const { return count_; }

  /// The warp's first query; count() or more if there is none. A whole warp.
  __device__ std::uint32_t first() const { return warp_id() < dealt_ ? warp_id() : take(); }
  /// The warp's next query after number `number`; count() or more if there is none.
  __device__ std::uint32_t after(std::uint32_t number) const {
    const std::uint32_t next = number + blockDim.x / kWarp;
    return next < dealt_ ? next : take();
  }

 private:
  __device__ std::uint32_t take() const {
    std::uint32_t number = 0;
    if (lane_id() == 0) number = atomicAdd(next_, 1);
    return __shfl_sync(kWholeWarp, number, 0);
  }

  std::uint32_t count_;
  std::uint32_t dealt_;
  std::uint32_t* next_;
};

/// The numbers of a warp's next four queries, of 16 bits each: registers are scarce. A CTA has
/// fewer than 65,000 queries.
class NextQueries {
 public:
  __device__ explicit NextQueries(const QueryShare& share) {
    packed_ = share.first();
    for (std::uint32_t i = 1; i < kNumbers; ++i) {
      packed_ |= std::uint64_t{share.after(get(i - 1))} << i * kBits;
    }
  }

  __device__ std::uint32_t get(std::uint32_t i) const {
    return static_cast<std::uint32_t>(packed_ >> i * kBits) & ((1U << kBits) - 1);
  }
  __device__ std::uint32_t last() const { return get(kNumbers - 1); }

  /// Drops the first and takes another.
  __device__ void move_on(const QueryShare& share) {
    const std::uint64_t next = share.after(last());
    packed_ = packed_ >> kBits | next << (kNumbers - 1) * kBits;
  }

 private:
  static constexpr std::uint32_t kNumbers = 4;
  static constexpr std::uint32_t kBits = 16;
  std::uint64_t packed_;
};

}  // namespace warpdex::gpu
