// Numbers as text.
#include "warpdex/core/number_text.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

namespace warpdex {
namespace {

TEST(NumberText, ShortestDigitsGiveTheNumberBack) {
  for (const float number : {0.0F, 1.0F, 0.1F, -2.5F, 16777216.0F, 1e-45F, 3.4028235e38F}) {
    EXPECT_EQ(std::strtof(shortest(number).c_str(), nullptr), number);
  }
  for (const double number : {0.0, 0.1, -2.5, 1e-9, 4.9e-324, 1.7976931348623157e308}) {
    EXPECT_EQ(std::strtod(shortest(number).c_str(), nullptr), number);
  }
}

TEST(NumberText, NoDigitIsThereForNothing) {
  EXPECT_EQ(shortest(0.1F), "0.1");
  EXPECT_EQ(shortest(1.5), "1.5");
  EXPECT_EQ(shortest(1e-12), "1e-12");
  EXPECT_EQ(shortest(std::nan("")), "nan");
}

}  // namespace
}  // namespace warpdex
