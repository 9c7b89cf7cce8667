// Corrections against a comparison with all terms by the table of distances.
#include "warpdex/query/spelling.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "tests/query/engine/engine_support.hpp"
#include "tests/support.hpp"

namespace warpdex {
namespace {

/// Texts of letters of one byte, so that places are code points.
std::uint32_t table_distance(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::uint32_t>> table(a.size() + 1,
                                                std::vector<std::uint32_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i) {
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        table[i][j] = static_cast<std::uint32_t>(i + j);
        continue;
      }
      table[i][j] = std::min({table[i - 1][j] + 1, table[i][j - 1] + 1,
                              table[i - 1][j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
    }
  }
  return table[a.size()][b.size()];
}

std::uint32_t edits_between(const std::string& a, const std::string& b) {
  for (std::size_t i = 0; i + 1 < a.size(); ++i) {
    std::string exchanged = a;
    std::swap(exchanged[i], exchanged[i + 1]);
    if (exchanged == b && a != b) return 1;
  }
  return table_distance(a, b);
}

using Row = std::tuple<std::uint32_t, std::int64_t, std::string>;

std::vector<Row> expected(const std::vector<SpellingCorrector::Word>& words,
                          const std::string& term) {
  std::vector<Row> rows;
  for (const SpellingCorrector::Word& word : words) {
    const std::uint32_t edits = edits_between(term, std::string(word.term));
    if (word.documents == 0 || edits == 0 || edits > (term.size() < 5 ? 1U : 2U)) continue;
    rows.emplace_back(edits, -static_cast<std::int64_t>(word.documents), word.term);
  }
  std::sort(rows.begin(), rows.end());
  return rows;
}

std::vector<Row> rows_of(const std::vector<Correction>& corrections) {
  std::vector<Row> rows;
  for (const Correction& one : corrections) {
    rows.emplace_back(one.edits, -static_cast<std::int64_t>(one.documents), std::string(one.term));
  }
  return rows;
}

std::string random_word(std::mt19937_64& random, std::size_t max_length, int letters) {
  std::string word(random() % (max_length + 1), 'a');
  for (char& c : word) c = static_cast<char>('a' + random() % static_cast<unsigned>(letters));
  return word;
}

TEST(Spelling, FindsWhatAComparisonWithAllTermsFinds) {
  std::mt19937_64 random = test::generator(301);
  for (const int letters : {2, 5, 26}) {
    for (const std::size_t max_length : {3U, 8U, 70U}) {
      std::set<std::string> texts;
      for (int i = 0; i < 800; ++i) texts.insert(random_word(random, max_length, letters));
      std::vector<SpellingCorrector::Word> words;
      for (const std::string& text : texts) words.push_back({text, random() % 5});
      const SpellingCorrector corrector(words);
      for (int i = 0; i < 60; ++i) {
        std::string term = random_word(random, max_length, letters);
        if (i % 2 == 0) {
          term = *std::next(texts.begin(), static_cast<std::ptrdiff_t>(random() % texts.size()));
          if (term.size() > 2) std::swap(term[0], term[1]);
          if (!term.empty() && random() % 2 == 0) term[random() % term.size()] = 'b';
        }
        if (term.empty()) continue;
        std::vector<Row> right = expected(words, term);
        for (const std::size_t count : {10'000U, 3U, 1U, 0U}) {
          right.resize(std::min<std::size_t>(right.size(), count));
          ASSERT_EQ(rows_of(corrector.corrections(term, count)), right) << term;
        }
      }
    }
  }
}

TEST(Spelling, LettersOutsideOfAsciiAreOneEditEach) {
  const SpellingCorrector corrector(
      {{"straße", 3}, {"größe", 2}, {"война", 7}, {"東京都", 1}, {"x", 1}});
  EXPECT_EQ(rows_of(corrector.corrections("strase")), (std::vector<Row>{{1, -3, "straße"}}));
  EXPECT_EQ(rows_of(corrector.corrections("grosse")), (std::vector<Row>{}));
  EXPECT_EQ(rows_of(corrector.corrections("gröse")), (std::vector<Row>{{1, -2, "größe"}}));
  EXPECT_EQ(rows_of(corrector.corrections("вйона")), (std::vector<Row>{{1, -7, "война"}}));
  EXPECT_EQ(rows_of(corrector.corrections("東京")), (std::vector<Row>{{1, -1, "東京都"}}));
}

TEST(Spelling, NothingIsOfferedForNumbersAndEmptyTexts) {
  const SpellingCorrector corrector({{"1984", 3}, {"a", 2}, {std::string(300, 'b'), 2}});
  EXPECT_TRUE(corrector.corrections("1985").empty());
  EXPECT_TRUE(corrector.corrections("").empty());
  EXPECT_TRUE(corrector.corrections("a").empty());
  EXPECT_EQ(corrector.corrections("b").front().term, "a");
  EXPECT_EQ(corrector.corrections(std::string(302, 'b')).size(), 1U);
  EXPECT_TRUE(corrector.corrections(std::string(303, 'b')).empty());
  EXPECT_TRUE(SpellingCorrector(std::vector<SpellingCorrector::Word>{}).corrections("abc").empty());
}

}  // namespace
}  // namespace warpdex
