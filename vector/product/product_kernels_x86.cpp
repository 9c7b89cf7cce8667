// The panel product in AVX2 and AVX-512: all sums of a pair of panels stay in registers. Only
// functions marked with a target use its instructions.
#include "product/product_kernels.hpp"

#if defined(__x86_64__)

// GCC 12 warns of the deliberately undefined operands inside its own intrinsics.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

#define WARPDEX_AVX2 __attribute__((target("avx2,fma")))
#define WARPDEX_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma")))

namespace warpdex::vector {
namespace {

// ---- AVX2: 6 queries by 16 vectors, 12 of 16 registers hold sums ----

constexpr int kQueries2 = 6;
constexpr int kVectors2 = 16;

WARPDEX_AVX2 bool match_avx2(const float* query_panel, const float* vector_panel, std::size_t depth,
                             const float* offsets, const float* limits, float* sums,
                             std::uint32_t* masks) {
  __m256 products[kQueries2][2];
  for (auto& pair : products) pair[0] = pair[1] = _mm256_setzero_ps();
  for (std::size_t c = 0; c < depth; ++c) {
    const __m256 y0 = _mm256_loadu_ps(vector_panel + c * kVectors2);
    const __m256 y1 = _mm256_loadu_ps(vector_panel + c * kVectors2 + 8);
#pragma GCC unroll 6
    for (int i = 0; i < kQueries2; ++i) {
      const __m256 x = _mm256_set1_ps(query_panel[c * kQueries2 + i]);
      products[i][0] = _mm256_fmadd_ps(x, y0, products[i][0]);
      products[i][1] = _mm256_fmadd_ps(x, y1, products[i][1]);
    }
  }
  const __m256 offset0 = _mm256_loadu_ps(offsets);
  const __m256 offset1 = _mm256_loadu_ps(offsets + 8);
  std::uint32_t any = 0;
#pragma GCC unroll 6
  for (int i = 0; i < kQueries2; ++i) {
    const __m256 limit = _mm256_set1_ps(limits[i]);
    const __m256 sum0 = _mm256_add_ps(products[i][0], offset0);
    const __m256 sum1 = _mm256_add_ps(products[i][1], offset1);
    const int low = _mm256_movemask_ps(_mm256_cmp_ps(sum0, limit, _CMP_NGT_UQ));
    const int high = _mm256_movemask_ps(_mm256_cmp_ps(sum1, limit, _CMP_NGT_UQ));
    masks[i] = static_cast<std::uint32_t>(low | high << 8);
    any |= masks[i];
    if (masks[i] != 0) {
      _mm256_storeu_ps(sums + i * kVectors2, sum0);
      _mm256_storeu_ps(sums + i * kVectors2 + 8, sum1);
    }
  }
  return any != 0;
}

// ---- AVX-512: 12 queries by 32 vectors, 24 of 32 registers hold sums ----

constexpr int kQueries5 = 12;
constexpr int kVectors5 = 32;

WARPDEX_AVX512 bool match_avx512(const float* query_panel, const float* vector_panel,
                                 std::size_t depth, const float* offsets, const float* limits,
                                 float* sums, std::uint32_t* masks) {
  __m512 products[kQueries5][2];
  for (auto& pair : products) pair[0] = pair[1] = _mm512_setzero_ps();
  for (std::size_t c = 0; c < depth; ++c) {
    const __m512 y0 = _mm512_loadu_ps(vector_panel + c * kVectors5);
    const __m512 y1 = _mm512_loadu_ps(vector_panel + c * kVectors5 + 16);
#pragma GCC unroll 12
    for (int i = 0; i < kQueries5; ++i) {
      const __m512 x = _mm512_set1_ps(query_panel[c * kQueries5 + i]);
      products[i][0] = _mm512_fmadd_ps(x, y0, products[i][0]);
      products[i][1] = _mm512_fmadd_ps(x, y1, products[i][1]);
    }
  }
  const __m512 offset0 = _mm512_loadu_ps(offsets);
  const __m512 offset1 = _mm512_loadu_ps(offsets + 16);
  std::uint32_t any = 0;
#pragma GCC unroll 12
  for (int i = 0; i < kQueries5; ++i) {
    const __m512 limit = _mm512_set1_ps(limits[i]);
    const __m512 sum0 = _mm512_add_ps(products[i][0], offset0);
    const __m512 sum1 = _mm512_add_ps(products[i][1], offset1);
    const std::uint32_t low = _mm512_cmp_ps_mask(sum0, limit, _CMP_NGT_UQ);
    const std::uint32_t high = _mm512_cmp_ps_mask(sum1, limit, _CMP_NGT_UQ);
    masks[i] = low | high << 16;
    any |= masks[i];
    if (masks[i] != 0) {
      _mm512_storeu_ps(sums + i * kVectors5, sum0);
      _mm512_storeu_ps(sums + i * kVectors5 + 16, sum1);
    }
  }
  return any != 0;
}

}  // namespace

const ProductKernels kAvx2Products{kQueries2, kVectors2, match_avx2};
const ProductKernels kAvx512Products{kQueries5, kVectors5, match_avx512};

static_assert(kQueries5 <= kMaxPanelQueries && kQueries2 <= kMaxPanelQueries);
static_assert(kVectors5 <= kMaxPanelVectors && kVectors2 <= kMaxPanelVectors);

}  // namespace warpdex::vector

#endif
