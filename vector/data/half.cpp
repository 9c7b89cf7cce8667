// Half floats: a plain form, and one by F16C, which every processor with AVX2 has.
#include "warpdex/vector/data/half.hpp"

#include <bit>

#include "warpdex/core/cpu_features.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define WARPDEX_F16C __attribute__((target("avx,f16c")))
#endif

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kFloatInfinity = 0x7F80'0000;
constexpr std::uint32_t kQuiet = 0x0040'0000;  // the bit of a float's NaN that makes it quiet
constexpr int kShift = 13;                     // bits of a float's mantissa that a half lacks
constexpr std::uint32_t kRebias = 112U << 23;  // between the exponents' biases, 127 and 15

float float_of(std::uint16_t half) {
  const std::uint32_t sign = std::uint32_t{half} << 16 & 0x8000'0000;
  const std::uint32_t rest = half & 0x7FFFU;
  if (rest >= 0x7C00) {
    const std::uint32_t payload = (rest & 0x3FFU) << kShift;
    return std::bit_cast<float>(sign | kFloatInfinity | payload | (payload != 0 ? kQuiet : 0));
  }
  if (rest < 0x400) {  // subnormal: units of 2^-24
    return std::bit_cast<float>(sign |
                                std::bit_cast<std::uint32_t>(static_cast<float>(rest) * 0x1p-24F));
  }
  return std::bit_cast<float>(sign | ((rest << kShift) + kRebias));
}

std::uint16_t half_of(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::uint32_t sign = bits >> 16 & 0x8000;
  const std::uint32_t rest = bits & 0x7FFF'FFFF;
  std::uint32_t half;
  if (rest > kFloatInfinity) {
    half = 0x7E00 | (rest >> kShift & 0x3FF);
  } else if (rest >= 0x477F'F000) {  // 65520, halfway between the largest half and the next power
    half = 0x7C00;
  } else if (rest < 0x3880'0000) {  // below 2^-14: adding 0.5 rounds to units of 2^-24
    half = std::bit_cast<std::uint32_t>(std::bit_cast<float>(rest) + 0.5F) - 0x3F00'0000;
  } else {
    const std::uint32_t odd = rest >> kShift & 1;
    half = (rest - kRebias + 0xFFF + odd) >> kShift;
  }
  return static_cast<std::uint16_t>(sign | half);
}

#if defined(__x86_64__)
constexpr std::size_t kLanes = 8;

/// All but the last few; returns how many.
WARPDEX_F16C std::size_t floats_of(std::span<const std::uint16_t> halves, float* out) {
  std::size_t i = 0;
  for (; i + kLanes <= halves.size(); i += kLanes) {
    const auto* const from = reinterpret_cast<const __m128i*>(halves.data() + i);
    _mm256_storeu_ps(out + i, _mm256_cvtph_ps(_mm_loadu_si128(from)));
  }
  return i;
}

WARPDEX_F16C std::size_t halves_of(std::span<const float> values, std::uint16_t* out) {
  std::size_t i = 0;
  for (; i + kLanes <= values.size(); i += kLanes) {
    const __m256 loaded = _mm256_loadu_ps(values.data() + i);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(out + i),
                     _mm256_cvtps_ph(loaded, _MM_FROUND_TO_NEAREST_INT | _MM_FROUND_NO_EXC));
  }
  return i;
}
#endif

}  // namespace

void to_float(std::span<const std::uint16_t> halves, float* out) {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (isa() >= Isa::kAvx2) i = floats_of(halves, out);
#endif
  for (; i < halves.size(); ++i) out[i] = float_of(halves[i]);
}

void to_half(std::span<const float> values, std::uint16_t* out) {
  std::size_t i = 0;
#if defined(__x86_64__)
  if (isa() >= Isa::kAvx2) i = halves_of(values, out);
#endif
  for (; i < values.size(); ++i) out[i] = half_of(values[i]);
}

}  // namespace warpdex::vector
