// What is stored of documents comes back, whatever becomes of the index; damage is refused.
#include "warpdex/indexer/format/stored_fields.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <map>

#include "tests/indexer/build_support.hpp"
#include "tests/support.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/verify.hpp"
#include "warpdex/indexer/living/living_index.hpp"
#include "warpdex/indexer/readers/memory_reader.hpp"
#include "warpdex/indexer/rewrite/rewrite.hpp"

namespace warpdex {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

using FieldValues = std::map<std::string, StoredValues>;

/// Text that packs about as well as people's.
std::string random_text(std::mt19937_64& random, std::size_t bytes) {
  std::string text;
  while (text.size() < bytes) text += "word" + std::to_string(random() % 500) + " ";
  text.resize(bytes);
  return text;
}

std::vector<Document> random_documents(std::mt19937_64& random, int first, int count) {
  const std::vector<std::size_t> sizes{0, 1, 31, 32, 33, 127, 128, 129, 1000, 8190, 8192, 100'000};
  std::vector<Document> documents;
  for (int i = first; i < first + count; ++i) {
    Document document{"d" + std::to_string(i), "x w" + std::to_string(random() % 50)};
    document.stored.resize(2);
    if (random() % 5 != 0) document.stored[0] = random_text(random, sizes[random() % 11]);
    if (random() % 5 != 0) document.stored[1] = random_text(random, random() % 300);
    documents.push_back(document);
  }
  documents.back().stored[0] = random_text(random, sizes.back());
  return documents;
}

void note(const std::vector<Document>& documents, FieldValues& values) {
  for (const Document& document : documents) values[document.id] = document.stored;
}

BuildOptions options_for(const fs::path& output, std::size_t threads = 1) {
  BuildOptions options = test::options_for(output);
  options.threads = threads;
  options.stored_fields = {"text", "note"};
  return options;
}

void expect_stored(const fs::path& index, const FieldValues& wanted) {
  const Snapshot snapshot = Snapshot::open(index);
  ASSERT_EQ(snapshot.documents(), wanted.size());
  StoredReader reader(snapshot);
  for (const auto& [id, values] : wanted) {
    const auto document = snapshot.find_document(id);
    ASSERT_TRUE(document) << id;
    ASSERT_EQ(reader.read(*document), values) << id;
  }
  const VerifyReport report = verify_index(index);
  EXPECT_TRUE(report.ok()) << report.problems[0];
}

template <class Exception, class Action>
std::string complaint(const Action& action) {
  try {
    action();
    return "";
  } catch (const Exception& error) {
    return error.what();
  }
}

class StoredFields : public testing::Test {
 protected:
  const test::TemporaryFolder folder_{test::place_in_memory()};
  const fs::path index_ = folder_ / "index";
};

TEST_F(StoredFields, RecordsHoldTheirValues) {
  const std::vector<StoredValues> all{{},
                                      {std::nullopt},
                                      {""},
                                      {"a", std::nullopt, "", std::string(200, 'b')},
                                      {std::string("\0\xFF", 2), std::string(100'000, 'c')}};
  for (const StoredValues& values : all) {
    const std::string record = encode_stored(values);
    EXPECT_EQ(decode_stored(record, values.size()), values);
    EXPECT_THROW(decode_stored(record + "x", values.size()), FormatError);
    EXPECT_THROW(decode_stored(record.substr(0, record.size() - 1), values.size()), FormatError);
    EXPECT_THROW(decode_stored(record, values.size() + 1), FormatError);
  }
}

TEST_F(StoredFields, ComeBackFromEveryRewriting) {
  std::mt19937_64 random = test::generator(101);
  FieldValues values;
  // More than a dictionary needs.
  const std::vector<Document> documents = random_documents(random, 0, 3000);
  note(documents, values);
  build_index(*documents_from_memory(documents), options_for(index_));
  EXPECT_FALSE(Index::open(index_).sections().stored_dictionary.empty());
  expect_stored(index_, values);
  RewriteOptions rewriting;
  rewriting.input = index_;
  rewriting.output = folder_ / "reordered";
  reorder_index(rewriting, {});
  expect_stored(folder_ / "reordered", values);
  ConvertOptions converting;
  converting.rewrite.input = index_;
  converting.rewrite.output = folder_ / "converted";
  converting.codec.kind = CodecKind::kRice;
  convert_index(converting);
  expect_stored(folder_ / "converted", values);
}

TEST_F(StoredFields, GoWithTheirDocuments) {
  std::mt19937_64 random = test::generator(102);
  FieldValues values;
  std::vector<Document> documents = random_documents(random, 0, 40);
  note(documents, values);
  build_index(*documents_from_memory(documents), options_for(index_));
  LivingIndex index(index_);
  for (int i = 1; i < 20; ++i) {
    documents = random_documents(random, 30 * i, 40);  // some have the ids of others
    note(documents, values);
    AddOptions options{.update = true, .build = {}};
    options.build.threads = 1;
    index.add(*documents_from_memory(documents), options);
    for (int j = 0; j < 5; ++j) {
      const auto gone = std::next(values.begin(), static_cast<std::ptrdiff_t>(random() % 20));
      EXPECT_TRUE(index.remove(gone->first));
      values.erase(gone);
    }
    if (i % 6 == 0) index.merge({.all = i == 18, .memory = kMinBuildMemory, .threads = 1});
    index.commit();
    expect_stored(index_, values);
  }
}

TEST_F(StoredFields, AreTheSameBytesOnAnyThreads) {
  std::mt19937_64 random = test::generator(103);
  const std::vector<Document> documents = random_documents(random, 0, 2000);
  build_index(*documents_from_memory(documents), options_for(index_, 1));
  build_index(*documents_from_memory(documents), options_for(folder_ / "other", 5));
  EXPECT_TRUE(test::folder_bytes(index_) == test::folder_bytes(folder_ / "other"));
}

TEST_F(StoredFields, AreRefusedWhereTheyDoNotFit) {
  const std::vector<Document> without{{"a", "x"}};
  EXPECT_THAT(complaint<UsageError>(
                  [&] { build_index(*documents_from_memory(without), options_for(index_)); }),
              HasSubstr("stores 2 fields, and a document came with 0"));
  BuildOptions twice = options_for(index_);
  twice.stored_fields = {"a", "a"};
  EXPECT_THAT(complaint<UsageError>([&] { build_index(*documents_from_memory(without), twice); }),
              HasSubstr("name each field once"));
  build_index(*documents_from_memory(without), test::options_for(index_));
  EXPECT_THAT(complaint<UsageError>([&] { StoredReader reader(Snapshot::open(index_)); }),
              HasSubstr("stores no fields"));
  Document document{"a", "x"};
  document.stored = {"1", "2"};
  build_index(*documents_from_memory({document}), options_for(index_));
  StoredReader reader(Snapshot::open(index_));
  EXPECT_EQ(reader.read(0), document.stored);
  EXPECT_THROW(reader.read(1), UsageError);
  IndexSettings settings;
  settings.stored_fields = {"a"};
  IndexWriter writer(folder_ / "written", settings);
  EXPECT_THROW(writer.add_stored("x"), UsageError);
  writer.add_document("a", 1);
  EXPECT_THROW(writer.commit(), UsageError);
}

// Some bytes of a section change: a reader answers or refuses with a sentence, and verify finds it.
TEST_F(StoredFields, DamageIsRefused) {
  std::mt19937_64 random = test::generator(104);
  build_index(*documents_from_memory(random_documents(random, 0, 1500)), options_for(index_));
  const fs::path segment = index_ / "segment-0";
  std::uint64_t refused = 0;
  for (const char* name :
       {"stored_dictionary", "stored_block_numbers", "stored_block_table", "stored_blocks"}) {
    const std::string bytes = test::read_file(segment / name);
    for (int round = 0; round < 30; ++round) {
      std::string damaged = bytes;
      for (int i = 0; i < 1 + round % 3 * 20; ++i) {
        // Between the header of 64 bytes and slack and footer, which take 96.
        damaged[64 + random() % (bytes.size() - 160)] ^= static_cast<char>(1 + random() % 255);
      }
      test::write_file(segment / name, damaged);
      EXPECT_FALSE(verify_index(index_).ok()) << name;
      try {
        const Snapshot snapshot = Snapshot::open(index_);
        StoredReader reader(snapshot);
        for (std::uint32_t i = 0; i < snapshot.docid_end(); ++i) {
          try {
            reader.read(i);
          } catch (const FormatError& error) {
            EXPECT_THAT(error.what(), HasSubstr("damaged"));
            ++refused;
          }
        }
      } catch (const FormatError& error) {
        EXPECT_THAT(error.what(), HasSubstr("damaged"));
      }
    }
    test::write_file(segment / name, bytes);
  }
  EXPECT_GT(refused, 100U);
  EXPECT_TRUE(verify_index(index_).ok());
}

}  // namespace
}  // namespace warpdex
