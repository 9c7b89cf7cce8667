#include "warpdex/core/number_text.hpp"

#include <array>
#include <charconv>

namespace warpdex {
namespace {

template <typename Number>
std::string shortest_digits(Number number) {
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), number);
  return {digits.data(), end.ptr};
}

}  // namespace

std::string shortest(float number) { return shortest_digits(number); }
std::string shortest(double number) { return shortest_digits(number); }

}  // namespace warpdex
