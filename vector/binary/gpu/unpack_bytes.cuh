// The words of binary codes to signed bytes, as the tensor cores multiply them.
#pragma once

#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "binary/gpu/kernels.hpp"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kMaxBits = 8;  ///< of a component

/// Components `place`, `place` + 8, + 16 and + 24 of a plane word's 32: 2u of each, as four bytes.
__device__ __forceinline__ std::uint32_t unpack_four(const std::uint32_t (&words)[kMaxBits],
                                                     std::uint32_t bits, std::uint32_t place) {
  std::uint32_t cells = 0;
#pragma unroll
  for (std::uint32_t bit = 0; bit < kMaxByteBits; ++bit) {
    if (bit < bits) cells = 2 * cells + (words[bit] >> place & 0x01010101);
  }
  return 2 * cells;
}

/// 2^bits - 1 in each byte.
__device__ __forceinline__ std::uint32_t last_of_four(std::uint32_t bits) {
  return ((1U << bits) - 1) * 0x01010101;
}

/// Word `number` of the lane's vector in a group.
__device__ __forceinline__ std::uint32_t load_word(const DeviceBinaryCodes& codes,
                                                   std::uint32_t group, std::uint32_t number) {
  const std::uint32_t chunk = number / 4;
  const std::uint32_t width = min(4U, codes.code_words() - chunk * 4);
  const auto* const words = reinterpret_cast<const std::uint32_t*>(
      codes.groups + group * codes.group_bytes() + chunk * kWarp * 16);
  return __ldg(words + lane_id() * width + number % 4);
}

}  // namespace warpdex::vector
