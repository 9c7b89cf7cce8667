// Writers, against bytes made by hand; and what is left behind when they fail.
#include "warpdex/vector/data/vector_writer.hpp"

#include <sys/resource.h>

#include <cmath>
#include <csignal>
#include <limits>

#include "tests/vector/data/files.hpp"
#include "warpdex/vector/data/half.hpp"
#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::vector {
namespace {

using test::complaint;
using test::float_bytes;
using test::little;
using test::npy_text;
using test::TemporaryFolder;
using test::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using warpdex::test::read_file;

constexpr const char* kAllFormats[] = {"a.fvecs", "a.fbin", "a.npy", "a.hdf5"};

void write(const std::string& path, Element element, std::size_t dimension, std::size_t rows,
           const void* values, bool announce = true) {
  const auto writer = create_vectors(path, element, dimension,
                                     announce ? std::optional<std::uint64_t>(rows) : std::nullopt);
  writer->write_raw(rows / 2, values);
  writer->write_raw(rows - rows / 2, static_cast<const char*>(values) +
                                         rows / 2 * dimension * element_bytes(element));
  EXPECT_EQ(writer->rows(), rows);
  writer->finish();
}

TEST(VectorWriter, WhatIsWrittenThroughHasNoNameBeforeItIsFinished) {
  const TemporaryFolder folder;
  const float floats[] = {1, 2, 3, 4};
  for (const std::string name : kAllFormats) {
    write(folder / ("same-" + name), Element::kFloat32, 2, 2, floats);
    {
      const auto writer = create_vectors(folder / name, Element::kFloat32, 2, 2);
      writer->write_raw(2, floats);
      writer->write_through();
    }
    EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
    const auto writer = create_vectors(folder / name, Element::kFloat32, 2, 2);
    writer->write_raw(1, floats);
    EXPECT_THROW(writer->write_through(), UsageError);
    writer->write_raw(1, floats + 2);
    writer->write_through();
    EXPECT_FALSE(std::filesystem::exists(folder / name)) << name;
    writer->finish();
    EXPECT_EQ(read_float_matrix(folder / name).values,
              read_float_matrix(folder / ("same-" + name)).values);
  }
}

TEST(VectorWriter, WritesTheBytesOfEachFormat) {
  const TemporaryFolder folder;
  const float floats[] = {1, -2.5F, 3, 4, 5, 6};
  const std::string array = float_bytes({1, -2.5F, 3, 4, 5, 6});
  const std::string header = little(2, 4) + little(3, 4);
  for (const bool announce : {true, false}) {
    write(folder / "a.fvecs", Element::kFloat32, 3, 2, floats, announce);
    EXPECT_EQ(read_file(folder / "a.fvecs"),
              little(3, 4) + array.substr(0, 12) + little(3, 4) + array.substr(12));
    write(folder / "a.fbin", Element::kFloat32, 3, 2, floats, announce);
    EXPECT_EQ(read_file(folder / "a.fbin"), header + array);
    write(folder / "a.bvecs", Element::kUint8, 3, 2, "abcdef", announce);
    EXPECT_EQ(read_file(folder / "a.bvecs"), little(3, 4) + "abc" + little(3, 4) + "def");
    write(folder / "a.u8bin", Element::kUint8, 3, 2, "abcdef", announce);
    EXPECT_EQ(read_file(folder / "a.u8bin"), header + "abcdef");
    write(folder / "a.i8bin", Element::kInt8, 3, 2, "abcdef", announce);
    EXPECT_EQ(read_file(folder / "a.i8bin"), header + "abcdef");
    const std::int32_t ids[] = {1, -1};
    write(folder / "a.ivecs", Element::kInt32, 1, 2, ids, announce);
    EXPECT_EQ(read_file(folder / "a.ivecs"),
              little(1, 4) + little(1, 4) + little(1, 4) + "\xFF\xFF\xFF\xFF");
    write(folder / "a.ibin", Element::kInt32, 2, 1, ids, announce);
    EXPECT_EQ(read_file(folder / "a.ibin"),
              little(1, 4) + little(2, 4) + little(1, 4) + "\xFF\xFF\xFF\xFF");
    write(folder / "a.npy", Element::kFloat32, 3, 2, floats, announce);
    std::string text = npy_text("<f4", "(2, 3)");
    text.resize(117, ' ');
    EXPECT_EQ(read_file(folder / "a.npy"),
              std::string("\x93NUMPY\1\0\x76\0", 10) + text + "\n" + array);
  }
}

TEST(VectorWriter, NpyNamesEveryType) {
  const TemporaryFolder folder;
  const std::uint64_t values[] = {1, 0};
  for (const auto& [element, name] : {std::pair(Element::kFloat16, "<f2"),
                                      {Element::kInt8, "|i1"},
                                      {Element::kUint8, "|u1"},
                                      {Element::kInt32, "<i4"},
                                      {Element::kInt64, "<i8"},
                                      {Element::kBool, "|b1"}}) {
    write(folder / "a.npy", element, 1, 2, values);
    EXPECT_THAT(read_file(folder / "a.npy"), HasSubstr("{'descr': '" + std::string(name) + "', "));
    const auto reader = open_vectors(folder / "a.npy");
    EXPECT_EQ(reader->element(), element);
    EXPECT_EQ(reader->rows(), 2U);
  }
}

TEST(VectorWriter, WhatIsWrittenIsReadAgain) {
  std::mt19937_64 random = warpdex::test::generator(1);
  const TemporaryFolder folder;
  for (const std::size_t dimension : {1, 31, 32, 33, 127, 129, 4096}) {
    const std::size_t rows = 1 + random() % 400;
    std::vector<float> values(rows * dimension);
    for (float& value : values) value = static_cast<float>(random()) / 1e12F;
    for (const char* const name : kAllFormats) {
      const std::string path = folder / (std::to_string(dimension) + name);
      write(path, Element::kFloat32, dimension, rows, values.data());
      const Matrix<float> again = read_float_matrix(path);
      EXPECT_EQ(again.columns, dimension);
      EXPECT_EQ(again.values, values) << path;
    }
  }
}

TEST(VectorWriter, FloatsBecomeHalvesUnlessTheyAreTooLarge) {
  const TemporaryFolder folder;
  std::vector<float> values(3000, 0.1F);
  auto writer = create_vectors(folder / "a.npy", Element::kFloat16, 3);
  writer->write(1000, values.data());
  writer->finish();
  std::uint16_t half = 0;
  to_half({values.data(), 1}, &half);
  EXPECT_THAT(read_file(folder / "a.npy").substr(128),
              StartsWith(little(half, 2) + little(half, 2)));

  writer = create_vectors(folder / "a.npy", Element::kFloat16, 3);
  writer->write(1000, values.data());
  values[301] = -65520;
  EXPECT_THAT(complaint<InputError>([&] { writer->write(1000, values.data()); }),
              AllOf(HasSubstr("row 1100, column 1"), HasSubstr("65504")));
  values[301] = std::numeric_limits<float>::infinity();  // as distances have it
  writer->write(1000, values.data());
  writer = create_vectors(folder / "a.bvecs", Element::kUint8, 3);
  EXPECT_THROW(writer->write(1000, values.data()), UsageError);
}

TEST(VectorWriter, AFileAppearsOnlyWhenItIsFinished) {
  const TemporaryFolder folder;
  const float values[] = {1, 2};
  for (const char* const name : kAllFormats) {
    const bool adds = name == std::string("a.hdf5");
    if (!adds) write_file(folder / name, "old");
    {
      const auto writer = create_vectors(folder / name, Element::kFloat32, 2, 3);
      writer->write(1, values);
      EXPECT_THAT(complaint<UsageError>([&] { writer->finish(); }),
                  AllOf(HasSubstr("3 rows"), HasSubstr("but 1 were written")));
      if (!adds) {
        EXPECT_EQ(read_file(folder / name), "old");
      }
    }
    EXPECT_EQ(std::filesystem::exists(folder / name), !adds);
    if (!adds) {
      EXPECT_EQ(read_file(folder / name), "old");
    }
  }
  std::size_t files = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    ++files;
  }
  EXPECT_EQ(files, 3U);
}

// As a full disk does: the write fails, what was there stays, and nothing else is left.
TEST(VectorWriter, AFullDiskIsToldAndHarmsNothing) {
  const TemporaryFolder folder;
  for (const char* const name : kAllFormats) {
    for (const bool announce : {true, false}) {
      if (!announce && name == std::string("a.hdf5")) continue;
      const std::string said = warpdex::test::in_child([&] {
        std::signal(SIGXFSZ, SIG_IGN);
        const rlimit limit{400'000, 400'000};
        ::setrlimit(RLIMIT_FSIZE, &limit);
        const std::vector<float> values(1 << 20);
        return complaint<IoError>(
            [&] { write(folder / name, Element::kFloat32, 1024, 1024, values.data(), announce); });
      });
      EXPECT_THAT(said,
                  AllOf(HasSubstr(name), HasSubstr("File too large"), HasSubstr("make room")));
    }
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(VectorWriter, SeveralOfOneTargetEndInTheLast) {
  const TemporaryFolder folder;
  const float values[] = {1, 2};
  const auto first = create_vectors(folder / "a.fvecs", Element::kFloat32, 1, 1);
  const auto second = create_vectors(folder / "a.fvecs", Element::kFloat32, 1, 1);
  first->write(1, values);
  second->write(1, values + 1);
  second->finish();
  EXPECT_THAT(read_float_matrix(folder / "a.fvecs").values, ElementsAre(2));
  first->finish();
  EXPECT_THAT(read_float_matrix(folder / "a.fvecs").values, ElementsAre(1));
}

TEST(VectorWriter, RefusesWhatAFormatCannotHold) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& name, Element element, std::size_t dimension,
                           std::optional<std::uint64_t> rows) {
    const std::string path = folder / name;
    return complaint<UsageError>([&] { create_vectors(path, element, dimension, rows); });
  };
  EXPECT_THAT(refused("a.fvecs", Element::kUint8, 3, 1), HasSubstr("cannot hold uint8"));
  EXPECT_THAT(refused("a.u8bin", Element::kInt8, 3, 1), HasSubstr("cannot hold int8"));
  EXPECT_THAT(refused("a.npy", Element::kInt8, 0, 1), HasSubstr("not 0"));
  EXPECT_THAT(refused("a.fbin", Element::kFloat32, 1, 1ULL << 32), HasSubstr("32 bits"));
  EXPECT_THAT(refused("a.fvecs", Element::kFloat32, 1, 0), HasSubstr("without rows"));
  EXPECT_THAT(refused("a.hdf5", Element::kFloat32, 1, std::nullopt), HasSubstr("must be known"));
  EXPECT_THAT(refused("a.hdf5", Element::kBool, 1, 1), HasSubstr("bool"));
  EXPECT_THAT(refused("a.txt", Element::kFloat32, 1, 1), HasSubstr(".fvecs"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
  EXPECT_THROW(create_vectors(folder / "no/a.npy", Element::kInt8, 1), IoError);
}

TEST(VectorWriter, NoRows) {
  const TemporaryFolder folder;
  for (const char* const name : {"a.fbin", "a.npy", "a.hdf5"}) {
    write(folder / name, Element::kFloat32, 7, 0, nullptr);
    const auto reader = open_vectors(folder / name);
    EXPECT_EQ(reader->rows(), 0U);
    EXPECT_EQ(reader->dimension(), 7U);
  }
  const auto writer = create_vectors(folder / "a.fvecs", Element::kFloat32, 7);
  EXPECT_THROW(writer->finish(), UsageError);
}

}  // namespace
}  // namespace warpdex::vector
