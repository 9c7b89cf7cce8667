// Columns of Levenshtein's table as bit vectors, as levenshtein.cpp has them, for kernels: a word
// stands for the rows of a band of the query's units, and a thread goes along a text.
//
// The units stand in the highest bits of the word. The rows below them are ones above the band,
// along which the distance grows by one with each step, so they hand that on. Thus what leaves the
// band is always the highest bit.
#pragma once

#include <cstdint>

#include "metric/gpu/device_objects.hpp"

namespace warpdex::metric {

/// The words of bits: of 32 and of 64. 64-bit arithmetic takes twice the instructions.
using NarrowWord = unsigned int;
using WideWord = unsigned long long;

template <class Word>
struct BitColumn {
  static constexpr std::uint32_t kBits = 8 * sizeof(Word);

  /// The column before the first unit of a text; `units` of the band, 1 to kBits.
  __device__ explicit BitColumn(std::uint32_t units) : up(~Word{0} << (kBits - units)), down(0) {}

  /// Steps on to the next unit, which stands at the places `equal` of the band. `more` and `less`
  /// say whether the distance in the row above the band grows or falls by one in this step; they
  /// become what it does in the band's last row.
  __device__ __forceinline__ void step(Word equal, Word& more, Word& less) {
    const Word vertical = equal | down;
    const Word matched = equal | less;
    const Word diagonal = (((matched & up) + up) ^ up) | matched;
    const Word right_up = down | ~(diagonal | up);
    const Word right_down = up & diagonal;
    const Word shifted_up = right_up << 1 | more;
    const Word shifted_down = right_down << 1 | less;
    more = right_up >> (kBits - 1);
    less = right_down >> (kBits - 1);
    up = shifted_down | ~(vertical | shifted_up);
    down = shifted_up & vertical;
  }

  Word up;    ///< rows where the distance grows by one downwards
  Word down;  ///< rows where it falls
};

/// 16 units of a text.
template <class Unit>
class UnitGroup;

template <>
class UnitGroup<std::uint8_t> {
 public:
  __device__ UnitGroup(const void* groups, std::uint64_t group)
      : words_(__ldg(static_cast<const uint4*>(groups) + group)) {}
  __device__ __forceinline__ std::uint32_t unit(int i) const {
    const std::uint32_t word = i < 4 ? words_.x : i < 8 ? words_.y : i < 12 ? words_.z : words_.w;
    return word >> (8 * (i % 4)) & 0xFF;
  }

 private:
  uint4 words_;
};

template <>
class UnitGroup<std::uint32_t> {
 public:
  __device__ UnitGroup(const void* groups, std::uint64_t group)
      : units_(static_cast<const std::uint32_t*>(groups) + group * kGroupUnits) {}
  __device__ __forceinline__ std::uint32_t unit(int i) const { return __ldg(units_ + i); }

 private:
  const std::uint32_t* units_;
};

/// Where each unit stands in a band of a query: a bit a place. In shared memory.
template <class Unit, class Word>
class BandTable;

/// Of bytes: a word each.
template <class Word>
class BandTable<std::uint8_t, Word> {
 public:
  /// The whole CTA; ends with a barrier. `units` units, whose first is that of bit `bit`.
  __device__ void build(const std::uint32_t* units, std::uint32_t count, std::uint32_t bit) {
    for (std::uint32_t i = threadIdx.x; i < kUnits; i += blockDim.x) places_[i] = 0;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
      const std::uint32_t unit = units[i];
      if (unit < kUnits) atomicOr(places_ + unit, Word{1} << (bit + i));
    }
    __syncthreads();
  }
  __device__ __forceinline__ Word find(std::uint32_t unit) const { return places_[unit]; }

 private:
  static constexpr std::uint32_t kUnits = 256;
  Word places_[kUnits];
};

/// Of any units: a hash table with at least as many free slots as full ones.
template <class Word>
class BandTable<std::uint32_t, Word> {
 public:
  __device__ void build(const std::uint32_t* units, std::uint32_t count, std::uint32_t bit) {
    for (std::uint32_t i = threadIdx.x; i < kSlots; i += blockDim.x) {
      units_[i] = kUnknownUnit;
      places_[i] = 0;
    }
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += blockDim.x) {
      const std::uint32_t unit = units[i];
      if (unit == kUnknownUnit) continue;
      std::uint32_t slot = unit % kSlots;
      for (;; slot = (slot + 1) % kSlots) {
        const std::uint32_t found = atomicCAS(units_ + slot, kUnknownUnit, unit);
        if (found == kUnknownUnit || found == unit) break;
      }
      atomicOr(places_ + slot, Word{1} << (bit + i));
    }
    __syncthreads();
  }
  __device__ __forceinline__ Word find(std::uint32_t unit) const {
    for (std::uint32_t slot = unit % kSlots;; slot = (slot + 1) % kSlots) {
      if (units_[slot] == unit) return places_[slot];
      if (units_[slot] == kUnknownUnit) return 0;
    }
  }

 private:
  static constexpr std::uint32_t kSlots = 2 * kBandUnits;
  std::uint32_t units_[kSlots];
  Word places_[kSlots];
};

}  // namespace warpdex::metric
