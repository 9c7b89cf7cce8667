// Documents from memory: what goes in comes out, and the rules for files hold.
#include "warpdex/indexer/readers/memory_reader.hpp"

#include <string>
#include <vector>

#include "tests/support.hpp"

namespace warpdex {
namespace {

TEST(MemoryReader, GivesEveryDocumentInOrderWhateverItsSize) {
  auto random = test::generator(21);
  std::vector<Document> documents;
  std::uint64_t bytes = 0;
  for (const std::size_t size : {0, 1, 7, 8, 9, 127, 128, 129, 100'000}) {
    std::string text;
    while (text.size() < size) text += static_cast<char>('a' + random() % 26);
    documents.push_back({"d" + std::to_string(size), text});
    bytes += documents.back().id.size() + size;
  }
  const auto reader = documents_from_memory(documents);
  EXPECT_EQ(reader->bytes_total(), bytes);
  EXPECT_EQ(reader->bytes_consumed(), 0U);
  RawRecord record;
  for (std::size_t i = 0; i < documents.size(); ++i) {
    ASSERT_TRUE(reader->next(record));
    EXPECT_EQ(record.location.to_string(), "<memory>:" + std::to_string(i + 1));
    const Document document = reader->parse(record);
    EXPECT_EQ(document.id, documents[i].id);
    EXPECT_EQ(document.text, documents[i].text);
  }
  EXPECT_FALSE(reader->next(record));
  EXPECT_FALSE(reader->next(record));
  EXPECT_EQ(reader->bytes_consumed(), bytes);
}

TEST(MemoryReader, NoDocumentsAreNone) {
  const auto reader = documents_from_memory({});
  RawRecord record;
  EXPECT_FALSE(reader->next(record));
  EXPECT_EQ(reader->bytes_total(), 0U);
}

TEST(MemoryReader, RefusesWhatFilesMayNotHoldAndSaysWhere) {
  const std::vector<Document> documents{
      {"", "no id"},          {"two words", "text"}, {std::string("n\0l", 3), "text"},
      {"bad\xFF", "text"},    {"latin1", "caf\xE9"}, {"nul", std::string("a\0b", 3)},
      {"good", "caf\xC3\xA9"}};
  const auto reader = documents_from_memory(documents);
  RawRecord record;
  for (std::size_t i = 1; i < documents.size(); ++i) {
    ASSERT_TRUE(reader->next(record));
    try {
      reader->parse(record);
      ADD_FAILURE() << "document " << i << " was taken";
    } catch (const BadDocument& error) {
      EXPECT_TRUE(std::string(error.what()).starts_with("<memory>:" + std::to_string(i) + ": "))
          << error.what();
    }
  }
  ASSERT_TRUE(reader->next(record));
  EXPECT_EQ(reader->parse(record).text, "caf\xC3\xA9");
}

}  // namespace
}  // namespace warpdex
