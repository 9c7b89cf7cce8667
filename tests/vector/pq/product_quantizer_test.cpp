// Tests of product quantisation: codes and tables against sums written plainly, in the order that
// is documented and in double precision; codebooks by what must hold of them.
#include "warpdex/vector/pq/product_quantizer.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "pq/train.hpp"
#include "tests/support.hpp"
#include "tests/vector/collection.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/kmeans/kmeans.hpp"

namespace warpdex::vector {
namespace {

/// The codeword of each run, from a code.
std::vector<std::size_t> words_of(const ProductQuantizer& quantizer,
                                  const std::vector<std::uint8_t>& code) {
  std::vector<std::size_t> words;
  for (const std::uint8_t byte : code) {
    if (quantizer.bits == 8) {
      words.push_back(byte);
    } else {
      words.push_back(byte % 16);
      words.push_back(byte / 16);
    }
  }
  return words;
}

struct Shape {
  std::size_t dimension;
  std::size_t bytes;
  std::size_t bits;
};

const std::vector<Shape> kShapes{{1, 1, 8},   {1, 1, 4},    {7, 7, 8},    {7, 4, 4},
                                 {7, 3, 8},   {33, 5, 8},   {33, 16, 4},  {128, 96, 8},
                                 {128, 8, 8}, {128, 64, 4}, {100, 100, 8}};

TEST(ProductQuantizer, RunsAreEvenAndCoverAllComponents) {
  for (const auto& [dimension, bytes, bits] : kShapes) {
    const ProductQuantizer quantizer{dimension, bytes, bits};
    ASSERT_LE(bytes, max_code_bytes(dimension, bits));
    EXPECT_EQ(quantizer.part_begin(0), 0U);
    EXPECT_EQ(quantizer.part_begin(quantizer.parts()), dimension);
    for (std::size_t part = 0; part < quantizer.parts(); ++part) {
      const std::size_t width = quantizer.part_begin(part + 1) - quantizer.part_begin(part);
      EXPECT_GE(width, dimension / quantizer.parts());
      EXPECT_LE(width, dimension / quantizer.parts() + 1);
    }
  }
}

TEST(ProductQuantizer, CodesAreTheNearestCodewordsInTheDocumentedOrder) {
  auto random = test::generator(1);
  for (const auto& [dimension, bytes, bits] : kShapes) {
    ProductQuantizer quantizer{dimension, bytes, bits};
    std::vector<float> codebooks = test::draw(random, dimension * quantizer.codewords());
    // Whole numbers make many ties.
    if (dimension % 2 == 0) {
      for (float& value : codebooks) value = std::round(value);
    }
    quantizer.codebooks = codebooks;
    for (int round = 0; round < 20; ++round) {
      std::vector<float> vector = test::draw(random, dimension);
      if (dimension % 2 == 0) {
        for (float& value : vector) value = std::round(2 * value) / 2;
      }
      std::vector<std::uint8_t> code(bytes, 0xAA);
      encode(quantizer, vector.data(), code.data());
      std::vector<float> decoded(dimension);
      decode(quantizer, code.data(), decoded.data());
      const std::vector<std::size_t> words = words_of(quantizer, code);
      ASSERT_EQ(words.size(), quantizer.parts());
      for (std::size_t part = 0; part < words.size(); ++part) {
        std::size_t nearest = 0;
        float smallest = 0;
        for (std::size_t word = 0; word < quantizer.codewords(); ++word) {
          float sum = 0;
          for (std::size_t c = part * dimension / words.size();
               c < (part + 1) * dimension / words.size(); ++c) {
            const float left = vector[c] - codebooks[c * quantizer.codewords() + word];
            sum = std::fma(left, left, sum);
          }
          if (word == 0 || sum < smallest) {
            smallest = sum;
            nearest = word;
          }
        }
        ASSERT_EQ(words[part], nearest) << dimension << " components, run " << part;
        for (std::size_t c = part * dimension / words.size();
             c < (part + 1) * dimension / words.size(); ++c) {
          ASSERT_EQ(decoded[c], codebooks[c * quantizer.codewords() + nearest]);
        }
      }
    }
  }
}

TEST(ProductQuantizer, TablesHaveTheProductsOfEachByte) {
  auto random = test::generator(2);
  for (const auto& [dimension, bytes, bits] : kShapes) {
    ProductQuantizer quantizer{dimension, bytes, bits};
    const std::vector<float> codebooks = test::draw(random, dimension * quantizer.codewords());
    quantizer.codebooks = codebooks;
    const std::vector<float> vector = test::draw(random, dimension);
    std::vector<float> tables(bytes * 256);
    byte_tables(quantizer, vector.data(), tables.data());
    for (int value = 0; value < 256; ++value) {
      const std::vector<std::uint8_t> code(bytes, static_cast<std::uint8_t>(value));
      std::vector<float> decoded(dimension);
      decode(quantizer, code.data(), decoded.data());
      const std::size_t parts_of_a_byte = 8 / bits;
      for (std::size_t byte = 0; byte < bytes; ++byte) {
        float sums[2] = {};
        for (std::size_t i = 0; i < parts_of_a_byte; ++i) {
          const std::size_t part = byte * parts_of_a_byte + i;
          for (std::size_t c = quantizer.part_begin(part); c < quantizer.part_begin(part + 1);
               ++c) {
            sums[i] = std::fma(vector[c], decoded[c], sums[i]);
          }
        }
        ASSERT_EQ(tables[byte * 256 + static_cast<std::size_t>(value)], sums[0] + sums[1]);
      }
    }
  }
}

TEST(ProductQuantizer, ARotationIsAProductWithEachRow) {
  auto random = test::generator(3);
  for (const std::size_t dimension : {1, 5, 32, 100}) {
    ProductQuantizer quantizer{dimension, 1, 8};
    std::vector<float> vector = test::draw(random, dimension);
    vector.resize((dimension + 31) / 32 * 32);
    std::vector<float> rotated(dimension);
    rotate(quantizer, vector.data(), rotated.data());
    EXPECT_TRUE(std::equal(rotated.begin(), rotated.end(), vector.begin()));
    const std::vector<float> rotation = test::draw(random, dimension * dimension);
    quantizer.rotation = rotation;
    rotate(quantizer, vector.data(), rotated.data());
    for (std::size_t row = 0; row < dimension; ++row) {
      double sum = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        sum += double{rotation[row * dimension + c]} * double{vector[c]};
      }
      EXPECT_NEAR(rotated[row], sum, 1e-4);
    }
  }
}

/// The mean squared distance of points, rotated already, from what their codes stand for.
double error_of(const Matrix<float>& points, const PqTraining& training,
                const std::vector<float>& codebooks) {
  const ProductQuantizer quantizer{points.columns, training.bytes, training.bits, codebooks};
  std::vector<std::uint8_t> code(training.bytes);
  std::vector<float> decoded(points.columns);
  double sum = 0;
  for (std::size_t i = 0; i < points.rows; ++i) {
    encode(quantizer, points.row(i).data(), code.data());
    decode(quantizer, code.data(), decoded.data());
    for (std::size_t c = 0; c < points.columns; ++c) {
      sum += std::pow(double{points.row(i)[c]} - double{decoded[c]}, 2);
    }
  }
  return sum / static_cast<double>(points.rows);
}

TEST(PqTraining, MoreBytesMoreBitsAndMorePointsLoseLess) {
  auto random = test::generator(4);
  const Matrix<float> points{2000, 12, test::draw(random, std::size_t{2000} * 12)};
  const auto error = [&](std::size_t bytes, std::size_t bits) {
    const PqTraining training{.bytes = bytes, .bits = bits};
    return error_of(points, training, train_codebooks(points, training));
  };
  EXPECT_LT(error(3, 8), error(1, 8));
  EXPECT_LT(error(12, 8), error(3, 8));
  EXPECT_LT(error(12, 8), 0.001 * 12) << "256 values for each component";
  EXPECT_LT(error(3, 8), error(3, 4)) << "longer runs share more";
  EXPECT_LT(error(6, 4), error(3, 4));
}

TEST(PqTraining, AnIterationMovesCodewordsToTheMeansOfTheirPoints) {
  auto random = test::generator(30);
  for (const auto& [dimension, bytes, bits] :
       {std::tuple{7, 2, 8}, {9, 9, 8}, {7, 3, 4}, {3, 2, 4}}) {
    const auto d = static_cast<std::size_t>(dimension);
    const Matrix<float> points{1300, d, test::draw(random, 1300 * d, 2)};
    const PqTraining training{.bytes = static_cast<std::size_t>(bytes),
                              .bits = static_cast<std::size_t>(bits),
                              .iterations = 1,
                              .seed = 77};
    const std::vector<float> found = train_codebooks(points, training);
    const std::size_t words = std::size_t{1} << bits;
    const std::size_t parts = training.bytes * 8 / training.bits;
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t begin = part * d / parts;
      const std::size_t end = (part + 1) * d / parts;
      const std::vector<std::uint64_t> first = sample_rows(1300, words, 77 + part);
      std::vector<double> sums(words * d);
      std::vector<std::size_t> counts(words);
      for (std::size_t i = 0; i < points.rows; ++i) {
        std::size_t best = 0;
        float smallest = std::numeric_limits<float>::infinity();
        for (std::size_t word = 0; word < words; ++word) {
          float sum = 0;
          for (std::size_t c = begin; c < end; ++c) {
            const float left = points.row(i)[c] - points.row(first[word])[c];
            sum = std::fma(left, left, sum);
          }
          if (sum < smallest) {
            smallest = sum;
            best = word;
          }
        }
        ++counts[best];
        for (std::size_t c = begin; c < end; ++c) sums[best * d + c] += double{points.row(i)[c]};
      }
      for (std::size_t word = 0; word < words; ++word) {
        for (std::size_t c = begin; c < end; ++c) {
          // Of two equal codewords the second stands for no point, and stays where it was.
          const float expected =
              counts[word] == 0
                  ? points.row(first[word])[c]
                  : static_cast<float>(sums[word * d + c] / static_cast<double>(counts[word]));
          ASSERT_EQ(found[c * words + word], expected) << part << ", " << word;
        }
      }
    }
  }
}

TEST(PqTraining, FewerPointsThanCodewordsComeBackWhole) {
  auto random = test::generator(5);
  for (const std::size_t rows : {1, 3, 16, 255}) {
    const Matrix<float> points{rows, 6, test::draw(random, rows * 6)};
    for (const std::size_t bytes : {1, 2, 6}) {
      const PqTraining training{.bytes = bytes};
      // k-means takes centroids that are all but equal for each other.
      EXPECT_LT(error_of(points, training, train_codebooks(points, training)), 1e-6) << rows;
    }
  }
  const Matrix<float> equal{300, 2, std::vector<float>(600, 2.5F)};
  EXPECT_EQ(error_of(equal, {.bytes = 2}, train_codebooks(equal, {.bytes = 2})), 0);
  EXPECT_THROW(train_codebooks({0, 2, {}}, {.bytes = 2}), UsageError);
}

TEST(PqTraining, ThreadsDoNotChangeIt) {
  auto random = test::generator(6);
  const Matrix<float> points{1000, 10, test::draw(random, 10'000)};
  const std::vector<float> one = train_codebooks(points, {.bytes = 5, .threads = 1});
  EXPECT_EQ(train_codebooks(points, {.bytes = 5, .threads = 3}), one);
  EXPECT_NE(train_codebooks(points, {.bytes = 5, .seed = 2}), one);
}

}  // namespace
}  // namespace warpdex::vector
