// Kernels for AVX-512 with VBMI and VBMI2 (Ice Lake, Zen 4 and later): sixteen values at a time.
#include "kernels.hpp"
#include "kernels_generic.hpp"
#include "unpack_tables.hpp"

namespace warpdex {
const DecodeKernels* avx512_decode_kernels();
}

#if !defined(__x86_64__)

const warpdex::DecodeKernels* warpdex::avx512_decode_kernels() { return nullptr; }

#else

// GCC 12 takes the undefined vectors in its own header for a mistake of ours (GCC bug 105593).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include <immintrin.h>

// GCC vectorises plain loops with 256 bits unless it is told otherwise; Clang has no such
// attribute.
#if defined(__clang__)
#define WARPDEX_AVX512_WIDTH
#else
#define WARPDEX_AVX512_WIDTH ",prefer-vector-width=512"
#endif
#define WARPDEX_AVX512                                                             \
  __attribute__((                                                                  \
      target("avx2,bmi,bmi2,popcnt,avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi," \
             "avx512vbmi2" WARPDEX_AVX512_WIDTH)))
#define WARPDEX_AVX512_INLINE WARPDEX_AVX512 __attribute__((always_inline)) inline

namespace warpdex {
namespace {

constexpr auto kShuffles = make_shuffles<16, 16>();

WARPDEX_AVX512_INLINE void store(void* to, __m512i values) { _mm512_storeu_si512(to, values); }

/// Yields the values of one width up to kShuffleWidth, sixteen a call.
struct Unpacker {
  __m512i shuffle;
  __m512i shifts;
  __m512i mask;
  std::uint32_t width;

  WARPDEX_AVX512_INLINE explicit Unpacker(std::uint32_t w)
      : shuffle(_mm512_load_si512(kShuffles[w].bytes.data())),
        shifts(_mm512_load_si512(kShuffles[w].shifts.data())),
        mask(_mm512_set1_epi32(static_cast<int>(low_mask(w)))),
        width(w) {}

  WARPDEX_AVX512_INLINE __m512i next(const std::uint8_t*& bytes) const {
    const __m512i lanes = _mm512_permutexvar_epi8(shuffle, _mm512_loadu_si512(bytes));
    bytes += 2 * width;
    return _mm512_and_si512(_mm512_srlv_epi32(lanes, shifts), mask);
  }
};

/// Sums gaps less one, sixteen a call.
struct Summer {
  __m512i carry;
  __m512i bits = _mm512_setzero_si512();

  WARPDEX_AVX512_INLINE explicit Summer(std::uint32_t base)
      : carry(_mm512_set1_epi32(static_cast<int>(base))) {}

  WARPDEX_AVX512_INLINE __m512i next(__m512i gaps) {
    const __m512i zero = _mm512_setzero_si512();
    bits = _mm512_or_si512(bits, gaps);
    __m512i sums = _mm512_sub_epi32(gaps, _mm512_set1_epi32(-1));
    sums = _mm512_add_epi32(sums, _mm512_alignr_epi32(sums, zero, 15));
    sums = _mm512_add_epi32(sums, _mm512_alignr_epi32(sums, zero, 14));
    sums = _mm512_add_epi32(sums, _mm512_alignr_epi32(sums, zero, 12));
    sums = _mm512_add_epi32(sums, _mm512_alignr_epi32(sums, zero, 8));
    sums = _mm512_add_epi32(sums, carry);
    carry = _mm512_permutexvar_epi32(_mm512_set1_epi32(15), sums);
    return sums;
  }

  WARPDEX_AVX512_INLINE std::uint32_t or_of_gaps() const {
    return static_cast<std::uint32_t>(_mm512_reduce_or_epi32(bits));
  }
};

WARPDEX_AVX512 void unpack(const std::uint8_t* bytes, std::uint32_t count, std::uint32_t width,
                           std::uint32_t* out) {
  if (width > kShuffleWidth) return generic::unpack(bytes, count, width, out);
  const Unpacker unpacker(width);
  for (std::uint32_t i = 0; i < count; i += 16) store(out + i, unpacker.next(bytes));
}

WARPDEX_AVX512 std::uint32_t sum(std::uint32_t* values, std::uint32_t count, std::uint32_t base) {
  Summer summer(base);
  for (std::uint32_t i = 0; i < count; i += 16) {
    store(values + i, summer.next(_mm512_loadu_si512(values + i)));
  }
  return summer.or_of_gaps();
}

WARPDEX_AVX512 std::uint32_t unpack_sum(const std::uint8_t* bytes, std::uint32_t count,
                                        std::uint32_t width, std::uint32_t base,
                                        std::uint32_t* out) {
  if (width > kShuffleWidth) {
    generic::unpack(bytes, count, width, out);
    return generic::sum(out, count, base);
  }
  const Unpacker unpacker(width);
  Summer summer(base);
  for (std::uint32_t i = 0; i < count; i += 16) {
    store(out + i, summer.next(unpacker.next(bytes)));
  }
  return summer.or_of_gaps();
}

/// The ones of 64 bits at once: their numbers, compressed, widened and placed.
WARPDEX_AVX512 std::uint32_t find_ones(const std::uint8_t* bytes, std::uint32_t start,
                                       const std::uint8_t* end, std::uint32_t count,
                                       std::uint16_t* ends) {
  alignas(64) static constexpr auto kNumbers = [] {
    std::array<std::uint8_t, 64> numbers{};
    for (std::uint32_t i = 0; i < 64; ++i) numbers[i] = static_cast<std::uint8_t>(i + 1);
    return numbers;
  }();
  const __m512i numbers = _mm512_load_si512(kNumbers.data());
  std::uint32_t found = 0;
  std::uint64_t skip = low_mask(start);
  __m512i first = _mm512_setzero_si512();
  for (; found < count && bytes < end; bytes += 8) {
    const std::uint64_t word = load64(bytes) & ~skip;
    skip = 0;
    const __m512i ones = _mm512_maskz_compress_epi8(word, numbers);
    const __m512i low = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(ones));
    const __m512i high = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64(ones, 1));
    store(ends + found, _mm512_add_epi16(low, first));
    store(ends + found + 32, _mm512_add_epi16(high, first));
    found += static_cast<std::uint32_t>(_mm_popcnt_u64(word));
    first = _mm512_add_epi16(first, _mm512_set1_epi16(64));
  }
  return found;
}

WARPDEX_AVX512 std::uint32_t add_quotients(const std::uint16_t* ends, std::uint32_t count,
                                           std::uint32_t shift, std::uint32_t* out) {
  return generic::add_quotients(ends, count, shift, out);
}

WARPDEX_AVX512 std::uint32_t add_quotient_sums(const std::uint16_t* ends, std::uint32_t count,
                                               std::uint32_t shift, std::uint32_t* out) {
  return generic::add_quotient_sums(ends, count, shift, out);
}

constexpr DecodeKernels kAvx512Kernels = {
    unpack, unpack_sum, sum, find_ones, add_quotients, add_quotient_sums,
};

}  // namespace

const DecodeKernels* avx512_decode_kernels() {
  static const bool usable =
      __builtin_cpu_supports("avx512vbmi") && __builtin_cpu_supports("avx512vbmi2");
  return usable ? &kAvx512Kernels : nullptr;
}

}  // namespace warpdex

#endif
