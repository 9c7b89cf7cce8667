// Where the words of codes lie in groups of 32.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

/// Where word `number` of row `row` lies, in words (CodeGroups), if a code has `words` words.
__device__ __forceinline__ std::size_t word_place(std::uint32_t row, std::uint32_t number,
                                                  std::uint32_t words) {
  const std::uint32_t chunk = number / 4;
  const std::uint32_t width = min(4U, words - chunk * 4);
  return std::size_t{row / kWarp} * words * kWarp + chunk * 4 * kWarp + row % kWarp * width +
         number % 4;
}

}  // namespace warpdex::vector
