// The forward index gives each document its terms, in memory and by way of a temporary file.
#include <gtest/gtest.h>

#include "tests/support.hpp"
#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/index_writer.hpp"
#include "warpdex/indexer/format/verify.hpp"

namespace warpdex {
namespace {

using NumberedTerms =
    std::vector<std::pair<std::uint32_t, std::uint32_t>>;  ///< number and frequency

struct Lists {
  std::vector<std::vector<std::uint32_t>> docids;
  std::vector<std::vector<std::uint32_t>> frequencies;
  std::vector<NumberedTerms> of_documents;
};

/// Some lists of few documents, some of most.
Lists random_lists(std::mt19937_64& random, std::uint32_t documents) {
  Lists lists;
  lists.of_documents.resize(documents);
  for (std::uint32_t term = 0; term < 40; ++term) {
    std::vector<std::uint32_t> docids;
    std::vector<std::uint32_t> frequencies;
    const std::uint64_t rarity = 1 + random() % (random() % 2 == 0 ? 3 : documents);
    for (std::uint32_t document = 0; document < documents; ++document) {
      if (random() % rarity != 0) continue;
      docids.push_back(document);
      frequencies.push_back(1 + static_cast<std::uint32_t>(random() % 300));
    }
    if (docids.empty()) continue;
    const auto number = static_cast<std::uint32_t>(lists.docids.size());
    for (std::size_t i = 0; i < docids.size(); ++i) {
      lists.of_documents[docids[i]].emplace_back(number, frequencies[i]);
    }
    lists.docids.push_back(std::move(docids));
    lists.frequencies.push_back(std::move(frequencies));
  }
  return lists;
}

void write(const std::filesystem::path& folder, const Lists& lists, std::uint64_t memory) {
  IndexSettings settings;
  settings.has_forward = true;
  IndexWriter writer(folder, settings);
  for (std::size_t i = 0; i < lists.of_documents.size(); ++i) {
    std::uint32_t length = 0;
    for (const auto& [term, frequency] : lists.of_documents[i]) length += frequency;
    writer.add_document("d" + std::to_string(i), length);
  }
  writer.set_forward_memory(memory);
  const ListEncoder encoder(settings, writer.lengths());
  for (std::size_t i = 0; i < lists.docids.size(); ++i) {
    const std::string term = std::to_string(1000 + i);
    writer.add_list(term, encoder.encode(lists.docids[i], lists.frequencies[i]));
  }
  writer.commit();
}

TEST(ForwardWriter, GivesEachDocumentItsTerms) {
  std::mt19937_64 random = test::generator(94);
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const std::uint32_t documents : {1U, 15U, 16U, 17U, 1023U, 1024U, 1025U, 4096U, 9000U}) {
    const Lists lists = random_lists(random, documents);
    for (const std::uint64_t memory : {0U, 100'000U, 32U << 20}) {
      write(folder / "index", lists, memory);
      const Index index = Index::open(folder / "index");
      for (std::uint32_t i = 0; i < documents; ++i) {
        NumberedTerms found;
        index.for_each_term_of_document(i, [&](std::uint32_t term, std::uint32_t frequency) {
          found.emplace_back(term, frequency);
        });
        ASSERT_EQ(found, lists.of_documents[i]) << documents << " documents, " << memory;
      }
      EXPECT_TRUE(verify_index(folder / "index").ok());
    }
  }
}

TEST(ForwardWriter, TakesAnIndexWithoutLists) {
  const test::TemporaryFolder folder(test::place_in_memory());
  for (const std::size_t documents : {0, 1, 20}) {
    Lists lists;
    lists.of_documents.resize(documents);
    write(folder / "index", lists, 0);
    EXPECT_TRUE(verify_index(folder / "index").ok());
    EXPECT_EQ(Index::open(folder / "index").counts().documents, documents);
  }
}

}  // namespace
}  // namespace warpdex
