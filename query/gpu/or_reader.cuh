// Decoding the blocks of a planned tile of OR, and the units of their postings. Internal
// to or_tiles.cu.
#pragma once

#include "warpdex/query/gpu/or_memory.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// A planned tile, and the decoding of its blocks.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
class TileReader {
 public:
  __device__ TileReader(const Batch& batch, const TilePlan& plan, Memory<kForm>& memory,
                        std::uint32_t warp)
      : batch_(batch),
        plan_(plan),
        query_(plan.query),
        memory_(memory),
        state_(batch.states[plan.query.state]),
        begin_(plan.begin),
        lists_(batch.lists + plan.query.first_list),
        warp_(warp),
        sums_are_whole_(kForm == ScoreForm::kImpact && plan.query.slack == 0) {}

 protected:
  __device__ std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>(memory_.sums); }

  __device__ device::WarpScratch& scratch() { return memory_.scratch[warp_]; }

  /// The length_part of a document's length.
  __device__ float part(std::uint32_t slot) {
    if constexpr (Memory<kForm>::kHasLengths) {
      const std::uint8_t code =
          has_lengths_ ? memory_.length_codes[slot] : batch_.length_codes[begin_ + slot];
      return memory_.parts[code];
    }
    return 0;
  }

  /// A posting's units.
  __device__ std::uint32_t units(const BlockEntry& entry, std::uint32_t value, std::uint32_t slot) {
    if (kForm == ScoreForm::kImpact && sums_are_whole_) return entry.unit * value + entry.unit;
    return units_of<kForm>(value, part(slot), entry.weight, entry.c0,
                           (entry.flags & kHugeFrequencies) != 0);
  }

  /// Calls visit(entry) for the tile's blocks [from, to), counted through all lists; each by one
  /// warp.
  template <class Visit>
  __device__ void for_each_block(std::uint32_t from, std::uint32_t to, Visit visit) {
    for (std::uint32_t i = from + warp_; i < min(to, kBlocksHere); i += kWarps) {
      visit(plan_.blocks[i]);
    }
    if (to <= kBlocksHere) return;
    // Continues where the loop above ended: the first of this warp's that is not here.
    const std::uint32_t begin = from + warp_;
    std::uint32_t i = begin;
    if (begin < kBlocksHere) i += (kBlocksHere - begin + kWarps - 1) / kWarps * kWarps;
    for (; i < to; i += kWarps) {
      std::uint32_t list = 0;
      while (i >= plan_.ends[list]) ++list;
      const std::uint32_t before = list == 0 ? 0 : plan_.ends[list - 1];
      visit(find_block(query_, lists_[list], list, plan_.first[list] + i - before, plan_.begin));
    }
  }

  using Decoder = device::BlockDecoder<kCodec, kLevels>;

  /// What decoding takes to know of the list.
  __device__ device::DeviceValues list_of(const device::DeviceValues List::*which,
                                          const BlockEntry& entry, std::uint8_t parameter) {
    if constexpr (kCodec == CodecKind::kPfor) {
      return lists_[entry.list].*which;
    } else {
      device::DeviceValues list{};
      list.parameter = parameter;
      return list;
    }
  }

  __device__ void decode_slots(const BlockEntry& entry, std::uint32_t (&slots)[4]) {
    if (entry.flags & kRaw) {
      read_raw(entry.docids, slots);
#pragma unroll
      for (std::uint32_t& slot : slots) slot = slot == kNone ? kNone : slot - begin_;
      return;
    }
    const device::BlockPlace place{entry.docids, entry.index, entry.docid_code, entry.count};
    Decoder::docids(list_of(&List::docids, entry, entry.docid_parameter), place, entry.base,
                    entry.last, scratch(), slots);
  }

  __device__ void decode_values(const BlockEntry& entry, std::uint32_t (&values)[4]) {
    if (entry.flags & kRaw) return read_raw(entry.values, values);
    const device::BlockPlace place{entry.values, entry.index, entry.value_code, entry.count};
    Decoder::values(list_of(&List::frequencies, entry, entry.value_parameter), place, scratch(),
                    values);
  }

  const Batch& batch_;
  const TilePlan& plan_;
  const Query& query_;
  Memory<kForm>& memory_;
  QueryState& state_;
  std::uint32_t begin_;
  const List* lists_;
  std::uint32_t warp_;  ///< the same for all lanes, as the compiler sees it
  bool sums_are_whole_;
  bool has_lengths_ = false;
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
