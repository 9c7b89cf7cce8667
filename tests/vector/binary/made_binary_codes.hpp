// Binary codes in memory for tests of searches.
#pragma once

#include <random>
#include <vector>

#include "tests/vector/collection.hpp"
#include "vector/binary/row_encoder.hpp"
#include "vector/binary/train.hpp"
#include "vector/pq/code_groups.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"

namespace warpdex::test {

struct BinaryCodesShape {
  vector::Metric metric;
  std::size_t dimension;
  std::size_t bits;
  bool is_rotated = false;
  vector::Store store = vector::Store::kFloat;
  bool is_corrected = false;
  bool is_of_version_2 = false;  ///< of the format: products have no terms
};

/// Queries around the rows; some of them point away from the rows' centre, or are longer or shorter
/// than rows.
inline std::vector<float> draw_queries(std::mt19937_64& random, std::size_t count,
                                       std::size_t dimension) {
  constexpr float kFactors[] = {1, 1, -1, 300, -0.004F};
  std::vector<float> queries = draw(random, count * dimension, 0.5F);
  for (std::size_t i = 0; i < queries.size(); ++i) queries[i] *= kFactors[i / dimension % 5];
  return queries;
}

/// Random vectors, some of them twice, and their codes.
class MadeBinaryCodes {
 public:
  MadeBinaryCodes(std::mt19937_64& random, const BinaryCodesShape& shape, std::size_t rows)
      : all_(shape.metric, shape.store, shape.dimension, draw_rows(random, shape, rows)) {
    vector::BinarySettings settings{
        .bits = shape.bits, .is_rotated = shape.is_rotated, .is_corrected = shape.is_corrected};
    training_ = vector::train_binary(all_.vectors, settings);
    moves_queries_ = shape.metric == vector::Metric::kL2 || !shape.is_of_version_2;
    const vector::BinaryQuantizer quantizer = training_.quantizer(shape.dimension);
    const vector::CodeGroups layout{quantizer.code_bytes()};
    codes_.resize(vector::groups_of(rows) * layout.group_bytes());
    if (shape.metric == vector::Metric::kL2) terms_ = all_.norms;
    if (shape.metric != vector::Metric::kL2 && moves_queries_) add_product_terms();
    vector::RowEncoder encoder(all_.vectors.vectors, quantizer);
    for (std::size_t row = 0; row < rows; ++row) {
      const vector::CodeCorrection correction = encoder.encode_row(
          row, codes_.data() + row / vector::kGroupVectors * layout.group_bytes());
      if (!shape.is_corrected) continue;
      factors_.push_back(correction.factor);
      residuals_.push_back(correction.residual);
    }
  }

  /// While this lives and stays where it is.
  vector::BinaryVectors view() const {
    vector::BinaryVectors view;
    view.metric = all_.vectors.metric;
    view.quantizer = training_.quantizer(all_.vectors.vectors.dimension);
    view.quantizer.moves_queries = moves_queries_;
    view.rows = all_.vectors.vectors.rows;
    view.codes = codes_;
    view.terms = terms_;
    view.factors = factors_;
    view.residuals = residuals_;
    view.vectors = all_.vectors;
    return view;
  }

 private:
  void add_product_terms() {
    const std::size_t dimension = all_.vectors.vectors.dimension;
    std::vector<float> row(dimension);
    for (std::size_t i = 0; i < all_.vectors.vectors.rows; ++i) {
      vector::copy_row(all_.vectors.vectors, i, row.data());
      double product = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        const double middle = training_.centre[c];
        product += middle * (row[c] - middle);
      }
      terms_.push_back(static_cast<float>(-product));
    }
  }
  static std::vector<float> draw_rows(std::mt19937_64& random, const BinaryCodesShape& shape,
                                      std::size_t rows) {
    std::vector<float> values = draw(random, rows * shape.dimension, 0.5F);
    const std::size_t some = std::min<std::size_t>(rows / 2, 40) * shape.dimension;
    for (std::size_t i = 0; i < some; ++i) values[values.size() - 1 - i] = values[some - 1 - i];
    return values;
  }
  vector::Collection all_;
  vector::BinaryTraining training_;
  bool moves_queries_ = true;
  std::vector<std::uint8_t> codes_;
  std::vector<float> terms_;
  std::vector<float> factors_;
  std::vector<float> residuals_;
};

}  // namespace warpdex::test
