// Tests of codebooks that a GPU trains: they are the CPU's, to the bit.
#include "pq/gpu_train.hpp"

#include <gtest/gtest.h>

#include <cstddef>
#include <random>

#include "pq/train.hpp"
#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "tests/vector/flat/gpu_flat_support.hpp"
#include "warpdex/core/cuda/device.hpp"

namespace warpdex::vector {
namespace {

class GpuIvfBuildCodebooks : public testing::Test {
 protected:
  void SetUp() override {
    if (device_count() == 0) GTEST_SKIP() << why_no_device();
  }
};

TEST_F(GpuIvfBuildCodebooks, AreTheCpus) {
  auto random = test::generator(1);
  struct Case {
    std::size_t rows, dimension, bytes, bits;
  };
  for (const auto& [rows, dimension, bytes, bits] :
       {Case{1, 1, 1, 8}, Case{2, 3, 2, 4}, Case{31, 5, 5, 8}, Case{255, 8, 2, 8},
        Case{256, 8, 3, 8}, Case{257, 7, 4, 4}, Case{1000, 10, 1, 8}, Case{1025, 33, 33, 8},
        Case{3000, 33, 17, 4}, Case{4001, 20, 2, 8}, Case{3000, 130, 1, 4}, Case{20'000, 96, 32, 8},
        Case{65'536, 24, 8, 8}}) {
    const Matrix<float> points = test::draw_matrix(random, rows, dimension, 3);
    PqTraining training{.bytes = bytes, .bits = bits};
    training.seed = random();
    training.threads = 0;
    EXPECT_EQ(train_codebooks_on_gpu(points, training, resources()),
              train_codebooks(points, training))
        << rows << " x " << dimension << ", " << bytes << " bytes of " << bits << " bits";
  }
}

TEST_F(GpuIvfBuildCodebooks, OfFewDistinctPointsAreRepairedAsTheCpus) {
  auto random = test::generator(2);
  std::uniform_int_distribution<int> few(0, 2);
  for (const std::size_t rows : {100, 5000}) {
    Matrix<float> points = test::draw_matrix(random, rows, 12);
    for (std::size_t i = rows / 10 * 12; i < points.values.size(); ++i) {
      points.values[i] = static_cast<float>(few(random));
    }
    for (const std::size_t bits : {8, 4}) {
      for (const std::size_t bytes : {1, 4, 6}) {
        const PqTraining training{.bytes = bytes, .bits = bits};
        std::size_t told = 0;
        PqTraining listened = training;
        listened.on_parts = [&](std::size_t done, std::size_t total) {
          EXPECT_EQ(done, ++told);
          EXPECT_EQ(total, training.iterations);
        };
        EXPECT_EQ(train_codebooks_on_gpu(points, listened, resources()),
                  train_codebooks(points, training))
            << rows << " points, " << bytes << " bytes, " << bits << " bits";
        EXPECT_EQ(told, training.iterations);
      }
    }
  }
}

}  // namespace
}  // namespace warpdex::vector
