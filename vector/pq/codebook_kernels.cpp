// One loop, which the compiler makes vectors of for each instruction set: codewords lie side by
// side, so that each lane sums up one of them.
#include "pq/codebook_kernels.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "warpdex/core/cpu_features.hpp"

#define WARPDEX_INLINE [[gnu::always_inline]] inline

namespace warpdex::vector {
namespace {

struct Product {
  WARPDEX_INLINE static float add(float x, float y, float sum) { return std::fma(x, y, sum); }
};

struct SquaredDifference {
  WARPDEX_INLINE static float add(float x, float y, float sum) {
    return std::fma(x - y, x - y, sum);
  }
};

/// Codewords whose sums stay in registers.
template <class Term, std::size_t kWords>
WARPDEX_INLINE void add_up(const float* x, std::size_t width, const float* book, std::size_t count,
                           float* out) {
  for (std::size_t first = 0; first < count; first += kWords) {
    float sums[kWords] = {};
    for (std::size_t c = 0; c < width; ++c) {
      const float* const words = book + c * count + first;
      for (std::size_t w = 0; w < kWords; ++w) sums[w] = Term::add(x[c], words[w], sums[w]);
    }
    std::copy_n(sums, kWords, out + first);
  }
}

template <class Term>
WARPDEX_INLINE void sum(const float* x, std::size_t width, const float* book, std::size_t count,
                        float* out) {
  if (count % 64 == 0) {
    add_up<Term, 64>(x, width, book, count, out);
  } else {
    add_up<Term, 16>(x, width, book, count, out);
  }
}

/// Sums of squares are no negative numbers, so their bits have their order.
WARPDEX_INLINE std::size_t nearest(const float* x, std::size_t width, const float* book,
                                   std::size_t count) {
  std::array<float, 256> sums;
  std::array<std::int32_t, 256> bits;
  sum<SquaredDifference>(x, width, book, count, sums.data());
  std::memcpy(bits.data(), sums.data(), count * sizeof(float));
  std::int32_t smallest = std::numeric_limits<std::int32_t>::max();
  for (std::size_t w = 0; w < count; ++w) smallest = std::min(smallest, bits[w]);
  std::int32_t first = 255;
  for (std::int32_t w = 0; w < static_cast<std::int32_t>(count); ++w) {
    first = std::min(first, bits[static_cast<std::size_t>(w)] == smallest ? w : 255);
  }
  return static_cast<std::size_t>(first);
}

void products_baseline(const float* x, std::size_t width, const float* book, std::size_t count,
                       float* out) {
  sum<Product>(x, width, book, count, out);
}

std::size_t nearest_baseline(const float* x, std::size_t width, const float* book,
                             std::size_t count) {
  return nearest(x, width, book, count);
}

constexpr CodebookKernels kBaseline{products_baseline, nearest_baseline};

#if defined(__x86_64__)
#define WARPDEX_AVX2 __attribute__((target("avx2,fma")))
#if defined(__clang__)  // has no such width, as in codecs/kernels_avx512.cpp
#define WARPDEX_AVX512 __attribute__((target("avx512f,avx512vl,fma")))
#else
#define WARPDEX_AVX512 __attribute__((target("avx512f,avx512vl,fma,prefer-vector-width=512")))
#endif

WARPDEX_AVX2 void products_avx2(const float* x, std::size_t width, const float* book,
                                std::size_t count, float* out) {
  sum<Product>(x, width, book, count, out);
}

WARPDEX_AVX2 std::size_t nearest_avx2(const float* x, std::size_t width, const float* book,
                                      std::size_t count) {
  return nearest(x, width, book, count);
}

WARPDEX_AVX512 void products_avx512(const float* x, std::size_t width, const float* book,
                                    std::size_t count, float* out) {
  sum<Product>(x, width, book, count, out);
}

WARPDEX_AVX512 std::size_t nearest_avx512(const float* x, std::size_t width, const float* book,
                                          std::size_t count) {
  return nearest(x, width, book, count);
}

constexpr CodebookKernels kAvx2{products_avx2, nearest_avx2};
constexpr CodebookKernels kAvx512{products_avx512, nearest_avx512};
#endif

}  // namespace

const CodebookKernels& codebook_kernels() {
#if defined(__x86_64__)
  switch (isa()) {
    case Isa::kAvx512: return kAvx512;
    case Isa::kAvx2: return kAvx2;
    case Isa::kBaseline: break;
  }
#endif
  return kBaseline;
}

}  // namespace warpdex::vector
