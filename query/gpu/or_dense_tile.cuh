// A tile of OR, added up: an accumulator for each of its documents. Internal to or_tiles.cu.
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
    const std::uint32_t blocks = plan_.ends[query_.scoring - 1];
    start(blocks);
    add_blocks(0, blocks);
    sync_decoders();
    if (query_.lists > query_.scoring) {
      erase_blocks(blocks, plan_.ends[query_.lists - 1]);
      sync_decoders();
    }
    collect();
  }

 private:
  using Base::batch_;
  using Base::begin_;
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
  using Base::scratch;
  using Base::sums_are_whole_;
  using Base::units;
  using Base::warp_;
  using Base::words;

  /// Asks for the threshold of now, and brings the documents' lengths if enough blocks need them.
  __device__ void start(std::uint32_t blocks) {
    if (threadIdx.x == 0) {
      memory_.need = Need(batch_, query_).of(begin_);
      memory_.kept_count = 0;
    }
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
    atomicAdd(words() + mixed(slot % kHalf), units(entry, value, slot) << (slot / kHalf * 16));
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
          for (int i = 0; i < 4; ++i) atomicAdd(to_add + mixed(slots[i]), unit * values[i] + unit);
        } else {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            atomicAdd(to_add + mixed(slots[i]), units(entry, values[i], slots[i]) << (16 * half));
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
          atomicAnd(words() + mixed(slot % kHalf), ~(0xFFFFU << (slot / kHalf * 16)));
        }
      }
    });
  }
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
