// Conversions against arithmetic in long double, which holds every value of every element.
#include "warpdex/vector/data/conversion.hpp"

#include <bit>
#include <cmath>
#include <limits>

#include "tests/vector/data/files.hpp"
#include "warpdex/vector/data/half.hpp"

namespace warpdex::vector {
namespace {

constexpr Element kElements[] = {Element::kFloat32, Element::kFloat16, Element::kInt8,
                                 Element::kUint8,   Element::kInt32,   Element::kInt64,
                                 Element::kBool};

long double value_of(Element element, const void* values, std::size_t index) {
  switch (element) {
    case Element::kFloat32: return static_cast<const float*>(values)[index];
    case Element::kFloat16: {
      float value = 0;
      to_float({static_cast<const std::uint16_t*>(values) + index, 1}, &value);
      return value;
    }
    case Element::kInt8: return static_cast<const std::int8_t*>(values)[index];
    case Element::kInt32: return static_cast<const std::int32_t*>(values)[index];
    case Element::kInt64: return static_cast<const std::int64_t*>(values)[index];
    default: return static_cast<const std::uint8_t*>(values)[index];
  }
}

/// Whether `value` is one of the element's, by its definition.
bool holds(Element element, long double value) {
  const auto whole_in = [&](long double low, long double high) {
    return value >= low && value <= high && std::trunc(value) == value;
  };
  switch (element) {
    case Element::kFloat32: return static_cast<long double>(static_cast<float>(value)) == value;
    case Element::kFloat16: {
      const auto rounded = static_cast<float>(value);
      std::uint16_t half = 0;
      to_half({&rounded, 1}, &half);
      return static_cast<long double>(rounded) == value && value_of(element, &half, 0) == value;
    }
    case Element::kInt8: return whole_in(-128, 127);
    case Element::kUint8: return whole_in(0, 255);
    case Element::kInt32: return whole_in(-0x1p31L, 0x1p31L - 1);
    case Element::kInt64: return whole_in(-0x1p63L, 0x1p63L - 1);
    case Element::kBool: return whole_in(0, 1);
  }
  return false;
}

/// Bits of an element, at home among the limits of all elements more often than not.
std::uint64_t make_value(Element element, std::mt19937_64& random) {
  constexpr std::int64_t kNear[] = {0,
                                    1,
                                    2,
                                    127,
                                    128,
                                    255,
                                    256,
                                    2048,
                                    65504,
                                    65520,
                                    1LL << 24,
                                    1LL << 31,
                                    std::numeric_limits<std::int64_t>::max()};
  std::int64_t number = kNear[random() % std::size(kNear)];
  number = static_cast<std::int64_t>(static_cast<std::uint64_t>(number) + random() % 4 - 2);
  if (random() % 2 == 0) number = static_cast<std::int64_t>(0 - static_cast<std::uint64_t>(number));
  if (element == Element::kFloat32 || element == Element::kFloat16) {
    float value = static_cast<float>(number) + (random() % 3 == 0 ? 0.5F : 0);
    if (element == Element::kFloat32) return std::bit_cast<std::uint32_t>(value);
    value = std::clamp(value, -65504.0F, 65504.0F);
    std::uint16_t half = 0;
    to_half({&value, 1}, &half);
    return half;
  }
  if (element == Element::kBool) return random() % 2;
  return static_cast<std::uint64_t>(number);
}

TEST(Conversion, KeepsValuesOrStopsAtTheFirstThatCannotBeKept) {
  std::mt19937_64 random = warpdex::test::generator(1);
  for (const Element from : kElements) {
    for (const Element to : kElements) {
      for (int round = 0; round < 400; ++round) {
        const std::size_t count = random() % 6;
        std::string bytes;
        for (std::size_t i = 0; i < count; ++i) {
          bytes += test::little(make_value(from, random), element_bytes(from));
        }
        std::vector<std::uint64_t> values(count + 1);
        std::memcpy(values.data(), bytes.data(), bytes.size());
        std::vector<std::uint64_t> out(count + 1);
        const std::size_t done = convert_values(from, values.data(), count, to, out.data());
        const bool rounds = from == Element::kFloat32 && to == Element::kFloat16;
        for (std::size_t i = 0; i < done; ++i) {
          const long double before = value_of(from, values.data(), i);
          const long double after = value_of(to, out.data(), i);
          if (rounds) {
            EXPECT_LE(std::abs(before - after), std::abs(before) / 2048 + 0x1p-25L);
          } else {
            EXPECT_EQ(before, after);
          }
        }
        if (done == count) continue;
        const long double refused = value_of(from, values.data(), done);
        EXPECT_FALSE(rounds ? std::abs(refused) < 65520 : holds(to, refused))
            << element_name(from) << " to " << element_name(to) << ": "
            << value_text(from, values.data(), done);
      }
    }
  }
}

TEST(Conversion, ManyValues) {
  std::vector<float> values(10'001);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 256);
  std::vector<std::uint8_t> bytes(values.size());
  const auto convert = [&] {
    return convert_values(Element::kFloat32, values.data(), values.size(), Element::kUint8,
                          bytes.data());
  };
  EXPECT_EQ(convert(), values.size());
  for (std::size_t i = 0; i < values.size(); ++i) ASSERT_EQ(bytes[i], i % 256);
  for (const float bad : {-1.0F, 0.5F, 256.0F, std::nanf(""), HUGE_VALF}) {
    values[7777] = bad;
    EXPECT_EQ(convert(), 7777U) << bad;
  }
}

TEST(Conversion, Texts) {
  const float value = 0.1F;
  EXPECT_EQ(value_text(Element::kFloat32, &value, 0), "0.1");
  const std::int64_t number = std::numeric_limits<std::int64_t>::min();
  EXPECT_EQ(value_text(Element::kInt64, &number, 0), "-9223372036854775808");
  const std::uint16_t half = 0x3800;
  EXPECT_EQ(value_text(Element::kFloat16, &half, 0), "0.5");
}

TEST(Element, NamesComeBack) {
  for (const Element element : kElements) {
    EXPECT_EQ(element_from_name(element_name(element)), element);
  }
  EXPECT_THAT(test::complaint<UsageError>([] { element_from_name("double"); }),
              ::testing::HasSubstr("choose float, half"));
}

}  // namespace
}  // namespace warpdex::vector
