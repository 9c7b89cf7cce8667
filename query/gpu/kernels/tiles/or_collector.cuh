// From the sums of an item of OR to candidates of its query. Internal to or_tiles.cu.
#pragma once

#include "gpu/kernels/tiles/or_reader.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Turns the sums of an item into candidates.
template <CodecKind kCodec, int kLevels, ScoreForm kForm, bool kIsTimed>
class TileCollector : public TileReader<kCodec, kLevels, kForm, kIsTimed> {
 protected:
  using Base = TileReader<kCodec, kLevels, kForm, kIsTimed>;
  using Base::Base;
  using Base::batch_;
  using Base::begin_;
  using Base::half_;
  using Base::memory_;
  using Base::plan_;
  using Base::query_;
  using Base::shift_of;
  using Base::state_;
  using Base::sync;
  using Base::warp_;
  using Base::word_of;
  using typename Base::Form;

  /// Empties all accumulators; those that reach the threshold become candidates of the query, a
  /// bounded number at a time, between which the threshold rises. They are searched for only if not
  /// all were remembered.
  __device__ void collect() {
    if (query_.flags & kCount) count_matches();
    const std::uint32_t crossed = memory_.crossed_count;
    const bool scans = plan_.span.below == kNone || crossed > kCrossed;
    if (!scans && crossed == 0) return empty();
    for (;;) {
      const std::uint32_t threshold = memory_.need;
      const std::uint32_t need =
          threshold > plan_.span.static_bound ? threshold - plan_.span.static_bound : 0;
      if (scans) {
        scan(max(need, 1U));
      } else {
        keep_crossed(crossed, max(need, 1U));
      }
      sync(GpuPhase::kSelect);
      if (threadIdx.x == 0) memory_.crossed_count = 0;
      if (!scans) empty();
      const std::uint32_t kept = memory_.kept_count;
      if (kept == 0) return;
      const std::uint32_t here = min(kept, kKept);
      const std::uint32_t compared = min(here, kCompared);
      append_kept(here, compared > query_.k ? max(threshold, own_threshold(compared)) : threshold);
      if (kept >= query_.k && threadIdx.x == 0 && sums_are_exact(batch_, query_)) {
        atomicMax(&state_.tie, static_cast<unsigned long long>(threshold) << 32 |
                                   static_cast<std::uint32_t>(~(begin_ + 2 * half_ - 1)));
      }
      sync(GpuPhase::kSelect);
      if (warp_ == 0) {
        raise_threshold(batch_, query_);
        if (lane_id() == 0) {
          memory_.need = Need(batch_, query_).of(begin_);
          memory_.kept_count = 0;
        }
      }
      if (kept <= kKept) return;
      sync(GpuPhase::kSelect);
    }
  }

  /// Whether any of eight sums reaches both halves of `least`, which are the same and not 0.
  __device__ static bool reaches(const uint4& four, std::uint32_t least) {
    const std::uint32_t below = least - 0x10001U;
    const std::uint32_t largest = __vmaxu2(__vmaxu2(four.x, four.y), __vmaxu2(four.z, four.w));
    return __vmaxu2(largest, below) != below;
  }

 private:
  __device__ void empty() {
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < half_ / 4; i += Form::kThreads) {
      memory_.sums[i] = {0, 0, 0, 0};
    }
  }

  /// Keeps those of the remembered documents that reach `need` still: what is needed may have
  /// risen, and prohibited documents were erased.
  __device__ void keep_crossed(std::uint32_t count, std::uint32_t need) {
    if (threadIdx.x >= count) return;
    const std::uint32_t slot = memory_.crossed[threadIdx.x];
    const std::uint32_t sum = *word_of(slot) >> shift_of(slot) & 0xFFFF;
    if (sum >= need) memory_.kept[atomicAdd(&memory_.kept_count, 1)] = sum << 16 | slot;
  }

  /// Adds the accumulators that are not empty to the query's matches.
  __device__ void count_matches() {
    std::uint32_t matches = 0;  // two numbers of 16 bits
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < half_ / 4; i += Form::kThreads) {
      const uint4 four = memory_.sums[i];
      matches += __vminu2(four.x, 0x10001U) + __vminu2(four.y, 0x10001U) +
                 __vminu2(four.z, 0x10001U) + __vminu2(four.w, 0x10001U);
    }
    matches = __reduce_add_sync(kWholeWarp, (matches & 0xFFFFU) + (matches >> 16));
    if (lane_id() == 0 && matches > 0) {
      atomicAdd(&state_.matches, static_cast<unsigned long long>(matches));
    }
  }

  __device__ void scan(std::uint32_t need) {
    const std::uint32_t least = min(need, 65'535U) * 0x10001U;
    for (std::uint32_t i = threadIdx.x; i < half_ / 4; i += Form::kThreads) {
      const uint4 four = memory_.sums[i];
      uint4 left{0, 0, 0, 0};
      if (reaches(four, least)) {
        left = {keep(four.x, least, mixed(4 * i)), keep(four.y, least, mixed(4 * i + 1)),
                keep(four.z, least, mixed(4 * i + 2)), keep(four.w, least, mixed(4 * i + 3))};
      }
      memory_.sums[i] = left;
    }
  }

  /// Remembers those of two accumulators, of documents `slot` and half_ + slot, that reach `least`,
  /// as long as there is room. Returns what of the two is to stay in the accumulators: those for
  /// which there was none.
  __device__ std::uint32_t keep(std::uint32_t two, std::uint32_t least, std::uint32_t slot) {
    const std::uint32_t reached = two & __vcmpgeu2(two, least);
    std::uint32_t left = 0;
    if (reached == 0) return left;
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t sum = reached >> (16 * half) & 0xFFFF;
      if (sum == 0) continue;
      const std::uint32_t place = atomicAdd(&memory_.kept_count, 1);
      if (place < kKept) {
        memory_.kept[place] = sum << 16 | (slot + half * half_);
      } else {
        left |= sum << (16 * half);
      }
    }
    return left;
  }

  static_assert(kCrossed <= Form::kThreads && kCompared <= Form::kThreads);

  /// A sum that k of the first `count` documents kept reach, which are more than k, static scores
  /// apart: each counts those before it.
  __device__ std::uint32_t own_threshold(std::uint32_t count) {
    if (threadIdx.x < count) {
      const std::uint32_t own = memory_.kept[threadIdx.x];
      std::uint32_t before = 0;
      for (std::uint32_t i = 0; i < count; ++i) before += memory_.kept[i] > own ? 1 : 0;
      if (before == query_.k - 1) memory_.cut = lower_units(batch_, query_, own >> 16);
    }
    sync(GpuPhase::kSelect);
    return memory_.cut;
  }

  __device__ void append_kept(std::uint32_t count, std::uint32_t threshold) {
    for (std::uint32_t i = threadIdx.x; i - lane_id() < count; i += Form::kThreads) {
      bool has = i < count;
      std::uint32_t document = 0;
      std::uint32_t sum = 0;
      if (has) {
        document = begin_ + (memory_.kept[i] & 0xFFFF);
        sum = (memory_.kept[i] >> 16) + static_units(batch_, query_, document);
        has = sum >= threshold;
      }
      append_candidate(batch_, query_, has, document, sum);
    }
  }
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
