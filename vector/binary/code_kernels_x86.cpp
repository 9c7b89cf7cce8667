// The loops of binary codes in AVX2 and AVX-512. Only functions marked with a target use its
// instructions.
#include "binary/code_kernels.hpp"

#if defined(__x86_64__)

// GCC 12 warns of the deliberately undefined operands inside its own intrinsics.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

#include <algorithm>
#include <array>

#include "pq/code_groups.hpp"

#define WARPDEX_AVX2 __attribute__((target("avx2,popcnt")))
#define WARPDEX_AVX512 \
  __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,avx512vpopcntdq,popcnt")))

namespace warpdex::vector {
namespace {

/// The shifts that give the words of a chunk the weights of their bits.
std::array<std::int32_t, 4> shifts_of(const CodeShape& shape, std::size_t chunk) {
  std::array<std::int32_t, 4> shifts;
  for (std::size_t w = 0; w < 4; ++w) {
    shifts[w] = static_cast<std::int32_t>(shape.bits - 1 - (chunk * 4 + w) % shape.bits);
  }
  return shifts;
}

/// Words of each vector in a chunk.
std::size_t width_of(const CodeShape& shape, std::size_t chunk) {
  return std::min<std::size_t>(4, shape.code_words() - chunk * 4);
}

// ---- AVX2: 2 vectors of 4 words ----

WARPDEX_AVX2 inline __m256i cells8(const float* values, __m256 factor, __m256 half, __m256 last) {
  __m256 t = _mm256_add_ps(_mm256_mul_ps(_mm256_loadu_ps(values), factor), half);
  t = _mm256_min_ps(_mm256_max_ps(t, _mm256_setzero_ps()), last);
  return _mm256_cvttps_epi32(t);
}

WARPDEX_AVX2 void quantize_avx2(const float* values, std::size_t padded, float factor,
                                std::size_t bits, std::uint32_t* words) {
  const __m256 factors = _mm256_set1_ps(factor);
  const __m256 half = _mm256_set1_ps(static_cast<float>(1U << (bits - 1)));
  const __m256 last = _mm256_set1_ps(static_cast<float>((1U << bits) - 1));
  for (std::size_t c = 0; c < padded; c += 32, words += bits) {
    std::fill_n(words, bits, 0U);
    for (std::size_t part = 0; part < 4; ++part) {
      __m256i cells = cells8(values + c + part * 8, factors, half, last);
      cells = _mm256_slli_epi32(cells, static_cast<int>(32 - bits));
      for (std::size_t bit = 0; bit < bits; ++bit) {
        const auto signs =
            static_cast<std::uint32_t>(_mm256_movemask_ps(_mm256_castsi256_ps(cells)));
        words[bit] |= signs << (part * 8);
        cells = _mm256_slli_epi32(cells, 1);
      }
    }
  }
}

/// The set bits of each byte.
WARPDEX_AVX2 inline __m256i count_bytes(__m256i x) {
  const __m256i table = _mm256_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2,
                                         1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4);
  const __m256i low = _mm256_set1_epi8(15);
  return _mm256_add_epi8(
      _mm256_shuffle_epi8(table, _mm256_and_si256(x, low)),
      _mm256_shuffle_epi8(table, _mm256_and_si256(_mm256_srli_epi16(x, 4), low)));
}

/// Bytes to the sums of 4 each.
WARPDEX_AVX2 inline __m256i add_bytes(__m256i x) {
  return _mm256_madd_epi16(_mm256_maddubs_epi16(x, _mm256_set1_epi8(1)), _mm256_set1_epi16(1));
}

/// The distances of 8 words, before their shifts. A byte holds the sum of 4 bits of the query: at
/// most 8 * 15.
WARPDEX_AVX2 inline __m256i distances8(__m256i words, const std::uint32_t* query,
                                       std::size_t query_bits) {
  __m256i sum = _mm256_setzero_si256();
  for (std::size_t bit = 0; bit < query_bits;) {
    const std::size_t run = std::min<std::size_t>(4, query_bits - bit);
    __m256i bytes = _mm256_setzero_si256();
    for (std::size_t i = 0; i < run; ++i, ++bit) {
      const __m256i own = _mm256_broadcastsi128_si256(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(query + bit * 4)));
      bytes =
          _mm256_add_epi8(_mm256_add_epi8(bytes, bytes), count_bytes(_mm256_xor_si256(words, own)));
    }
    sum = _mm256_add_epi32(_mm256_slli_epi32(sum, static_cast<int>(run)), add_bytes(bytes));
  }
  return sum;
}

/// Words of two vectors with `width` words each, in the first `width` of 4 lanes.
WARPDEX_AVX2 inline __m256i load_pair(const std::uint32_t* words, std::size_t width) {
  if (width == 4) return _mm256_loadu_si256(reinterpret_cast<const __m256i*>(words));
  alignas(32) std::array<std::uint32_t, 8> pair{};
  for (std::size_t w = 0; w < width; ++w) {
    pair[w] = words[w];
    pair[4 + w] = words[width + w];
  }
  return _mm256_load_si256(reinterpret_cast<const __m256i*>(pair.data()));
}

WARPDEX_AVX2 void xor_distances_avx2(const std::uint8_t* codes, std::size_t groups,
                                     const CodeShape& shape, const std::uint32_t* query,
                                     std::uint32_t* out) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(codes);
  for (std::size_t group = 0; group < groups; ++group, out += kGroupVectors) {
    constexpr std::size_t kPairs = kGroupVectors / 2;
    __m256i sums[kPairs];
    for (__m256i& sum : sums) sum = _mm256_setzero_si256();
    for (std::size_t chunk = 0; chunk < shape.chunks(); ++chunk) {
      const std::size_t width = width_of(shape, chunk);
      const std::array<std::int32_t, 4> own = shifts_of(shape, chunk);
      const __m256i shifts = _mm256_broadcastsi128_si256(
          _mm_loadu_si128(reinterpret_cast<const __m128i*>(own.data())));
      const std::uint32_t* const part = query + chunk * shape.query_bits * 4;
      for (__m256i& sum : sums) {
        const __m256i distances = distances8(load_pair(words, width), part, shape.query_bits);
        sum = _mm256_add_epi32(sum, _mm256_sllv_epi32(distances, shifts));
        words += 2 * width;
      }
    }
    for (std::size_t i = 0; i < kPairs; ++i) {
      __m256i sum = _mm256_add_epi32(sums[i], _mm256_shuffle_epi32(sums[i], 0xB1));
      sum = _mm256_add_epi32(sum, _mm256_shuffle_epi32(sum, 0x4E));
      out[2 * i] = static_cast<std::uint32_t>(_mm256_extract_epi32(sum, 0));
      out[2 * i + 1] = static_cast<std::uint32_t>(_mm256_extract_epi32(sum, 4));
    }
  }
}

// ---- AVX-512: 4 vectors of 4 words ----

WARPDEX_AVX512 void quantize_avx512(const float* values, std::size_t padded, float factor,
                                    std::size_t bits, std::uint32_t* words) {
  const __m512 factors = _mm512_set1_ps(factor);
  const __m512 half = _mm512_set1_ps(static_cast<float>(1U << (bits - 1)));
  const __m512 last = _mm512_set1_ps(static_cast<float>((1U << bits) - 1));
  for (std::size_t c = 0; c < padded; c += 32, words += bits) {
    std::fill_n(words, bits, 0U);
    for (std::size_t part = 0; part < 2; ++part) {
      __m512 t = _mm512_mul_ps(_mm512_loadu_ps(values + c + part * 16), factors);
      t = _mm512_add_ps(t, half);
      t = _mm512_min_ps(_mm512_max_ps(t, _mm512_setzero_ps()), last);
      const __m512i cells = _mm512_cvttps_epi32(t);
      for (std::size_t bit = 0; bit < bits; ++bit) {
        const __m512i mask = _mm512_set1_epi32(1 << (bits - 1 - bit));
        words[bit] |= std::uint32_t{_mm512_test_epi32_mask(cells, mask)} << (part * 16);
      }
    }
  }
}

constexpr std::size_t kFours = kGroupVectors / 4;

/// Words of four vectors with `width` words each, in the first `width` of 4 lanes.
WARPDEX_AVX512 inline __m512i load_four(const std::uint32_t* words, std::size_t width) {
  if (width == 4) return _mm512_loadu_si512(words);
  const auto lanes = static_cast<__mmask16>(((1U << width) - 1) * 0x1111U);
  return _mm512_maskz_expandloadu_epi32(lanes, words);
}

WARPDEX_AVX512 void xor_distances_avx512(const std::uint8_t* codes, std::size_t groups,
                                         const CodeShape& shape, const std::uint32_t* query,
                                         std::uint32_t* out) {
  const auto* words = reinterpret_cast<const std::uint32_t*>(codes);
  for (std::size_t group = 0; group < groups; ++group, out += kGroupVectors) {
    __m512i sums[kFours];
    for (__m512i& sum : sums) sum = _mm512_setzero_si512();
    for (std::size_t chunk = 0; chunk < shape.chunks(); ++chunk) {
      const std::size_t width = width_of(shape, chunk);
      const std::array<std::int32_t, 4> own = shifts_of(shape, chunk);
      const __m512i shifts =
          _mm512_broadcast_i32x4(_mm_loadu_si128(reinterpret_cast<const __m128i*>(own.data())));
      const std::uint32_t* const part = query + chunk * shape.query_bits * 4;
      __m512i distances[kFours];
      for (__m512i& distance : distances) distance = _mm512_setzero_si512();
      for (std::size_t bit = 0; bit < shape.query_bits; ++bit) {
        const __m512i bits = _mm512_broadcast_i32x4(
            _mm_loadu_si128(reinterpret_cast<const __m128i*>(part + bit * 4)));
        for (std::size_t i = 0; i < kFours; ++i) {
          const __m512i differing = _mm512_xor_si512(load_four(words + i * 4 * width, width), bits);
          distances[i] = _mm512_add_epi32(_mm512_add_epi32(distances[i], distances[i]),
                                          _mm512_popcnt_epi32(differing));
        }
      }
      for (std::size_t i = 0; i < kFours; ++i) {
        sums[i] = _mm512_add_epi32(sums[i], _mm512_sllv_epi32(distances[i], shifts));
      }
      words += kGroupVectors * width;
    }
    for (std::size_t i = 0; i < kFours; ++i) {
      __m512i sum = _mm512_add_epi32(sums[i], _mm512_shuffle_epi32(sums[i], _MM_PERM_CDAB));
      sum = _mm512_add_epi32(sum, _mm512_shuffle_epi32(sum, _MM_PERM_BADC));
      _mm512_mask_compressstoreu_epi32(out + 4 * i, 0x1111, sum);
    }
  }
}

}  // namespace

const CodeKernels kAvx2Codes{quantize_avx2, xor_distances_avx2};
const CodeKernels kAvx512Codes{quantize_avx512, xor_distances_avx512};

bool has_avx512_popcount() {
  __builtin_cpu_init();
  return __builtin_cpu_supports("avx512vpopcntdq") != 0;
}

}  // namespace warpdex::vector

#endif
