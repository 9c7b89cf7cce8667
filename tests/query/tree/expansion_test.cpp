// Patterns and edit distances, against slow definitions.
#include "tree/expansion.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/support.hpp"

namespace warpdex {
namespace {

/// By its definition, for patterns and terms of ASCII.
bool fits_slowly(std::string_view pattern, std::string_view term) {
  if (pattern.empty()) return term.empty();
  if (pattern[0] == '*') {
    for (std::size_t i = 0; i <= term.size(); ++i) {
      if (fits_slowly(pattern.substr(1), term.substr(i))) return true;
    }
    return false;
  }
  if (term.empty()) return false;
  if (pattern[0] == '?') return fits_slowly(pattern.substr(1), term.substr(1));
  if (pattern[0] == '\\') pattern.remove_prefix(1);
  return pattern[0] == term[0] && fits_slowly(pattern.substr(1), term.substr(1));
}

TEST(Expansion, PatternsFitByTheirDefinition) {
  auto random = test::generator(5200);
  for (int i = 0; i < 50'000; ++i) {
    std::string pattern;
    std::string term;
    for (std::size_t n = random() % 7; n > 0; --n) pattern += "ab*?"[random() % 4];
    for (std::size_t n = random() % 9; n > 0; --n) term += "ab"[random() % 2];
    EXPECT_EQ(fits_pattern(pattern, term), fits_slowly(pattern, term)) << pattern << " " << term;
  }
  EXPECT_TRUE(fits_pattern("a\\*b", "a*b"));
  EXPECT_FALSE(fits_pattern("a\\*b", "axb"));
  EXPECT_TRUE(fits_pattern("caf?", "caf\xC3\xA9"));  // a character of two bytes
  EXPECT_FALSE(fits_pattern("caf??", "caf\xC3\xA9"));
}

/// Edits from one end, without a table.
std::size_t edits_slowly(std::u32string_view a, std::u32string_view b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  std::size_t best = edits_slowly(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1);
  best = std::min(best, edits_slowly(a.substr(1), b) + 1);
  best = std::min(best, edits_slowly(a, b.substr(1)) + 1);
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, edits_slowly(a.substr(2), b.substr(2)) + 1);
  }
  return best;
}

TEST(Expansion, EditsAreCountedByTheirDefinition) {
  auto random = test::generator(5201);
  for (int i = 0; i < 3'000; ++i) {
    std::u32string a;
    std::u32string b;
    for (std::size_t n = random() % 6; n > 0; --n) a += U"abc"[random() % 3];
    for (std::size_t n = random() % 6; n > 0; --n) b += U"abc"[random() % 3];
    const std::size_t edits = edits_slowly(a, b);
    for (std::size_t most = 0; most <= 3; ++most) {
      EXPECT_EQ(edits_between(a, b, most), std::min(edits, most + 1));
    }
  }
}

}  // namespace
}  // namespace warpdex
