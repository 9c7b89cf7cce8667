// BM25 in AVX2 and AVX-512. Internal.
#pragma once

#include <immintrin.h>

#include "scorers/base/loops.hpp"
#include "scorers/base/x86_targets.hpp"
#include "scorers/bm25/bm25.hpp"

namespace warpdex {

WARPDEX_AVX2 inline __m256 bm25_of(__m256 weight, __m256 c0, __m256 c1, __m256 tf, __m256 length) {
  const __m256 norm = _mm256_add_ps(c0, _mm256_mul_ps(c1, length));
  return _mm256_mul_ps(weight, _mm256_div_ps(tf, _mm256_add_ps(tf, norm)));
}

/// decode_rounded() of 8 codes: (8 | low 3 bits) * 2^(code / 8 - 1), below 8 the code itself.
WARPDEX_AVX2 inline __m256 decode_codes(__m128i codes) {
  const __m256i code = _mm256_cvtepu8_epi32(codes);
  const __m256i digits =
      _mm256_or_si256(_mm256_and_si256(code, _mm256_set1_epi32(7)), _mm256_set1_epi32(8));
  const __m256i exponent =
      _mm256_slli_epi32(_mm256_sub_epi32(_mm256_srli_epi32(code, 3), _mm256_set1_epi32(1)), 23);
  const __m256i large = _mm256_add_epi32(_mm256_castps_si256(_mm256_cvtepi32_ps(digits)), exponent);
  const __m256 small = _mm256_cvtepi32_ps(code);
  const __m256i is_small = _mm256_cmpgt_epi32(_mm256_set1_epi32(8), code);
  return _mm256_blendv_ps(_mm256_castsi256_ps(large), small, _mm256_castsi256_ps(is_small));
}

template <>
struct Avx2Loops<Bm25> {
  WARPDEX_AVX2 static void score(const TermScorer& scorer, const std::uint32_t* docids,
                                 const std::uint32_t* frequencies, const std::uint32_t* lengths,
                                 std::size_t count, float* scores) {
    const __m256 weight = _mm256_set1_ps(scorer.weight);
    const __m256 c0 = _mm256_set1_ps(scorer.c0);
    const __m256 c1 = _mm256_set1_ps(scorer.c1);
    for (std::size_t i = 0; i < count; i += 8) {
      const __m256i docid = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(docids + i));
      const __m256i frequency =
          _mm256_loadu_si256(reinterpret_cast<const __m256i*>(frequencies + i));
      const __m256i length =
          _mm256_i32gather_epi32(reinterpret_cast<const int*>(lengths), docid, 4);
      _mm256_storeu_ps(scores + i, bm25_of(weight, c0, c1, _mm256_cvtepi32_ps(frequency),
                                           _mm256_cvtepi32_ps(length)));
    }
  }

  WARPDEX_AVX2 static void bound(const TermScorer& scorer, const ScoreBound* blocks,
                                 std::size_t count, float* bounds) {
    static_assert(kBoundPairs == 4, "two blocks fill a vector");
    const __m256 weight = _mm256_set1_ps(scorer.weight);
    const __m256 c0 = _mm256_set1_ps(scorer.c0);
    const __m256 c1 = _mm256_set1_ps(scorer.c1);
    std::size_t i = 0;
    for (; i + 2 <= count; i += 2) {
      const __m128i two = _mm_loadu_si128(reinterpret_cast<const __m128i*>(blocks + i));
      const __m128i parted = _mm_shuffle_epi32(two, _MM_SHUFFLE(3, 1, 2, 0));
      const __m256 tf = decode_codes(parted);
      const __m256 length = decode_codes(_mm_unpackhi_epi64(parted, parted));
      __m256 bound = bm25_of(weight, c0, c1, tf, length);
      bound = _mm256_max_ps(bound, _mm256_permute_ps(bound, _MM_SHUFFLE(1, 0, 3, 2)));
      bound = _mm256_max_ps(bound, _mm256_permute_ps(bound, _MM_SHUFFLE(2, 3, 0, 1)));
      bounds[i] = _mm256_cvtss_f32(bound);
      bounds[i + 1] = _mm_cvtss_f32(_mm256_extractf128_ps(bound, 1));
    }
    if (i < count) PlainLoops<Bm25>::bound(scorer, blocks + i, count - i, bounds + i);
  }
};

template <>
struct Avx512Loops<Bm25> {
  WARPDEX_AVX512 static void score(const TermScorer& scorer, const std::uint32_t* docids,
                                   const std::uint32_t* frequencies, const std::uint32_t* lengths,
                                   std::size_t count, float* scores) {
    const __m512 weight = _mm512_set1_ps(scorer.weight);
    const __m512 c0 = _mm512_set1_ps(scorer.c0);
    const __m512 c1 = _mm512_set1_ps(scorer.c1);
    for (std::size_t i = 0; i < count; i += 16) {
      const __m512i docid = _mm512_loadu_si512(docids + i);
      const __m512 length = _mm512_cvtepi32_ps(_mm512_i32gather_epi32(docid, lengths, 4));
      const __m512 tf = _mm512_cvtepi32_ps(_mm512_loadu_si512(frequencies + i));
      const __m512 norm = _mm512_add_ps(c0, _mm512_mul_ps(c1, length));
      _mm512_storeu_ps(scores + i,
                       _mm512_mul_ps(weight, _mm512_div_ps(tf, _mm512_add_ps(tf, norm))));
    }
  }

  WARPDEX_AVX2 static void bound(const TermScorer& scorer, const ScoreBound* blocks,
                                 std::size_t count, float* bounds) {
    Avx2Loops<Bm25>::bound(scorer, blocks, count, bounds);
  }
};

}  // namespace warpdex
