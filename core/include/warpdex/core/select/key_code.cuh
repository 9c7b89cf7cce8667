// Keys as whole numbers whose order is the order of selection, so that one queue serves all types
// and both directions.
#pragma once

#include <cuda_fp16.h>

#include <cstdint>
#include <type_traits>

#include "warpdex/core/select/select_k.hpp"

namespace warpdex {

/// A key's code: the smaller the better. No code is beyond kWorstCode.
using KeyCode = std::uint32_t;
inline constexpr KeyCode kWorstCode = 0xFFFFFFFFU;

/// How keys of a type are read. The scan of a matrix compares working values (`Working`): floats or
/// 32-bit numbers, turned around by `flip` so that larger ones are better.
template <typename Key>
struct KeyRules {
  static constexpr bool kFloating = std::is_same_v<Key, float> || std::is_same_v<Key, Half>;
  using Working = std::conditional_t<kFloating, float, std::uint32_t>;

  /// The bits to turn around by.
  static __host__ __device__ constexpr std::uint32_t flip(SelectOrder order) {
    if (order == SelectOrder::kLargest) return 0;
    return kFloating ? 0x80000000U : 0xFFFFFFFFU;
  }

  static __device__ Working working(Key key, std::uint32_t flip) {
    if constexpr (std::is_same_v<Key, float>) {
      return __uint_as_float(__float_as_uint(key) ^ flip);
    } else if constexpr (kFloating) {
      const float value = __half2float(__ushort_as_half(key.bits));
      return __uint_as_float(__float_as_uint(value) ^ flip);
    } else {
      return std::uint32_t{key} ^ flip;
    }
  }

  static __device__ Key key(Working working, std::uint32_t flip) {
    if constexpr (kFloating) {
      const float value = __uint_as_float(__float_as_uint(working) ^ flip);
      const float unsigned_zero = value + 0.0F;  // -0 becomes 0
      if constexpr (std::is_same_v<Key, float>)
        return unsigned_zero;
      else
        return Half{__half_as_ushort(__float2half_rn(unsigned_zero))};  // exact: it was a half
    } else {
      return static_cast<Key>(working ^ flip);
    }
  }
};

/// Both zeros share a code; NaN has the worst.
__device__ inline KeyCode code_of(float working) {
  if (isnan(working)) return kWorstCode;
  const std::uint32_t bits = __float_as_uint(working + 0.0F);  // -0 becomes 0
  const std::uint32_t rising = bits ^ ((bits & 0x80000000U) != 0 ? 0xFFFFFFFFU : 0x80000000U);
  return ~rising;
}
__device__ inline KeyCode code_of(std::uint32_t working) { return ~working; }

/// The working value of a code.
template <typename Working>
__device__ Working working_of(KeyCode code) {
  if constexpr (std::is_same_v<Working, float>) {
    if (code == kWorstCode) return __uint_as_float(0x7FC00000U);
    const std::uint32_t rising = ~code;
    return __uint_as_float((rising & 0x80000000U) != 0 ? rising ^ 0x80000000U : ~rising);
  } else {
    return ~code;
  }
}

/// Whether a working value is not worse than `bound`. Also true if either is NaN; the caller then
/// compares codes.
__device__ inline bool may_pass(float working, float bound) { return !(working < bound); }
__device__ inline bool may_pass(std::uint32_t working, std::uint32_t bound) {
  return working >= bound;
}

template <typename Key>
__device__ KeyCode code_of_key(Key key, std::uint32_t flip) {
  return code_of(KeyRules<Key>::working(key, flip));
}

/// The key that a code stands for.
template <typename Key>
__device__ Key key_of_code(KeyCode code, std::uint32_t flip) {
  return KeyRules<Key>::key(working_of<typename KeyRules<Key>::Working>(code), flip);
}

/// The key of a place that no entry takes: the worst of its type but NaN.
template <typename Key>
__device__ Key missing_key(std::uint32_t flip) {
  return KeyRules<Key>::kFloating ? key_of_code<Key>(0xFF800000U, flip)  // -infinity, turned around
                                  : key_of_code<Key>(kWorstCode, flip);
}

}  // namespace warpdex
