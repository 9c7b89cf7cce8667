// The form for any processor, that in AVX2, and the choice.
#include "sq8/byte_kernels.hpp"

#include <algorithm>

#include "warpdex/core/cpu_features.hpp"

#if defined(__x86_64__)
#include <immintrin.h>

#include <array>
#include <cstring>

#define WARPDEX_AVX2 __attribute__((target("avx2")))
#endif

namespace warpdex::vector {

void byte_products_baseline(const std::uint8_t* codes, std::size_t groups, const CodeGroups& layout,
                            const std::int8_t* query, std::int32_t* out) {
  for (std::size_t group = 0; group < groups; ++group, out += kGroupVectors) {
    std::fill_n(out, kGroupVectors, 0);
    for (std::size_t begin = 0; begin < layout.code_bytes; begin += kCodeChunkBytes) {
      const std::size_t width = layout.chunk_width(begin);
      for (std::size_t v = 0; v < kGroupVectors; ++v, codes += width) {
        std::int32_t sum = 0;
        for (std::size_t byte = 0; byte < width; ++byte) {
          sum += int{static_cast<std::int8_t>(codes[byte])} * int{query[begin + byte]};
        }
        out[v] += sum;
      }
    }
  }
}

#if defined(__x86_64__)
namespace {

/// Vectors whose sums are in registers at a time.
constexpr std::size_t kVectorsAtOnce = 8;

WARPDEX_AVX2 inline __m256i sixteen_products(__m128i codes, __m256i query) {
  return _mm256_madd_epi16(_mm256_cvtepi8_epi16(codes), query);
}

/// The query's bytes of a chunk.
WARPDEX_AVX2 inline __m256i query_chunk(const std::int8_t* query, std::size_t begin) {
  return _mm256_cvtepi8_epi16(_mm_loadu_si128(reinterpret_cast<const __m128i*>(query + begin)));
}

WARPDEX_AVX2 inline std::int32_t sum_of(__m256i sums) {
  __m128i half = _mm_add_epi32(_mm256_castsi256_si128(sums), _mm256_extracti128_si256(sums, 1));
  half = _mm_add_epi32(half, _mm_shuffle_epi32(half, 0x4E));
  return _mm_cvtsi128_si32(_mm_add_epi32(half, _mm_shuffle_epi32(half, 0xB1)));
}

/// Some vectors of a group, from `first` on.
WARPDEX_AVX2 inline void some_products(const std::uint8_t* group, std::size_t first,
                                       const CodeGroups& layout, const std::int8_t* query,
                                       std::int32_t* out) {
  __m256i sums[kVectorsAtOnce];
  for (__m256i& sum : sums) sum = _mm256_setzero_si256();
  const std::size_t whole = layout.stored_bytes() / kCodeChunkBytes * kCodeChunkBytes;
  for (std::size_t begin = 0; begin < whole; begin += kCodeChunkBytes) {
    const auto* const codes = reinterpret_cast<const __m128i*>(group + begin * kGroupVectors);
    const __m256i chunk = query_chunk(query, begin);
    for (std::size_t v = 0; v < kVectorsAtOnce; ++v) {
      const __m256i products = sixteen_products(_mm_loadu_si128(codes + first + v), chunk);
      sums[v] = _mm256_add_epi32(sums[v], products);
    }
  }
  if (const std::size_t width = layout.stored_bytes() - whole; width > 0) {
    const std::uint8_t* const codes = group + whole * kGroupVectors;
    const __m256i chunk = query_chunk(query, whole);
    for (std::size_t v = 0; v < kVectorsAtOnce; ++v) {
      std::array<std::uint8_t, kCodeChunkBytes> bytes{};
      std::memcpy(bytes.data(), codes + (first + v) * width, width);
      const __m128i rest = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes.data()));
      sums[v] = _mm256_add_epi32(sums[v], sixteen_products(rest, chunk));
    }
  }
  for (std::size_t v = 0; v < kVectorsAtOnce; ++v) out[first + v] = sum_of(sums[v]);
}

}  // namespace

WARPDEX_AVX2 void byte_products_avx2(const std::uint8_t* codes, std::size_t groups,
                                     const CodeGroups& layout, const std::int8_t* query,
                                     std::int32_t* out) {
  for (std::size_t group = 0; group < groups; ++group, out += kGroupVectors) {
    for (std::size_t v = 0; v < kGroupVectors; v += kVectorsAtOnce) {
      some_products(codes, v, layout, query, out);
    }
    codes += layout.group_bytes();
  }
}
#endif

namespace {

ByteProducts choose_byte_products() {
#if defined(__x86_64__)
  if (isa() != Isa::kBaseline) return byte_products_avx2;
#endif
  return byte_products_baseline;
}

}  // namespace

void byte_products(const std::uint8_t* codes, std::size_t groups, const CodeGroups& layout,
                   const std::int8_t* query, std::int32_t* out) {
  static const ByteProducts chosen = choose_byte_products();
  chosen(codes, groups, layout, query, out);
}

}  // namespace warpdex::vector
