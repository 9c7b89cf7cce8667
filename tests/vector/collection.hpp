// Vectors in memory with all that a search of them needs, and random ones.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "warpdex/vector/data/half.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {

struct Collection {
  Collection(Metric metric, Store store, std::size_t dimension, std::vector<float> values)
      : rows(std::move(values)) {
    const std::size_t count = rows.size() / dimension;
    if (metric == Metric::kCosine) {
      for (std::size_t i = 0; i < count; ++i) normalize({rows.data() + i * dimension, dimension});
    }
    if (store == Store::kHalf) {
      halves.resize(rows.size());
      to_half(rows, halves.data());
      to_float(halves, rows.data());
    }
    if (metric == Metric::kL2 && count > 0) {
      centre.assign(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(dimension));
    }
    for (std::size_t i = 0; i < count; ++i) {
      norms.push_back(row_norm(metric, {rows.data() + i * dimension, dimension}, centre));
    }
    const void* const data = store == Store::kHalf ? static_cast<const void*>(halves.data())
                                                   : static_cast<const void*>(rows.data());
    vectors = {metric, {data, store, count, dimension, dimension}, centre, norms};
  }
  std::vector<float> rows;  ///< what is stored, as floats
  std::vector<std::uint16_t> halves;
  std::vector<float> centre;
  std::vector<float> norms;
  FlatVectors vectors;
};

inline std::string describe(Metric metric, Store store, std::size_t dimension, std::size_t rows) {
  return std::string(metric_name(metric)) + ", " + std::string(store_name(store)) + ", " +
         std::to_string(rows) + " x " + std::to_string(dimension);
}

}  // namespace warpdex::vector

namespace warpdex::test {

/// Normally distributed numbers.
inline std::vector<float> draw(std::mt19937_64& random, std::size_t count, float mean = 0,
                               float deviation = 1) {
  std::normal_distribution<float> normal(mean, deviation);
  std::vector<float> values(count);
  for (float& value : values) value = normal(random);
  return values;
}

inline vector::Matrix<float> draw_matrix(std::mt19937_64& random, std::size_t rows,
                                         std::size_t columns, float mean = 0) {
  return {rows, columns, draw(random, rows * columns, mean)};
}

/// Scales each row by a number from 2^-largest to 2^largest.
inline void scale_rows(std::mt19937_64& random, std::vector<float>& rows, std::size_t dimension,
                       float largest) {
  std::uniform_real_distribution<float> exponent(-largest, largest);
  for (std::size_t begin = 0; begin < rows.size(); begin += dimension) {
    const float factor = std::exp2(exponent(random));
    for (std::size_t c = 0; c < dimension; ++c) rows[begin + c] *= factor;
  }
}

}  // namespace warpdex::test
