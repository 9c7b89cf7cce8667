// The CSV reader.
#include <gmock/gmock.h>

#include "readers/csv_cells.hpp"
#include "tests/indexer/reader_support.hpp"

namespace warpdex::test::reading {
namespace {

using ::testing::HasSubstr;

Collection read_csv(const std::string& bytes, ReaderOptions options = {}) {
  const TemporaryFolder folder;
  options.format = DocumentFormat::kCsv;
  return read_bytes(folder, "docs.csv", bytes, options);
}

TEST(CsvReader, TakesTheNamedColumns) {
  const std::string bytes =
      "\xEF\xBB\xBFid,title,contents\r\n1,one,a b\r\n\r\n"
      "2,\"two, \"\"2\"\"\",\"c\r\nd,\n\ne\"\n3,,\n4,5\" wide,\"\"";
  expect_documents(read_csv(bytes), {{"1", "a b"}, {"2", "c\nd,\n\ne"}, {"3", ""}, {"4", ""}});
  const Collection collection =
      read_csv(bytes, {.fields = {"title", "contents"}, .stored = {"title"}});
  ASSERT_EQ(collection.documents.size(), 4U);
  EXPECT_EQ(collection.documents[1].text, "two, \"2\"\nc\nd,\n\ne");
  EXPECT_EQ(collection.documents[1].stored[0], "two, \"2\"");
  EXPECT_EQ(collection.documents[3].text, "5\" wide\n");
  EXPECT_EQ(collection.locations[3].line, 9U);
  expect_documents(read_csv("contents,_id\nx,1\n"), {{"1", "x"}});
  expect_documents(read_csv("id,contents\n"), {});
  expect_documents(read_csv(""), {});
}

TEST(CsvReader, ReadsAHeaderInEachFile) {
  const TemporaryFolder folder;
  write_file(folder / "a", "id,contents\n1,x\n");
  write_file(folder / "b", "contents,more,id\ny,,2");
  expect_documents(
      read_collection({.format = DocumentFormat::kCsv, .inputs = {folder / "a", folder / "b"}}),
      {{"1", "x"}, {"2", "y"}});
}

TEST(CsvReader, SaysWhatIsWrongWithARecordAndGoesOn) {
  const Collection collection =
      read_csv("id,contents\n1,a,b\n2\n3,\"x\"y\n,z\n4,caf\xE9\n5,ok\n6,\"open\n7,x\n");
  ASSERT_EQ(collection.documents.size(), 1U);
  EXPECT_EQ(collection.documents[0].id, "5");
  ASSERT_EQ(collection.bad.size(), 6U);
  EXPECT_THAT(collection.bad[0], HasSubstr("docs.csv:2: there are 3 cells, and the first line"));
  EXPECT_THAT(collection.bad[1], HasSubstr("docs.csv:3: there are 1 cells"));
  EXPECT_THAT(collection.bad[2], HasSubstr("docs.csv:4: text stands behind the closing quote"));
  EXPECT_THAT(collection.bad[3], HasSubstr("docs.csv:5: the id is empty"));
  EXPECT_THAT(collection.bad[4], HasSubstr("docs.csv:6"));
  EXPECT_THAT(collection.bad[5], HasSubstr("docs.csv:8: the quote of '\"open"));
}

TEST(CsvReader, RefusesFilesWithoutTheColumns) {
  const auto refusal = [](const std::string& bytes) {
    return message_of<InputError>([&] { read_csv(bytes); });
  };
  EXPECT_THAT(refusal("number,contents\n1,x\n"),
              HasSubstr("docs.csv:1: there is no column 'id'; the first line names the columns "
                        "number, contents"));
  EXPECT_THAT(refusal("id,text\n1,x\n"), HasSubstr("there is no column 'contents'"));
  EXPECT_THAT(refusal("id,contents,id\n"), HasSubstr("the column 'id' is named twice"));
}

TEST(CsvReader, LeavesOutWhatIsTooLong) {
  const std::string line(40, 'x');
  const Collection collection =
      read_csv("id,contents\n1,\"" + line + "\n" + line + "\"\n2,y\n", {.max_document_bytes = 60});
  ASSERT_EQ(collection.documents.size(), 1U);
  EXPECT_EQ(collection.documents[0].id, "2");
  EXPECT_EQ(collection.bad.size(), 1U);
}

// Random cells, written with quotes by a rule of this test, come back.
TEST(CsvReader, ReadsRandomCells) {
  std::mt19937_64 random = generator(141);
  for (int round = 0; round < 300; ++round) {
    std::vector<Document> expected;
    std::string bytes = "id,title,contents\n";
    for (int i = 0; i < 5; ++i) {
      std::array<std::string, 2> cells;
      for (std::string& cell : cells) {
        for (std::uint64_t n = random() % 8; n > 0; --n) {
          cell += std::array{"a", "\"", ",", "\n", "é", " ", "\"\""}[random() % 7];
        }
      }
      bytes += std::to_string(i);
      for (const std::string& cell : cells) {
        const bool is_plain = cell.find_first_of("\",\n") == std::string::npos;
        std::string quoted = "\"";
        for (const char c : cell) quoted += c == '"' ? "\"\"" : std::string(1, c);
        bytes += "," + (is_plain && random() % 2 == 0 ? cell : quoted + "\"");
      }
      bytes += random() % 2 == 0 ? "\n" : "\r\n";
      expected.push_back({std::to_string(i), cells[0] + "\n" + cells[1]});
    }
    expect_documents(read_csv(bytes, {.fields = {"title", "contents"}}), expected);
  }
}

}  // namespace
}  // namespace warpdex::test::reading
