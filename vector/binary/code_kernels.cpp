// The form of the loops for any processor, and the choice among the forms.
#include "binary/code_kernels.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "pq/code_groups.hpp"
#include "warpdex/core/cpu_features.hpp"

namespace warpdex::vector {
namespace {

void quantize(const float* values, std::size_t padded, float factor, std::size_t bits,
              std::uint32_t* words) {
  const auto half = static_cast<float>(1U << (bits - 1));
  const auto last = static_cast<float>((1U << bits) - 1);
  std::fill_n(words, padded / 32 * bits, 0U);
  for (std::size_t c = 0; c < padded; ++c) {
    float t = values[c] * factor;
    t += half;
    t = t > 0 ? t : 0.0F;
    t = t < last ? t : last;
    const auto cell = static_cast<std::uint32_t>(t);
    for (std::size_t bit = 0; bit < bits; ++bit) {
      words[c / 32 * bits + bit] |= (cell >> (bits - 1 - bit) & 1U) << (c % 32);
    }
  }
}

/// The distance of word `number` of a code.
std::uint32_t word_distance(std::uint32_t word, std::size_t number, const CodeShape& shape,
                            const std::uint32_t* query) {
  const std::uint32_t* const own = query + number / 4 * shape.query_bits * 4 + number % 4;
  std::uint32_t sum = 0;
  for (std::size_t bit = 0; bit < shape.query_bits; ++bit) {
    sum = 2 * sum + static_cast<std::uint32_t>(std::popcount(word ^ own[bit * 4]));
  }
  return sum << (shape.bits - 1 - number % shape.bits);
}

void xor_distances(const std::uint8_t* codes, std::size_t groups, const CodeShape& shape,
                   const std::uint32_t* query, std::uint32_t* out) {
  const CodeGroups layout{shape.code_words() * 4};
  for (std::size_t group = 0; group < groups; ++group) {
    std::uint32_t* const sums = out + group * kGroupVectors;
    std::fill_n(sums, kGroupVectors, 0U);
    for (std::size_t number = 0; number < shape.code_words(); ++number) {
      for (std::size_t v = 0; v < kGroupVectors; ++v) {
        std::uint32_t word;
        std::memcpy(&word, codes + layout.offset(v, number * 4), sizeof(word));
        sums[v] += word_distance(word, number, shape, query);
      }
    }
    codes += layout.group_bytes();
  }
}

}  // namespace

void lay_out_query(const CodeShape& shape, const std::vector<std::uint32_t>& code,
                   std::vector<std::uint32_t>& words) {
  words.assign(shape.query_words(), 0);
  for (std::size_t number = 0; number < shape.code_words(); ++number) {
    const std::size_t plane = number / shape.bits;
    for (std::size_t bit = 0; bit < shape.query_bits; ++bit) {
      words[(number / 4 * shape.query_bits + bit) * 4 + number % 4] =
          code[plane * shape.query_bits + bit];
    }
  }
}

const CodeKernels kBaselineCodes{quantize, xor_distances};

const CodeKernels& code_kernels() {
#if defined(__x86_64__)
  if (isa() == Isa::kAvx512 && has_avx512_popcount()) return kAvx512Codes;
  if (isa() != Isa::kBaseline) return kAvx2Codes;
#endif
  return kBaselineCodes;
}

}  // namespace warpdex::vector
