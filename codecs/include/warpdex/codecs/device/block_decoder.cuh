// Decodes the blocks of posting lists on the GPU: one warp decodes a block of 128 values to
// registers, lane l values 4l to 4l + 3. Header-only device code for kernels that use the values at
// once.
// Work item: a block, by one warp whose 32 lanes are all active and converged. Scratch memory in
// shared memory; only warp-wide barriers. Bound by instruction issue and by the latency of loads,
// so give a multiprocessor many warps; docs/codecs.md counts the instructions.
// What is the same in all lanes (list, place, base, last, index) should be so for the compiler,
// too: take the warp's number as __shfl_sync(kWholeWarp, threadIdx.x / 32, 0). Otherwise the
// compiler guards each shuffle by a branch for diverged warps, which costs up to a sixth of the
// time.
// The bytes are not checked here, since their checksums are checked before the upload. Damaged
// bytes give wrong values, but every loop is bounded and nothing is written outside of the scratch
// memory.
#pragma once

#include <type_traits>

#include "warpdex/codecs/codec.hpp"
#include "warpdex/codecs/device/bit_search.cuh"
#include "warpdex/codecs/device/dense.cuh"
#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/pfor.cuh"
#include "warpdex/codecs/device/pfor_block.cuh"
#include "warpdex/codecs/device/rice.cuh"
#include "warpdex/codecs/device/warp.cuh"

namespace warpdex::device {

/// Blocks of a group share a base; the first group's is 0.
inline constexpr std::uint32_t kBaseGroup = 32;

/// Finds a block of a list that has block arrays. Any thread, any block.
__device__ __forceinline__ BlockPlace locate(const DeviceValues& list, std::uint32_t block) {
  std::uint32_t offset = __ldg(list.offsets + block);
  if (block >= kBaseGroup) offset += __ldg(list.bases + (block / kBaseGroup - 1));
  const std::uint32_t left = list.count - block * kBlockSize;
  return {list.bytes + offset, block, __ldg(list.codes + block),
          static_cast<std::uint8_t>(min(left, kBlockSize))};
}

/// Decodes the blocks of one codec.
template <CodecKind kCodec>
struct BlockDecoder {
  struct Empty {};  ///< for codecs that need no tail
  static constexpr bool kKeeps = kCodec == CodecKind::kPfor;

  /// What all blocks of a list share: for `pfor`, where the arrays of exceptions are; nothing for
  /// other codecs. Decoders take a Tail, which points to a ParsedTail in global or shared memory.
  using Tail = std::conditional_t<kKeeps, const pfor::PlacedTail*, Empty>;
  using ParsedTail = std::conditional_t<kKeeps, pfor::PlacedTail, Empty>;
  /// Parses the tail of a list that has block arrays. Any thread.
  static __device__ __forceinline__ ParsedTail parse_tail(const DeviceValues& list) {
    if constexpr (kKeeps) return pfor::parse_tail(list);
    if constexpr (!kKeeps) return {};
  }
  /// device::locate(), and for `pfor` the place of the block's exceptions. Any thread.
  static __device__ __forceinline__ BlockPlace locate(const DeviceValues& list,
                                                      std::uint32_t block) {
    BlockPlace place = device::locate(list, block);
    if constexpr (kKeeps) place.exceptions = pfor::find_exceptions(list, block);
    return place;
  }
  /// Prefetches to the L2 cache what decoding the block reads first. Any thread.
  static __device__ __forceinline__ void prefetch(const Tail& tail, const BlockPlace& place) {
    warpdex::prefetch(place.at);
    if constexpr (kKeeps) pfor::visit_starts(*tail, place.exceptions, warpdex::prefetch);
  }

  /// The block's values; 0 past place.count. Not for dense blocks.
  static __device__ __forceinline__ void values(const DeviceValues& list, const Tail& tail,
                                                const BlockPlace& place, WarpScratch& scratch,
                                                std::uint32_t (&out)[kLaneValues]) {
    decode(list, tail, place, scratch, out);
    fill_rest(place.count, 0, out);
  }

  /// The block's docIDs, ascending; 0xFFFFFFFF past place.count. `base` is the last docID of the
  /// block before, or 0xFFFFFFFF in a list's first; `last` is the block's last. Dense blocks too.
  static __device__ __forceinline__ void docids(const DeviceValues& list, const Tail& tail,
                                                const BlockPlace& place, std::uint32_t base,
                                                std::uint32_t last, WarpScratch& scratch,
                                                std::uint32_t (&out)[kLaneValues]) {
    if (place.code == kDenseCode) {
      BitSet(place.at, base, last).get(place.count, base, scratch, out);
      fill_rest(place.count, 0xFFFFFFFF, out);
    } else {
      coded_docids(list, tail, place, base, scratch, out);
    }
  }
  /// The same for a block that is not dense.
  static __device__ __forceinline__ void coded_docids(const DeviceValues& list, const Tail& tail,
                                                      const BlockPlace& place, std::uint32_t base,
                                                      WarpScratch& scratch,
                                                      std::uint32_t (&out)[kLaneValues]) {
    if (kCodec == CodecKind::kRice && place.code == warpdex::rice::kRiceCode) {
      rice::docids(place.at, list.parameter, place.count, base, scratch, out);
    } else {
      decode(list, tail, place, scratch, out);
      sum_gaps(base, out);
    }
    fill_rest(place.count, 0xFFFFFFFF, out);
  }

  /// Whether plain_values() or plain_docids() can decode a block: it is full, and its packed values
  /// are narrow.
  static __device__ __forceinline__ bool is_plain(const BlockPlace& place) {
    static_assert(kDenseCode > kNarrowWidth);
    return kCodec == CodecKind::kBitpack && place.count == kBlockSize && place.code <= kNarrowWidth;
  }
  /// values() of a plain block, in fewer instructions.
  static __device__ __forceinline__ void plain_values(const std::uint8_t* at, std::uint8_t code,
                                                      std::uint32_t (&out)[kLaneValues]) {
    unpack_narrow_four(at, lane_id() * kLaneValues * code, code, out);
  }
  /// docids() of a plain block, in fewer instructions.
  static __device__ __forceinline__ void plain_docids(const std::uint8_t* at, std::uint8_t code,
                                                      std::uint32_t base,
                                                      std::uint32_t (&out)[kLaneValues]) {
    plain_values(at, code, out);
    sum_gaps(base, out);
  }

  /// Whether usual_values() can decode a block of values. It can decode nearly all blocks of
  /// `bitpack`, `rice` and `pfor`. Any thread.
  static constexpr bool kHasUsual = kCodec != CodecKind::kPforBlock;
  static __device__ __forceinline__ bool is_usual(const DeviceValues& list, const Tail& tail,
                                                  const BlockPlace& place) {
    if constexpr (kCodec == CodecKind::kBitpack) return is_plain(place);
    if constexpr (kCodec == CodecKind::kRice) return rice::is_usual(list.parameter, place);
    if constexpr (kKeeps) return pfor::is_usual(list, *tail, place);
    return false;
  }
  /// values() of such a block, in fewer instructions.
  static __device__ __forceinline__ void usual_values(const DeviceValues& list, const Tail& tail,
                                                      const BlockPlace& place, WarpScratch& scratch,
                                                      std::uint32_t (&out)[kLaneValues]) {
    if constexpr (kCodec == CodecKind::kBitpack) {
      plain_values(place.at, place.code, out);
    } else if constexpr (kCodec == CodecKind::kRice) {
      rice::usual_values(place.at, list.parameter, scratch, out);
    } else {
      const std::uint32_t width = pfor::width_of(list);
      if (place.exceptions.counts == 0) {
        unpack_narrow_four(place.at, lane_id() * kLaneValues * width, width, out);
      } else if (list.levels == 0) {
        pfor::usual_values_without_levels(place.at, width, *tail, place.exceptions, scratch, out);
      } else {
        pfor::usual_values(place.at, width, *tail, place.exceptions, scratch, out);
      }
    }
  }

  /// The place of a docID in a dense block, or kAbsent. One thread.
  static __device__ __forceinline__ std::uint32_t find_in_dense(const BlockPlace& place,
                                                                Sought sought) {
    return find_in_bits(place.at, place.count, sought);
  }

  /// Whether value_alone() can read any block of values.
  static constexpr bool kAllAlone = kCodec == CodecKind::kBitpack || kCodec == CodecKind::kPfor;
  /// Whether it can read a block of values with this code.
  static __device__ __forceinline__ bool reads_alone(std::uint8_t code) {
    return kAllAlone || (kCodec == CodecKind::kRice && code != warpdex::rice::kRiceCode);
  }
  /// One value of such a block. One thread. `index` is below place.count.
  static __device__ __forceinline__ std::uint32_t value_alone(const DeviceValues& list,
                                                              const Tail& tail,
                                                              const BlockPlace& place,
                                                              std::uint32_t index) {
    if constexpr (kKeeps) {
      return pfor::value_alone(list, *tail, place, index);
    } else {
      const std::uint32_t width = packed_width(place);
      return read_bits(place.at, index * width, width);
    }
  }

 private:
  static __device__ __forceinline__ std::uint32_t packed_width(const BlockPlace& place) {
    return place.code - (kCodec == CodecKind::kRice ? warpdex::rice::kPackedCode : 0);
  }

  /// The block's values; those past place.count are undefined.
  static __device__ __forceinline__ void decode(const DeviceValues& list, const Tail& tail,
                                                const BlockPlace& place, WarpScratch& scratch,
                                                std::uint32_t (&out)[kLaneValues]) {
    if constexpr (kKeeps) {
      return pfor::values(list, *tail, place, scratch, out);
    } else if constexpr (kCodec == CodecKind::kPforBlock) {
      return pfor_block::values(place, scratch, out);
    } else if constexpr (kCodec == CodecKind::kRice) {
      if (place.code == warpdex::rice::kRiceCode) {
        return rice::values(place.at, list.parameter, place.count, scratch, out);
      }
    }
    unpack(place.at, place.count, packed_width(place), out);
  }
};

}  // namespace warpdex::device
