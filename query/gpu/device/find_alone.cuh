// One thread looks a document up in a list of `bitpack`: for kernels whose documents lie so far
// apart that each is in a block of its own. Internal.
#pragma once

#include "gpu/device/lookup.cuh"

namespace warpdex::gpu {

/// Where a block's docIDs lie: behind `base`, up to `last`.
struct DocidRange {
  std::uint32_t base;
  std::uint32_t last;
};

/// The place of a docID in a full block of packed gaps of up to kNarrowWidth bits, or kNone. Goes
/// through the block from its first docID on. O(place).
__device__ inline std::uint32_t find_from_begin(const std::uint8_t* at, std::uint32_t width,
                                                DocidRange range, std::uint32_t document) {
  std::uint32_t before = range.base;
  for (std::uint32_t i = 0; i < kBlockSize; i += 4) {
    std::uint32_t docids[4];
    device::unpack_narrow_four(at, i * width, width, docids);
#pragma unroll
    for (std::uint32_t& docid : docids) before = docid += before + 1;
    if (before < document) continue;
#pragma unroll
    for (std::uint32_t j = 0; j < 4; ++j) {
      if (docids[j] == document) return i + j;
    }
    return kNone;
  }
  return kNone;
}

/// The same, from the last docID back. O(128 - place).
__device__ inline std::uint32_t find_from_end(const std::uint8_t* at, std::uint32_t width,
                                              DocidRange range, std::uint32_t document) {
  std::uint32_t docid = range.last;
  for (std::uint32_t i = kBlockSize; i > 0; i -= 4) {
    std::uint32_t gaps[4];
    device::unpack_narrow_four(at, (i - 4) * width, width, gaps);
#pragma unroll
    for (std::uint32_t j = 4; j-- > 0;) {
      if (docid <= document) return docid == document ? i - 4 + j : kNone;
      docid -= gaps[j] + 1;
    }
  }
  return kNone;
}

/// The place of a docID of `range` in a block of packed gaps of any width, or kNone.
__device__ inline std::uint32_t find_in_packed(const device::BlockPlace& place, DocidRange range,
                                               std::uint32_t document) {
  if (place.count == kBlockSize && place.code <= device::kNarrowWidth) {
    return document - range.base <= (range.last - range.base) / 2
               ? find_from_begin(place.at, place.code, range, document)
               : find_from_end(place.at, place.code, range, document);
  }
  std::uint32_t docid = range.base;
  for (std::uint32_t i = 0; i < place.count; ++i) {
    docid += device::read_bits(place.at, i * place.code, place.code) + 1;
    if (docid >= document) return docid == document ? i : kNone;
  }
  return kNone;
}

/// The value of a document in a list: a frequency or an impact, less one; kNone if the list does
/// not have the document. One thread.
__device__ inline std::uint32_t find_value_alone(const Batch& batch, const List& list,
                                                 std::uint32_t document) {
  using Decoder = device::BlockDecoder<CodecKind::kBitpack>;
  if (list.flags & kRaw) {
    const std::uint32_t place =
        find_in_block(reinterpret_cast<const std::uint32_t*>(list.docids.bytes), document);
    if (place == kNone) return kNone;
    return reinterpret_cast<const std::uint32_t*>(list.frequencies.bytes)[place];
  }
  const std::uint32_t block = find_block_of<LookupGoal::kLatency>(batch, list, document);
  if (block == kNone) return kNone;
  const device::BlockPlace docids = device::locate(list.docids, block);
  const device::BlockPlace values = device::locate(list.frequencies, block);
  prefetch(docids.at);
  prefetch(values.at);
  const DocidRange range{
      block == 0 ? list.first_document - 1 : __ldg(list.last_docids + (block - 1)),
      __ldg(list.last_docids + block)};
  const std::uint32_t place =
      docids.code == kDenseCode
          ? Decoder::find_in_dense(docids, {document - range.base - 1, range.last - range.base})
          : find_in_packed(docids, range, document);
  return place == kNone ? kNone : Decoder::value_alone(list.frequencies, {}, values, place);
}

}  // namespace warpdex::gpu
