// Looks up 32 documents at a time in posting lists, one a lane. Internal.
#pragma once

#include "gpu/device/list_reader.cuh"

namespace warpdex::gpu {

/// What lookups are optimised for. With many warps at work, few instructions and registers for each
/// lookup (throughput). With few warps, a short time until the result is there (latency).
enum class LookupGoal { kThroughput, kLatency };

/// One warp's, in shared memory.
struct LookupMemory {
  device::WarpScratch scratch;
  std::uint32_t block[kBlockSize];  ///< the docIDs of the block that was decoded last
};

/// Where a document's posting is in a list.
struct PostingPlace {
  std::uint32_t block = kNone;
  std::uint32_t place = kNone;  ///< in the block; kNone: the list does not have the document
};

/// The place of the first of the ascending numbers [begin, begin + count) that is not below
/// `target`, or the end. One thread. Each step cuts the numbers into `kParts` parts by independent
/// reads.
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

/// The only block of a list that can hold a document; kNone if all blocks end before it. Uses the
/// table of first blocks by tile if the list has a row there.
template <LookupGoal kGoal>
__device__ inline std::uint32_t find_block_of(const Batch& batch, const List& list,
                                              std::uint32_t document) {
  std::uint32_t first = 0;
  std::uint32_t last = list.blocks - 1;
  if (list.tile_row != kNone) {
    const std::uint32_t* const row = batch.first_blocks + list.tile_row + (document >> kTileShift);
    first = row[0];
    last = min(row[1], last);
    if (first > last) return kNone;
  }
  // With more parts there are more reads, but fewer of them wait for others.
  constexpr std::uint32_t kParts = kGoal == LookupGoal::kLatency ? 8 : 4;
  const std::uint32_t block =
      lower_bound_by_parts<kParts>(list.last_docids, first, last - first, document);
  return __ldg(list.last_docids + block) < document ? kNone : block;
}

/// Whether all lanes of a warp look documents up in the same list, or each in its own.
enum class LaneLists { kSame, kOwn };

/// For each distinct block that some lanes want: calls read(lane) in all lanes, where `lane` is one
/// of those that want it, and then take() in those that want it. With kSame, read() is not called
/// for the block `held`, and `held` becomes the block that was read last. A whole warp.
template <LaneLists kLists, class Read, class Take>
__device__ inline void for_each_wanted(bool wants, std::uint32_t list, std::uint32_t block,
                                       std::uint32_t& held, Read read, Take take) {
  for (;;) {
    const std::uint32_t waiting = __ballot_sync(kWholeWarp, wants);
    if (waiting == 0) return;
    const int leader = __ffs(static_cast<int>(waiting)) - 1;
    const std::uint32_t now = __shfl_sync(kWholeWarp, block, leader);
    bool is_of_list = true;
    if constexpr (kLists == LaneLists::kOwn) {
      is_of_list = list == __shfl_sync(kWholeWarp, list, leader);
    }
    if (kLists == LaneLists::kOwn || now != held) read(leader);
    held = now;
    __syncwarp();
    if (wants && is_of_list && block == now) {
      take();
      wants = false;
    }
    __syncwarp();
  }
}

/// Gives one lane's BlockPlace to all lanes.
template <CodecKind kCodec>
__device__ inline device::BlockPlace broadcast(const device::BlockPlace& place, int lane) {
  const auto all = [&](auto value) { return __shfl_sync(kWholeWarp, value, lane); };
  const std::uint32_t codes = all(std::uint32_t{place.code} << 8 | place.count);
  device::BlockPlace shared;
  shared.at =
      reinterpret_cast<const std::uint8_t*>(all(reinterpret_cast<unsigned long long>(place.at)));
  shared.code = static_cast<std::uint8_t>(codes >> 8);
  shared.count = static_cast<std::uint8_t>(codes & 255);
  if constexpr (kCodec == CodecKind::kPfor) {
    const device::ExceptionPlace& own = place.exceptions;
    shared.exceptions = {all(own.first), all(own.in_gaps), all(own.in_highs), all(own.counts)};
  }
  return shared;
}

/// Writes a block's values, of which each lane has four. A whole warp.
__device__ inline void put_block(const std::uint32_t (&values)[4],
                                 std::uint32_t (&block)[kBlockSize]) {
  reinterpret_cast<uint4*>(block)[lane_id()] = {values[0], values[1], values[2], values[3]};
}

/// The place of a docID among the 128 of a block, or kNone. One thread.
__device__ inline std::uint32_t find_in_block(const std::uint32_t* docids, std::uint32_t document) {
  std::uint32_t place = 0;
#pragma unroll
  for (std::uint32_t step = kBlockSize / 2; step > 0; step /= 2) {
    if (docids[place + step - 1] < document) place += step;
  }
  return docids[place] == document ? place : kNone;
}

/// Gives one lane's list to all lanes. With kSame they have the same already.
template <LaneLists kLists>
__device__ inline std::uint32_t list_of_lane(std::uint32_t list, int lane) {
  return kLists == LaneLists::kSame ? list : __shfl_sync(kWholeWarp, list, lane);
}

/// Finds the document of each lane that `has` one in the lane's list. A whole warp. Each lane reads
/// bit sets by itself; the warp decodes other blocks, each once. With kSame, `held` is the block
/// that memory.block still holds from the call before, or kNone.
template <CodecKind kCodec, LookupGoal kGoal, LaneLists kLists = LaneLists::kSame>
__device__ inline PostingPlace find_document(const Batch& batch, std::uint32_t list_index, bool has,
                                             std::uint32_t document, std::uint32_t& held,
                                             LookupMemory& memory) {
  using Decoder = device::BlockDecoder<kCodec>;
  const List& list = batch.lists[list_index];
  PostingPlace posting;
  if (list.flags & kRaw) {
    if constexpr (kLists == LaneLists::kSame) {
      std::uint32_t docids[4];
      read_raw(list.docids.bytes, docids);  // one read; a search would wait for several
      put_block(docids, memory.block);
      __syncwarp();
      if (has) posting.place = find_in_block(memory.block, document);
      __syncwarp();
      return posting;
    }
    if (has) {
      posting.place =
          find_in_block(reinterpret_cast<const std::uint32_t*>(list.docids.bytes), document);
    }
    has = false;
  }
  bool waits = false;
  std::uint32_t base = 0;
  std::uint32_t last = 0;
  device::BlockPlace place{};
  if (has) posting.block = find_block_of<kGoal>(batch, list, document);
  if (posting.block != kNone) {
    place = Decoder::locate(list.docids, posting.block);
    Decoder::prefetch(docid_tail<kCodec>(batch, list_index), place);
    if (batch.prefetches_values) {
      Decoder::prefetch(value_tail<kCodec>(batch, list_index),
                        Decoder::locate(list.frequencies, posting.block));
    }
    base = posting.block == 0 ? list.first_document - 1
                              : __ldg(list.last_docids + (posting.block - 1));
    last = __ldg(list.last_docids + posting.block);
    waits = place.code != kDenseCode;
    if (!waits) posting.place = Decoder::find_in_dense(place, {document - base - 1, last - base});
  }
  for_each_wanted<kLists>(
      waits, list_index, posting.block, held,
      [&](int lane) {
        std::uint32_t docids[4];
        const std::uint32_t now = list_of_lane<kLists>(list_index, lane);
        auto tail = docid_tail<kCodec>(batch, now);
        Decoder::docids((kLists == LaneLists::kSame ? list : batch.lists[now]).docids, tail,
                        broadcast<kCodec>(place, lane), __shfl_sync(kWholeWarp, base, lane),
                        __shfl_sync(kWholeWarp, last, lane), memory.scratch, docids);
        put_block(docids, memory.block);
      },
      [&] { posting.place = find_in_block(memory.block, document); });
  return posting;
}

/// The value of each lane's posting: a frequency or an impact, less one; kNone if there is no
/// posting. A whole warp. Each lane reads its own value where one thread can; the warp decodes
/// other blocks, each once.
template <CodecKind kCodec, LaneLists kLists = LaneLists::kSame>
__device__ inline std::uint32_t value_at(const Batch& batch, std::uint32_t list_index,
                                         const PostingPlace& posting, LookupMemory& memory) {
  using Decoder = device::BlockDecoder<kCodec>;
  const List& list = batch.lists[list_index];
  bool found = posting.place != kNone;
  std::uint32_t value = kNone;
  if (list.flags & kRaw) {
    if (found)
      value = reinterpret_cast<const std::uint32_t*>(list.frequencies.bytes)[posting.place];
    if constexpr (kLists == LaneLists::kSame) return value;
    found = false;
  }
  bool waits = false;
  device::BlockPlace place{};
  if (found) {
    place = Decoder::locate(list.frequencies, posting.block);
    const auto tail = value_tail<kCodec>(batch, list_index);
    waits = !Decoder::reads_alone(place.code);
    if (waits) Decoder::prefetch(tail, place);
    if (!waits) value = Decoder::value_alone(list.frequencies, tail, place, posting.place);
  }
  if constexpr (!Decoder::kAllAlone) {
    std::uint32_t none = kNone;
    for_each_wanted<kLists>(
        waits, list_index, posting.block, none,
        [&](int lane) {
          std::uint32_t values[4];
          const std::uint32_t now = list_of_lane<kLists>(list_index, lane);
          auto tail = value_tail<kCodec>(batch, now);
          Decoder::values((kLists == LaneLists::kSame ? list : batch.lists[now]).frequencies, tail,
                          broadcast<kCodec>(place, lane), memory.scratch, values);
          __syncwarp();
          put_block(values, memory.scratch.words);  // memory.block keeps its docIDs
        },
        [&] { value = memory.scratch.words[posting.place]; });
  }
  return value;
}

}  // namespace warpdex::gpu
