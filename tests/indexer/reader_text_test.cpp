// The reader of plain-text files and trees of them.
#include <sys/stat.h>

#include "tests/indexer/reader_support.hpp"

namespace warpdex::test::reading {
namespace {

namespace fs = std::filesystem;

Collection read_text(const std::vector<std::string>& inputs) {
  return read_collection({.format = DocumentFormat::kText, .inputs = inputs});
}

TEST(TextReader, WalksATreeInTheOrderOfPaths) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "a/deep/er");
  fs::create_directories(folder / "a.d");
  fs::create_directories(folder / ".git");
  fs::create_directories(folder / "void");
  write_file(folder / "a/deep/er/x.txt", "x\r\nline\n");
  write_file(folder / "a/z", "");
  write_file(folder / "a.d/y.gz", pack("packed", ".gz"));
  write_file(folder / "B.zst", pack("\xEF\xBB\xBFstandard", ".zst"));
  write_file(folder / "caf\xC3\xA9.xz", pack("lzma", ".xz"));
  write_file(folder / "my notes 100%.txt", "notes");
  write_file(folder / "latin\xE9", "name");
  write_file(folder / ".hidden", "no");
  write_file(folder / ".git/config", "no");
  fs::create_symlink(folder / "a/z", folder / "link");
  fs::create_directory_symlink(folder.path(), folder / "circle");
  fs::create_symlink(folder / "nothing", folder / "broken");
  const std::vector<Document> expected{{"B.zst", "standard"},
                                       {"a.d/y.gz", "packed"},
                                       {"a/deep/er/x.txt", "x\r\nline\n"},
                                       {"a/z", ""},
                                       {"caf\xC3\xA9.xz", "lzma"},
                                       {"latin%E9", "name"},
                                       {"link", ""},
                                       {"my%20notes%20100%25.txt", "notes"}};
  expect_documents(read_text({folder.path().string()}), expected);
  expect_documents(read_text({folder.path().string() + "/"}), expected);
  expect_documents(read_text({(folder / "void").string()}), {});
}

TEST(TextReader, FollowsLinksToEachFolderOnceAndCountsTheRest) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "outside/inner");
  fs::create_directories(folder / "docs/real");
  write_file(folder / "outside/o", "out");
  write_file(folder / "outside/inner/i", "in");
  write_file(folder / "docs/real/r", "real");
  write_file(folder / "docs/.hidden", "no");
  fs::create_directories(folder / "docs/.git");
  fs::create_directory_symlink(folder / "outside", folder / "docs/linked");
  fs::create_directory_symlink(folder / "outside", folder / "docs/twice");
  // Comes before "real" in the order of names, and is yet the one that is left out.
  fs::create_directory_symlink(folder / "docs/real", folder / "docs/a");
  fs::create_directory_symlink(folder / "docs", folder / "outside/inner/circle");
  fs::create_symlink(folder / "nowhere", folder / "docs/dangling");
  fs::create_symlink("self", folder / "docs/self");
  ASSERT_EQ(::mkfifo((folder / "docs/pipe").c_str(), 0600), 0);
  const auto reader =
      open_documents({.format = DocumentFormat::kText, .inputs = {(folder / "docs").string()}});
  expect_documents(read_text({(folder / "docs").string()}),
                   {{"linked/inner/i", "in"}, {"linked/o", "out"}, {"real/r", "real"}});
  const LeftOut left = reader->left_out();
  EXPECT_EQ(left.hidden, 2U);
  EXPECT_EQ(left.dangling_links, 2U);
  EXPECT_EQ(left.repeated_folders, 3U);
  EXPECT_EQ(left.others, 1U);
  EXPECT_EQ(left.total(), 8U);
  ASSERT_EQ(left.first.size(), 8U);
  EXPECT_EQ(left.first[0], (folder / "docs/.git").string());
}

TEST(TextReader, NamesOnlyTheFirstOfWhatIsLeftOut) {
  const TemporaryFolder folder;
  for (int i = 0; i < 30; ++i) write_file(folder / ("." + std::to_string(i)), "");
  const auto reader =
      open_documents({.format = DocumentFormat::kText, .inputs = {folder.path().string()}});
  EXPECT_EQ(reader->left_out().hidden, 30U);
  EXPECT_EQ(reader->left_out().first.size(), 10U);
}

TEST(TextReader, WritesWhatAnIdCannotHoldAsPercents) {
  const TemporaryFolder folder;
  write_file(folder / "a\u00A0b", "1");
  write_file(folder / "c\u200Bd", "2");
  write_file(folder / "\u06A9\u200C\u06A9", "3");  // as words have it
  write_file(folder / "\u06A9\u200C", "4");
  expect_documents(read_text({folder.path().string()}), {{"a%C2%A0b", "1"},
                                                         {"c%E2%80%8Bd", "2"},
                                                         {"\u06A9%E2%80%8C", "4"},
                                                         {"\u06A9\u200C\u06A9", "3"}});
}

TEST(TextReader, NamesAFileThatWasGivenByItsName) {
  const TemporaryFolder folder;
  fs::create_directories(folder / "sub");
  write_file(folder / "sub/one.txt", "1");
  write_file(folder / "two.txt.gz", pack("2", ".gz"));
  const PipeWriter writer((folder / "pipe").string(), pack("3\n", ".xz"), 5);
  const Collection collection =
      read_text({(folder / "two.txt.gz").string(), (folder / "pipe").string(),
                 (folder / "sub").string(), (folder / "sub/one.txt").string()});
  expect_documents(collection,
                   {{"two.txt.gz", "2"}, {"pipe", "3\n"}, {"one.txt", "1"}, {"one.txt", "1"}});
  EXPECT_EQ(collection.locations[2].to_string(), (folder / "sub/one.txt").string() + ":1");
}

TEST(TextReader, SaysWhatIsWrongWithAFileAndGoesOn) {
  const TemporaryFolder folder;
  write_file(folder / "a", std::string("a\0b", 3));
  write_file(folder / "b", "caf\xE9");
  write_file(folder / "c",
             "\xFF\xFE"
             "a");
  write_file(folder / "d", "good");
  const Collection collection = read_text({folder.path().string()});
  ASSERT_EQ(collection.documents.size(), 1U);
  ASSERT_EQ(collection.bad.size(), 3U);
  EXPECT_NE(collection.bad[0].find("/a:1: there is a NUL at byte 2"), std::string::npos);
  EXPECT_NE(collection.bad[1].find("/b:1: byte 0xE9 at byte 4"), std::string::npos);
  EXPECT_NE(collection.bad[2].find("iconv -f UTF-16"), std::string::npos);
}

TEST(TextReader, EndsWithAnErrorWhereAFileCannotBeRead) {
  const TemporaryFolder folder;
  EXPECT_THROW(open_documents({.format = DocumentFormat::kText}), UsageError);
  EXPECT_THROW(read_text({(folder / "missing").string()}), IoError);
  write_file(folder / "cut.gz", pack("text", ".gz").substr(0, 10));
  const std::string message = message_of<InputError>([&] { read_text({folder.path().string()}); });
  EXPECT_NE(message.find("cut.gz is cut short"), std::string::npos) << message;
}

TEST(TextReader, TakesAFileOf50Megabytes) {
  const TemporaryFolder folder;
  std::string text;
  while (text.size() < 50000000) text += "some words\n";
  write_file(folder / "large.zst", pack(text, ".zst"));
  const Collection collection = read_text({folder.path().string()});
  ASSERT_EQ(collection.documents.size(), 1U);
  EXPECT_TRUE(collection.documents[0].text == text);
}

}  // namespace
}  // namespace warpdex::test::reading
