// Readers of fvecs, bvecs, ivecs and of the *bin formats, over files made by hand.
#include "warpdex/vector/data/vector_reader.hpp"

#include <limits>

#include "tests/vector/data/files.hpp"
#include "warpdex/vector/data/matrix.hpp"

namespace warpdex::vector {
namespace {

using test::complaint;
using test::float_bytes;
using test::little;
using test::TemporaryFolder;
using test::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(VectorReader, Fvecs) {
  const TemporaryFolder folder;
  write_file(folder / "a.fvecs", little(3, 4) + float_bytes({1, -2.5F, 3}) + little(3, 4) +
                                     float_bytes({0, 1e-30F, 6}));
  const auto reader = open_vectors(folder / "a.fvecs");
  EXPECT_EQ(reader->element(), Element::kFloat32);
  EXPECT_EQ(reader->dimension(), 3U);
  EXPECT_EQ(reader->rows(), 2U);
  EXPECT_EQ(reader->name(), folder / "a.fvecs");
  EXPECT_THAT(test::read_floats(*reader), ElementsAre(1, -2.5F, 3, 0, 1e-30F, 6));
  float none = 0;
  EXPECT_EQ(reader->read(1, &none), 0U);
}

TEST(VectorReader, BvecsAndIvecs) {
  const TemporaryFolder folder;
  write_file(folder / "b.bvecs",
             little(2, 4) + std::string("\0\xFF", 2) + little(2, 4) + "\x80\x01");
  EXPECT_THAT(read_float_matrix(folder / "b.bvecs").values, ElementsAre(0, 255, 128, 1));
  write_file(folder / "a.ivecs", little(2, 4) + little(7, 4) + little(0xFFFF'FFFF, 4));
  const Matrix<std::int32_t> ids = read_int_matrix(folder / "a.ivecs");
  EXPECT_EQ(ids.rows, 1U);
  EXPECT_EQ(ids.columns, 2U);
  EXPECT_THAT(ids.values, ElementsAre(7, -1));
}

TEST(VectorReader, BinFormats) {
  const TemporaryFolder folder;
  const std::string header = little(2, 4) + little(3, 4);
  write_file(folder / "a.fbin", header + float_bytes({1, 2, 3, 4, 5, 6.5F}));
  EXPECT_THAT(read_float_matrix(folder / "a.fbin").values, ElementsAre(1, 2, 3, 4, 5, 6.5F));
  write_file(folder / "a.u8bin", header + "\x01\x02\x03\xFD\xFE\xFF");
  EXPECT_THAT(read_float_matrix(folder / "a.u8bin").values, ElementsAre(1, 2, 3, 253, 254, 255));
  write_file(folder / "a.i8bin", header + "\x01\x02\x03\x80\xFE\xFF");
  EXPECT_THAT(read_float_matrix(folder / "a.i8bin").values, ElementsAre(1, 2, 3, -128, -2, -1));
  std::string ids = header;
  for (int i = 0; i < 6; ++i) ids += little(static_cast<std::uint32_t>(i - 1), 4);
  write_file(folder / "a.ibin", ids);
  EXPECT_THAT(read_int_matrix(folder / "a.ibin").values, ElementsAre(-1, 0, 1, 2, 3, 4));
  write_file(folder / "none.fbin", little(0, 4) + little(3, 4));
  EXPECT_EQ(open_vectors(folder / "none.fbin")->rows(), 0U);
}

TEST(VectorReader, SuffixesCountWithoutCase) {
  const TemporaryFolder folder;
  write_file(folder / "A.FVecs", little(1, 4) + float_bytes({5}));
  EXPECT_THAT(read_float_matrix(folder / "A.FVecs").values, ElementsAre(5));
}

TEST(VectorReader, ReadsFromAnyRowOnAndInParts) {
  const TemporaryFolder folder;
  std::mt19937_64 random = warpdex::test::generator(1);
  for (const std::size_t dimension : {1, 3, 31, 32, 33, 127, 128, 129, 4096}) {
    const std::uint64_t rows = 1 + random() % 900;
    std::string bytes;
    for (std::uint64_t row = 0; row < rows; ++row) {
      bytes += little(dimension, 4);
      for (std::size_t i = 0; i < dimension; ++i) bytes += static_cast<char>(row * 7 + i);
    }
    write_file(folder / "a.bvecs", bytes);
    const auto reader = open_vectors(folder / "a.bvecs");
    ASSERT_EQ(reader->rows(), rows);
    for (int i = 0; i < 8; ++i) {
      const std::uint64_t first = random() % (rows + 1);
      const std::size_t wished = random() % (rows + 2);
      reader->seek(first);
      std::vector<float> floats(wished * dimension);
      const std::size_t got = reader->read(wished, floats.data());
      ASSERT_EQ(got, std::min<std::uint64_t>(wished, rows - first));
      reader->seek(first);
      std::vector<std::uint8_t> raw(wished * dimension);
      ASSERT_EQ(reader->read_raw(wished, raw.data()), got);
      for (std::size_t at = 0; at < got * dimension; ++at) {
        const auto expected =
            static_cast<std::uint8_t>((first + at / dimension) * 7 + at % dimension);
        ASSERT_EQ(raw[at], expected);
        ASSERT_EQ(floats[at], static_cast<float>(expected));
      }
    }
    reader->rewind();
    std::vector<std::uint8_t> row(dimension, 1);
    ASSERT_EQ(reader->read_raw(1, row.data()), 1U);
    EXPECT_EQ(row[0], 0);
  }
}

TEST(VectorReader, WhatIsNotFiniteIsNamedByRowAndColumn) {
  const TemporaryFolder folder;
  for (const float bad :
       {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
        -std::numeric_limits<float>::infinity()}) {
    std::string bytes = little(900, 4) + little(3, 4);
    for (int i = 0; i < 2700; ++i) bytes += float_bytes({i == 2000 ? bad : 1.0F});
    write_file(folder / "a.fbin", bytes);
    EXPECT_THAT(complaint<InputError>([&] { read_float_matrix(folder / "a.fbin"); }),
                AllOf(HasSubstr("row 666, column 2"), HasSubstr("a.fbin")));
    const auto reader = open_vectors(folder / "a.fbin");
    std::vector<float> raw(2700);
    EXPECT_THROW(reader->read_raw(900, raw.data()), InputError);
    reader->seek(667);
    EXPECT_EQ(reader->read(900, raw.data()), 233U);
  }
}

TEST(VectorReader, DistancesMayBeInfiniteButNotNaN) {
  const TemporaryFolder folder;
  const float infinity = std::numeric_limits<float>::infinity();
  write_file(folder / "a.fvecs", little(2, 4) + float_bytes({1, infinity}));
  EXPECT_THAT(read_float_matrix(folder / "a.fvecs", Role::kDistances).values,
              ElementsAre(1, infinity));
  write_file(folder / "a.fvecs", little(2, 4) + float_bytes({1, std::nanf("")}));
  EXPECT_THAT(
      complaint<InputError>([&] { read_float_matrix(folder / "a.fvecs", Role::kDistances); }),
      HasSubstr("row 0, column 1"));
}

TEST(VectorReader, RefusesDamagedVecs) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes) {
    write_file(folder / "a.fvecs", bytes);
    return complaint<InputError>([&] { read_float_matrix(folder / "a.fvecs"); });
  };
  const std::string row = little(2, 4) + float_bytes({1, 2});
  EXPECT_THAT(refused(""), HasSubstr("is empty"));
  EXPECT_THAT(refused("ab"), HasSubstr("too short"));
  EXPECT_THAT(refused(row + row.substr(0, 11)),
              HasSubstr("23 bytes, which is no multiple of the 12"));
  EXPECT_THAT(refused(row + row + little(1, 4) + float_bytes({1, 2})),
              AllOf(HasSubstr("row 2"), HasSubstr("dimension 1"), HasSubstr("have 2")));
  EXPECT_THAT(refused(little(0, 4)), HasSubstr("1 to 4096"));
  EXPECT_THAT(refused(little(4097, 4)), HasSubstr("1 to 4096"));
  EXPECT_THAT(refused(little(0xFFFF'FFFF, 4)), HasSubstr("dimension -1"));
}

TEST(VectorReader, RefusesHeadersThatDoNotFitTheFile) {
  const TemporaryFolder folder;
  const auto refused = [&](const std::string& bytes) {
    write_file(folder / "a.fbin", bytes);
    return complaint<InputError>([&] { open_vectors(folder / "a.fbin"); });
  };
  EXPECT_THAT(refused("1234567"), HasSubstr("too short"));
  EXPECT_THAT(refused(little(2, 4) + little(2, 4) + float_bytes({1, 2, 3})),
              AllOf(HasSubstr("24 bytes"), HasSubstr("file has 20"), HasSubstr("cut short")));
  EXPECT_THAT(refused(little(1, 4) + little(2, 4) + float_bytes({1, 2, 3})),
              HasSubstr("more lies behind the rows"));
  EXPECT_THAT(refused(little(0xFFFF'FFFF, 4) + little(4096, 4)), HasSubstr("cut short"));
  EXPECT_THAT(refused(little(1, 4) + little(0, 4)), HasSubstr("1 to 4096"));
}

TEST(VectorReader, NeighborsMayBeManyMore) {
  const TemporaryFolder folder;
  write_file(folder / "a.ivecs", little(5000, 4) + std::string(20'000, '\0'));
  EXPECT_EQ(read_int_matrix(folder / "a.ivecs").columns, 5000U);
  EXPECT_THROW(open_vectors(folder / "a.ivecs"), InputError);
  write_file(folder / "a.ivecs", little((1 << 20) + 1, 4));
  EXPECT_THAT(complaint<InputError>([&] { read_int_matrix(folder / "a.ivecs"); }),
              HasSubstr("1 to 1048576"));
}

TEST(VectorReader, RefusesFilesOfTheOtherKind) {
  const TemporaryFolder folder;
  write_file(folder / "a.ivecs", little(1, 4) + little(1, 4));
  EXPECT_THAT(complaint<InputError>([&] { read_float_matrix(folder / "a.ivecs"); }),
              HasSubstr("holds int32 values"));
  write_file(folder / "a.fvecs", little(1, 4) + float_bytes({1}));
  EXPECT_THAT(complaint<InputError>([&] { read_int_matrix(folder / "a.fvecs"); }),
              HasSubstr("holds float values"));
}

TEST(VectorReader, RefusesPathsThatAreNoFiles) {
  const TemporaryFolder folder;
  EXPECT_THAT(complaint<IoError>([&] { open_vectors(folder / "none.fvecs"); }),
              HasSubstr("No such file"));
  std::filesystem::create_directory(folder / "a.fvecs");
  EXPECT_THAT(complaint<IoError>([&] { open_vectors(folder / "a.fvecs"); }),
              HasSubstr("is a folder"));
  for (const std::string name : {"base", "base.vecs", "a.hdf", "fvecs", "", "a.fvecs.xz"}) {
    EXPECT_THAT(complaint<UsageError>([&] { open_vectors(folder / name); }),
                AllOf(HasSubstr(".fvecs, .bvecs"), HasSubstr(".hdf5 or .h5")));
  }
}

// No prefix of a file crashes the reader: it gives whole rows of the file, or a sentence.
TEST(VectorReader, SurvivesFilesCutAnywhere) {
  const TemporaryFolder folder{warpdex::test::place_in_memory()};
  std::string vecs;
  std::string bin = little(5, 4) + little(3, 4);
  std::vector<float> values;
  for (int row = 0; row < 5; ++row) {
    vecs += little(3, 4);
    for (int i = 0; i < 3; ++i) {
      values.push_back(static_cast<float>(row * 3 + i) + 0.5F);
      vecs += float_bytes({values.back()});
      bin += float_bytes({values.back()});
    }
  }
  const std::string npy = test::npy_bytes(test::npy_text("<f4", "(5, 3)"), bin.substr(8));
  for (const auto& [name, bytes] :
       {std::pair("a.fvecs", vecs), std::pair("a.fbin", bin), std::pair("a.npy", npy)}) {
    for (std::size_t size = 0; size <= bytes.size(); ++size) {
      write_file(folder / name, bytes.substr(0, size));
      const bool is_whole =
          size == bytes.size() || (name == std::string("a.fvecs") && size % 16 == 0 && size > 0);
      try {
        const Matrix<float> matrix = read_float_matrix(folder / name);
        EXPECT_TRUE(is_whole) << name << " " << size;
        EXPECT_EQ(matrix.values.size(), matrix.rows * 3);
        EXPECT_TRUE(std::equal(matrix.values.begin(), matrix.values.end(), values.begin()));
      } catch (const InputError& error) {
        EXPECT_FALSE(is_whole) << name << " " << size << ": " << error.what();
      }
    }
  }
}

TEST(VectorReader, SaysSoWhenTheFileShrinks) {
  const TemporaryFolder folder;
  write_file(folder / "a.fbin", little(2, 4) + little(1, 4) + float_bytes({1, 2}));
  const auto reader = open_vectors(folder / "a.fbin");
  std::filesystem::resize_file(folder / "a.fbin", 12);
  std::vector<float> values(2);
  EXPECT_THAT(complaint<IoError>([&] { reader->read(2, values.data()); }),
              HasSubstr("became shorter"));
}

}  // namespace
}  // namespace warpdex::vector
