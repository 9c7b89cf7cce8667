// Real descriptors and embeddings: figures that other programs computed, and copies through every
// format.
#include "tests/vector/data/files.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/data/vector_writer.hpp"

namespace warpdex::vector {
namespace {

using test::TemporaryFolder;
using warpdex::test::data_folder;

TEST(RealVectors, DescriptorsHaveTheirTrueNeighbors) {
  WARPDEX_NEEDS_DATA("vectors/wallpaper_sift_10k_base.bvecs");
  const std::filesystem::path folder = data_folder() / "vectors";
  const Matrix<float> base = read_float_matrix(folder / "wallpaper_sift_10k_base.bvecs");
  const Matrix<float> queries = read_float_matrix(folder / "wallpaper_sift_10k_query.bvecs");
  const Matrix<std::int32_t> truth =
      read_int_matrix(folder / "wallpaper_sift_10k_groundtruth.ivecs");
  ASSERT_EQ(base.rows, 10'000U);
  ASSERT_EQ(base.columns, 128U);
  ASSERT_EQ(queries.rows, truth.rows);
  ASSERT_EQ(truth.columns, 100U);
  // Squared distances of descriptors are whole numbers below 2^24: exact in float.
  const auto distance = [&](std::uint64_t query, std::uint64_t row) {
    float sum = 0;
    for (std::size_t i = 0; i < 128; ++i) {
      const float difference = queries.row(query)[i] - base.row(row)[i];
      sum += difference * difference;
    }
    return sum;
  };
  for (std::uint64_t query = 0; query < queries.rows; ++query) {
    std::vector<float> distances(base.rows);
    for (std::uint64_t row = 0; row < base.rows; ++row) distances[row] = distance(query, row);
    std::vector<float> nearest = distances;
    std::partial_sort(nearest.begin(), nearest.begin() + 100, nearest.end());
    for (std::size_t i = 0; i < 100; ++i) {
      ASSERT_EQ(distances[truth.row(query)[i]], nearest[i]) << query << " " << i;
    }
  }
}

TEST(RealVectors, CopiesThroughEveryFormatStayTheSame) {
  WARPDEX_NEEDS_DATA("vectors/wallpaper_sift_10k_base.bvecs");
  const std::string original = data_folder() / "vectors/wallpaper_sift_10k_base.bvecs";
  const TemporaryFolder folder;
  std::string from = original;
  std::vector<std::uint8_t> bytes(10'000 * 128);
  for (const std::string name : {"a.u8bin", "a.npy", "a.hdf5", "a.h5:x/y", "a.bvecs"}) {
    const auto reader = open_vectors(from);
    ASSERT_EQ(reader->read_raw(reader->rows(), bytes.data()), 10'000U);
    const auto writer =
        create_vectors(folder / name, reader->element(), reader->dimension(), reader->rows());
    writer->write_raw(reader->rows(), bytes.data());
    writer->finish();
    from = folder / name;
  }
  EXPECT_EQ(warpdex::test::read_file(from), warpdex::test::read_file(original));
}

TEST(RealVectors, EmbeddingsHaveLengthOne) {
  WARPDEX_NEEDS_DATA("vectors/wiki25k.minilm384.f16.npy");
  const auto reader = open_vectors(data_folder() / "vectors/wiki25k.minilm384.f16.npy");
  EXPECT_EQ(reader->element(), Element::kFloat16);
  ASSERT_EQ(reader->dimension(), 384U);
  ASSERT_EQ(reader->rows(), 25'000U);
  const std::vector<float> values = test::read_floats(*reader);
  for (std::size_t row = 0; row < 25'000; ++row) {
    double sum = 0;
    for (std::size_t i = 0; i < 384; ++i) {
      sum +=
          static_cast<double>(values[row * 384 + i]) * static_cast<double>(values[row * 384 + i]);
    }
    ASSERT_NEAR(sum, 1, 2e-3) << row;
  }
}

}  // namespace
}  // namespace warpdex::vector
