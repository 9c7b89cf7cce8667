// Reads competitive blocks and finds the documents in them that must be looked up in the other
// lists of their query. Internal to or_lookups.cu.
#pragma once

#include "gpu/kernels/or/or_searcher.cuh"

namespace warpdex::gpu {
namespace or_lookups {

/// Documents that wait until a chunk is full: fewer than a chunk's, plus those of a block. A power
/// of two.
inline constexpr std::uint32_t kQueue = kTogether + kBlockSize;
static_assert((kQueue & (kQueue - 1)) == 0);
/// One warp's, in shared memory.
struct ReadMemory {
  device::WarpScratch scratch;
  Candidate queue[kQueue];  ///< a ring buffer
};

/// Reads blocks and finds their competitive documents. One warp.
template <CodecKind kCodec, class Units>
class BlockReader {
 public:
  /// `together`: documents that are passed on at a time.
  __device__ BlockReader(const OrRounds& batch, const UnitTable<Units>& table, std::uint32_t round,
                         std::uint32_t together, ReadMemory& memory)
      : batch_(batch),
        table_(table),
        tile_state_(static_cast<std::uint8_t>(kLookupTile | round)),
        together_(together),
        memory_(memory) {}

  /// Reads the blocks of a chunk. Whenever enough documents are found, calls emit(reader, list,
  /// count); get() gives the documents.
  template <class Emit>
  __device__ void read(const Chunk& chunk, Emit emit) {
    const List& list = batch_.lists[chunk.list];
    const Query& query = batch_.queries[batch_.and_queries + list.or_query];
    const ListWeight weight = table_.weigh(batch_, query, list);
    Threshold need(batch_, query);
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      if (Decoder::kKeeps && i % kAhead == 0 && i + 1 < chunk.count) read_ahead(chunk, i);
      read_block(query, chunk.list, weight, batch_.blocks[chunk.first + i], need);
      const bool is_last = i + 1 == chunk.count;
      const std::uint32_t count = is_last ? queued_ : queued_ / together_ * together_;
      if (count == 0) continue;
      emit(*this, chunk.list, count);  // called in one place only, since its code may be large
      head_ += count;
      queued_ -= count;
      __syncwarp();  // all have read their documents; the ring may be written again
      if (!is_last) need = Threshold(batch_, query);
    }
  }

  /// Document i of those that are passed to emit().
  __device__ const Candidate& get(std::uint32_t i) const {
    return memory_.queue[(head_ + i) % kQueue];
  }

 private:
  using Decoder = device::BlockDecoder<kCodec>;
  /// The parts of a `pfor` block lie in several places. So kAhead blocks at a time are prefetched
  /// into the L2 cache, before they are decoded one by one.
  static constexpr std::uint32_t kAhead = 8;

  /// Prefetches blocks of a chunk, from number `first` on: each lane the docIDs or the values of
  /// one.
  __device__ void read_ahead(const Chunk& chunk, std::uint32_t first) const {
    const List& list = batch_.lists[chunk.list];
    const std::uint32_t i = first + lane_id() % kAhead;
    if (lane_id() >= 2 * kAhead || i >= chunk.count || (list.flags & kRaw) != 0) return;
    const bool is_docids = lane_id() < kAhead;
    const std::uint32_t block = batch_.blocks[chunk.first + i];
    Decoder::prefetch(
        is_docids ? docid_tail<kCodec>(batch_, chunk.list) : value_tail<kCodec>(batch_, chunk.list),
        Decoder::locate(is_docids ? list.docids : list.frequencies, block));
  }

  /// Queues the documents of a block that may be in the answer.
  __device__ void read_block(const Query& query, std::uint32_t list_index, const ListWeight& weight,
                             std::uint32_t block, const Threshold& need) {
    const List& list = batch_.lists[list_index];
    const std::uint32_t* const suffix_bounds = batch_.suffix_bounds + list.tile_row;
    const std::uint8_t* const states = batch_.tile_states + query.tile_row;
    const std::uint32_t max_suffix = max_suffix_bound(list, block, suffix_bounds, states);
    const std::uint32_t floor = need.sum - min(need.sum, max_suffix);
    std::uint32_t docids[4];
    std::uint32_t sums[4];
    std::uint8_t codes[4] = {};
    // If scores depend on lengths, the length codes are read while the values are decoded. Else the
    // values are read while the docIDs are decoded.
    if constexpr (!Units::kHasLengths) {
      read_values<kCodec>(batch_, list_index, block, memory_.scratch, sums);
      read_docids<kCodec>(batch_, list_index, block, memory_.scratch, docids);
    } else {
      read_docids<kCodec>(batch_, list_index, block, memory_.scratch, docids);
      table_.read_codes(batch_, weight, docids, codes);
      read_values<kCodec>(batch_, list_index, block, memory_.scratch, sums);
    }
    bool wanted[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t document = docids[i];
      wanted[i] = document != kNone;
      if (wanted[i]) {
        sums[i] = table_.units(weight, sums[i], codes[i]);
        wanted[i] = sums[i] >= floor;
      }
      if (wanted[i]) {
        const std::uint32_t tile = document >> kTileShift;
        wanted[i] =
            sums[i] + suffix_bounds[tile] >= need.at(document) && states[tile] == tile_state_;
      }
    }
    RemovedBits(batch_, docids, wanted).drop(docids, wanted);
    const LanePlaces places(wanted);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (!wanted[i]) continue;
      memory_.queue[(head_ + queued_ + places.place(i)) % kQueue] = {docids[i], sums[i]};
    }
    queued_ += places.count;
    __syncwarp();
  }

  /// An upper bound of the suffix bounds in those tiles of this round that a block meets.
  __device__ std::uint32_t max_suffix_bound(const List& list, std::uint32_t block,
                                            const std::uint32_t* suffix_bounds,
                                            const std::uint8_t* states) const {
    if (list.flags & kRaw) return kNone;
    const std::uint32_t first = block == 0 ? list.first_document : list.last_docids[block - 1] + 1;
    const std::uint32_t low = first >> kTileShift;
    const std::uint32_t high = list.last_docids[block] >> kTileShift;
    if (high - low >= kWarp) return kNone;
    const std::uint32_t tile = low + lane_id();
    const bool counts = tile <= high && states[tile] == tile_state_;
    return warp_max(counts ? suffix_bounds[tile] : 0);
  }

  const OrRounds& batch_;
  const UnitTable<Units>& table_;
  std::uint8_t tile_state_;
  std::uint32_t together_;
  ReadMemory& memory_;
  std::uint32_t head_ = 0;  ///< of the ring buffer
  std::uint32_t queued_ = 0;
};

}  // namespace or_lookups
}  // namespace warpdex::gpu
