// Decodes the blocks of a plan and computes the units of their postings. Internal to or_tiles.cu.
#pragma once

#include "gpu/device/list_reader.cuh"
#include "gpu/kernels/tiles/or_memory.cuh"
#include "warpdex/core/cuda/phase_clock.cuh"

namespace warpdex::gpu {
namespace or_tiles {

/// Decodes the blocks of a plan. With `kIsTimed`, the phases of the warps are timed. `kIsHuge`:
/// queries are, so accumulators have 32 bits.
template <CodecKind kCodec, class Units, bool kIsTimed, bool kIsHuge>
class TileReader {
 public:
  using Own = Memory<kCodec, Units>;
  using Shape = TileShape<kCodec, Units>;
  using Clock = PhaseClock<GpuPhase, kGpuPhases, kIsTimed>;

  __device__ TileReader(const OrRounds& batch, const typename Own::Plan& plan, Own& memory,
                        std::uint32_t warp, Clock& clock)
      : batch_(batch),
        plan_(plan),
        query_(plan.query),
        memory_(memory),
        state_(batch.states[plan.query.state]),
        begin_(plan.info.begin),
        half_(plan.info.half),
        lists_(batch.lists + plan.query.first_list),
        warp_(warp),
        clock_(clock),
        sums_are_whole_(Units::kMayBeWhole && plan.query.rounding_slack == 0) {}

  /// A barrier for the warps that decode. It needs whole warps, whose lanes may have diverged.
  __device__ static void sync_decoders() {
    __syncwarp();
    asm volatile("bar.sync 1, %0;" ::"n"(Shape::kThreads) : "memory");
  }

 protected:
  /// The same. `phase` is what the warps did before it.
  __device__ void sync(GpuPhase phase) {
    clock_.end(phase);
    sync_decoders();
    clock_.end(GpuPhase::kWait);
  }

  __device__ std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>(memory_.sums()); }

  /// A sum that is at the low end of its word.
  static constexpr std::uint32_t kSumMask = kIsHuge ? ~0U : 0xFFFFU;
  /// The word that holds a document's accumulator, and how many bits up it is there.
  __device__ std::uint32_t* word_of(std::uint32_t slot) {
    return words() + swizzled(slot & (half_ - 1));
  }
  __device__ std::uint32_t shift_of(std::uint32_t slot) const {
    return kIsHuge || slot < half_ ? 0 : 16;
  }
  /// Documents of the item.
  __device__ std::uint32_t documents() const { return documents_of<kIsHuge>(half_); }

  __device__ device::WarpScratch& scratch() { return memory_.scratch[warp_]; }

  /// Reads shared memory, in PTX. The compiler knows that a plain read differs from lane to lane;
  /// with one, ptxas 13.0 takes all branches of the kernel for divergent, which costs 2 % of its
  /// time.
  __device__ static float read_shared(const float& from) {
    float value = 0;
    asm("ld.shared.f32 %0, [%1];"
        : "=f"(value)
        : "r"(static_cast<std::uint32_t>(__cvta_generic_to_shared(&from))));
    return value;
  }

  /// The length_part of a document's length, for a list.
  __device__ float part(const BlockEntry& entry, std::uint32_t slot) {
    if constexpr (Units::kHasFields) {
      const List& list = lists_[entry.traits.list];
      const std::size_t place = batch_.lengths.place(begin_ + slot, __ldg(&list.field));
      const float length = read_shared(memory_.parts[batch_.lengths.codes[place]]);
      return Units::length_part(__ldg(&list.c0), __ldg(&list.c1), length);
    }
    if constexpr (Shape::kCopiesLengths) {
      const std::uint8_t code = plan_.info.copies_lengths
                                    ? memory_.length_codes(batch_.tile_room)[slot]
                                    : batch_.lengths.codes[begin_ + slot];
      return read_shared(memory_.parts[code]);
    }
    return 0;
  }

  __device__ float c0_of(const BlockEntry& entry) {
    return Units::kReadsC0 ? lists_[entry.traits.list].c0 : 0;
  }

  /// A posting's units. `slot` counts from the item's first document.
  __device__ std::uint32_t units(const BlockEntry& entry, std::uint32_t value, std::uint32_t slot) {
    if constexpr (Units::kIsExact) {
      return Units::of_posting(batch_, query_, lists_[entry.traits.list], value, begin_ + slot);
    } else {
      return Units::of(value, part(entry, slot), __uint_as_float(entry.weight), c0_of(entry),
                       (entry.traits.flags & kHugeFrequencies) != 0);
    }
  }

  /// Calls visit(entry) for the plan's blocks, each by one warp.
  template <class Visit>
  __device__ void for_each_block(Visit visit) {
    for (std::uint32_t i = warp_; i < plan_.count; i += Shape::kWarps) visit(plan_.blocks[i]);
  }

  using Decoder = device::BlockDecoder<kCodec>;

  using Entry = typename Own::Entry;

  /// What decoding docIDs needs of the list.
  __device__ device::DeviceValues docid_list(const BlockTraits& traits) {
    if constexpr (kCodec == CodecKind::kPfor) {
      return lists_[traits.list].docids;
    } else {
      device::DeviceValues list{};
      list.parameter = traits.docid_parameter;
      return list;
    }
  }
  /// What decoding values needs of the list.
  __device__ static device::DeviceValues value_list(const Entry& entry, const BlockTraits& traits) {
    device::DeviceValues list{};
    list.parameter = traits.value_parameter;
    if constexpr (kCodec == CodecKind::kPfor) list.levels = entry.value_levels;
    return list;
  }

  /// Decodes the docIDs and the values of a block.
  __device__ void decode(const Entry& entry, std::uint32_t (&slots)[4],
                         std::uint32_t (&values)[4]) {
    const BlockTraits traits = BlockTraits::read(entry.traits);
    if (kCodec == CodecKind::kBitpack && (traits.flags & kPlain)) {
      Decoder::plain_values(entry.values, traits.value_code, values);
      Decoder::plain_docids(entry.docids, traits.docid_code, entry.base, slots);
      return;
    }
    // A bit set's first words are read while the values are decoded.
    const bool is_dense = traits.docid_code == kDenseCode;
    const device::BitSet bits(entry.docids, entry.base, is_dense ? entry.last : entry.base);
    decode_values(entry, traits, values);
    if (is_dense) {
      bits.get(traits.count, entry.base, scratch(), slots);
      device::fill_rest(traits.count, kNone, slots);
    } else {
      decode_coded_slots(entry, traits, slots);
    }
  }

  /// DocIDs of a block that is not dense.
  __device__ void decode_coded_slots(const BlockEntry& entry, const BlockTraits& traits,
                                     std::uint32_t (&slots)[4]) {
    if (traits.flags & kRaw) {
      read_raw(entry.docids, slots);
#pragma unroll
      for (std::uint32_t& slot : slots) slot = slot == kNone ? kNone : slot - begin_;
      return;
    }
    const device::DeviceValues list = docid_list(traits);
    device::BlockPlace place{entry.docids, entry.index, traits.docid_code, traits.count};
    if constexpr (Decoder::kKeeps) {
      place.exceptions = device::pfor::find_exceptions(list, entry.index);
    }
    auto tail = docid_tail<kCodec>(batch_, query_.first_list + traits.list);
    Decoder::coded_docids(list, tail, place, entry.base, scratch(), slots);
  }

  /// DocIDs alone, of any block.
  __device__ void decode_slots(const BlockEntry& entry, std::uint32_t (&slots)[4]) {
    const BlockTraits traits = BlockTraits::read(entry.traits);
    if (traits.docid_code != kDenseCode) return decode_coded_slots(entry, traits, slots);
    const device::BitSet bits(entry.docids, entry.base, entry.last);
    bits.get(traits.count, entry.base, scratch(), slots);
    device::fill_rest(traits.count, kNone, slots);
  }

  __device__ void decode_values(const Entry& entry, const BlockTraits& traits,
                                std::uint32_t (&values)[4]) {
    const device::DeviceValues list = value_list(entry, traits);
    device::BlockPlace place{entry.values, entry.index, traits.value_code, traits.count};
    if constexpr (Decoder::kKeeps) place.exceptions = entry.value_exceptions;
    auto tail = value_tail<kCodec>(batch_, query_.first_list + traits.list);
    if constexpr (Decoder::kHasUsual) {
      if (traits.flags & kUsual) return Decoder::usual_values(list, tail, place, scratch(), values);
    }
    if (traits.flags & kRaw) return read_raw(entry.values, values);
    Decoder::values(list, tail, place, scratch(), values);
  }

  const OrRounds& batch_;
  const typename Own::Plan& plan_;
  const Query& query_;
  Own& memory_;
  QueryState& state_;
  std::uint32_t begin_;
  std::uint32_t half_;  ///< ItemInfo::half
  const List* lists_;
  std::uint32_t warp_;  ///< uniform, and the compiler knows it
  Clock& clock_;
  bool sums_are_whole_;
};

}  // namespace or_tiles
}  // namespace warpdex::gpu
