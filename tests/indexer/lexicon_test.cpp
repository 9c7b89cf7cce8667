// The lexicon: each term is found with its own entry, and no other text is.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex {
namespace {

/// Of two letters and bytes at both ends of their range, so that neighbours share long beginnings.
std::string random_text(std::mt19937_64& random) {
  std::string text(1 + random() % (random() % 10 == 0 ? 300 : 12), 'a');
  for (char& letter : text) letter = "ab\x01\xFF"[random() % 4];
  return text;
}

TEST(Lexicon, FindsItsTermsAndNoOthers) {
  const test::TemporaryFolder folder;
  auto random = test::generator(1);
  for (const std::size_t count : {1U, 64U, 65U, 5000U}) {
    std::map<std::string, std::uint32_t> terms;  // and how often each is in its document
    while (terms.size() < count) terms.emplace(random_text(random), 1 + random() % 1000);
    const CodecSettings codec;
    IndexWriter writer(folder / "index", {codec, "whitespace", "", false});
    writer.add_document("d", 1000);
    for (const auto& [term, frequency] : terms) {
      writer.add_list(
          term, encode_postings(codec, std::vector{0U}, std::vector{frequency}, writer.lengths()));
    }
    writer.commit();
    const Index index = Index::open(folder / "index");
    std::uint32_t number = 0;
    for (const auto& [term, frequency] : terms) {
      const auto entry = index.find(term);
      ASSERT_TRUE(entry) << term;
      ASSERT_EQ(entry->single_frequency, frequency) << term;
      ASSERT_EQ(entry->term_number, number++) << term;
      for (const std::string& other :
           {term + "a", term + '\xFF', term.substr(0, term.size() - 1), random_text(random)}) {
        ASSERT_EQ(index.find(other).has_value(), terms.contains(other)) << other;
      }
    }
  }
}

}  // namespace
}  // namespace warpdex
