// Adds up the lists of a query in a piece. Internal to or_pieces.cu.
#pragma once

#include "gpu/kernels/pieces/piece_memory.cuh"
#include "warpdex/codecs/device/ones.cuh"

namespace warpdex::gpu {
namespace or_pieces {

/// 1 / x, off by one unit of the last place at most. x is not tiny.
__device__ inline float fast_reciprocal(float x) {
  float result = 0;
  asm("rcp.approx.ftz.f32 %0, %1;" : "=f"(result) : "f"(x));
  return result;
}

/// Words of a block that a lane needs, read ahead.
struct BlockWords {
  std::uint32_t docids[3];
  std::uint32_t values[3];
};

/// One warp's work: it adds whole lists, block by block.
class PieceAdder {
 public:
  __device__ PieceAdder(const OrRounds& batch, const Query& query, std::uint32_t begin,
                        std::uint32_t size, Memory& memory)
      : batch_(batch),
        query_(query),
        begin_(begin),
        size_(size),
        memory_(memory),
        own_(memory.warps[warp_id()]) {}

  /// Adds the query's list number `number`. A whole warp.
  __device__ void add_list(std::uint32_t number) {
    const ListShare share = memory_.lists[number];
    const List& list = batch_.lists[query_.first_list + number];
    weight_ = list.weight * query_.scale;
    for (std::uint32_t from = 0; from < share.count; from += kWarp) {
      const std::uint32_t count = min(kWarp, share.count - from);
      note_blocks(list, share.first + from, count);
      __syncwarp();
      add_noted(number, list, share.first + from, count);
      __syncwarp();
    }
  }

  /// Clears the sums of a prohibited list's documents. A whole warp.
  __device__ void erase_list(std::uint32_t number) {
    const ListShare share = memory_.lists[number];
    for (std::uint32_t i = 0; i < share.count; ++i) {
      std::uint32_t docids[4];
      read_docids<CodecKind::kBitpack>(batch_, query_.first_list + number, share.first + i,
                                       own_.scratch, docids);
#pragma unroll
      for (const std::uint32_t docid : docids) {
        if (docid - begin_ < size_) memory_.sums[docid - begin_] = 0;
      }
      __syncwarp();
    }
  }

 private:
  /// Writes the notes of `count` blocks, one a lane, with one of nothing behind, and brings the
  /// blocks to the L2 cache.
  __device__ void note_blocks(const List& list, std::uint32_t first, std::uint32_t count) {
    BlockNote note{0, 0, 0, kOther};
    if (lane_id() == 0) own_.notes[count] = note;
    if (lane_id() >= count) return;
    if ((list.flags & kRaw) == 0) note_block(list, first + lane_id(), note);
    own_.notes[lane_id()] = note;
  }

  __device__ void note_block(const List& list, std::uint32_t block, BlockNote& note) const {
    const device::BlockPlace docids = device::locate(list.docids, block);
    const device::BlockPlace values = device::locate(list.frequencies, block);
    const std::uint32_t base =
        block == 0 ? list.first_document - 1 : __ldg(list.last_docids + (block - 1));
    const std::uint32_t last = __ldg(list.last_docids + block);
    prefetch(docids.at);
    prefetch(values.at);
    const bool is_dense = docids.code == kDenseCode;
    const std::uint32_t span = last - base;
    const bool is_narrow =
        is_dense ? span <= kWarp * device::kMaxPieceBits : docids.code <= device::kNarrowWidth;
    const auto docids_bit = first_bit(list.docids.bytes) + 8 * (docids.at - list.docids.bytes);
    const auto values_bit =
        first_bit(list.frequencies.bytes) + 8 * (values.at - list.frequencies.bytes);
    constexpr auto kMaxBit = kNone - kBlockSize * 32;
    if (docids.count != kBlockSize || !is_narrow || values.code > device::kNarrowWidth ||
        is_capped(list) || docids_bit > kMaxBit || values_bit > kMaxBit) {
      return;
    }
    note.docids = static_cast<std::uint32_t>(docids_bit);
    note.values = static_cast<std::uint32_t>(values_bit);
    note.base = base - begin_;
    note.form = is_dense ? (span + kWarp - 1) / kWarp | kDense | span << 16 : 4U * docids.code;
    note.form |= std::uint32_t{values.code} << 8;
    if (base + 1 - begin_ < size_ && last - begin_ < size_) note.form |= kInside;
  }

  /// Whether a posting may count more than the query's cap.
  __device__ bool is_capped(const List& list) const {
    return list.bound * query_.scale > static_cast<float>(query_.unit_cap);
  }

  /// Adds the noted blocks. The words of each are read while the one before is added. Unrolled
  /// twice, the loop takes 2 % more time.
  __device__ void add_noted(std::uint32_t number, const List& list, std::uint32_t first,
                            std::uint32_t count) {
    const std::uint32_t* const docids = first_word(list.docids.bytes);
    const std::uint32_t* const values = first_word(list.frequencies.bytes);
    BlockNote next = own_.notes[0];
    BlockWords next_words = read_words(docids, values, next);
#pragma unroll 1
    for (std::uint32_t i = 0; i < count; ++i) {
      const BlockNote note = next;
      const BlockWords words = next_words;
      next = own_.notes[i + 1];
      next_words = read_words(docids, values, next);
      if (note.form & kOther) {
        add_other(number, list, first + i);
      } else {
        add_usual(note, words);
      }
    }
  }

  /// The whole word in which the bytes start, and the bit in it.
  static __device__ const std::uint32_t* first_word(const std::uint8_t* bytes) {
    return reinterpret_cast<const std::uint32_t*>(reinterpret_cast<std::uintptr_t>(bytes) &
                                                  ~std::uintptr_t{3});
  }
  static __device__ std::uint64_t first_bit(const std::uint8_t* bytes) {
    return reinterpret_cast<std::uintptr_t>(bytes) % 4 * 8;
  }

  static __device__ std::uint32_t docids_bit(const BlockNote& note) {
    return note.docids + lane_id() * note.docid_bits();
  }
  static __device__ std::uint32_t values_bit(const BlockNote& note) {
    return note.values + 4 * lane_id() * note.value_width();
  }

  /// Of a block that is kOther, the first words of the list, which nothing uses.
  static __device__ BlockWords read_words(const std::uint32_t* docids, const std::uint32_t* values,
                                          const BlockNote& note) {
    BlockWords words;
    docids += docids_bit(note) / 32;
    values += values_bit(note) / 32;
#pragma unroll
    for (int i = 0; i < 3; ++i) {
      words.docids[i] = __ldg(docids + i);
      words.values[i] = __ldg(values + i);
    }
    return words;
  }

  /// Adds a full block of narrow values.
  __device__ void add_usual(const BlockNote& note, const BlockWords& words) {
    std::uint32_t slots[4];
    std::uint32_t values[4];
    if (note.form & kDense) {
      find_ones(__funnelshift_r(words.docids[0], words.docids[1], docids_bit(note)),
                note.docid_bits(), note.span(), slots);
#pragma unroll
      for (std::uint32_t& slot : slots) slot += note.base + 1;
    } else {
      device::unpack_narrow_words(words.docids, docids_bit(note), note.docid_bits() / 4, slots);
      device::sum_gaps(note.base, slots);
    }
    device::unpack_narrow_words(words.values, values_bit(note), note.value_width(), values);
    if ((note.form & kInside) == 0) {
#pragma unroll
      for (std::uint32_t& slot : slots) slot = slot < size_ ? slot : kMaxPiece + lane_id();
    }
    add_postings(slots, values);
  }

  /// The positions of the ones in a bit set of `span` bits, of which each lane has `bits`.
  __device__ void find_ones(std::uint32_t word, std::uint32_t bits, std::uint32_t span,
                            std::uint32_t (&positions)[4]) {
    const device::Positions all(own_.scratch);
    const std::uint32_t position = lane_id() * bits;
    word &= device::mask_of(min(bits, max(span, position) - position));
    const std::uint32_t ones = __popc(word);
    const std::uint32_t rank = inclusive_sum(ones) - ones;
    if (rank >= kBlockSize) word = 0;
    device::put_ones(word, bits, position, all.address_of(rank));
    __syncwarp();
    all.get(positions);
    __syncwarp();
  }

  /// Adds four postings a lane. A posting's units are the low half of a float, as units_of() has
  /// them, which is added as it is. So the high half of a sum collects exponents.
  __device__ void add_postings(const std::uint32_t (&slots)[4], const std::uint32_t (&values)[4]) {
    std::uint32_t units[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const float tf = __uint_as_float(0x4B000000 | values[i]) - 8'388'607.F;
      const float share = fast_reciprocal(tf + memory_.parts[slots[i]]);
      units[i] = __float_as_uint(__fmaf_rn(tf * weight_, share, 8'388'609.F));
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) atomicAdd(&memory_.sums[slots[i]], units[i]);
  }

  /// Adds a block of any kind.
  __device__ void add_other(std::uint32_t number, const List& list, std::uint32_t block) {
    std::uint32_t docids[4];
    std::uint32_t values[4];
    const std::uint32_t index = query_.first_list + number;
    read_docids<CodecKind::kBitpack>(batch_, index, block, own_.scratch, docids);
    read_values<CodecKind::kBitpack>(batch_, index, block, own_.scratch, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t slot = docids[i] - begin_;
      if (docids[i] == kNone || slot >= size_) continue;
      const std::uint32_t units = Bm25Units::of(values[i], memory_.parts[slot], weight_, 0,
                                                (list.flags & kHugeFrequencies) != 0);
      atomicAdd(&memory_.sums[slot], min(units, query_.unit_cap));
    }
  }

  const OrRounds& batch_;
  const Query& query_;
  std::uint32_t begin_;
  std::uint32_t size_;
  Memory& memory_;
  WarpMemory& own_;
  float weight_ = 0;  ///< of the list, in units
};

}  // namespace or_pieces
}  // namespace warpdex::gpu
