// A tile of OR with an accumulator for each of its documents. Internal to or_tiles.cu.
#pragma once

#include <cuda_pipeline.h>

#include "warpdex/query/gpu/or_collector.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// A tile whose documents have an accumulator each.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
class DenseTile : public TileCollector<kCodec, kLevels, kForm> {
 public:
  using Base = TileCollector<kCodec, kLevels, kForm>;
  using Base::Base;

  __device__ void run() {
    const std::uint32_t essential = plan_.essential;
    const std::uint32_t blocks = essential == 0 ? 0 : plan_.ends[essential - 1];
    const bool refines = essential < query_.scoring;
    start(blocks);
    add_blocks(0, blocks);
    if (threadIdx.x == 0) {
      memory_.kept_count = 0;
      memory_.need = max(plan_.threshold, threshold_);
    }
    if (threadIdx.x < kMarkWords) memory_.marks[threadIdx.x] = 0;
    sync_decoders();
    if (query_.lists > query_.scoring) {
      erase_blocks(plan_.ends[query_.scoring - 1], plan_.ends[query_.lists - 1]);
      sync_decoders();
    }
    if (refines) {
      const std::uint32_t need = memory_.need > plan_.rest ? memory_.need - plan_.rest : 0;
      if (!mark_candidates(max(need, 1U))) return;
      refine_blocks(blocks, plan_.ends[query_.scoring - 1]);
      sync_decoders();
    }
    collect(refines);
    if (refines) {
      for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) candidate_bytes()[i] = 0;
    }
  }

 private:
  using Base::batch_;
  using Base::begin_;
  using Base::candidate_bytes;
  using Base::collect;
  using Base::decode_slots;
  using Base::decode_values;
  using Base::for_each_block;
  using Base::has_lengths_;
  using Base::lists_;
  using Base::memory_;
  using Base::part;
  using Base::plan_;
  using Base::query_;
  using Base::reaches;
  using Base::scratch;
  using Base::state_;
  using Base::sums_are_whole_;
  using Base::threshold_;
  using Base::units;
  using Base::warp_;
  using Base::words;

  /// Asks for the threshold of now, and brings the documents' lengths if enough blocks need them.
  __device__ void start(std::uint32_t blocks) {
    if (threadIdx.x == 0) threshold_ = needed_sum(batch_, query_, plan_.begin);
    if constexpr (Memory<kForm>::kHasLengths) {
      has_lengths_ = blocks >= kFewBlocks;
      if (!has_lengths_) return;
      const auto* from = reinterpret_cast<const uint4*>(batch_.length_codes + begin_);
      auto* to = reinterpret_cast<uint4*>(memory_.length_codes);
      for (std::uint32_t i = threadIdx.x; i < kTileDocuments / sizeof(uint4); i += kThreads) {
        __pipeline_memcpy_async(to + i, from + i, sizeof(uint4));
      }
      __pipeline_commit();
      __pipeline_wait_prior(0);
      sync_decoders();
    }
  }

  __device__ void add(const BlockEntry& entry, std::uint32_t value, std::uint32_t slot) {
    atomicAdd(words() + slot % kHalf, units(entry, value, slot) << (slot / kHalf * 16));
  }

  __device__ bool is_candidate(std::uint32_t slot) {
    return (candidate_bytes()[slot % kHalf / 4] >> (slot % 4 + slot / kHalf * 4) & 1) != 0;
  }

  /// Whether all of a block's documents are in the same half of the tile.
  __device__ bool is_in_one_half(const BlockEntry& entry) {
    const std::uint32_t first = entry.base + 1;
    return entry.last < kTileDocuments && first <= entry.last &&
           first / kHalf == entry.last / kHalf && entry.count == kBlockSize;
  }

  __device__ void add_blocks(std::uint32_t from, std::uint32_t to) {
    for_each_block(from, to, [&](const BlockEntry& entry) {
      std::uint32_t slots[4];
      std::uint32_t values[4];
      decode_values(entry, values);
      decode_slots(entry, slots);
      if (is_in_one_half(entry)) {
        const std::uint32_t half = entry.last / kHalf;
        std::uint32_t* const to_add = words() - half * kHalf;
        if (kForm == ScoreForm::kImpact && sums_are_whole_) {
          const std::uint32_t unit = entry.unit << (16 * half);
#pragma unroll
          for (int i = 0; i < 4; ++i) atomicAdd(to_add + slots[i], unit * values[i] + unit);
        } else {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            atomicAdd(to_add + slots[i], units(entry, values[i], slots[i]) << (16 * half));
          }
        }
        return;
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (slots[i] < kTileDocuments) add(entry, values[i], slots[i]);
      }
    });
  }

  /// Empties the accumulators of a prohibited list's documents.
  __device__ void erase_blocks(std::uint32_t from, std::uint32_t to) {
    for_each_block(from, to, [&](const BlockEntry& entry) {
      std::uint32_t slots[4];
      decode_slots(entry, slots);
#pragma unroll
      for (const std::uint32_t slot : slots) {
        if (slot < kTileDocuments) {
          atomicAnd(words() + slot % kHalf, ~(0xFFFFU << (slot / kHalf * 16)));
        }
      }
    });
  }

  /// Empties all accumulators below `need`, and marks the others. Returns whether there are any.
  __device__ bool mark_candidates(std::uint32_t need) {
    const std::uint32_t least = min(need, 65'535U) * 0x10001U;
    bool found = false;
    for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) {
      const uint4 four = memory_.sums[i];
      candidate_bytes()[i] = 0;
      if ((four.x | four.y | four.z | four.w) == 0) continue;
      if (!reaches(four, least)) {
        memory_.sums[i] = {0, 0, 0, 0};
        continue;
      }
      const std::uint32_t x = __vcmpgeu2(four.x, least);
      const std::uint32_t y = __vcmpgeu2(four.y, least);
      const std::uint32_t z = __vcmpgeu2(four.z, least);
      const std::uint32_t w = __vcmpgeu2(four.w, least);
      memory_.sums[i] = {four.x & x, four.y & y, four.z & z, four.w & w};
      const std::uint32_t low = (x & 1) | (y & 2) | (z & 4) | (w & 8);
      const std::uint32_t high = (x >> 16 & 1) | (y >> 16 & 2) | (z >> 16 & 4) | (w >> 16 & 8);
      candidate_bytes()[i] = static_cast<std::uint8_t>(low | high << 4);
      if (low != 0) mark(4 * i);
      if (high != 0) mark(kHalf + 4 * i);
      found = true;
    }
    return any_decoder(found);
  }

  __device__ void mark(std::uint32_t slot) {
    atomicOr(&memory_.marks[slot / kGroup / 32], 1U << slot / kGroup % 32);
  }

  /// Whether any document from `from` to `to` (slots, inclusive) is marked. A whole warp.
  __device__ bool is_range_marked(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t low = from / kGroup;
    const std::uint32_t high = to / kGroup;
    bool found = false;
    if (lane_id() < kMarkWords && lane_id() >= low / 32 && lane_id() <= high / 32) {
      std::uint32_t mask = kWholeWarp;
      if (lane_id() == low / 32) mask &= kWholeWarp << low % 32;
      if (lane_id() == high / 32) mask &= kWholeWarp >> (31 - high % 32);
      found = (memory_.marks[lane_id()] & mask) != 0;
    }
    return __any_sync(kWholeWarp, found);
  }

  /// Adds the lists that are not essential, for documents that are candidates.
  __device__ void refine_blocks(std::uint32_t from, std::uint32_t to) {
    for_each_block(from, to, [&](const BlockEntry& entry) {
      if (!(entry.flags & kRaw)) {
        const std::uint32_t first = entry.base + 1;
        const std::uint32_t low = first < kTileDocuments ? first : 0;
        const std::uint32_t high = min(entry.last, kTileDocuments - 1);
        if (!is_range_marked(low, high)) return;
      }
      std::uint32_t slots[4];
      decode_slots(entry, slots);
      bool wanted = false;
#pragma unroll
      for (std::uint32_t& slot : slots) {
        if (slot >= kTileDocuments || !is_candidate(slot)) slot = kNone;
        wanted |= slot != kNone;
      }
      if (!__any_sync(kWholeWarp, wanted)) return;
      std::uint32_t values[4];
      decode_values(entry, values);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (slots[i] != kNone) add(entry, values[i], slots[i]);
      }
    });
  }
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
