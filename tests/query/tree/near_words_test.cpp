// Words that are near another one, against all words compared one by one.
#include "tree/near_words.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "tests/query/engine/engine_support.hpp"
#include "tests/reference/oracle.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

/// Optimal string alignment by its definition, over what is left of both words.
std::size_t edits_slowly(std::u32string_view a, std::u32string_view b,
                         std::map<std::pair<std::size_t, std::size_t>, std::size_t>& known) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const auto [place, is_new] = known.try_emplace({a.size(), b.size()}, 0);
  if (!is_new) return place->second;
  std::size_t best = edits_slowly(a.substr(1), b.substr(1), known) + (a[0] == b[0] ? 0 : 1);
  best = std::min(best, edits_slowly(a.substr(1), b, known) + 1);
  best = std::min(best, edits_slowly(a, b.substr(1), known) + 1);
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    best = std::min(best, edits_slowly(a.substr(2), b.substr(2), known) + 1);
  }
  return known[{a.size(), b.size()}] = best;
}

std::string utf8(const std::u32string& text) {
  std::string bytes;
  for (const char32_t c : text) {
    if (c >= 0x80) bytes += static_cast<char>(0xC0 | c >> 6);
    bytes += static_cast<char>(c < 0x80 ? c : 0x80 | (c & 0x3F));
  }
  return bytes;
}

struct Spread {
  const char* name;
  std::size_t letters;  ///< few: most words are near
  std::size_t words;
};

class NearWords : public testing::TestWithParam<Spread> {};

TEST_P(NearWords, AreAllThatAreNear) {
  auto random = test::generator(5202);
  constexpr std::u32string_view kLetters = U"ab\u00e9\u0101cdefghijklmnopqrstuvwxyz\u07ff";
  const auto letter = [&] { return kLetters[random() % GetParam().letters]; };
  const auto new_word = [&] {
    std::u32string text;
    for (std::size_t n = 1 + random() % 8; n > 0; --n) text += letter();
    return text;
  };
  std::map<std::string, std::u32string> words;
  for (std::size_t i = 0; i < GetParam().words; ++i) {
    const std::u32string text = new_word();
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
  std::size_t found_in_all = 0;
  for (int i = 0; i < 60; ++i) {
    std::u32string wanted = new_word();
    if (i % 2 == 0) {  // one that is there, with a letter changed
      wanted = std::next(words.begin(), static_cast<long>(random() % words.size()))->second;
      wanted[random() % wanted.size()] = letter();
    }
    QueryNode node{.kind = QueryNode::Kind::kFuzzy, .text = utf8(wanted)};
    node.edits = static_cast<std::uint32_t>(random() % 3);
    std::map<std::string, float> near;
    for (const auto& [bytes, text] : words) {
      std::map<std::pair<std::size_t, std::size_t>, std::size_t> known;
      const std::size_t edits = edits_slowly(wanted, text, known);
      const float boost =
          1 - static_cast<float>(edits) / static_cast<float>(std::min(wanted.size(), text.size()));
      if (edits <= node.edits) near[bytes] = std::max(0.0F, boost);
    }
    bool was_cut = false;
    std::map<std::string, float> found;
    for (const NearTerm& one : near_terms(snapshot, node, was_cut)) found[one.term] = one.boost;
    EXPECT_EQ(found.size(), std::min(near.size(), kMaxFuzzyTerms));
    EXPECT_EQ(was_cut, near.size() > kMaxFuzzyTerms);
    if (!was_cut) {
      EXPECT_EQ(found, near) << node.text << " " << node.edits;
      found_in_all += found.size();
    }
  }
  EXPECT_GT(found_in_all, 10U);
}

INSTANTIATE_TEST_SUITE_P(Words, NearWords,
                         testing::Values(Spread{"few", 5, 60}, Spread{"of_three_letters", 3, 900},
                                         Spread{"many", 28, 3000}),
                         [](const auto& of) { return of.param.name; });

}  // namespace
}  // namespace warpdex
