// Decodes the blocks of `rice` on the GPU, after section 6 of Ding et al., but without their
// second prefix sum. The end of unary code j is the one of rank j; so the sum of the quotients up
// to it is its position less j. Internal to codecs/device/.
#pragma once

#include "warpdex/codecs/device/device_values.hpp"
#include "warpdex/codecs/device/ones.cuh"
#include "warpdex/codecs/rice_layout.hpp"

namespace warpdex::device::rice {

using warpdex::rice::kEscape;

/// Bits of the unary part that a lane takes in a round. Most blocks take one round, as they have
/// 1.6 to 2.6 bits a code. No round reads past the slack: it starts within the block, and 32 pieces
/// with the last piece's words are 60 bytes.
inline constexpr std::uint32_t kPieceBits = 12;

/// Starts to read the first pieces of a block's unary part, one a lane.
__device__ __forceinline__ TwoWords first_pieces(const std::uint8_t* at, std::uint32_t start) {
  return {at, start + lane_id() * kPieceBits};
}

/// Finds the end of each of `count` unary codes; `words` are the first_pieces(). Returns false if
/// no quotient can be kEscape: one round found all ends, and no four neighbouring lanes have empty
/// pieces, as 64 zeros would leave.
__device__ __forceinline__ bool find_ends(const std::uint8_t* at, std::uint32_t start,
                                          std::uint32_t count, TwoWords words,
                                          const Positions& ends) {
  constexpr std::uint32_t kRoundBits = kWarp * kPieceBits;
  const std::uint32_t longest = count * (kEscape + 1);
  std::uint32_t origin = 0;
  std::uint32_t found = 0;
  for (;;) {
    const std::uint32_t position = origin + lane_id() * kPieceBits;
    std::uint32_t piece = words.get() & ((1U << kPieceBits) - 1);
    const std::uint32_t ones = __popc(piece);
    const std::uint32_t upto = found + inclusive_sum(ones);
    const std::uint32_t rank = upto - ones;
    const std::uint32_t empty = __ballot_sync(kWholeWarp, piece == 0 && rank < count);
    const bool may_escape = (empty & empty >> 1 & empty >> 2 & empty >> 3) != 0;
    if (rank >= count) piece = 0;
    std::uint32_t to = ends.address_of(rank);
    put_each<0, kPieceBits>(piece, position, to);
    found = __shfl_sync(kWholeWarp, upto, kWarp - 1);
    origin += kRoundBits;
    if (found >= count || origin >= longest) {
      __syncwarp();
      return may_escape || origin != kRoundBits;
    }
    words = first_pieces(at, start + origin);
  }
}

/// Turns ends into quotients.
__device__ __forceinline__ void quotients_of(std::uint32_t (&ends)[kLaneValues]) {
  std::uint32_t before = __shfl_up_sync(kWholeWarp, ends[kLaneValues - 1], 1);
  if (lane_id() == 0) before = 0xFFFFFFFF;
#pragma unroll
  for (std::uint32_t& end : ends) {
    const std::uint32_t own = end;
    end = own - before - 1;
    before = own;
  }
}

/// Replaces quotients that are kEscape by the escaped ones, which follow the unary part in order.
/// Returns whether there were any. `position` is the bit behind the unary part.
__device__ __forceinline__ bool read_escaped(const std::uint8_t* at, std::uint32_t position,
                                             std::uint32_t width, std::uint32_t count,
                                             std::uint32_t (&quotients)[kLaneValues]) {
  const std::uint32_t first = lane_id() * kLaneValues;
  const std::uint32_t escaped_width = 32 - width;
  std::uint32_t escaped = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kLaneValues; ++i) {
    escaped += first + i < count && quotients[i] >= kEscape;
  }
  if (!__any_sync(kWholeWarp, escaped != 0)) return false;
  position += (inclusive_sum(escaped) - escaped) * escaped_width;
#pragma unroll
  for (std::uint32_t i = 0; i < kLaneValues; ++i) {
    if (first + i >= count || quotients[i] < kEscape) continue;
    quotients[i] = read_bits(at, position, escaped_width);
    position += escaped_width;
  }
  return true;
}

/// The quotients of a block, with the escaped ones. `words` are the first_pieces().
__device__ __forceinline__ void quotients(const std::uint8_t* at, std::uint32_t width,
                                          std::uint32_t count, const TwoWords& words,
                                          WarpScratch& scratch,
                                          std::uint32_t (&quotients)[kLaneValues]) {
  const Positions ends(scratch);
  const std::uint32_t start = count * width;
  const bool may_escape = find_ends(at, start, count, words, ends);
  ends.get(quotients);
  std::uint32_t end = 0;
  if (may_escape) end = start + ends.at[count - 1] + 1;
  __syncwarp();
  quotients_of(quotients);
  if (may_escape) read_escaped(at, end, width, count, quotients);
}

__device__ __forceinline__ void add_quotients(std::uint32_t width,
                                              const std::uint32_t (&quotients)[kLaneValues],
                                              std::uint32_t (&values)[kLaneValues]) {
#pragma unroll
  for (std::uint32_t i = 0; i < kLaneValues; ++i) values[i] += quotients[i] << width;
}

__device__ __forceinline__ void values(const std::uint8_t* at, std::uint32_t width,
                                       std::uint32_t count, WarpScratch& scratch,
                                       std::uint32_t (&values)[kLaneValues]) {
  std::uint32_t high[kLaneValues];
  const TwoWords words = first_pieces(at, count * width);
  unpack(at, count, width, values);
  quotients(at, width, count, words, scratch, high);
  add_quotients(width, high, values);
}

/// Whether usual_values() can decode a block: it is full, coded, and its binary parts are narrow.
__device__ __forceinline__ bool is_usual(std::uint32_t width, const BlockPlace& place) {
  return place.code == warpdex::rice::kRiceCode && place.count == kBlockSize &&
         width <= kNarrowWidth;
}

/// The values of such a block, in fewer instructions.
__device__ __forceinline__ void usual_values(const std::uint8_t* at, std::uint32_t width,
                                             WarpScratch& scratch,
                                             std::uint32_t (&values)[kLaneValues]) {
  std::uint32_t high[kLaneValues];
  const TwoWords words = first_pieces(at, kBlockSize * width);
  unpack_narrow_four(at, lane_id() * kLaneValues * width, width, values);
  quotients(at, width, kBlockSize, words, scratch, high);
  add_quotients(width, high, values);
}

/// docID j is base + j + 1 + the binary parts up to j + ((end of code j) - j) * 2^width.
__device__ __forceinline__ void docids(const std::uint8_t* at, std::uint32_t width,
                                       std::uint32_t count, std::uint32_t base,
                                       WarpScratch& scratch, std::uint32_t (&docids)[kLaneValues]) {
  const Positions places(scratch);
  const std::uint32_t start = count * width;
  std::uint32_t ends[kLaneValues];
  const TwoWords words = first_pieces(at, start);
  unpack(at, count, width, docids);
  const bool may_escape = find_ends(at, start, count, words, places);
  places.get(ends);
  std::uint32_t end = 0;
  if (may_escape) end = start + places.at[count - 1] + 1;
  __syncwarp();
  if (may_escape) {
    std::uint32_t high[kLaneValues] = {ends[0], ends[1], ends[2], ends[3]};
    quotients_of(high);
    if (read_escaped(at, end, width, count, high)) {
#pragma unroll
      for (std::uint32_t i = 0; i < kLaneValues; ++i) docids[i] += high[i] << width;
      return sum_gaps(base, docids);
    }
  }
  const std::uint32_t unit = 1U << width;
  const std::uint32_t step = 1 - unit;
  docids[1] += docids[0] + step;
  docids[2] += docids[1] + step;
  docids[3] += docids[2] + step;
  const std::uint32_t own = docids[3] + step;
  const std::uint32_t before = base + 1 + inclusive_sum(own) - own;
#pragma unroll
  for (std::uint32_t i = 0; i < kLaneValues; ++i) docids[i] += before + ends[i] * unit;
}

}  // namespace warpdex::device::rice
