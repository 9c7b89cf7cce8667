// Patterns, against a slow definition.
#include "tree/expansion.hpp"

#include <gtest/gtest.h>

#include <string>

#include "tests/support.hpp"
#include "tree/expansion_work.hpp"
#include "warpdex/core/error.hpp"

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

TEST(Expansion, OfAQueryHasALimit) {
  constexpr std::uint64_t kMost = ExpansionWork::kMost;
  ExpansionWork work;
  work.add_terms(kMost / 4);
  work.add_postings(kMost * 2);
  work.add_set(kMost * 32);
  EXPECT_NO_THROW(work.check());
  work.add_terms(1);
  EXPECT_THROW(work.check(), UsageError);
}

}  // namespace
}  // namespace warpdex
