// Accumulates one tile of OR, or two: one accumulator for each document. Internal to or_tiles.cu.
#pragma once

#include <cuda_pipeline.h>

#include "gpu/kernels/tiles/or_collector.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Executes a plan: adds its blocks to the accumulators, or erases their documents. After the last
/// plan of an item, turns the sums into candidates. The warps that decode, all together.
template <CodecKind kCodec, class Units, bool kIsTimed, bool kIsHuge>
class DenseTile : public TileCollector<kCodec, Units, kIsTimed, kIsHuge> {
 public:
  using Base = TileCollector<kCodec, Units, kIsTimed, kIsHuge>;
  using Base::Base;

  __device__ void run() {
    if (plan_.is_first) bring_lengths();
    if (plan_.is_last && threadIdx.x == 0) {
      memory_.need = Threshold(batch_, query_).at(begin_);
      memory_.kept_count = 0;
    }
    if (plan_.erases) {
      erase_blocks();
    } else {
      add_blocks();
    }
    if (!plan_.is_last) return;
    sync(GpuPhase::kScore);
    collect();
    clock_.end(GpuPhase::kSelect);
  }

 private:
  using Base::batch_;
  using Base::begin_;
  using Base::clock_;
  using Base::collect;
  using Base::decode;
  using Base::decode_slots;
  using Base::documents;
  using Base::for_each_block;
  using Base::half_;
  using Base::kSumMask;
  using Base::memory_;
  using Base::plan_;
  using Base::query_;
  using Base::shift_of;
  using Base::sums_are_whole_;
  using Base::sync;
  using Base::units;
  using Base::word_of;
  using Base::words;
  using typename Base::Shape;

  /// Copies the documents' length codes to shared memory if enough blocks need them. Codes are
  /// padded to whole tiles, and no item goes beyond the last tile.
  __device__ void bring_lengths() {
    if constexpr (Shape::kCopiesLengths) {
      if (!plan_.info.copies_lengths) return;
      const auto* from = reinterpret_cast<const uint4*>(batch_.lengths.codes + begin_);
      auto* to = reinterpret_cast<uint4*>(memory_.length_codes(batch_.tile_room));
      for (std::uint32_t i = threadIdx.x; i < documents() / sizeof(uint4); i += Shape::kThreads) {
        __pipeline_memcpy_async(to + i, from + i, sizeof(uint4));
      }
      __pipeline_commit();
      __pipeline_wait_prior(0);
      sync(GpuPhase::kScore);
    }
  }

  __device__ void add_blocks() {
    for_each_block([&](const typename Base::Entry& entry) {
      std::uint32_t slots[4];
      std::uint32_t values[4];
      decode(entry, slots, values);
      clock_.end(GpuPhase::kDecode);
      if (plan_.info.counts_postings) {
        add_and_count(entry, slots, values);
      } else if (entry.traits.half == BlockHalf::kAnywhere) {
        add_anywhere(entry, slots, values);
      } else {
        add_in_half(entry, slots, values);
      }
      clock_.end(GpuPhase::kScore);
    });
  }

  /// Accumulates a full block whose documents are all in one half; slots count from the start of
  /// that half.
  __device__ void add_in_half(const BlockEntry& entry, const std::uint32_t (&slots)[4],
                              const std::uint32_t (&values)[4]) {
    const bool is_high = entry.traits.half == BlockHalf::kHigh;
    const std::uint32_t begin = is_high ? half_ : 0;
    std::uint32_t added[4];
    if (Units::kMayBeWhole && sums_are_whole_) {
      const std::uint32_t unit = entry.weight;
#pragma unroll
      for (int i = 0; i < 4; ++i) added[i] = unit * values[i] + unit;
    } else {
      const auto shift = static_cast<std::uint32_t>(entry.traits.half);
#pragma unroll
      for (int i = 0; i < 4; ++i) added[i] = units(entry, values[i], begin + slots[i]) << shift;
    }
    const std::uint32_t crossing_word = plan_.info.crossing_word;
    if (crossing_word == kNone) {
#pragma unroll
      for (int i = 0; i < 4; ++i) atomicAdd(words() + swizzled(slots[i]), added[i]);
      return;
    }
    // Multiplications move a sum to the upper half of a word, since a multiplication and an
    // addition are one instruction.
    const std::uint32_t up = kIsHuge || is_high ? 1U : 0x10000U;
    const std::uint32_t minus_up = kIsHuge || is_high ? 0xFFFFFFFFU : 0xFFFF0000U;
    bool any = false;
    bool crosses[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t old = atomicAdd(words() + swizzled(slots[i]), added[i]);
      crosses[i] = crossing_word + old * minus_up < added[i] * up;
      any |= crosses[i];
    }
    if (!any) return;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (crosses[i]) record(begin + slots[i]);
    }
  }

  /// Accumulates a block that is kAnywhere.
  __device__ void add_anywhere(const BlockEntry& entry, const std::uint32_t (&slots)[4],
                               const std::uint32_t (&values)[4]) {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (slots[i] >= documents()) continue;
      const std::uint32_t added = added_by(entry, values[i], slots[i], false);
      const std::uint32_t shift = shift_of(slots[i]);
      const std::uint32_t old = atomicAdd(word_of(slots[i]), added << shift);
      if (plan_.info.crossing_word - moved_up(old, 16 - shift) < moved_up(added, 16)) {
        record(slots[i]);
      }
    }
  }

  /// A sum that is compared with ItemInfo::crossing_word: not moved where it has a whole word.
  __device__ static std::uint32_t moved_up(std::uint32_t sum, std::uint32_t bits) {
    return kIsHuge ? sum : sum << bits;
  }

  /// Adds the postings of any block, whichever half its documents are in, and counts the documents
  /// that had no sum yet. Leaves out removed documents.
  __device__ void add_and_count(const BlockEntry& entry, std::uint32_t (&slots)[4],
                                const std::uint32_t (&values)[4]) {
    const bool is_high = entry.traits.half == BlockHalf::kHigh;
    bool is_there[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (is_high) slots[i] += half_;
      is_there[i] = slots[i] < documents();
      if (!is_there[i]) slots[i] = 0;
    }
    std::uint32_t removed[4];
    read_removed(slots, removed);
    std::uint32_t added[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) added[i] = added_by(entry, values[i], slots[i], is_high);
    std::uint32_t matches = 0;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (!is_there[i] || (removed[i] >> slots[i] % 32 & 1) != 0) continue;
      const std::uint32_t shift = shift_of(slots[i]);
      const std::uint32_t before =
          moved_up(atomicAdd(word_of(slots[i]), added[i] << shift), 16 - shift);
      if (before < moved_up(1, 16)) ++matches;
      if (plan_.info.crossing_word - before < moved_up(added[i], 16)) record(slots[i]);
    }
    matches = warp_sum(matches);
    if (lane_id() == 0) atomicAdd(&memory_.matches, matches);
  }

  /// Reads the words of Batch::removed that hold the bits of four documents. To be called before
  /// other work, since the latency is long.
  __device__ void read_removed(const std::uint32_t (&slots)[4], std::uint32_t (&bits)[4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      bits[i] = batch_.removed == nullptr ? 0 : __ldg(batch_.removed + (begin_ + slots[i]) / 32);
    }
  }

  /// What a posting adds to its document's accumulator, in units.
  __device__ std::uint32_t added_by(const BlockEntry& entry, std::uint32_t value,
                                    std::uint32_t slot, bool is_high) {
    if (Units::kMayBeWhole && sums_are_whole_) {
      const std::uint32_t unit = is_high ? entry.weight >> 16 : entry.weight;
      return unit * value + unit;
    }
    return min(units(entry, value, slot), query_.unit_cap);
  }

  /// Records a document whose sum has just crossed the threshold.
  __device__ void record(std::uint32_t slot) {
    const std::uint32_t place = atomicAdd(&memory_.recorded_count, 1);
    if (place < kRecorded) memory_.recorded[place] = static_cast<std::uint16_t>(slot);
  }

  /// Clears the accumulators of a prohibited list's documents.
  __device__ void erase_blocks() {
    for_each_block([&](const BlockEntry& entry) {
      std::uint32_t slots[4];
      decode_slots(entry, slots);
      clock_.end(GpuPhase::kDecode);
      const std::uint32_t begin = entry.traits.half == BlockHalf::kHigh ? half_ : 0;
#pragma unroll
      for (std::uint32_t& slot : slots) {
        slot += begin;
        if (slot < documents()) atomicAnd(word_of(slot), ~(kSumMask << shift_of(slot)));
      }
    });
  }
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
