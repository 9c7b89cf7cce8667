// Reading the blocks that may decide: which of their documents are worth looking up in the other
// lists of their query. Internal to or_lookups.cu.
#pragma once

#include "gpu/kernels/or/or_searcher.cuh"

namespace warpdex::gpu {
namespace or_lookups {

/// Documents that wait for their chunk: less than one, and those of a block. A power of two.
inline constexpr std::uint32_t kQueue = kTogether + kBlockSize;
static_assert((kQueue & (kQueue - 1)) == 0);
/// In shared memory, one warp's.
struct ReadMemory {
  device::WarpScratch scratch;
  Candidate queue[kQueue];  ///< a ring
};

/// One warp's part of finding the documents that are worth looking up.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
class BlockReader {
 public:
  /// `together`: documents that are handed on at a time.
  __device__ BlockReader(const Batch& batch, const UnitTable<kForm>& table, std::uint32_t round,
                         std::uint32_t together, ReadMemory& memory)
      : batch_(batch),
        table_(table),
        tile_state_(static_cast<std::uint8_t>(kLookupTile | round)),
        together_(together),
        memory_(memory) {}

  /// Reads a chunk's blocks and calls hand_on(reader, list, documents) for what it found, whenever
  /// there are enough: it finds them by get().
  template <class HandOn>
  __device__ void read(const Chunk& chunk, HandOn hand_on) {
    const List& list = batch_.lists[chunk.list];
    const Query& query = batch_.queries[batch_.and_queries + list.owner];
    const ListWeight weight = table_.weigh(query, list);
    Need need(batch_, query);
    for (std::uint32_t i = 0; i < chunk.count; ++i) {
      if (Decoder::kKeeps && i % kAhead == 0 && i + 1 < chunk.count) read_ahead(chunk, i);
      read_block(query, chunk.list, weight, batch_.blocks[chunk.first + i], need);
      const bool is_last = i + 1 == chunk.count;
      const std::uint32_t count = is_last ? queued_ : queued_ / together_ * together_;
      if (count == 0) continue;
      hand_on(*this, chunk.list, count);  // in one place: it may be much code
      head_ += count;
      queued_ -= count;
      __syncwarp();  // before others' places are written
      if (!is_last) need = Need(batch_, query);
    }
  }

  /// One of the documents that are handed on.
  __device__ const Candidate& get(std::uint32_t i) const {
    return memory_.queue[(head_ + i) % kQueue];
  }

 private:
  using Decoder = device::BlockDecoder<kCodec, kLevels>;
  /// Blocks of `pfor` lie in several places: those of so many blocks are read to the L2 cache side
  /// by side, before the blocks are decoded one after the other.
  static constexpr std::uint32_t kAhead = 8;

  /// Starts to read a chunk's blocks from the one numbered `first` on: a lane docIDs or values.
  __device__ void read_ahead(const Chunk& chunk, std::uint32_t first) const {
    const List& list = batch_.lists[chunk.list];
    const std::uint32_t i = first + lane_id() % kAhead;
    if (lane_id() >= 2 * kAhead || i >= chunk.count || (list.flags & kRaw) != 0) return;
    const bool is_docids = lane_id() < kAhead;
    const std::uint32_t block = batch_.blocks[chunk.first + i];
    Decoder::prefetch(is_docids ? docid_tail<kCodec, kLevels>(batch_, chunk.list)
                                : value_tail<kCodec, kLevels>(batch_, chunk.list),
                      Decoder::locate(is_docids ? list.docids : list.frequencies, block));
  }

  /// Queues the documents of a block that may be in the answer.
  __device__ void read_block(const Query& query, std::uint32_t list_index, const ListWeight& weight,
                             std::uint32_t block, const Need& need) {
    const List& list = batch_.lists[list_index];
    const std::uint32_t* const rests = batch_.rests + list.row;
    const std::uint8_t* const states = batch_.tile_states + query.row;
    const std::uint32_t most = largest_rest(list, block, rests, states);
    const std::uint32_t least = need.threshold - min(need.threshold, most);
    std::uint32_t docids[4];
    std::uint32_t sums[4];
    std::uint8_t codes[4] = {};
    // Where lengths count, they are on their way while the values are decoded; else the values are
    // while the docIDs are.
    if constexpr (kForm == ScoreForm::kImpact) {
      read_values<kCodec, kLevels>(batch_, list_index, block, memory_.scratch, sums);
      read_docids<kCodec, kLevels>(batch_, list_index, block, memory_.scratch, docids);
    } else {
      read_docids<kCodec, kLevels>(batch_, list_index, block, memory_.scratch, docids);
      table_.read_codes(batch_, docids, codes);
      read_values<kCodec, kLevels>(batch_, list_index, block, memory_.scratch, sums);
    }
    bool wanted[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      const std::uint32_t document = docids[i];
      wanted[i] = document != kNone;
      if (wanted[i]) {
        sums[i] = table_.units(weight, sums[i], codes[i]);
        wanted[i] = sums[i] >= least;
      }
      if (wanted[i]) {
        const std::uint32_t tile = document >> kTileShift;
        wanted[i] = sums[i] + rests[tile] >= need.of(document) && states[tile] == tile_state_;
      }
    }
    const Places places(wanted);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (!wanted[i]) continue;
      memory_.queue[(head_ + queued_ + places.place(i)) % kQueue] = {docids[i], sums[i]};
    }
    queued_ += places.count;
    __syncwarp();
  }

  /// What the lists behind add at most in the tiles of this round that a block meets, or more.
  __device__ std::uint32_t largest_rest(const List& list, std::uint32_t block,
                                        const std::uint32_t* rests,
                                        const std::uint8_t* states) const {
    if (list.flags & kRaw) return kNone;
    const std::uint32_t low = block == 0 ? 0 : (list.last_docids[block - 1] + 1) >> kTileShift;
    const std::uint32_t high = list.last_docids[block] >> kTileShift;
    if (high - low >= kWarp) return kNone;
    const std::uint32_t tile = low + lane_id();
    const bool counts = tile <= high && states[tile] == tile_state_;
    return __reduce_max_sync(kWholeWarp, counts ? rests[tile] : 0);
  }

  const Batch& batch_;
  const UnitTable<kForm>& table_;
  std::uint8_t tile_state_;
  std::uint32_t together_;
  ReadMemory& memory_;
  std::uint32_t head_ = 0;  ///< of the queue
  std::uint32_t queued_ = 0;
};

}  // namespace or_lookups
}  // namespace warpdex::gpu
