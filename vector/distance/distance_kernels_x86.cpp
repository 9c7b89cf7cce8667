// The distances in AVX2 and AVX-512. Only functions marked with a target use its instructions.
#include "distance/distance_kernels.hpp"

#if defined(__x86_64__)

// GCC 12 warns of the deliberately undefined operands inside its own intrinsics.
#if !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#pragma GCC diagnostic ignored "-Wuninitialized"
#endif

#include <immintrin.h>

#include <array>
#include <cstring>

#define WARPDEX_AVX2 __attribute__((target("avx2,fma,f16c")))
#define WARPDEX_AVX512 __attribute__((target("avx512f,avx512bw,avx512dq,avx512vl,fma,f16c")))

namespace warpdex::vector {
namespace {

struct SquaredDifference;
struct Product;
template <class Term>
constexpr bool kIsSquared = false;
template <>
constexpr bool kIsSquared<SquaredDifference> = true;

/// The last components of a row, followed by zeros.
template <class Component>
class Tail {
 public:
  Tail(const Component* values, std::size_t count) {
    std::memcpy(values_.data(), values, count * sizeof(Component));
  }
  const Component* data() const { return values_.data(); }

 private:
  std::array<Component, kLanes> values_{};
};

// ---- AVX2: 4 vectors of 8 lanes ----

WARPDEX_AVX2 inline __m256 load8(const float* values) { return _mm256_loadu_ps(values); }
WARPDEX_AVX2 inline __m256 load8(const std::uint16_t* values) {
  return _mm256_cvtph_ps(_mm_loadu_si128(reinterpret_cast<const __m128i*>(values)));
}

template <class Term, class Component>
WARPDEX_AVX2 inline void add_chunk(const float* query, const Component* values, __m256* sums) {
  for (int v = 0; v < 4; ++v) {
    const __m256 x = _mm256_loadu_ps(query + v * 8);
    const __m256 y = load8(values + v * 8);
    if constexpr (kIsSquared<Term>) {
      const __m256 difference = _mm256_sub_ps(x, y);
      sums[v] = _mm256_fmadd_ps(difference, difference, sums[v]);
    } else {
      sums[v] = _mm256_fmadd_ps(x, y, sums[v]);
    }
  }
}

/// Adds 8 lanes in halves.
WARPDEX_AVX2 inline float add_lanes(__m256 lanes) {
  __m128 four = _mm_add_ps(_mm256_castps256_ps128(lanes), _mm256_extractf128_ps(lanes, 1));
  four = _mm_add_ps(four, _mm_movehl_ps(four, four));
  return _mm_cvtss_f32(_mm_add_ss(four, _mm_movehdup_ps(four)));
}

template <class Term, class Component>
WARPDEX_AVX2 void distances_avx2(const float* query, std::size_t dimension, const Component* rows,
                                 std::size_t stride, std::size_t count, float* out) {
  const std::size_t whole = dimension / kLanes * kLanes;
  for (std::size_t i = 0; i < count; ++i) {
    const Component* const row = rows + i * stride;
    __m256 sums[4] = {};
    for (std::size_t begin = 0; begin < whole; begin += kLanes) {
      add_chunk<Term>(query + begin, row + begin, sums);
    }
    if (whole < dimension) {
      const Tail tail(row + whole, dimension - whole);
      add_chunk<Term>(query + whole, tail.data(), sums);
    }
    out[i] =
        add_lanes(_mm256_add_ps(_mm256_add_ps(sums[0], sums[2]), _mm256_add_ps(sums[1], sums[3])));
  }
}

// ---- AVX-512: 2 vectors of 16 lanes, 4 rows side by side ----

WARPDEX_AVX512 inline __m512 load16(const float* values) { return _mm512_loadu_ps(values); }
WARPDEX_AVX512 inline __m512 load16(const std::uint16_t* values) {
  return _mm512_cvtph_ps(_mm256_loadu_si256(reinterpret_cast<const __m256i*>(values)));
}
/// Those components whose bits are set; reads no others. The rest is 0.
WARPDEX_AVX512 inline __m512 load16(const float* values, __mmask16 present) {
  return _mm512_maskz_loadu_ps(present, values);
}
WARPDEX_AVX512 inline __m512 load16(const std::uint16_t* values, __mmask16 present) {
  return _mm512_cvtph_ps(_mm256_maskz_loadu_epi16(present, values));
}

template <class Term>
WARPDEX_AVX512 inline __m512 add_term(__m512 x, __m512 y, __m512 sum) {
  if constexpr (kIsSquared<Term>) {
    const __m512 difference = _mm512_sub_ps(x, y);
    return _mm512_fmadd_ps(difference, difference, sum);
  } else {
    return _mm512_fmadd_ps(x, y, sum);
  }
}

/// Adds 16 lanes in halves.
WARPDEX_AVX512 inline float add_lanes(__m512 lanes) {
  return add_lanes(_mm256_add_ps(_mm512_castps512_ps256(lanes), _mm512_extractf32x8_ps(lanes, 1)));
}

/// kRows rows at once, so that their sums do not wait for each other.
template <class Term, int kRows, class Component>
WARPDEX_AVX512 inline void rows_avx512(const float* query, std::size_t dimension,
                                       const Component* rows, std::size_t stride, float* out) {
  const std::size_t whole = dimension / kLanes * kLanes;
  __m512 low[kRows] = {};
  __m512 high[kRows] = {};
  for (std::size_t begin = 0; begin < whole; begin += kLanes) {
    const __m512 x0 = _mm512_loadu_ps(query + begin);
    const __m512 x1 = _mm512_loadu_ps(query + begin + 16);
    for (int r = 0; r < kRows; ++r) {
      const Component* const values = rows + r * stride + begin;
      low[r] = add_term<Term>(x0, load16(values), low[r]);
      high[r] = add_term<Term>(x1, load16(values + 16), high[r]);
    }
  }
  if (whole < dimension) {
    const __m512 x0 = _mm512_loadu_ps(query + whole);
    const __m512 x1 = _mm512_loadu_ps(query + whole + 16);
    const std::uint32_t present = (1U << (dimension - whole)) - 1;
    for (int r = 0; r < kRows; ++r) {
      const Component* const values = rows + r * stride + whole;
      low[r] = add_term<Term>(x0, load16(values, static_cast<__mmask16>(present)), low[r]);
      high[r] =
          add_term<Term>(x1, load16(values + 16, static_cast<__mmask16>(present >> 16)), high[r]);
    }
  }
  for (int r = 0; r < kRows; ++r) out[r] = add_lanes(_mm512_add_ps(low[r], high[r]));
}

template <class Term, class Component>
WARPDEX_AVX512 void distances_avx512(const float* query, std::size_t dimension,
                                     const Component* rows, std::size_t stride, std::size_t count,
                                     float* out) {
  constexpr int kRows = 4;
  std::size_t i = 0;
  for (; i + kRows <= count; i += kRows) {
    rows_avx512<Term, kRows>(query, dimension, rows + i * stride, stride, out + i);
  }
  for (; i < count; ++i) {
    rows_avx512<Term, 1>(query, dimension, rows + i * stride, stride, out + i);
  }
}

}  // namespace

const DistanceKernels kAvx2Distances{
    distances_avx2<SquaredDifference, float>, distances_avx2<Product, float>,
    distances_avx2<SquaredDifference, std::uint16_t>, distances_avx2<Product, std::uint16_t>};

const DistanceKernels kAvx512Distances{
    distances_avx512<SquaredDifference, float>, distances_avx512<Product, float>,
    distances_avx512<SquaredDifference, std::uint16_t>, distances_avx512<Product, std::uint16_t>};

}  // namespace warpdex::vector

#endif
