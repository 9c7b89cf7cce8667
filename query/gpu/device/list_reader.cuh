// One warp reads a block of a query's list, raw or encoded. Binary searches in a list's arrays.
// Internal.
#pragma once

#include "gpu/layout/batch.hpp"
#include "warpdex/codecs/device/block_decoder.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {

/// The lane's four of the 128 plain numbers of a raw list.
__device__ inline void read_raw(const std::uint8_t* bytes, std::uint32_t (&values)[4]) {
  const uint4 four = reinterpret_cast<const uint4*>(bytes)[lane_id()];
  values[0] = four.x;
  values[1] = four.y;
  values[2] = four.z;
  values[3] = four.w;
}

/// The parsed tail of a list's docIDs, and of its values, as decoders take them: empty for codecs
/// other than `pfor`.
template <CodecKind kCodec>
__device__ inline typename device::BlockDecoder<kCodec>::Tail docid_tail(const Batch& batch,
                                                                         std::uint32_t list) {
  using Decoder = device::BlockDecoder<kCodec>;
  if constexpr (Decoder::kKeeps)
    return static_cast<typename Decoder::Tail>(batch.exception_tails) + 2 * list;
  if constexpr (!Decoder::kKeeps) return {};
}
template <CodecKind kCodec>
__device__ inline typename device::BlockDecoder<kCodec>::Tail value_tail(const Batch& batch,
                                                                         std::uint32_t list) {
  using Decoder = device::BlockDecoder<kCodec>;
  if constexpr (Decoder::kKeeps) {
    return static_cast<typename Decoder::Tail>(batch.exception_tails) + 2 * list + 1;
  }
  if constexpr (!Decoder::kKeeps) return {};
}

/// Lane l gets docIDs 4l to 4l + 3 of a list's block; kNone past the block's last.
template <CodecKind kCodec>
__device__ inline void read_docids(const Batch& batch, std::uint32_t list_index,
                                   std::uint32_t block, device::WarpScratch& scratch,
                                   std::uint32_t (&docids)[4]) {
  const List& list = batch.lists[list_index];
  if (list.flags & kRaw) return read_raw(list.docids.bytes, docids);
  const std::uint32_t last = list.last_docids[block];
  const std::uint32_t base = block == 0 ? list.first_document - 1 : list.last_docids[block - 1];
  using Decoder = device::BlockDecoder<kCodec>;
  const device::BlockPlace place = Decoder::locate(list.docids, block);
  auto tail = docid_tail<kCodec>(batch, list_index);
  Decoder::docids(list.docids, tail, place, base, last, scratch, docids);
}

/// Lane l gets values (frequencies or impacts, less one) 4l to 4l + 3 of a list's block.
template <CodecKind kCodec>
__device__ inline void read_values(const Batch& batch, std::uint32_t list_index,
                                   std::uint32_t block, device::WarpScratch& scratch,
                                   std::uint32_t (&values)[4]) {
  const List& list = batch.lists[list_index];
  if (list.flags & kRaw) return read_raw(list.frequencies.bytes, values);
  using Decoder = device::BlockDecoder<kCodec>;
  const device::BlockPlace place = Decoder::locate(list.frequencies, block);
  auto tail = value_tail<kCodec>(batch, list_index);
  Decoder::values(list.frequencies, tail, place, scratch, values);
}

/// The place of the first of `count` ascending numbers that is not below `target`, or `count`. The
/// whole warp calls it with the same numbers; each half of the warp has a target of its own and
/// compares it with 16 numbers at a time.
__device__ inline std::uint32_t lower_bound_by_halves(const std::uint32_t* numbers,
                                                      std::uint32_t count, std::uint32_t target) {
  constexpr std::uint32_t kHalf = kWarp / 2;
  std::uint32_t begin = 0;
  while (__any_sync(kWholeWarp, count > 0)) {
    const std::uint32_t step = (count + kHalf - 1) / kHalf;
    const std::uint32_t place = lane_id() % kHalf * step + step - 1;
    const bool below = place < count && numbers[begin + place] < target;
    const std::uint32_t both = __ballot_sync(kWholeWarp, below);
    // All steps whose last number is below the target are passed. The place is in the next step.
    const std::uint32_t passed = __popc(both >> (lane_id() & kHalf) & 0xFFFFU) * step;
    begin += passed;
    count = count > passed ? min(step - 1, count - passed) : 0;
  }
  return begin;
}

/// The same by one thread.
__device__ inline std::uint32_t lower_bound(const std::uint32_t* numbers, std::uint32_t count,
                                            std::uint32_t target) {
  std::uint32_t begin = 0;
  while (count > 0) {
    const std::uint32_t half = count / 2;
    if (numbers[begin + half] < target) {
      begin += half + 1;
      count -= half + 1;
    } else {
      count = half;
    }
  }
  return begin;
}

}  // namespace warpdex::gpu
