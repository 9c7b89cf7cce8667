// A region of OR with few postings to add up, in a hash table of its documents. Internal to
// or_tiles.cu.
#pragma once

#include "warpdex/query/gpu/or_collector.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// A region whose few documents with postings are in a hash table.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
class SparseRegion : public TileCollector<kCodec, kLevels, kForm> {
 public:
  using Base = TileCollector<kCodec, kLevels, kForm>;
  using Base::Base;

  /// As DenseTile::run().
  __device__ void run() {
    const std::uint32_t essential = plan_.essential;
    const std::uint32_t blocks = essential == 0 ? 0 : plan_.ends[essential - 1];
    if (threadIdx.x == 0) threshold_ = needed_sum(batch_, query_, begin_);
    insert_blocks(blocks);
    if (threadIdx.x == 0) {
      memory_.kept_count = 0;
      memory_.work_count = 0;
      memory_.need = max(plan_.threshold, threshold_);
    }
    if (threadIdx.x < kMarkWords) memory_.marks[threadIdx.x] = 0;
    sync_decoders();
    const bool refines = query_.scoring > essential;
    if (refines) {
      const std::uint32_t need = memory_.need > plan_.rest ? memory_.need - plan_.rest : 0;
      if (!mark_entries(max(need, 1U))) return;
      refine_region(blocks, plan_.ends[query_.scoring - 1]);
    }
    collect(false);
    if (refines) {
      for (std::uint32_t i = threadIdx.x; i < kRegionDocuments / 128; i += kThreads) {
        memory_.candidates[i] = {0, 0, 0, 0};
      }
    }
  }

 private:
  using Base::batch_;
  using Base::begin_;
  using Base::collect;
  using Base::decode_slots;
  using Base::decode_values;
  using Base::lists_;
  using Base::memory_;
  using Base::plan_;
  using Base::query_;
  using Base::threshold_;
  using Base::units;
  using Base::warp_;
  using Base::words;

  __device__ static std::uint32_t hash(std::uint32_t document) {
    return document * 0x9E3779B1U >> 19;
  }
  static_assert(kSlots == 1U << (32 - 19));

  /// Adds to a document of the region. There is room: kSparseBlocks.
  __device__ void insert(std::uint32_t document, std::uint32_t sum) {
    std::uint32_t slot = hash(document);
    for (std::uint32_t probe = 0; probe < kSlots; ++probe) {
      const std::uint32_t old = atomicCAS(words() + slot, 0U, document << 16 | sum);
      if (old == 0) return;
      if (old >> 16 == document) {
        atomicAdd(words() + slot, sum);
        return;
      }
      slot = (slot + 1) % kSlots;
    }
  }

  /// Where a document is that is in the table.
  __device__ std::uint32_t* find(std::uint32_t document) {
    std::uint32_t slot = hash(document);
    for (;;) {
      // By an atomic, since others add to sums meanwhile.
      const std::uint32_t entry = atomicOr(words() + slot, 0U);
      if (entry != 0 && entry >> 16 == document) return words() + slot;
      slot = (slot + 1) % kSlots;
    }
  }

  __device__ void insert_blocks(std::uint32_t count) {
    for (std::uint32_t i = warp_; i < count; i += kWarps) {
      const BlockEntry& entry = plan_.blocks[i];
      std::uint32_t documents[4];
      std::uint32_t values[4];
      decode_values(entry, values);
      decode_slots(entry, documents);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (documents[j] >= kRegionDocuments) continue;
        insert(documents[j], units(entry, values[j], documents[j]));
      }
    }
  }

  /// Empties all entries below `need`, and marks the others' documents. Returns whether there are
  /// any.
  __device__ bool mark_entries(std::uint32_t need) {
    bool found = false;
    for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) {
      const uint4 four = memory_.sums[i];
      if ((four.x | four.y | four.z | four.w) == 0) continue;
      const std::uint32_t kept[4] = {
          (four.x & 0xFFFF) >= need ? four.x : 0, (four.y & 0xFFFF) >= need ? four.y : 0,
          (four.z & 0xFFFF) >= need ? four.z : 0, (four.w & 0xFFFF) >= need ? four.w : 0};
      // An emptied entry may part another from its hash: none is looked for but those that stay.
      memory_.sums[i] = {kept[0], kept[1], kept[2], kept[3]};
#pragma unroll
      for (const std::uint32_t entry : kept) {
        if (entry == 0) continue;
        const std::uint32_t document = entry >> 16;
        auto* const bits = reinterpret_cast<std::uint32_t*>(memory_.candidates);
        atomicOr(bits + document / 32, 1U << document % 32);
        atomicOr(&memory_.marks[document / kRegionGroup / 32], 1U << document / kRegionGroup % 32);
        found = true;
      }
    }
    return any_decoder(found);
  }

  __device__ bool is_region_candidate(std::uint32_t document) {
    return (reinterpret_cast<const std::uint32_t*>(memory_.candidates)[document / 32] >>
                document % 32 &
            1) != 0;
  }

  /// Whether any of the region's documents from `from` to `to` (inclusive) is marked. One thread.
  __device__ bool is_range_marked(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t low = from / kRegionGroup;
    const std::uint32_t high = to / kRegionGroup;
    for (std::uint32_t word = low / 32; word <= high / 32; ++word) {
      std::uint32_t mask = kWholeWarp;
      if (word == low / 32) mask &= kWholeWarp << low % 32;
      if (word == high / 32) mask &= kWholeWarp >> (31 - high % 32);
      if ((memory_.marks[word] & mask) != 0) return true;
    }
    return false;
  }

  /// Adds the other lists' blocks [from, to), for documents that are candidates. Threads look for
  /// blocks that hold any, warps decode these.
  __device__ void refine_region(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t begin = from; begin < to; begin += kWork) {
      const std::uint32_t i = begin + threadIdx.x;
      if (i < to) {
        std::uint32_t list = 0;
        while (i >= plan_.ends[list]) ++list;
        const std::uint32_t block = plan_.first[list] + i - (list == 0 ? 0 : plan_.ends[list - 1]);
        if (holds_candidates(lists_[list], block)) {
          memory_.work[atomicAdd(&memory_.work_count, 1)] = list << 26 | block;
        }
      }
      sync_decoders();
      const std::uint32_t count = memory_.work_count;
      for (std::uint32_t work = warp_; work < count; work += kWarps) {
        const std::uint32_t list = memory_.work[work] >> 26;
        refine_block(
            find_block(query_, lists_[list], list, memory_.work[work] & 0x3FFFFFF, begin_));
      }
      sync_decoders();
      if (threadIdx.x == 0) memory_.work_count = 0;
      sync_decoders();  // before others count on from it
    }
  }

  __device__ bool holds_candidates(const List& list, std::uint32_t block) {
    if (list.flags & kRaw) return true;
    const std::uint32_t first = block == 0 ? 0 : list.last_docids[block - 1] + 1;
    const std::uint32_t last = list.last_docids[block] - begin_;
    const std::uint32_t low = max(first, begin_) - begin_;
    return low < kRegionDocuments && is_range_marked(low, min(last, kRegionDocuments - 1));
  }

  __device__ void refine_block(const BlockEntry& entry) {
    std::uint32_t documents[4];
    decode_slots(entry, documents);
    bool wanted = false;
#pragma unroll
    for (std::uint32_t& document : documents) {
      if (document >= kRegionDocuments || !is_region_candidate(document)) document = kNone;
      wanted |= document != kNone;
    }
    if (!__any_sync(kWholeWarp, wanted)) return;
    std::uint32_t values[4];
    decode_values(entry, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (documents[i] == kNone) continue;
      atomicAdd(find(documents[i]), units(entry, values[i], documents[i]));
    }
  }
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
