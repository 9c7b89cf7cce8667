// Ids from .npy and from text.
#include "warpdex/vector/data/ids.hpp"

#include "tests/vector/data/files.hpp"

namespace warpdex::vector {
namespace {

using test::complaint;
using test::little;
using test::npy_bytes;
using test::npy_text;
using test::TemporaryFolder;
using test::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

class Ids : public ::testing::Test {
 protected:
  VectorIds read(const std::string& name, const std::string& bytes) {
    write_file(folder_ / name, bytes);
    return read_ids(folder_ / name);
  }
  std::string refused(const std::string& name, const std::string& bytes) {
    return complaint<InputError>([&] { read(name, bytes); });
  }

  TemporaryFolder folder_;
};

std::vector<std::string> texts_of(const VectorIds& ids) {
  std::vector<std::string> texts;
  for (std::uint64_t row = 0; row < ids.size(); ++row) texts.push_back(ids.written(row));
  return texts;
}

TEST_F(Ids, Texts) {
  for (const std::string end : {"\n", "\r\n"}) {
    for (const bool has_last_end : {true, false}) {
      std::string bytes =
          "\xEF\xBB\xBF"
          "a" +
          end + "12" + end + "\xC3\xA9 x";
      if (has_last_end) bytes += end;
      const VectorIds ids = read("a.ids", bytes);
      EXPECT_TRUE(ids.are_texts());
      EXPECT_TRUE(ids.numbers().empty());
      EXPECT_THAT(texts_of(ids), ElementsAre("a", "12", "\xC3\xA9 x"));
      EXPECT_EQ(ids.text(1), "12");
    }
  }
  EXPECT_TRUE(read("a.txt", "1\n2\n").are_texts()) << "digits in a text file are text";
  EXPECT_EQ(read("empty", "").size(), 0U);
}

TEST_F(Ids, FilesThatWereJoined) {
  const std::string mark = "\xEF\xBB\xBF";
  EXPECT_THAT(texts_of(read("a.txt", mark + "a\n" + mark + "b\n" + mark)), ElementsAre("a", "b"));
}

TEST_F(Ids, ManyTextsOverSeveralBlocks) {
  std::mt19937_64 random = warpdex::test::generator(1);
  std::string bytes;
  std::vector<std::string> expected;
  while (bytes.size() < (5U << 20)) {
    expected.push_back(std::to_string(expected.size()) +
                       std::string(1 + random() % 4000 * (random() % 9 == 0 ? 1 : 0), 'x'));
    bytes += expected.back() + "\n";
  }
  EXPECT_EQ(texts_of(read("a.txt", bytes)), expected);
  const std::string again = expected[expected.size() / 2];
  EXPECT_THAT(refused("a.txt", bytes + again),
              HasSubstr("lines " + std::to_string(expected.size() / 2 + 1) + " and " +
                        std::to_string(expected.size() + 1) + " of"));
}

TEST_F(Ids, RefusedTexts) {
  EXPECT_THAT(refused("a.txt", "a\n\nb\n"), AllOf(HasSubstr("line 2"), HasSubstr("is empty")));
  EXPECT_THAT(refused("a.txt", "\n"), HasSubstr("line 1"));
  EXPECT_THAT(refused("a.txt", "a\nb\n\n"), HasSubstr("line 3"));
  EXPECT_THAT(refused("a.txt", "a\tb\n"), HasSubstr("control character"));
  EXPECT_THAT(refused("a.txt", std::string("x\na\0b\n", 6)),
              AllOf(HasSubstr("line 2"), HasSubstr("has a NUL (byte 2 of the line, 'a\\0b')")));
  EXPECT_THAT(refused("a.txt", std::string("\xFF\xFE"
                                           "1\0",
                                           4)),
              HasSubstr("a.txt is UTF-16;"));
  EXPECT_THAT(refused("a.txt", std::string("\0"
                                           "1\0\n",
                                           4)),
              HasSubstr("a.txt is UTF-16;"));
  EXPECT_THAT(refused("a.txt", "a\rb\n"), HasSubstr("control character"));
  EXPECT_EQ(read("a.txt", std::string(4096, 'x') + "\r\n").size(), 1U);
  EXPECT_THAT(refused("a.txt", "a\n" + std::string(4097, 'x')),
              AllOf(HasSubstr("line 2"), HasSubstr("4097 bytes")));
  EXPECT_THAT(refused("a.txt", std::string(3 << 20, 'x')), HasSubstr("line 1"));
  EXPECT_THAT(refused("a.txt", "b\na\nc\na\nb\na\n"),
              AllOf(HasSubstr("lines 2 and 4"), HasSubstr("'a'")));
}

TEST_F(Ids, Numbers) {
  const std::string largest = little(0x7FFF'FFFF'FFFF'FFFF, 8);
  const VectorIds ids =
      read("a.npy", npy_bytes(npy_text("<i8", "(3,)"), largest + little(~0ULL, 8) + little(0, 8)));
  EXPECT_FALSE(ids.are_texts());
  EXPECT_THAT(ids.numbers(), ElementsAre(0x7FFF'FFFF'FFFF'FFFF, -1, 0));
  EXPECT_EQ(ids.written(1), "-1");
  EXPECT_THAT(
      read("a.npy", npy_bytes(npy_text("<i4", "(2, 1)"), little(0xFFFF'FFFF, 4) + little(1, 4)))
          .numbers(),
      ElementsAre(-1, 1));
  EXPECT_THAT(read("a.npy", npy_bytes(npy_text("<u4", "(1,)"), little(0xFFFF'FFFF, 4))).numbers(),
              ElementsAre(0xFFFF'FFFF));
  EXPECT_THAT(read("a.npy", npy_bytes(npy_text("<u8", "(1,)"), largest)).numbers(),
              ElementsAre(0x7FFF'FFFF'FFFF'FFFF));
}

TEST_F(Ids, RefusedNumbers) {
  EXPECT_THAT(refused("a.npy", npy_bytes(npy_text("<u8", "(1,)"), little(1ULL << 63, 8))),
              HasSubstr("2^63"));
  EXPECT_THAT(refused("a.npy", npy_bytes(npy_text("<f4", "(1,)"), little(0, 4))),
              HasSubstr("float"));
  EXPECT_THAT(refused("a.npy", npy_bytes(npy_text("<i4", "(1, 2)"), little(0, 8))),
              HasSubstr("2 values a row"));
  std::string rows;
  for (const int id : {5, 3, 4, 4, 3, 5}) rows += little(static_cast<std::uint64_t>(id), 8);
  EXPECT_THAT(refused("a.npy", npy_bytes(npy_text("<i8", "(6,)"), rows)),
              AllOf(HasSubstr("rows 2 and 3"), HasSubstr("id, 4")));
}

TEST_F(Ids, FilesOfVectorsAreNoIds) {
  for (const std::string name : {"a.fvecs", "a.ivecs", "a.ibin", "a.hdf5", "a.hdf5:x"}) {
    EXPECT_THAT(complaint<UsageError>([&] { read_ids(folder_ / name); }),
                HasSubstr("holds vectors by its name"));
  }
  EXPECT_THROW(read_ids(folder_ / "none.txt"), IoError);
  EXPECT_THAT(complaint<IoError>([] { read_ids("-"); }),
              testing::HasSubstr("standard input is not taken"));
}

TEST_F(Ids, FromMemory) {
  EXPECT_THAT(VectorIds(std::vector<std::int64_t>{4, 2}).numbers(), ElementsAre(4, 2));
  EXPECT_THAT(texts_of(VectorIds(std::vector<std::string>{"x", "y"})), ElementsAre("x", "y"));
  EXPECT_THROW(VectorIds(std::vector<std::int64_t>{4, 2, 4}), InputError);
  EXPECT_THAT(complaint<InputError>([] {
                VectorIds(std::vector<std::string>{"x", "y", "y"});
              }),
              HasSubstr("rows 1 and 2"));
  EXPECT_THAT(complaint<InputError>([] {
                VectorIds(std::vector<std::string>{"x", "y\n"});
              }),
              HasSubstr("row 1"));
}

}  // namespace
}  // namespace warpdex::vector
