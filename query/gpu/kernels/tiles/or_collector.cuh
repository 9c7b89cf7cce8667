// The end of an item of OR: documents whose sums reach the threshold become candidates of the
// query. Internal to or_tiles.cu.
#pragma once

#include "gpu/kernels/tiles/or_reader.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Turns the sums of an item into candidates. The warps that decode, all together.
template <CodecKind kCodec, class Units, bool kIsTimed, bool kIsHuge>
class TileCollector : public TileReader<kCodec, Units, kIsTimed, kIsHuge> {
 protected:
  using Base = TileReader<kCodec, Units, kIsTimed, kIsHuge>;
  using Base::Base;
  using Base::batch_;
  using Base::begin_;
  using Base::documents;
  using Base::half_;
  using Base::kSumMask;
  using Base::memory_;
  using Base::plan_;
  using Base::query_;
  using Base::shift_of;
  using Base::state_;
  using Base::sync;
  using Base::warp_;
  using Base::word_of;
  using typename Base::Shape;

  /// Turns the documents that reach the threshold into candidates, at most kRoom at a time; the
  /// threshold rises in between. Clears all accumulators. It scans them for these documents only if
  /// not all of them were recorded when they crossed the threshold.
  __device__ void collect() {
    if (query_.flags & kCount) {
      if (plan_.info.counts_postings) {
        take_counted();
      } else if (batch_.removed == nullptr) {
        count_matches();
      } else {
        count_live_matches();
        sync(GpuPhase::kSelect);  // others clear what a warp has counted
      }
    }
    const std::uint32_t recorded = memory_.recorded_count;
    const bool scans = plan_.info.crossing_word == kNone || recorded > kRecorded;
    if (!scans && recorded == 0) return empty();
    for (;;) {
      const std::uint32_t threshold = memory_.need;
      const std::uint32_t need =
          threshold > plan_.info.static_bound ? threshold - plan_.info.static_bound : 0;
      if (scans) {
        scan(max(need, 1U));
      } else {
        keep_crossed(recorded, max(need, 1U));
      }
      sync(GpuPhase::kSelect);
      if (threadIdx.x == 0) memory_.recorded_count = 0;
      if (!scans) empty();
      const std::uint32_t kept = memory_.kept_count;
      if (kept == 0) return;
      if (!kIsHuge && kept <= kHanded) return hand_over(kept, threshold);
      const std::uint32_t here = min(kept, kRoom);
      const std::uint32_t compared = min(here, kCompared);
      append_kept(here, compared > query_.k ? max(threshold, own_threshold(compared)) : threshold);
      raise_tie(kept, threshold);
      sync(GpuPhase::kSelect);
      if (warp_ == 0) {
        raise_threshold(batch_, query_);
        if (lane_id() == 0) {
          memory_.need = Threshold(batch_, query_).at(begin_);
          memory_.kept_count = 0;
        }
      }
      if (kept <= kRoom) return;
      sync(GpuPhase::kSelect);
    }
  }

  /// Whether any of eight sums reaches `floor`, whose halves are the same and not 0; of a huge
  /// query, any of four sums.
  __device__ static bool reaches(const uint4& four, std::uint32_t floor) {
    if constexpr (kIsHuge) return max(max(four.x, four.y), max(four.z, four.w)) >= floor;
    const std::uint32_t crossing_word = floor - 0x10001U;
    const std::uint32_t largest = __vmaxu2(__vmaxu2(four.x, four.y), __vmaxu2(four.z, four.w));
    return __vmaxu2(largest, crossing_word) != crossing_word;
  }

 private:
  using Kept = KeptDocument<kIsHuge>;
  /// How many documents are kept at a time.
  static constexpr std::uint32_t kRoom = kIsHuge ? kKept / 2 : kKept;

  __device__ Kept* kept() { return memory_.template kept_documents<kIsHuge>(); }

  /// Hands the kept documents over to the warp that plans blocks.
  __device__ void hand_over(std::uint32_t kept, std::uint32_t threshold) {
    if (warp_ != 0) return;
    HandedDocuments& handed = memory_.handed[&plan_ == memory_.plans ? 0 : 1];
    copy_query(query_, handed.query);
    if (lane_id() < kept) handed.kept[lane_id()] = memory_.kept[lane_id()];
    if (lane_id() == 0) {
      handed.begin = begin_;
      handed.need = threshold;
      handed.count = kept;
    }
    raise_tie(kept, threshold);
  }

  /// Called if `kept` documents of the item reach `threshold`. If these are k or more and sums are
  /// exact, a document behind the item needs a higher sum to be in the answer: raises the tie.
  __device__ void raise_tie(std::uint32_t kept, std::uint32_t threshold) {
    if (kept < query_.k || threadIdx.x != 0 || !sums_are_exact(batch_, query_)) return;
    atomicMax(&state_.tie, static_cast<unsigned long long>(threshold) << 32 |
                               static_cast<std::uint32_t>(~(begin_ + documents() - 1)));
  }

  /// Clears all accumulators.
  __device__ void empty() {
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < half_ / 4; i += Shape::kThreads) {
      memory_.sums()[i] = {0, 0, 0, 0};
    }
  }

  /// Whether the document of a slot was removed. If postings were counted, removed documents were
  /// left out and have no sum.
  __device__ bool is_slot_removed(std::uint32_t slot) const {
    return !plan_.info.counts_postings && is_removed(batch_, begin_ + slot);
  }

  /// Keeps those of the recorded documents that still reach `need`. The threshold may have risen
  /// since, and the sums of prohibited documents were cleared.
  __device__ void keep_crossed(std::uint32_t count, std::uint32_t need) {
    if (threadIdx.x >= count) return;
    const std::uint32_t slot = memory_.recorded[threadIdx.x];
    const std::uint32_t sum = *word_of(slot) >> shift_of(slot) & kSumMask;
    if (sum < need || is_slot_removed(slot)) return;
    kept()[atomicAdd(&memory_.kept_count, 1)] = Kept{sum} << 16 | slot;
  }

  /// Adds Memory::matches, the documents counted while postings were added, to the query's matches.
  __device__ void take_counted() {
    if (threadIdx.x != 0) return;
    atomicAdd(&state_.matches, static_cast<unsigned long long>(memory_.matches));
    memory_.matches = 0;
  }

  /// Counts the accumulators that are not 0 as matches of the query.
  __device__ void count_matches() {
    if constexpr (kIsHuge) return count_words();
    std::uint32_t matches = 0;  // two numbers of 16 bits each
#pragma unroll 4
    for (std::uint32_t i = threadIdx.x; i < half_ / 4; i += Shape::kThreads) {
      const uint4 four = memory_.sums()[i];
      matches += __vminu2(four.x, 0x10001U) + __vminu2(four.y, 0x10001U) +
                 __vminu2(four.z, 0x10001U) + __vminu2(four.w, 0x10001U);
    }
    add_matches((matches & 0xFFFFU) + (matches >> 16));
  }

  /// The same without those of removed documents; a barrier must follow. A lane takes four
  /// neighbouring rows of 32 words at a time, and in each the words of eight neighbouring slots. So
  /// its matches become bits in the order of the bits of removed documents. Eight lanes read
  /// together, each four words; these are in different banks.
  __device__ void count_live_matches() {
    if constexpr (kIsHuge) return count_words();
    const auto* const removed = reinterpret_cast<const uint4*>(batch_.removed);
    const std::uint32_t own_rows = lane_id() & 7;    // from 4 * own_rows on
    const std::uint32_t own_slots = lane_id() >> 3;  // from 8 * own_slots on
    constexpr std::uint32_t kRows = 32;              // that a warp takes at a time
    // A half has whole such groups of rows: a tile is cut into eight pieces at most.
    static_assert(kTileDocuments / 8 / 2 % (32 * kRows) == 0);
    std::uint32_t matches = 0;
    for (std::uint32_t row = kRows * warp_; row < half_ / 32; row += kRows * Shape::kWarps) {
      const std::uint32_t place = (begin_ / 32 + row) / 4 + own_rows;
      const uint4 low = __ldg(removed + place);
      const uint4 high = __ldg(removed + (place + half_ / 128));
      // Of the first two rows, and of the other two: eight bits of each row, for both halves.
      std::uint32_t first = 0;
      std::uint32_t second = 0;
      // Unrolled, this takes one register more than there is.
#pragma unroll 1
      for (std::uint32_t i = 2; i-- > 0;) {
        const uint4* const at =
            memory_.sums() + 8 * (row + 4 * own_rows) + ((2 * own_slots + i) ^ own_rows);
        first = (first << 4) + matches_of<0>(at[0]) + (matches_of<1>(at[8]) << 8);
        second = (second << 4) + matches_of<2>(at[16]) + (matches_of<3>(at[24]) << 8);
      }
      matches += __popc(first & ~bytes_of(low.x, low.y, high.x, high.y, own_slots)) +
                 __popc(second & ~bytes_of(low.z, low.w, high.z, high.w, own_slots));
    }
    add_matches(matches);
  }

  /// Both of a huge query. A thread counts the accumulators that it clears afterwards.
  __device__ void count_words() {
    std::uint32_t matches = 0;
    const auto count = [&](std::uint32_t sum, std::uint32_t slot) {
      if (sum != 0 && !is_removed(batch_, begin_ + slot)) ++matches;
    };
    for (std::uint32_t i = threadIdx.x; i < half_ / 4; i += Shape::kThreads) {
      const uint4 four = memory_.sums()[i];
      count(four.x, swizzled(4 * i));
      count(four.y, swizzled(4 * i + 1));
      count(four.z, swizzled(4 * i + 2));
      count(four.w, swizzled(4 * i + 3));
    }
    add_matches(matches);
  }

  /// Which of eight accumulators are not 0: four bits for those of the low half, and four from bit
  /// 16 on, in the order of slots. `kRow`: the row's number among four; swizzled() changes the
  /// lowest bits of slots by it.
  template <std::uint32_t kRow>
  __device__ static std::uint32_t matches_of(const uint4& four) {
    return (__vminu2(four.x, 0x10001U) << kRow) + (__vminu2(four.y, 0x10001U) << (kRow ^ 1)) +
           (__vminu2(four.z, 0x10001U) << (kRow ^ 2)) + (__vminu2(four.w, 0x10001U) << (kRow ^ 3));
  }

  /// Byte number `number` of each of four words.
  __device__ static std::uint32_t bytes_of(std::uint32_t a, std::uint32_t b, std::uint32_t c,
                                           std::uint32_t d, std::uint32_t number) {
    const std::uint32_t of_both = 0x40U + 0x11U * number;
    return __byte_perm(__byte_perm(a, b, of_both), __byte_perm(c, d, of_both), 0x5410);
  }

  /// Adds up what the lanes counted. A whole warp.
  __device__ void add_matches(std::uint32_t matches) {
    matches = warp_sum(matches);
    if (lane_id() == 0 && matches > 0) {
      atomicAdd(&state_.matches, static_cast<unsigned long long>(matches));
    }
  }

  /// Keeps the documents that reach `need`, as long as there is room, and clears all other
  /// accumulators.
  __device__ void scan(std::uint32_t need) {
    const std::uint32_t floor = kIsHuge ? need : min(need, 65'535U) * 0x10001U;
    for (std::uint32_t i = threadIdx.x; i < half_ / 4; i += Shape::kThreads) {
      const uint4 four = memory_.sums()[i];
      uint4 left{0, 0, 0, 0};
      if (reaches(four, floor)) {
        left = {keep(four.x, floor, swizzled(4 * i)), keep(four.y, floor, swizzled(4 * i + 1)),
                keep(four.z, floor, swizzled(4 * i + 2)), keep(four.w, floor, swizzled(4 * i + 3))};
      }
      memory_.sums()[i] = left;
    }
  }

  /// Keeps those of two accumulators that reach `floor`, as long as there is room. They are those
  /// of documents `slot` and half_ + slot; of a huge query, there is the first alone. Returns what
  /// must stay in the accumulators: the sums for which there was no room.
  __device__ std::uint32_t keep(std::uint32_t two, std::uint32_t floor, std::uint32_t slot) {
    const std::uint32_t reached =
        two & (kIsHuge ? (two >= floor ? ~0U : 0) : __vcmpgeu2(two, floor));
    std::uint32_t left = 0;
    if (reached == 0) return left;
    for (std::uint32_t half = 0; half < (kIsHuge ? 1U : 2U); ++half) {
      const std::uint32_t sum = reached >> (16 * half) & kSumMask;
      if (sum == 0 || is_slot_removed(slot + half * half_)) continue;
      const std::uint32_t place = atomicAdd(&memory_.kept_count, 1);
      if (place < kRoom) {
        kept()[place] = Kept{sum} << 16 | (slot + half * half_);
      } else {
        left |= sum << (16 * half);
      }
    }
    return left;
  }

  static_assert(kRecorded <= Shape::kThreads && kCompared <= Shape::kThreads);

  /// A threshold from the first `count` kept documents alone, more than k: k of them have a score
  /// of so many units, without static scores. Each thread counts the documents better than its own.
  __device__ std::uint32_t own_threshold(std::uint32_t count) {
    if (threadIdx.x < count) {
      const Kept own = kept()[threadIdx.x];
      std::uint32_t before = 0;
      for (std::uint32_t i = 0; i < count; ++i) before += kept()[i] > own ? 1 : 0;
      if (before == query_.k - 1)
        memory_.cut = lower_units(batch_, query_, static_cast<std::uint32_t>(own >> 16));
    }
    sync(GpuPhase::kSelect);
    return memory_.cut;
  }

  /// Makes candidates of those of the first `count` kept documents that reach `threshold` with
  /// their static scores.
  __device__ void append_kept(std::uint32_t count, std::uint32_t threshold) {
    for (std::uint32_t i = threadIdx.x; i - lane_id() < count; i += Shape::kThreads) {
      bool has = i < count;
      std::uint32_t document = 0;
      std::uint32_t sum = 0;
      if (has) {
        document = begin_ + static_cast<std::uint32_t>(kept()[i] & 0xFFFF);
        sum = static_cast<std::uint32_t>(kept()[i] >> 16) + static_units(batch_, query_, document);
        has = sum >= threshold;
      }
      append_candidate<Units>(batch_, query_, has, document, sum);
    }
  }
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
