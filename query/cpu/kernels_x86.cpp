// The inner loops in AVX2 and AVX-512. Only functions marked with a target use its instructions.
#include "cpu/kernels.hpp"

#if defined(__x86_64__)

// GCC 12 warns of the deliberately undefined operands inside its own intrinsics.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

#include <bit>
#include <cstring>

#include "cpu/scorer_loops.hpp"
#include "scorers/bm25/bm25_x86.hpp"
#include "scorers/impact/impact_x86.hpp"

namespace warpdex {
namespace {

// ---- AVX2: 8 lanes ----

WARPDEX_AVX2 std::size_t drain_lines_avx2(float* sums, std::uint8_t* marks, std::size_t lines,
                                          std::uint32_t first, float need,
                                          const Candidates& candidates) {
  // As integers, touched sums keep their order, and kUntouched (minus zero) is below all of them.
  const __m256i below = _mm256_set1_epi32(std::bit_cast<std::int32_t>(need) - 1);
  const __m256i untouched = _mm256_castps_si256(_mm256_set1_ps(kUntouched));
  const __m256i unmarked = _mm256_setzero_si256();
  std::size_t found = 0;
  for (std::size_t group = 0; group < lines; group += 32) {
    auto* const group_marks = reinterpret_cast<__m256i*>(marks + group);
    auto marked = ~static_cast<unsigned>(
        _mm256_movemask_epi8(_mm256_cmpeq_epi8(_mm256_loadu_si256(group_marks), unmarked)));
    if (marked == 0) continue;
    _mm256_storeu_si256(group_marks, unmarked);
    for (; marked != 0; marked &= marked - 1) {
      const std::size_t line = group + static_cast<unsigned>(std::countr_zero(marked));
      for (std::size_t i = line * kLineSums; i < (line + 1) * kLineSums; i += 8) {
        auto* const place = reinterpret_cast<__m256i*>(sums + i);
        const __m256i scores = _mm256_load_si256(place);
        auto mask = static_cast<unsigned>(
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(scores, below))));
        for (; mask != 0; mask &= mask - 1) {
          const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
          candidates.documents[found] = first + static_cast<std::uint32_t>(i) + lane;
          candidates.scores[found++] = sums[i + lane];
        }
        _mm256_store_si256(place, untouched);
      }
    }
  }
  return found;
}

WARPDEX_AVX2 std::size_t select_scores_avx2(const std::uint32_t* docids, const float* scores,
                                            std::size_t count, float need,
                                            const Candidates& candidates) {
  const __m256 threshold = _mm256_set1_ps(need);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += 8) {
    auto mask = static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_cmp_ps(_mm256_loadu_ps(scores + i), threshold, _CMP_GE_OQ)));
    if (count - i < 8) mask &= (1U << (count - i)) - 1;
    for (; mask != 0; mask &= mask - 1) {
      const auto lane = static_cast<std::uint32_t>(std::countr_zero(mask));
      candidates.documents[found] = docids[i + lane];
      candidates.scores[found++] = scores[i + lane];
    }
  }
  return found;
}

WARPDEX_AVX2 std::uint32_t seek_avx2(const std::uint32_t* docids, std::uint32_t from,
                                     std::uint32_t target) {
  // docIDs stay below 2^31, so signed comparison does; padding is all ones, that is -1.
  const __m256i wanted = _mm256_set1_epi32(static_cast<std::int32_t>(target));
  for (;; from += 8) {
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(docids + from));
    const auto below = static_cast<unsigned>(
        _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpgt_epi32(wanted, values))));
    if (below != 0xFF) return from + static_cast<std::uint32_t>(std::countr_one(below));
  }
}

WARPDEX_AVX2 std::size_t intersect_avx2(const std::uint32_t* wanted, std::size_t count,
                                        const std::uint32_t* docids, std::uint32_t from,
                                        std::uint8_t* matched, std::uint8_t* positions) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (docids[from + 7] < wanted[i]) from += 8;
    const __m256i values = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(docids + from));
    const auto equal = static_cast<unsigned>(_mm256_movemask_ps(_mm256_castsi256_ps(
        _mm256_cmpeq_epi32(values, _mm256_set1_epi32(static_cast<std::int32_t>(wanted[i]))))));
    matched[found] = static_cast<std::uint8_t>(i);
    positions[found] =
        static_cast<std::uint8_t>(from + static_cast<std::uint32_t>(std::countr_zero(equal)));
    found += equal != 0;
  }
  return found;
}

WARPDEX_AVX2 std::uint32_t rank_avx2(const std::uint8_t* bytes, std::uint32_t count) {
  std::uint64_t word;
  std::int64_t set = 0;
  for (; count >= 64; count -= 64, bytes += 8) {
    std::memcpy(&word, bytes, sizeof word);
    set += _mm_popcnt_u64(word);
  }
  std::memcpy(&word, bytes, sizeof word);
  return static_cast<std::uint32_t>(set + _mm_popcnt_u64(word & ((std::uint64_t{1} << count) - 1)));
}

// ---- AVX-512: 16 lanes ----

WARPDEX_AVX512 std::size_t drain_lines_avx512(float* sums, std::uint8_t* marks, std::size_t lines,
                                              std::uint32_t first, float need,
                                              const Candidates& candidates) {
  static_assert(kLineSums == 16, "a line fills a vector");
  const __m512i threshold = _mm512_set1_epi32(std::bit_cast<std::int32_t>(need));
  const __m512i untouched = _mm512_castps_si512(_mm512_set1_ps(kUntouched));
  const __m512i lanes = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
  std::size_t found = 0;
  for (std::size_t group = 0; group < lines; group += 64) {
    const __m512i group_marks = _mm512_loadu_si512(marks + group);
    std::uint64_t marked = _mm512_test_epi8_mask(group_marks, group_marks);
    if (marked == 0) continue;
    _mm512_storeu_si512(marks + group, _mm512_setzero_si512());
    for (; marked != 0; marked &= marked - 1) {
      const std::size_t i = (group + static_cast<unsigned>(std::countr_zero(marked))) * kLineSums;
      const __m512i scores = _mm512_load_si512(sums + i);
      const __mmask16 mask = _mm512_cmpge_epi32_mask(scores, threshold);
      _mm512_store_si512(sums + i, untouched);
      if (mask == 0) continue;
      const __m512i documents = _mm512_add_epi32(
          lanes,
          _mm512_set1_epi32(static_cast<std::int32_t>(first + static_cast<std::uint32_t>(i))));
      _mm512_storeu_si512(candidates.documents + found,
                          _mm512_maskz_compress_epi32(mask, documents));
      _mm512_storeu_si512(candidates.scores + found, _mm512_maskz_compress_epi32(mask, scores));
      found += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(mask)));
    }
  }
  return found;
}

WARPDEX_AVX512 std::size_t select_scores_avx512(const std::uint32_t* docids, const float* scores,
                                                std::size_t count, float need,
                                                const Candidates& candidates) {
  const __m512 threshold = _mm512_set1_ps(need);
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; i += 16) {
    const __m512 values = _mm512_loadu_ps(scores + i);
    __mmask16 mask = _mm512_cmp_ps_mask(values, threshold, _CMP_GE_OQ);
    if (count - i < 16) mask &= static_cast<__mmask16>((1U << (count - i)) - 1);
    if (mask == 0) continue;
    _mm512_storeu_si512(candidates.documents + found,
                        _mm512_maskz_compress_epi32(mask, _mm512_loadu_si512(docids + i)));
    _mm512_storeu_ps(candidates.scores + found, _mm512_maskz_compress_ps(mask, values));
    found += static_cast<std::size_t>(std::popcount(static_cast<unsigned>(mask)));
  }
  return found;
}

WARPDEX_AVX512 std::uint32_t seek_avx512(const std::uint32_t* docids, std::uint32_t from,
                                         std::uint32_t target) {
  const __m512i wanted = _mm512_set1_epi32(static_cast<std::int32_t>(target));
  for (;; from += 16) {
    const std::uint16_t below = _mm512_cmplt_epu32_mask(_mm512_loadu_si512(docids + from), wanted);
    if (below != 0xFFFF) return from + static_cast<std::uint32_t>(std::countr_one(below));
  }
}

WARPDEX_AVX512 std::size_t intersect_avx512(const std::uint32_t* wanted, std::size_t count,
                                            const std::uint32_t* docids, std::uint32_t from,
                                            std::uint8_t* matched, std::uint8_t* positions) {
  std::size_t found = 0;
  for (std::size_t i = 0; i < count; ++i) {
    while (docids[from + 15] < wanted[i]) from += 16;
    // Kept in 16 bits: g++ 12 and 13, when they spill a widened mask, store 16 bits and load 32, so
    // that old memory would count as matches.
    const std::uint16_t equal = _mm512_cmpeq_epi32_mask(
        _mm512_loadu_si512(docids + from), _mm512_set1_epi32(static_cast<std::int32_t>(wanted[i])));
    matched[found] = static_cast<std::uint8_t>(i);
    positions[found] =
        static_cast<std::uint8_t>(from + static_cast<std::uint32_t>(std::countr_zero(equal)));
    found += equal != 0;
  }
  return found;
}

}  // namespace

const Kernels kAvx2Kernels{loops_of<Avx2Loops>(Scorers()),
                           drain_lines_avx2,
                           select_scores_avx2,
                           seek_avx2,
                           intersect_avx2,
                           rank_avx2};
const Kernels kAvx512Kernels{loops_of<Avx512Loops>(Scorers()),
                             drain_lines_avx512,
                             select_scores_avx512,
                             seek_avx512,
                             intersect_avx512,
                             rank_avx2};

}  // namespace warpdex

#endif
