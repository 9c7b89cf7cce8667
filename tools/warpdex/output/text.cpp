// Formats numbers.
#include "output/text.hpp"

#include <array>
#include <cmath>
#include <cstdio>

namespace warpdex::tools {

std::string grouped(std::uint64_t number) {
  const std::string digits = std::to_string(number);
  std::string text;
  for (std::size_t i = 0; i < digits.size(); ++i) {
    if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
    text += digits[i];
  }
  return text;
}

std::string fixed(double number, int decimals) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", decimals, number);
  return text.data();
}

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 5> kUnits{"B", "kB", "MB", "GB", "TB"};
  double value = static_cast<double>(bytes);
  std::size_t unit = 0;
  while (value >= 999.95 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  return fixed(value, unit == 0 ? 0 : 1) + " " + kUnits[unit];
}

std::string duration_text(double seconds) {
  if (seconds < 9.95) return fixed(seconds, seconds < 1 ? 2 : 1) + " s";
  const auto whole = static_cast<std::uint64_t>(std::llround(seconds));
  const auto two_digits = [](std::uint64_t n) {
    return std::string(n < 10 ? "0" : "").append(std::to_string(n));
  };
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + two_digits(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + two_digits(whole % 3600 / 60) + " min";
}

std::string counted(std::uint64_t count, const std::string& noun) {
  if (count == 1) return std::string("1 ") + noun;
  const bool consonant_y = noun.size() > 1 && noun.back() == 'y' &&
                           std::string("aeiou").find(noun[noun.size() - 2]) == std::string::npos;
  if (consonant_y) return grouped(count) + " " + noun.substr(0, noun.size() - 1) + "ies";
  return grouped(count) + " " + noun + (noun.ends_with("ch") || noun.ends_with("ss") ? "es" : "s");
}

}  // namespace warpdex::tools
