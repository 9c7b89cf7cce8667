// natural_log() against the C library's logarithm in double, and that it never falls.
#include "scorers/base/natural_log.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace warpdex {
namespace {

constexpr std::uint32_t kInfinityBits = 0x7F800000;
constexpr std::uint32_t kBinade = 1U << 23;  ///< floats from one power of two to the next

float as_float(std::uint32_t bits) { return std::bit_cast<float>(bits); }

/// How far the result is from the logarithm in double, in units of the float's last place.
double error_of(float argument) {
  const double exact = std::log(static_cast<double>(argument));
  const auto rounded = static_cast<float>(exact);
  const float magnitude = std::abs(rounded);
  if (magnitude == 0) return natural_log(argument) == 0 ? 0 : 1e9;
  const float next = std::nextafter(magnitude, std::numeric_limits<float>::infinity());
  return std::abs(static_cast<double>(natural_log(argument)) - exact) /
         (static_cast<double>(next) - static_cast<double>(magnitude));
}

/// Checks that no logarithm in the range of bits is below the one before.
void expect_rising(std::uint32_t begin, std::uint32_t end) {
  float before = natural_log(as_float(begin));
  for (std::uint32_t bits = begin + 1; bits < end; ++bits) {
    const float value = natural_log(as_float(bits));
    ASSERT_GE(value, before) << "at " << std::hexfloat << as_float(bits);
    before = value;
  }
}

TEST(NaturalLog, IsWithinHalfAUnitInTheLastPlaceAndALittle) {
  // All floats from 1/2 to 2, where logarithms cancel, and a sample of all others.
  for (std::uint32_t bits = 0x3F000000; bits < 0x40000000; ++bits) {
    ASSERT_LE(error_of(as_float(bits)), 0.503) << std::hexfloat << as_float(bits);
  }
  for (std::uint32_t bits = 1; bits < kInfinityBits; bits += 499) {
    ASSERT_LE(error_of(as_float(bits)), 0.503) << std::hexfloat << as_float(bits);
  }
}

TEST(NaturalLog, NeverFalls) {
  expect_rising(0x3F000000, 0x40800000);  // 1/2 to 4
  constexpr std::uint32_t kAround = 1 << 10;
  for (std::uint32_t edge = kBinade; edge < kInfinityBits; edge += kBinade / 64) {
    expect_rising(edge - kAround, edge + kAround);  // intervals of the table end there
  }
  expect_rising(1, kAround);
  expect_rising(kInfinityBits - kAround, kInfinityBits);
}

TEST(NaturalLog, OfTheEnds) {
  EXPECT_EQ(natural_log(0.F), -std::numeric_limits<float>::infinity());
  EXPECT_EQ(natural_log(1.F), 0.F);
  EXPECT_LT(natural_log(as_float(0x3F7FFFFF)), 0.F);
  EXPECT_GT(natural_log(as_float(0x3F800001)), 0.F);
  EXPECT_FLOAT_EQ(natural_log(as_float(1)), -103.27893F);                       // ln(2^-149)
  EXPECT_FLOAT_EQ(natural_log(std::numeric_limits<float>::max()), 88.722839F);  // ln(2^128 - 2^104)
}

}  // namespace
}  // namespace warpdex
