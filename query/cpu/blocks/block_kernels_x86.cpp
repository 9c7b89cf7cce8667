// The form in AVX-512. Only functions marked with a target use its instructions.
#include "cpu/blocks/block_kernels.hpp"

#if defined(__x86_64__)

// GCC 12 warns of the deliberately undefined operands inside its own intrinsics.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

#include <bit>
#include <cstring>

#include "scorers/base/x86_targets.hpp"

namespace warpdex {
namespace {

/// `sums`, and weight * the next byte added to each lane of a mask. May read 16 bytes.
WARPDEX_AVX512 inline __m512 plus_expanded(__m512 sums, std::uint32_t mask,
                                           const std::uint8_t* values, __m512 weight) {
  const auto lanes = static_cast<__mmask16>(mask);
  const __m512i packed =
      _mm512_cvtepu8_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)));
  const __m512 spread = _mm512_cvtepi32_ps(_mm512_maskz_expand_epi32(lanes, packed));
  return _mm512_mask_add_ps(sums, lanes, sums, _mm512_mul_ps(weight, spread));
}

WARPDEX_AVX512 std::uint32_t load_mask(const std::uint8_t* bytes) {
  std::uint16_t value;
  std::memcpy(&value, bytes, sizeof value);
  return value;
}

WARPDEX_AVX512 void find_avx512(const BlockList& list, const std::uint32_t* superblocks,
                                std::uint32_t count, std::uint32_t* places) {
  for (std::uint32_t i = 0; i < count; ++i) {
    if (list.words == nullptr) {
      places[i] = list.find(superblocks[i]);
    } else {
      const SuperblockWord& word = list.words[superblocks[i] / 64];
      const std::uint64_t bit = std::uint64_t{1} << superblocks[i] % 64;
      const auto before = static_cast<std::uint32_t>(_mm_popcnt_u64(word.bits & (bit - 1)));
      places[i] = (word.bits & bit) != 0 ? word.rank + before : BlockList::kNone;
    }
    if (places[i] != BlockList::kNone) __builtin_prefetch(list.starts + places[i]);
  }
}

WARPDEX_AVX512 void add_superblocks_avx512(const BlockList& list, float weight,
                                           std::uint32_t superblocks, float* sums) {
  const __m512 weights = _mm512_set1_ps(weight);
  const std::uint32_t words = (superblocks + 63) / 64;
  const std::uint8_t* values = list.largest;
  for (std::uint32_t i = 0; i < words; ++i) {
    std::uint64_t bits = list.words[i].bits;
    for (int quarter = 0; quarter < 4; ++quarter, bits >>= 16, sums += 16) {
      const auto mask = static_cast<std::uint32_t>(bits & 0xFFFF);
      _mm512_storeu_ps(sums, plus_expanded(_mm512_loadu_ps(sums), mask, values, weights));
      values += _mm_popcnt_u32(mask);
    }
  }
}

WARPDEX_AVX512 std::uint32_t add_blocks_avx512(const BlockRecords& terms, float more, float slack,
                                               float need, float* sums) {
  __m512 total = _mm512_loadu_ps(sums);
  for (std::size_t i = 0; i < terms.count; ++i) {
    const std::uint8_t* const record = terms.records[i];
    if (record == nullptr) continue;
    total = plus_expanded(total, load_mask(record), record + 2, _mm512_set1_ps(terms.weights[i]));
  }
  _mm512_storeu_ps(sums, total);
  const __m512 bounds =
      _mm512_mul_ps(_mm512_add_ps(total, _mm512_set1_ps(more)), _mm512_set1_ps(slack));
  return _mm512_cmp_ps_mask(bounds, _mm512_set1_ps(need), _CMP_GE_OQ);
}

WARPDEX_AVX512 void add_documents_avx512(const BlockRecords& terms, std::uint32_t wanted,
                                         float* sums) {
  for (std::size_t i = 0; i < terms.count; ++i) {
    const std::uint8_t* const record = terms.records[i];
    if (record == nullptr) continue;
    const std::uint32_t blocks = load_mask(record);
    const int count = _mm_popcnt_u32(blocks);
    const std::uint8_t* const documents = record + 2 + count;
    const std::uint8_t* const first = documents + 2 * count;
    const __m512 weight = _mm512_set1_ps(terms.weights[i]);
    for (std::uint32_t left = blocks & wanted; left != 0; left &= left - 1) {
      const int block = std::countr_zero(left);
      const int place = _mm_popcnt_u32(blocks & ((1U << block) - 1));
      float* const at = sums + std::size_t{kDocumentsOfBlock} * static_cast<std::size_t>(block);
      const std::uint32_t mask = load_mask(documents + 2 * place);
      _mm512_storeu_ps(
          at, plus_expanded(_mm512_loadu_ps(at), mask, first + count + first[place], weight));
    }
  }
}

WARPDEX_AVX512 std::uint32_t at_least_avx512(const float* sums, float need) {
  return _mm512_cmpge_epi32_mask(_mm512_castps_si512(_mm512_loadu_ps(sums)),
                                 _mm512_set1_epi32(std::bit_cast<std::int32_t>(need)));
}

}  // namespace

const BlockKernels kAvx512BlockKernels{find_avx512, add_superblocks_avx512, add_blocks_avx512,
                                       add_documents_avx512, at_least_avx512};

}  // namespace warpdex

#endif
