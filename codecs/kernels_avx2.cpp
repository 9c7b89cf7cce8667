// Kernels for AVX2 with BMI: eight values at a time.
#include "kernels.hpp"
#include "kernels_generic.hpp"
#include "unpack_tables.hpp"

namespace warpdex {
const DecodeKernels* avx2_decode_kernels();
}

#if !defined(__x86_64__)

const warpdex::DecodeKernels* warpdex::avx2_decode_kernels() { return nullptr; }

#else

#include <immintrin.h>

#define WARPDEX_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#define WARPDEX_AVX2_INLINE WARPDEX_AVX2 __attribute__((always_inline)) inline

namespace warpdex {
namespace {

constexpr auto kShuffles = make_shuffles<8, 4>();

/// Yields the values of one width, eight a call.
struct Unpacker {
  __m256i shuffle;
  __m256i shifts;
  __m256i mask;
  std::uint32_t width;
  std::uint32_t half;  ///< bytes from a group's start to the load of its upper four values

  WARPDEX_AVX2_INLINE explicit Unpacker(std::uint32_t w)
      : shuffle(_mm256_load_si256(reinterpret_cast<const __m256i*>(kShuffles[w].bytes.data()))),
        shifts(_mm256_load_si256(reinterpret_cast<const __m256i*>(kShuffles[w].shifts.data()))),
        mask(_mm256_set1_epi32(static_cast<int>(low_mask(w)))),
        width(w),
        half(4 * w / 8) {}

  WARPDEX_AVX2_INLINE __m256i next(const std::uint8_t*& bytes) const {
    const __m128i low = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes));
    const __m128i high = _mm_loadu_si128(reinterpret_cast<const __m128i*>(bytes + half));
    bytes += width;
    const __m256i both = _mm256_inserti128_si256(_mm256_castsi128_si256(low), high, 1);
    return _mm256_and_si256(_mm256_srlv_epi32(_mm256_shuffle_epi8(both, shuffle), shifts), mask);
  }
};

WARPDEX_AVX2_INLINE void store(std::uint32_t* to, __m256i values) {
  _mm256_storeu_si256(reinterpret_cast<__m256i*>(to), values);
}

/// Sums gaps less one, eight a call.
struct Summer {
  __m256i carry;
  __m256i bits = _mm256_setzero_si256();

  WARPDEX_AVX2_INLINE explicit Summer(std::uint32_t base)
      : carry(_mm256_set1_epi32(static_cast<int>(base))) {}

  WARPDEX_AVX2_INLINE __m256i next(__m256i gaps) {
    bits = _mm256_or_si256(bits, gaps);
    __m256i sums = _mm256_sub_epi32(gaps, _mm256_set1_epi32(-1));
    sums = _mm256_add_epi32(sums, _mm256_slli_si256(sums, 4));
    sums = _mm256_add_epi32(sums, _mm256_slli_si256(sums, 8));
    const __m256i lower = _mm256_permute2x128_si256(sums, sums, 0x08);  // low half up, zero below
    sums = _mm256_add_epi32(sums, _mm256_shuffle_epi32(lower, 0xFF));
    sums = _mm256_add_epi32(sums, carry);
    carry = _mm256_permutevar8x32_epi32(sums, _mm256_set1_epi32(7));
    return sums;
  }

  WARPDEX_AVX2_INLINE std::uint32_t or_of_gaps() const {
    __m128i half = _mm_or_si128(_mm256_castsi256_si128(bits), _mm256_extracti128_si256(bits, 1));
    half = _mm_or_si128(half, _mm_srli_si128(half, 8));
    half = _mm_or_si128(half, _mm_srli_si128(half, 4));
    return static_cast<std::uint32_t>(_mm_cvtsi128_si32(half));
  }
};

WARPDEX_AVX2 void unpack(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t width,
                         std::uint32_t* out) {
  if (width > kShuffleWidth) return generic::unpack(bytes, count, width, out);
  const Unpacker unpacker(width);
  for (std::uint32_t i = 0; i < count; i += 8) store(out + i, unpacker.next(bytes));
}

WARPDEX_AVX2 std::uint32_t sum(std::uint32_t* values, std::uint32_t count, std::uint32_t base) {
  Summer summer(base);
  for (std::uint32_t i = 0; i < count; i += 8) {
    const __m256i gaps = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(values + i));
    store(values + i, summer.next(gaps));
  }
  return summer.or_of_gaps();
}

WARPDEX_AVX2 std::uint32_t unpack_sum(const std::uint8_t* bytes, std::uint32_t count,
                                      std::uint32_t width, std::uint32_t base, std::uint32_t* out) {
  if (width > kShuffleWidth) {
    generic::unpack(bytes, count, width, out);
    return sum(out, count, base);
  }
  const Unpacker unpacker(width);
  Summer summer(base);
  for (std::uint32_t i = 0; i < count; i += 8) {
    store(out + i, summer.next(unpacker.next(bytes)));
  }
  return summer.or_of_gaps();
}

WARPDEX_AVX2 std::uint32_t find_ones(const std::uint8_t* bytes, std::uint32_t start,
                                     const std::uint8_t* end, std::uint32_t count,
                                     std::uint16_t* ends) {
  return generic::find_ones(bytes, start, end, count, ends);
}

WARPDEX_AVX2 std::uint32_t add_quotients(const std::uint16_t* ends, std::uint32_t count,
                                         std::uint32_t shift, std::uint32_t* out) {
  return generic::add_quotients(ends, count, shift, out);
}

WARPDEX_AVX2 std::uint32_t add_quotient_sums(const std::uint16_t* ends, std::uint32_t count,
                                             std::uint32_t shift, std::uint32_t* out) {
  return generic::add_quotient_sums(ends, count, shift, out);
}

constexpr DecodeKernels kAvx2Kernels = {
    unpack, unpack_sum, sum, find_ones, add_quotients, add_quotient_sums,
};

}  // namespace

const DecodeKernels* avx2_decode_kernels() { return &kAvx2Kernels; }

}  // namespace warpdex

#endif
