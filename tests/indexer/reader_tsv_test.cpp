// The TSV reader.
#include "tests/indexer/reader_support.hpp"

namespace warpdex::test::reading {
namespace {

Collection read_tsv(const std::string& bytes, const std::string& name = "docs.tsv") {
  const TemporaryFolder folder;
  return read_bytes(folder, name, bytes, {.format = DocumentFormat::kTsv});
}

TEST(TsvReader, SplitsAtTheFirstTab) {
  expect_documents(read_tsv("1\tone two\n2\t\n\n   \n3\ta\tb\t\r\n4\t x "),
                   {{"1", "one two"}, {"2", ""}, {"3", "a\tb\t"}, {"4", " x "}});
  expect_documents(read_tsv("\xEF\xBB\xBF"
                            "1\tx\n"),
                   {{"1", "x"}});
  for (const std::string bytes : {"", "\n", "\r\n \n", "\xEF\xBB\xBF"}) {
    expect_documents(read_tsv(bytes), {});
  }
}

TEST(TsvReader, SaysWhatIsWrongWithALineAndGoesOn) {
  const std::string nul("5\ta\0b\n", 6);
  const Collection collection = read_tsv("1\tx\nno tab here\n\tno id\na b\tspace\n" + nul +
                                         "6\tcaf\xE9\n\xE9\xE9\n\n\n8\ty\n\t\n");
  ASSERT_EQ(collection.documents.size(), 2U);
  EXPECT_EQ(collection.locations[1].line, 10U);
  const std::vector<std::pair<int, std::string>> expected{{2, "no tab in 'no tab here'"},
                                                          {3, "id is empty"},
                                                          {4, "white space"},
                                                          {5, "NUL"},
                                                          {6, "LATIN1"},
                                                          {7, "LATIN1"},
                                                          {11, "id is empty"}};
  ASSERT_EQ(collection.bad.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    const std::string place = "docs.tsv:" + std::to_string(expected[i].first) + ": ";
    EXPECT_NE(collection.bad[i].find(place), std::string::npos) << collection.bad[i];
    EXPECT_NE(collection.bad[i].find(expected[i].second), std::string::npos) << collection.bad[i];
  }
}

TEST(TsvReader, ReadsBackRandomDocumentsInEveryPacking) {
  std::mt19937_64 random = generator(30);
  std::vector<Document> expected;
  std::string bytes;
  for (int i = 0; i < 5000; ++i) {
    std::string text = random_text(random, random() % 200);
    for (char& c : text) {
      if (c == '\n') c = ' ';
    }
    expected.push_back({std::to_string(i), text});
    bytes += std::to_string(i) + "\t" + text + (i % 3 == 0 ? "\r\n" : "\n");
  }
  bytes.pop_back();
  for (const std::string& suffix : kSuffixes) {
    expect_documents(read_tsv(pack(bytes, suffix), "docs.tsv" + suffix), expected);
    const TemporaryFolder folder;
    const PipeWriter writer((folder / "pipe").string(), pack(bytes, suffix), 4000);
    ReaderOptions options{.format = DocumentFormat::kTsv, .inputs = {(folder / "pipe").string()}};
    expect_documents(read_collection(options), expected);
  }
}

TEST(TsvReader, TakesADocumentOf50Megabytes) {
  const std::string text(50000000, 'x');
  const Collection collection = read_tsv("1\t" + text + "\n2\ty");
  ASSERT_EQ(collection.documents.size(), 2U);
  EXPECT_TRUE(collection.documents[0].text == text);
}

}  // namespace
}  // namespace warpdex::test::reading
