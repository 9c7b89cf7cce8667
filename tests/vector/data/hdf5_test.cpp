// HDF5 files made and read by the library's C interface.
#include <hdf5.h>

#include <cmath>

#include "tests/vector/data/files.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/data/vector_writer.hpp"

namespace warpdex::vector {
namespace {

using test::complaint;
using test::TemporaryFolder;
using test::write_file;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using warpdex::test::read_file;

struct DatasetSettings {
  hid_t stored = H5T_IEEE_F32LE;
  hid_t memory = H5T_NATIVE_FLOAT;
  hsize_t chunk_rows = 0;  ///< 0: contiguous
  unsigned gzip = 0;
};

/// Adds a dataset to an open file.
void add(hid_t file, const char* name, const std::vector<hsize_t>& sizes, const void* values,
         const DatasetSettings& settings = {}) {
  const hid_t space = H5Screate_simple(static_cast<int>(sizes.size()), sizes.data(), nullptr);
  const hid_t creation = H5Pcreate(H5P_DATASET_CREATE);
  if (settings.chunk_rows > 0) {
    const hsize_t chunk[] = {settings.chunk_rows, sizes[1]};
    H5Pset_chunk(creation, 2, chunk);
    if (settings.gzip > 0) H5Pset_deflate(creation, settings.gzip);
  }
  const hid_t dataset =
      H5Dcreate2(file, name, settings.stored, space, H5P_DEFAULT, creation, H5P_DEFAULT);
  ASSERT_GE(dataset, 0);
  if (values != nullptr) {
    ASSERT_GE(H5Dwrite(dataset, settings.memory, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
  }
  H5Dclose(dataset);
  H5Pclose(creation);
  H5Sclose(space);
}

class Hdf5 : public ::testing::Test {
 protected:
  Hdf5() : path_(folder_ / "a.hdf5") {}
  hid_t create(hsize_t user_block = 0) const {
    const hid_t creation = H5Pcreate(H5P_FILE_CREATE);
    if (user_block > 0) H5Pset_userblock(creation, user_block);
    const hid_t file = H5Fcreate(path_.c_str(), H5F_ACC_TRUNC, creation, H5P_DEFAULT);
    H5Pclose(creation);
    return file;
  }

  TemporaryFolder folder_{warpdex::test::place_in_memory()};
  std::string path_;
};

TEST_F(Hdf5, RolesAndNamesChooseTheDataset) {
  const hid_t file = create();
  const float train[] = {1, 2, 3, 4, 5, 6};
  const std::int32_t neighbors[] = {2, -1};
  add(file, "train", {3, 2}, train);
  add(file, "test", {1, 2}, train + 4);
  add(file, "neighbors", {1, 2}, neighbors, {H5T_STD_I32LE, H5T_NATIVE_INT32});
  add(file, "distances", {1, 2}, std::vector<float>{0.5F, INFINITY}.data());
  H5Gclose(H5Gcreate2(file, "more", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT));
  add(file, "more/x.npy", {1, 1}, train + 2);
  H5Fclose(file);
  EXPECT_THAT(read_float_matrix(path_).values, ElementsAre(1, 2, 3, 4, 5, 6));
  EXPECT_EQ(read_float_matrix(path_).columns, 2U);
  EXPECT_THAT(read_float_matrix(path_, Role::kQueries).values, ElementsAre(5, 6));
  EXPECT_THAT(read_int_matrix(path_).values, ElementsAre(2, -1));
  EXPECT_THAT(read_float_matrix(path_, Role::kDistances).values, ElementsAre(0.5F, INFINITY));
  EXPECT_THAT(read_float_matrix(path_ + ":test").values, ElementsAre(5, 6));
  EXPECT_THAT(read_float_matrix(path_ + ":more/x.npy").values, ElementsAre(3));
  EXPECT_THAT(complaint<InputError>([&] {
                open_vectors(path_ + ":distances");
                read_float_matrix(path_ + ":distances");
              }),
              HasSubstr("row 0, column 1"));
  for (const std::string name : {"none", "more", "more/none", "none/x"}) {
    EXPECT_THAT(complaint<InputError>([&] { open_vectors(path_ + ":" + name); }),
                AllOf(HasSubstr("cannot be opened as a dataset"),
                      HasSubstr("the file has: distances, more, neighbors, test, train")));
  }
}

TEST_F(Hdf5, TypesOrdersAndLayouts) {
  std::mt19937_64 random = warpdex::test::generator(1);
  const std::size_t rows = 3000 + random() % 3000;
  std::vector<double> values(rows * 33);
  for (double& value : values) value = static_cast<double>(random() % 100);
  const hid_t file = create();
  const std::vector<hsize_t> sizes{rows, 33};
  const hid_t memory = H5T_NATIVE_DOUBLE;
  add(file, "f32", sizes, values.data(), {H5T_IEEE_F32LE, memory});
  add(file, "f32be", sizes, values.data(), {H5T_IEEE_F32BE, memory, 100, 1});
  add(file, "f64", sizes, values.data(), {H5T_IEEE_F64LE, memory, 7});
  add(file, "i8", sizes, values.data(), {H5T_STD_I8LE, memory, 1000, 9});
  add(file, "u8", sizes, values.data(), {H5T_STD_U8LE, memory});
  H5Fclose(file);
  for (const auto& [name, element] : {std::pair("f32", Element::kFloat32),
                                      {"f32be", Element::kFloat32},
                                      {"f64", Element::kFloat32},
                                      {"i8", Element::kInt8},
                                      {"u8", Element::kUint8}}) {
    const auto reader = open_vectors(path_ + ":" + name);
    EXPECT_EQ(reader->element(), element) << name;
    const std::vector<float> read = test::read_floats(*reader);
    EXPECT_TRUE(std::equal(read.begin(), read.end(), values.begin(), values.end())) << name;
    const std::uint64_t row = random() % rows;
    reader->seek(row);
    std::vector<float> one(33);
    ASSERT_EQ(reader->read(1, one.data()), 1U);
    EXPECT_TRUE(std::equal(one.begin(), one.end(), values.begin() + row * 33)) << name;
  }
}

TEST_F(Hdf5, WholeNumbers) {
  const hid_t file = create();
  const std::int64_t numbers[] = {7, -1, 5};
  add(file, "neighbors", {1, 3}, numbers, {H5T_STD_I64LE, H5T_NATIVE_INT64});
  add(file, "flat", {3}, numbers, {H5T_STD_I32BE, H5T_NATIVE_INT64});
  H5Fclose(file);
  EXPECT_THAT(read_int_matrix(path_).values, ElementsAre(7, -1, 5));
  EXPECT_EQ(read_int_matrix(path_ + ":flat").rows, 3U);
  EXPECT_THAT(read_int_matrix(path_ + ":flat").values, ElementsAre(7, -1, 5));
}

TEST_F(Hdf5, OneAxisIsNoVectors) {
  const hid_t file = create();
  add(file, "flat", {3}, std::vector<float>{1, 2, 3}.data());
  H5Fclose(file);
  EXPECT_THAT(complaint<InputError>([&] { open_vectors(path_ + ":flat"); }),
              HasSubstr("has one axis"));
  EXPECT_THAT(read_float_matrix(path_ + ":flat", Role::kDistances).values, ElementsAre(1, 2, 3));
}

TEST_F(Hdf5, RefusesWhatItDoesNotRead) {
  const hid_t file = create();
  add(file, "i16", {1, 1}, std::vector<double>{1}.data(), {H5T_STD_I16LE, H5T_NATIVE_DOUBLE});
  add(file, "cube", {1, 1, 1}, std::vector<float>{1}.data());
  add(file, "unwritten", {5, 5}, nullptr);
  add(file, "wide", {1, 4097}, std::vector<float>(4097).data());
  H5Fclose(file);
  EXPECT_THAT(complaint<InputError>([&] { open_vectors(path_ + ":i16"); }),
              HasSubstr("type that is not read"));
  EXPECT_THAT(complaint<InputError>([&] { open_vectors(path_ + ":cube"); }), HasSubstr("3 axes"));
  EXPECT_THAT(complaint<InputError>([&] { open_vectors(path_ + ":unwritten"); }),
              HasSubstr("never written"));
  EXPECT_THAT(complaint<InputError>([&] { open_vectors(path_ + ":wide"); }),
              HasSubstr("1 to 4096"));
  EXPECT_THAT(complaint<IoError>([&] { open_vectors(folder_ / "none.h5"); }),
              HasSubstr("No such file"));
  write_file(folder_ / "text.h5", "some text");
  EXPECT_THAT(complaint<InputError>([&] { open_vectors(folder_ / "text.h5"); }),
              HasSubstr("not an HDF5 file"));
}

TEST_F(Hdf5, SurvivesFilesCutAnywhere) {
  const hid_t file = create();
  add(file, "train", {10, 2}, std::vector<float>(20, 1).data());
  H5Fclose(file);
  const std::string bytes = read_file(path_);
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    write_file(path_, bytes.substr(0, size));
    EXPECT_THROW(read_float_matrix(path_), InputError) << size;
  }
  write_file(path_, bytes);
  EXPECT_EQ(read_float_matrix(path_).rows, 10U);
}

TEST_F(Hdf5, ADatasetIsAddedToAFile) {
  for (const hsize_t user_block : {0, 512}) {
    const hid_t file = create(user_block);
    const float train[] = {1, 2, 3, 4};
    add(file, "train", {2, 2}, train);
    H5Fclose(file);
    const std::int32_t ids[] = {9, -1, 7};
    const auto neighbors = create_vectors(path_, Element::kInt32, 3, 1, Role::kNeighbors);
    neighbors->write_raw(1, ids);
    EXPECT_THROW(open_vectors(path_, Role::kNeighbors), InputError) << "it is not finished";
    neighbors->finish();
    const std::uint16_t halves[] = {0x3C00, 0xC000};
    const auto other = create_vectors(path_ + ":group/of/halves", Element::kFloat16, 1, 2);
    other->write_raw(2, halves);
    other->finish();

    EXPECT_THAT(read_float_matrix(path_).values, ElementsAre(1, 2, 3, 4));
    EXPECT_THAT(read_int_matrix(path_).values, ElementsAre(9, -1, 7));
    EXPECT_EQ(open_vectors(path_ + ":group/of/halves")->element(), Element::kFloat16);
    const hid_t again = H5Fopen(path_.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT);
    const hid_t dataset = H5Dopen2(again, "group/of/halves", H5P_DEFAULT);
    double values[2] = {0, 0};
    ASSERT_GE(H5Dread(dataset, H5T_NATIVE_DOUBLE, H5S_ALL, H5S_ALL, H5P_DEFAULT, values), 0);
    EXPECT_THAT(values, ElementsAre(1, -2));
    H5Dclose(dataset);
    H5Fclose(again);
    for (const std::string name : {"train", "group", "/group/of/halves"}) {
      const std::string before = read_file(path_);
      EXPECT_THAT(
          complaint<UsageError>([&] { create_vectors(path_ + ":" + name, Element::kInt8, 1, 1); }),
          HasSubstr("already"));
      EXPECT_EQ(read_file(path_), before);
    }
  }
}

TEST_F(Hdf5, AFileThatIsNoHdf5IsNotReplaced) {
  write_file(path_, "text");
  EXPECT_THROW(create_vectors(path_, Element::kInt8, 1, 1), InputError);
  EXPECT_EQ(read_file(path_), "text");
}

TEST_F(Hdf5, SeveralDatasetsMayBeWrittenAtOnce) {
  std::mt19937_64 random = warpdex::test::generator(2);
  std::vector<std::string> values;
  std::vector<std::unique_ptr<VectorWriter>> writers;
  for (std::size_t i = 0; i < 4; ++i) {
    values.emplace_back(random() % 3'000'000, static_cast<char>(i + 1));
    writers.push_back(
        create_vectors(path_ + ":d" + std::to_string(i), Element::kInt8, 1, values.back().size()));
  }
  const auto same = create_vectors(path_ + ":d0", Element::kInt8, 1, 0);
  for (std::size_t i = 0; i < 4; ++i) writers[i]->write_raw(values[i].size(), values[i].data());
  for (const auto& writer : writers) writer->finish();
  EXPECT_THAT(complaint<UsageError>([&] { same->finish(); }), HasSubstr("already"));
  writers.clear();
  for (std::size_t i = 0; i < 4; ++i) {
    const auto reader = open_vectors(path_ + ":d" + std::to_string(i));
    ASSERT_EQ(reader->rows(), values[i].size());
    std::string read(values[i].size(), '\0');
    reader->read_raw(read.size(), read.data());
    EXPECT_EQ(read, values[i]);
  }
}

// A program that embeds the library may print HDF5's errors; its setting is as it was.
TEST_F(Hdf5, TheLibrarysErrorPrinterIsKept) {
  H5E_auto2_t before = nullptr;
  H5E_auto2_t after = nullptr;
  void* data = nullptr;
  H5Eget_auto2(H5E_DEFAULT, &before, &data);
  write_file(path_, "text");
  EXPECT_THROW(open_vectors(path_), InputError);
  H5Eget_auto2(H5E_DEFAULT, &after, &data);
  EXPECT_NE(before, nullptr);
  EXPECT_EQ(before, after);
}

}  // namespace
}  // namespace warpdex::vector
