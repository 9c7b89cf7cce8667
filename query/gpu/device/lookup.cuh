// Lookups of documents in a list: 32 at once, a lane each. Internal.
#pragma once

#include "gpu/device/list_reader.cuh"
#include "warpdex/codecs/device/four_packed.cuh"

namespace warpdex::gpu {

/// What lookups are to spare: instructions and registers, where many warps have work, or time,
/// where few have, and each waits for itself.
enum class Spare { kWork, kTime };

/// One warp's, in shared memory.
template <Spare kSpare>
struct LookupMemory {
  device::WarpScratch scratch;
  std::uint32_t block[kBlockSize];  ///< docIDs that were decoded for the lanes that want them
};
template <>
struct LookupMemory<Spare::kTime> {
  union {
    device::WarpScratch scratch;
    device::PackedBlock wanted[kWarp];  ///< blocks that lanes want, each once
  };
  union {
    std::uint32_t block[kBlockSize];
    device::UnpackedBlock blocks[device::kBlocksAtOnce];
  };
};

/// Where a document is in a list.
struct Spot {
  std::uint32_t block = kNone;
  std::uint32_t place = kNone;  ///< in the block; kNone: it is not there
};

/// The first of the ascending numbers [begin, begin + count) that is not below `target`, or the
/// end. A thread; cuts the numbers in `kParts` by reads that do not wait for each other.
template <std::uint32_t kParts>
__device__ inline std::uint32_t lower_bound_by_parts(const std::uint32_t* numbers,
                                                     std::uint32_t begin, std::uint32_t count,
                                                     std::uint32_t target) {
  while (count > 0) {
    const std::uint32_t step = count / kParts + 1;  // the steps leave the rest to the last part
    std::uint32_t passed = 0;
#pragma unroll
    for (std::uint32_t i = 1; i < kParts; ++i) {
      const std::uint32_t end = min(i * step, count);
      if (__ldg(numbers + (begin + end - 1)) < target) passed = end;
    }
    begin += passed;
    count = min(step - 1, count - passed);
  }
  return begin;
}

/// The block in which a document must be, found with the table of tiles if the list has one; kNone
/// if all end before it.
template <Spare kSpare>
__device__ inline std::uint32_t find_block_of(const Batch& batch, const List& list,
                                              std::uint32_t document) {
  std::uint32_t first = 0;
  std::uint32_t last = list.blocks - 1;
  if (list.row != kNone) {
    const std::uint32_t* const row = batch.first_blocks + list.row + (document >> kTileShift);
    first = row[0];
    last = min(row[1], last);
    if (first > last) return kNone;
  }
  // More parts, more reads, of which fewer wait for others.
  constexpr std::uint32_t kParts = kSpare == Spare::kTime ? 8 : 4;
  const std::uint32_t block =
      lower_bound_by_parts<kParts>(list.last_docids, first, last - first, document);
  return __ldg(list.last_docids + block) < document ? kNone : block;
}

/// Lists that the lanes of a warp look documents up in: the same, or each its own.
enum class LanesLists { kSame, kOwn };

/// Calls read(lane) for a lane of each list's block that lanes `want`, but for the block that is
/// `held`, and then take() in all lanes that want it. A whole warp. With kSame, `held` becomes the
/// block that was read last.
template <LanesLists kLists, class Read, class Take>
__device__ inline void for_each_wanted(bool wants, std::uint32_t list, std::uint32_t block,
                                       std::uint32_t& held, Read read, Take take) {
  for (;;) {
    const std::uint32_t waiting = __ballot_sync(kWholeWarp, wants);
    if (waiting == 0) return;
    const int leader = __ffs(static_cast<int>(waiting)) - 1;
    const std::uint32_t now = __shfl_sync(kWholeWarp, block, leader);
    bool is_of_list = true;
    if constexpr (kLists == LanesLists::kOwn) {
      is_of_list = list == __shfl_sync(kWholeWarp, list, leader);
    }
    if (kLists == LanesLists::kOwn || now != held) read(leader);
    held = now;
    __syncwarp();
    if (wants && is_of_list && block == now) {
      take();
      wants = false;
    }
    __syncwarp();
  }
}

/// What one lane knows of a block, to all lanes: what decoding it by its list's tail takes.
template <CodecKind kCodec>
__device__ inline device::BlockPlace broadcast(const device::BlockPlace& place, int lane) {
  const auto all = [&](auto value) { return __shfl_sync(kWholeWarp, value, lane); };
  const std::uint32_t codes = all(std::uint32_t{place.code} << 8 | place.count);
  device::BlockPlace told;
  told.at =
      reinterpret_cast<const std::uint8_t*>(all(reinterpret_cast<unsigned long long>(place.at)));
  told.code = static_cast<std::uint8_t>(codes >> 8);
  told.count = static_cast<std::uint8_t>(codes & 255);
  if constexpr (kCodec == CodecKind::kPfor) {
    const device::ExceptionPlace& own = place.exceptions;
    told.exceptions = {all(own.first), all(own.in_gaps), all(own.in_highs), all(own.counts)};
  }
  return told;
}

__device__ inline void put_block(const std::uint32_t (&values)[4],
                                 std::uint32_t (&block)[kBlockSize]) {
  reinterpret_cast<uint4*>(block)[lane_id()] = {values[0], values[1], values[2], values[3]};
}

/// The place of a docID among a block's 128, or kNone. A thread.
__device__ inline std::uint32_t find_in_block(const std::uint32_t* docids, std::uint32_t document) {
  std::uint32_t place = 0;
#pragma unroll
  for (std::uint32_t step = kBlockSize / 2; step > 0; step /= 2) {
    if (docids[place + step - 1] < document) place += step;
  }
  return docids[place] == document ? place : kNone;
}

/// The places of the documents of the lanes that `want` a packed block; four blocks at a time. A
/// whole warp; with kSame, `list` does not count.
template <LanesLists kLists>
__device__ inline std::uint32_t find_in_packed(bool wants, std::uint32_t list, std::uint32_t block,
                                               const device::PackedBlock& packed,
                                               std::uint32_t document,
                                               LookupMemory<Spare::kTime>& memory) {
  std::uint32_t found = kNone;
  const std::uint32_t waiting = __ballot_sync(kWholeWarp, wants);
  if (waiting == 0) return found;
  std::uint32_t first = 0;  // of the lanes that want the same block
  if (wants) {
    if constexpr (kLists == LanesLists::kSame) {
      first = __ffs(static_cast<int>(__match_any_sync(waiting, block))) - 1;
    } else {
      const unsigned long long key = static_cast<unsigned long long>(list) << 32 | block;
      first = __ffs(static_cast<int>(__match_any_sync(waiting, key))) - 1;
    }
  }
  const bool is_first = wants && first == lane_id();
  const std::uint32_t firsts = __ballot_sync(kWholeWarp, is_first);
  const std::uint32_t number = __popc(firsts & ((1U << first) - 1));  // of the lane's block
  if (is_first) memory.wanted[number] = packed;
  __syncwarp();
  const std::uint32_t blocks = __popc(firsts);
  for (std::uint32_t begin = 0; begin < blocks; begin += device::kBlocksAtOnce) {
    const std::uint32_t own = min(begin + lane_id() / device::kGroupLanes, blocks - 1);
    device::unpack_four_blocks(memory.wanted[own], memory.blocks);
    __syncwarp();
    if (wants && number - begin < device::kBlocksAtOnce) {
      found = memory.blocks[number - begin].find(document, kNone);
    }
    __syncwarp();
  }
  return found;
}

/// What a lane says, to all lanes; what is the same in all needs no telling.
template <LanesLists kLists>
__device__ inline std::uint32_t list_of_lane(std::uint32_t list, int lane) {
  return kLists == LanesLists::kSame ? list : __shfl_sync(kWholeWarp, list, lane);
}

/// Where the document of each lane that is `alive` is in the lane's list. A whole warp. Bit sets
/// are read by the lanes, other blocks are decoded by the warp, each once: neighbours share them.
/// With kSame, `held` is the block of the list that memory.block has of the call before, or kNone.
template <CodecKind kCodec, int kLevels, Spare kSpare, LanesLists kLists = LanesLists::kSame>
__device__ inline Spot find_spot(const Batch& batch, std::uint32_t list_index, bool alive,
                                 std::uint32_t document, std::uint32_t& held,
                                 LookupMemory<kSpare>& memory) {
  using Decoder = device::BlockDecoder<kCodec, kLevels>;
  const List& list = batch.lists[list_index];
  Spot spot;
  if (list.flags & kRaw) {
    if constexpr (kLists == LanesLists::kSame) {
      std::uint32_t docids[4];
      read_raw(list.docids.bytes, docids);  // one read, where a search would wait for some
      put_block(docids, memory.block);
      __syncwarp();
      if (alive) spot.place = find_in_block(memory.block, document);
      __syncwarp();
      return spot;
    }
    if (alive) {
      spot.place =
          find_in_block(reinterpret_cast<const std::uint32_t*>(list.docids.bytes), document);
    }
    alive = false;
  }
  bool waits = false;
  std::uint32_t base = 0;
  std::uint32_t last = 0;
  device::BlockPlace place{};
  if (alive) spot.block = find_block_of<kSpare>(batch, list, document);
  if (spot.block != kNone) {
    place = Decoder::locate(list.docids, spot.block);
    Decoder::prefetch(docid_tail<kCodec, kLevels>(batch, list_index), place);
    if (batch.round_count == 0) {
      Decoder::prefetch(value_tail<kCodec, kLevels>(batch, list_index),
                        Decoder::locate(list.frequencies, spot.block));
    }
    base = spot.block == 0 ? kNone : __ldg(list.last_docids + (spot.block - 1));
    last = __ldg(list.last_docids + spot.block);
    waits = place.code != kDenseCode;
    if (!waits) spot.place = Decoder::find_in_dense(place, {document - base - 1, last - base});
  }
  if constexpr (kCodec == CodecKind::kBitpack && kSpare == Spare::kTime) {
    const device::PackedBlock packed{place.at, base, place.code, place.count};
    const std::uint32_t found =
        find_in_packed<kLists>(waits, list_index, spot.block, packed, document, memory);
    if (waits) spot.place = found;
    return spot;
  }
  for_each_wanted<kLists>(
      waits, list_index, spot.block, held,
      [&](int lane) {
        std::uint32_t docids[4];
        const std::uint32_t now = list_of_lane<kLists>(list_index, lane);
        auto tail = docid_tail<kCodec, kLevels>(batch, now);
        Decoder::docids((kLists == LanesLists::kSame ? list : batch.lists[now]).docids, tail,
                        broadcast<kCodec>(place, lane), __shfl_sync(kWholeWarp, base, lane),
                        __shfl_sync(kWholeWarp, last, lane), memory.scratch, docids);
        put_block(docids, memory.block);
      },
      [&] { spot.place = find_in_block(memory.block, document); });
  return spot;
}

/// The value that the lane's list has at each lane's spot: a frequency or an impact, less one;
/// kNone if it has none. A whole warp: each lane reads its own where the codec lets one thread do
/// so, other blocks are decoded by the warp, each once.
template <CodecKind kCodec, int kLevels, Spare kSpare, LanesLists kLists = LanesLists::kSame>
__device__ inline std::uint32_t value_at(const Batch& batch, std::uint32_t list_index,
                                         const Spot& spot, LookupMemory<kSpare>& memory) {
  using Decoder = device::BlockDecoder<kCodec, kLevels>;
  const List& list = batch.lists[list_index];
  bool found = spot.place != kNone;
  std::uint32_t value = kNone;
  if (list.flags & kRaw) {
    if (found) value = reinterpret_cast<const std::uint32_t*>(list.frequencies.bytes)[spot.place];
    if constexpr (kLists == LanesLists::kSame) return value;
    found = false;
  }
  bool waits = false;
  device::BlockPlace place{};
  if (found) {
    place = Decoder::locate(list.frequencies, spot.block);
    const auto tail = value_tail<kCodec, kLevels>(batch, list_index);
    waits = !Decoder::reads_alone(place.code);
    if (waits) Decoder::prefetch(tail, place);
    if (!waits) value = Decoder::value_alone(list.frequencies, tail, place, spot.place);
  }
  if constexpr (!Decoder::kAllAlone) {
    std::uint32_t none = kNone;
    for_each_wanted<kLists>(
        waits, list_index, spot.block, none,
        [&](int lane) {
          std::uint32_t values[4];
          const std::uint32_t now = list_of_lane<kLists>(list_index, lane);
          auto tail = value_tail<kCodec, kLevels>(batch, now);
          Decoder::values((kLists == LanesLists::kSame ? list : batch.lists[now]).frequencies, tail,
                          broadcast<kCodec>(place, lane), memory.scratch, values);
          __syncwarp();
          put_block(values, memory.scratch.words);  // memory.block keeps its docIDs
        },
        [&] { value = memory.scratch.words[spot.place]; });
  }
  return value;
}

}  // namespace warpdex::gpu
