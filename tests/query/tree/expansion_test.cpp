// Patterns and edit distances, against slow definitions.
#include "tree/expansion.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/query/engine/engine_support.hpp"
#include "tests/reference/oracle.hpp"
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

/// Against all terms, compared one by one; some of them are not ASCII.
TEST(Expansion, NearTermsAreAllThatAreNear) {
  auto random = test::generator(5202);
  constexpr std::u32string_view kLetters = U"abc\u00e9\u0101";
  const auto word = [&] {
    std::u32string text;
    for (std::size_t n = 1 + random() % 5; n > 0; --n) text += kLetters[random() % kLetters.size()];
    return text;
  };
  const auto utf8 = [](const std::u32string& text) {
    std::string bytes;
    for (const char32_t c : text) {
      if (c >= 0x80) bytes += static_cast<char>(0xC0 | c >> 6);
      bytes += static_cast<char>(c < 0x80 ? c : 0x80 | (c & 0x3F));
    }
    return bytes;
  };
  std::map<std::string, std::u32string> words;
  for (int i = 0; i < 60; ++i) {
    const std::u32string text = word();
    words[utf8(text)] = text;
  }
  reference::Collection documents;
  for (const auto& [bytes, text] : words) {
    const std::string_view term = bytes;
    documents.add_document({&term, 1});
  }
  const test::TemporaryFolder folder;
  test::write_index_of(documents, false, {CodecKind::kBitpack, 1}, folder / "index");
  const Snapshot snapshot = Snapshot::open(folder / "index");
  for (int i = 0; i < 100; ++i) {
    const std::u32string wanted = word();
    QueryNode node{.kind = QueryNode::Kind::kFuzzy, .text = utf8(wanted)};
    node.edits = static_cast<std::uint32_t>(random() % 3);
    std::map<std::string, float> near;
    for (const auto& [bytes, text] : words) {
      const std::size_t edits = edits_slowly(wanted, text);
      const float boost =
          1 - static_cast<float>(edits) / static_cast<float>(std::min(wanted.size(), text.size()));
      if (edits <= node.edits && boost > 0) near[bytes] = boost;
    }
    bool was_cut = false;
    std::map<std::string, float> found;
    for (const NearTerm& one : near_terms(snapshot, node, was_cut)) found[one.term] = one.boost;
    EXPECT_EQ(found.size(), std::min(near.size(), kMaxFuzzyTerms));
    EXPECT_EQ(was_cut, near.size() > kMaxFuzzyTerms);
    if (!was_cut) {
      EXPECT_EQ(found, near) << node.text;
    }
  }
}

}  // namespace
}  // namespace warpdex
