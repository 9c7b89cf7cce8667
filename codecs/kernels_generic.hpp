// Kernels in plain C++, forced inline so that they compile once for each instruction set that
// calls them. Internal to codecs/. kernels.hpp says what each does.
#pragma once

#include <algorithm>

#include "kernels.hpp"
#include "warpdex/codecs/bits.hpp"

namespace warpdex::generic {

WARPDEX_ALWAYS_INLINE void unpack(const std::uint8_t* bytes, std::uint32_t count,
                                  std::uint32_t width, std::uint32_t* out) {
  const std::uint64_t mask = low_mask(width);
  for (std::uint32_t group = 0; group < count; group += 8) {
    const std::uint8_t* from = bytes + group / 8 * width;
    for (std::uint32_t i = 0; i < 8; ++i) {
      const std::uint32_t bit = i * width;
      out[group + i] = static_cast<std::uint32_t>((load64(from + bit / 8) >> (bit % 8)) & mask);
    }
  }
}

WARPDEX_ALWAYS_INLINE std::uint32_t sum(std::uint32_t* values, std::uint32_t count,
                                        std::uint32_t base) {
  std::uint32_t bits = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    bits |= values[i];
    base += values[i] + 1;
    values[i] = base;
  }
  return bits;
}

WARPDEX_ALWAYS_INLINE std::uint32_t find_ones(const std::uint8_t* bytes, std::uint32_t start,
                                              const std::uint8_t* end, std::uint32_t count,
                                              std::uint16_t* ends) {
  std::uint32_t found = 0;
  std::uint64_t skip = low_mask(start);
  std::uint32_t bit = 1;
  for (; found < count && bytes < end; bytes += 8, bit += 64) {
    std::uint64_t word = load64(bytes) & ~skip;
    skip = 0;
    for (; word != 0; word &= word - 1) {
      ends[found++] =
          static_cast<std::uint16_t>(bit + static_cast<std::uint32_t>(std::countr_zero(word)));
    }
  }
  return found;
}

WARPDEX_ALWAYS_INLINE std::uint32_t add_quotients(const std::uint16_t* ends, std::uint32_t count,
                                                  std::uint32_t shift, std::uint32_t* out) {
  std::uint32_t largest = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t quotient = std::uint32_t{ends[i]} - (ends + i)[-1] - 1;
    out[i] += quotient << shift;
    largest = std::max(largest, quotient);
  }
  return largest;
}

WARPDEX_ALWAYS_INLINE std::uint32_t add_quotient_sums(const std::uint16_t* ends,
                                                      std::uint32_t count, std::uint32_t shift,
                                                      std::uint32_t* out) {
  std::uint32_t largest = 0;
  const std::uint32_t first = ends[-1] + 1U;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t quotient = std::uint32_t{ends[i]} - (ends + i)[-1] - 1;
    out[i] += (ends[i] - first - i) << shift;
    largest = std::max(largest, quotient);
  }
  return largest;
}

}  // namespace warpdex::generic
