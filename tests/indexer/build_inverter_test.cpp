// The inverter against std::map: hash table, chunks of postings, sorting, refused documents.
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>
#include <string>
#include <vector>

#include "build/inverter.hpp"
#include "format/posting_code.hpp"
#include "tests/support.hpp"

namespace warpdex::build {
namespace {

using Postings = std::vector<std::pair<std::uint32_t, std::uint32_t>>;
using Reference = std::map<std::string, Postings>;

Postings decode(const std::vector<std::uint8_t>& bytes) {
  Postings postings;
  PostingCursor cursor{bytes.data(), bytes.data() + bytes.size()};
  while (cursor.advance()) postings.emplace_back(cursor.document, cursor.frequency);
  return postings;
}

// Sorts the inverter and compares all of it; terms come in order.
void expect_holds(Inverter& inverter, const Reference& reference) {
  inverter.sort();
  ASSERT_EQ(inverter.sorted_terms(), reference.size());
  std::size_t i = 0;
  for (const auto& [term, postings] : reference) {
    ASSERT_EQ(inverter.term(i), term);
    std::vector<std::uint8_t> bytes{7};  // what is there stays
    inverter.copy_postings(i, bytes);
    ASSERT_EQ(bytes.front(), 7);
    bytes.erase(bytes.begin());
    ASSERT_EQ(inverter.postings_bytes(i), bytes.size());
    ASSERT_EQ(decode(bytes), postings) << term;
    ++i;
  }
}

void add_document(Inverter& inverter, Reference& reference, std::uint32_t document,
                  const std::vector<std::string>& words, bool refused = false) {
  const std::vector<std::string_view> terms(words.begin(), words.end());
  std::vector<TermCount> counts;
  inverter.count_terms(terms, 0, counts);
  if (refused) return;
  inverter.add_postings(document, counts);
  std::map<std::string, std::uint32_t> frequencies;
  for (const std::string& word : words) ++frequencies[word];
  for (const auto& [word, frequency] : frequencies) {
    reference[word].emplace_back(document, frequency);
  }
}

std::string random_term(std::mt19937_64& random) {
  static constexpr std::size_t kLengths[] = {1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 255};
  std::string term(kLengths[random() % std::size(kLengths)], '\0');
  // Few letters, so that terms share prefixes; NUL and bytes past 127 are letters too.
  for (char& c : term) c = "ab\0\xFF"[random() % 4];
  return term;
}

TEST(PostingCode, KeepsExtremes) {
  constexpr std::uint32_t kMax = std::numeric_limits<std::uint32_t>::max();
  const std::vector<std::uint32_t> values{
      0, 1, 2, 63, 64, 127, 128, 1 << 13, (1 << 20) - 1, 1 << 20, 1U << 31, kMax};
  for (const std::uint32_t gap : values) {
    for (const std::uint32_t frequency : values) {
      if (frequency == 0) continue;
      std::vector<std::uint8_t> bytes(kMaxPostingBytes);
      const std::uint8_t* end = write_posting(bytes.data(), gap, frequency);
      ASSERT_LE(end, bytes.data() + bytes.size());
      bytes.resize(static_cast<std::size_t>(end - bytes.data()));
      EXPECT_EQ(decode(bytes), (Postings{{gap, frequency}}));
    }
  }
}

TEST(Inverter, HoldsNothingAtFirst) {
  Inverter inverter(0);
  EXPECT_TRUE(inverter.empty());
  expect_holds(inverter, {});
}

TEST(Inverter, EqualsMapOnRandomDocuments) {
  auto random = test::generator(1);
  Inverter inverter(1 << 16);
  for (const std::size_t documents : {1, 2, 100, 3000}) {
    Reference reference;
    std::vector<std::string> vocabulary;
    for (int i = 0; i < 5000; ++i) vocabulary.push_back(random_term(random));
    std::uint32_t document = 0;
    for (std::size_t i = 0; i < documents; ++i) {
      std::vector<std::string> words;
      for (std::size_t left = random() % 70; left > 0; --left) {
        words.push_back(vocabulary[random() % (1 + random() % vocabulary.size())]);
      }
      add_document(inverter, reference, document, words, random() % 8 == 0);
      document += 1 + static_cast<std::uint32_t>(random() % (random() % 50 == 0 ? 1000000 : 3));
    }
    expect_holds(inverter, reference);
    inverter.reset();
    EXPECT_TRUE(inverter.empty());
  }
}

TEST(Inverter, GrowsListsThroughAllChunkSizes) {
  Inverter inverter(0);
  Reference reference;
  const std::string longest(65'535, 'x');
  for (std::uint32_t document = 0; document < 40'000; ++document) {
    std::vector<std::string> words{"a", "bc", "def", "ghij"};
    if (document % 2 == 0) words.push_back(longest);
    for (std::uint32_t i = 0; document % 100 == 0 && i < 200; ++i) words.push_back("def");
    add_document(inverter, reference, document, words);
  }
  expect_holds(inverter, reference);
}

TEST(Inverter, CountsADocumentInPieces) {
  Inverter inverter(0);
  std::vector<TermCount> counts;
  const std::vector<std::string_view> earlier{"x", "y", "y"};
  const std::vector<std::string_view> first{"y", "x", "y"};
  const std::vector<std::string_view> second{"z", "y"};
  inverter.count_terms(earlier, 0, counts);
  ASSERT_EQ(counts.size(), 2U);
  inverter.count_terms(first, 2, counts);
  inverter.count_terms(second, 2, counts);
  ASSERT_EQ(counts.size(), 5U);
  inverter.add_postings(3, std::span(counts).subspan(2));
  expect_holds(inverter, {{"x", {{3, 1}}}, {"y", {{3, 3}}}, {"z", {{3, 1}}}});
}

TEST(Inverter, CountsItsMemory) {
  Inverter inverter(1 << 16);
  Reference reference;
  const std::uint64_t before = inverter.memory();
  std::vector<std::string> words;
  for (int i = 0; i < 100'000; ++i) words.push_back("term" + std::to_string(i));
  add_document(inverter, reference, 0, words);
  EXPECT_GT(inverter.memory(), before + 100'000 * 24);
  EXPECT_LT(inverter.memory(), before + 100'000 * 100);
  inverter.reset();
  EXPECT_EQ(inverter.memory(), before);
}

}  // namespace
}  // namespace warpdex::build
