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

TEST(TsvReader, TakesFilesThatWereJoined) {
  expect_documents(read_tsv("\xEF\xBB\xBF"
                            "1\tx\n\xEF\xBB\xBF"
                            "2\ty\n\xEF\xBB\xBF\n"),
                   {{"1", "x"}, {"2", "y"}});
}

TEST(TsvReader, TakesNoIdWithWhatNobodySees) {
  // NEL, NBSP, ogham and em space, line separator, narrow, mathematical, ideographic.
  for (const std::string space :
       {"\u0085", "\u00A0", "\u1680", "\u2003", "\u2028", "\u202F", "\u205F", "\u3000"}) {
    const Collection collection = read_tsv("a" + space + "b\tx\n");
    ASSERT_EQ(collection.bad.size(), 1U) << space;
    EXPECT_NE(collection.bad[0].find("holds white space"), std::string::npos) << collection.bad[0];
  }
  // Soft hyphen, zero width space, marks of direction, word joiner, BOM, fillers, tag; joiners and
  // selectors where nothing is joined or selected.
  for (const std::string hidden :
       {"a\u00ADb", "a\u200Bb", "a\u200Fb", "a\u2060b", "a\uFEFF", "\u3164", "a\U000E0041",
        "\u200C\u06A9", "\u06A9\u200C", "a\u200Cb", "\u06A9\u200Cb", "\u06A9\u200D\u200D\u06A9",
        "\uFE0F", "a\uFE0F"}) {
    const Collection collection = read_tsv(hidden + "\tx\n");
    ASSERT_EQ(collection.bad.size(), 1U) << hidden;
    EXPECT_NE(collection.bad[0].find("which nobody sees; take it out"), std::string::npos)
        << collection.bad[0];
  }
  EXPECT_NE(read_tsv("a\u200Bb\tx\n").bad[0].find("holds U+200B, which"), std::string::npos);
  // A Persian word, a family, a heart, ideographs.
  for (const std::string id :
       {"\u06A9\u062A\u0627\u0628\u200C\u0647\u0627", "\U0001F468\u200D\U0001F469\u200D\U0001F466",
        "\u2764\uFE0F", "\u2764\uFE0F\u200D\U0001F525", "\u6D77\u6D0B", "caf\u00E9"}) {
    expect_documents(read_tsv(id + "\tx\n"), {{id, "x"}});
  }
}

TEST(TsvReader, RefusesUtf16) {
  const std::string message =
      message_of<InputError>([] { read_tsv(std::string("1\0\t\0x\0\n\0", 8)); });
  EXPECT_NE(message.find("docs.tsv is UTF-16; convert it to UTF-8"), std::string::npos) << message;
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
