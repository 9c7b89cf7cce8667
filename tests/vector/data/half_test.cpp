// Half floats against their definition, computed in double.
#include "warpdex/vector/data/half.hpp"

#include <gmock/gmock.h>

#include <bit>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <numeric>
#include <vector>

#include "tests/support.hpp"

namespace warpdex::vector {
namespace {

/// The value of a finite half, by the standard's formula.
double value_of(std::uint16_t half) {
  const int exponent = half >> 10 & 31;
  const int mantissa = half & 1023;
  const double size =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(1024 + mantissa, exponent - 25);
  return half >> 15 != 0 ? -size : size;
}

/// The half nearest to a value that is not NaN: found among all by bisection, ties to even.
std::uint16_t nearest_half(float value) {
  const double size = std::abs(static_cast<double>(value));
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  if (size >= 65520) return sign | 0x7C00;
  std::uint16_t low = 0;        // at most the value
  std::uint16_t high = 0x7BFF;  // 65504
  if (size >= 65504) return sign | high;
  while (high - low > 1) {
    const auto middle = static_cast<std::uint16_t>((low + high) / 2);
    (value_of(middle) <= size ? low : high) = middle;
  }
  const double down = size - value_of(low);
  const double up = value_of(high) - size;
  if (down == up) return sign | (low % 2 == 0 ? low : high);
  return sign | (down < up ? low : high);
}

std::vector<std::uint16_t> all_halves() {
  std::vector<std::uint16_t> halves(65536);
  std::iota(halves.begin(), halves.end(), std::uint16_t{0});
  return halves;
}

// Whole runs are done eight at a time where the processor can, and single values in the plain form:
// what each gives, which must be the same.
std::vector<float> floats_of(const std::vector<std::uint16_t>& halves) {
  std::vector<float> floats(halves.size());
  to_float(halves, floats.data());
  for (std::size_t i = 0; i < halves.size(); ++i) {
    float single = 0;
    to_float({&halves[i], 1}, &single);
    EXPECT_EQ(std::bit_cast<std::uint32_t>(single), std::bit_cast<std::uint32_t>(floats[i]));
  }
  return floats;
}

std::vector<std::uint16_t> halves_of(const std::vector<float>& floats) {
  std::vector<std::uint16_t> halves(floats.size());
  to_half(floats, halves.data());
  for (std::size_t i = 0; i < floats.size(); ++i) {
    std::uint16_t single = 0;
    to_half({&floats[i], 1}, &single);
    EXPECT_EQ(single, halves[i]) << std::hexfloat << floats[i];
  }
  return halves;
}

TEST(Half, AllBecomeTheFloatsThatTheyStandFor) {
  const std::vector<std::uint16_t> halves = all_halves();
  const std::vector<float> floats = floats_of(halves);
  for (const std::uint16_t half : halves) {
    const float value = floats[half];
    EXPECT_EQ(is_finite_half(half), std::isfinite(value)) << half;
    if (std::isfinite(value)) {
      EXPECT_EQ(static_cast<double>(value), value_of(half)) << half;
    } else {
      EXPECT_EQ(std::isnan(value), (half & 1023) != 0) << half;
    }
    EXPECT_EQ(std::signbit(value), half >> 15 != 0) << half;
  }
}

TEST(Half, AllComeBack) {
  const std::vector<std::uint16_t> halves = all_halves();
  const std::vector<std::uint16_t> again = halves_of(floats_of(halves));
  for (const std::uint16_t half : halves) {
    const bool is_nan = (half & 0x7FFF) > 0x7C00;
    EXPECT_EQ(again[half], is_nan ? half | 0x200 : half);
  }
}

void expect_nearest(const std::vector<float>& values) {
  const std::vector<std::uint16_t> halves = halves_of(values);
  for (std::size_t i = 0; i < values.size(); ++i) {
    ASSERT_EQ(halves[i], nearest_half(values[i])) << std::hexfloat << values[i];
  }
}

TEST(Half, RandomFloatsAreRoundedToTheNearest) {
  std::mt19937_64 random = warpdex::test::generator(1);
  std::vector<float> values;
  while (values.size() < 400'001) {
    // Half of them with an exponent that halves have, or nearly.
    auto bits = static_cast<std::uint32_t>(random());
    if (values.size() % 2 == 0) {
      bits = (bits & 0x807F'FFFF) | static_cast<std::uint32_t>(100 + random() % 46) << 23;
    }
    const auto value = std::bit_cast<float>(bits);
    if (!std::isnan(value)) values.push_back(value);
  }
  expect_nearest(values);
}

TEST(Half, WhatLiesBetweenTwoHalvesAndBesideIsRoundedToTheNearest) {
  std::vector<float> values;
  for (std::uint16_t half = 0; half < 0x7C00; ++half) {
    const double next = half == 0x7BFF ? 65536 : value_of(static_cast<std::uint16_t>(half + 1));
    const auto middle = static_cast<float>((value_of(half) + next) / 2);
    for (const float sign : {1.0F, -1.0F}) {
      values.push_back(sign * middle);
      values.push_back(sign * std::nextafter(middle, 0.0F));
      values.push_back(sign * std::nextafter(middle, 1e9F));
    }
  }
  expect_nearest(values);
}

TEST(Half, NothingIsWrittenPastTheEnd) {
  std::mt19937_64 random = warpdex::test::generator(2);
  std::vector<float> values(70);
  for (float& value : values) value = std::bit_cast<float>(static_cast<std::uint32_t>(random()));
  std::vector<std::uint16_t> single(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) to_half({&values[i], 1}, &single[i]);
  std::vector<float> single_back(values.size());
  for (std::size_t i = 0; i < values.size(); ++i) to_float({&single[i], 1}, &single_back[i]);
  for (std::size_t size = 0; size < values.size(); ++size) {
    std::vector<std::uint16_t> halves(values.size(), 0x1234);
    to_half({values.data(), size}, halves.data());
    std::vector<float> back(values.size(), 5);
    to_float({halves.data(), size}, back.data());
    for (std::size_t i = 0; i < values.size(); ++i) {
      EXPECT_EQ(halves[i], i < size ? single[i] : 0x1234) << size;
      EXPECT_EQ(std::bit_cast<std::uint32_t>(back[i]),
                std::bit_cast<std::uint32_t>(i < size ? single_back[i] : 5))
          << size;
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
