// An inverted file of codes that was never trained, and what its codes stand for, written apart
// from the code under test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <numeric>
#include <random>
#include <span>
#include <utility>
#include <vector>

#include "tests/vector/collection.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"

namespace warpdex::test {

using vector::Lists;
using vector::Metric;
using vector::PqCoding;
using vector::Store;

inline std::vector<float> draw_values(std::mt19937_64& random, std::size_t count, float mean = 0) {
  return draw(random, count, mean, 1);
}

/// What an index of codes is like.
struct CodesShape {
  Metric metric;
  std::size_t dimension;
  std::size_t bytes;
  std::size_t bits;
  bool is_rotated = false;
  bool is_of_version_2 = false;       ///< of the format: products have no length ratios
  std::size_t rotated_dimension = 0;  ///< fewer components, of which codes are made; 0: all

  std::size_t coded() const { return rotated_dimension == 0 ? dimension : rotated_dimension; }
};

/// An inverted file that was never trained: centroids, codebooks and codes are random, so that all
/// that is left is the arithmetic.
class MadeCodes {
 public:
  MadeCodes(std::mt19937_64& random, const CodesShape& shape, const std::vector<std::size_t>& sizes)
      : shape_(shape), rows_(std::accumulate(sizes.begin(), sizes.end(), std::size_t{0})) {
    const std::size_t words = std::size_t{1} << shape.bits;
    centroids_ = draw_values(random, sizes.size() * shape.dimension, 3);
    codebooks_ = draw_values(random, shape.coded() * words);
    if (shape.is_rotated) draw_rotation(random);
    if (shape.metric == Metric::kL2) centre_ = draw_values(random, shape.dimension, 3);
    vectors_ = draw_values(random, rows_ * shape.dimension, 3);
    const Metric coarse =
        shape.metric == Metric::kInnerProduct ? Metric::kInnerProduct : Metric::kL2;
    for (std::size_t list = 0; list < sizes.size(); ++list) {
      centroid_norms_.push_back(row_norm(
          coarse, std::span(centroids_).subspan(list * shape.dimension, shape.dimension), {}));
    }
    add_codes(random, sizes);
    view_.metric = shape.metric;
    view_.quantizer = {shape.dimension, shape.bytes, shape.bits, codebooks_, rotation_};
    view_.codes = groups_;
    view_.terms = terms_;
    view_.row_numbers = row_numbers_;
    view_.begins = begins_;
    view_.group_begins = group_begins_;
    view_.centre = centre_;
    view_.centroids = {
        coarse,
        {centroids_.data(), Store::kFloat, sizes.size(), shape.dimension, shape.dimension},
        {},
        centroid_norms_};
    view_.vectors.metric = shape.metric;
    view_.vectors.vectors = {vectors_.data(), Store::kFloat, rows_, shape.dimension,
                             shape.dimension};
  }

  const Lists<PqCoding>& view() const { return view_; }
  /// The code and the list of the vector at a position.
  const std::vector<std::uint8_t>& code(std::size_t position) const { return codes_[position]; }
  std::size_t list(std::size_t position) const { return lists_[position]; }
  std::span<const float> centroid(std::size_t list) const {
    return std::span(centroids_).subspan(list * shape_.dimension, shape_.dimension);
  }
  Lists<PqCoding>& view() { return view_; }
  std::size_t rows() const { return rows_; }

  /// The distance, larger where farther, of the vector at a position: of what its code stands for.
  double distance(std::span<const float> query, std::size_t position) const {
    const std::vector<double> decoded = decode(position);
    double sum = 0;
    for (std::size_t c = 0; c < shape_.dimension; ++c) {
      const double q = query[c];
      sum += shape_.metric == Metric::kL2 ? (q - decoded[c]) * (q - decoded[c]) : -q * decoded[c];
    }
    const bool has_ratio = shape_.metric != Metric::kL2 && !shape_.is_of_version_2;
    return has_ratio ? sum * double{terms_[position]} : sum;
  }

  /// Of the vector itself.
  double exact(std::span<const float> query, std::size_t row) const {
    double sum = 0;
    for (std::size_t c = 0; c < shape_.dimension; ++c) {
      const double q = query[c];
      const double x = vectors_[row * shape_.dimension + c];
      sum += shape_.metric == Metric::kL2 ? (q - x) * (q - x) : -q * x;
    }
    return sum;
  }

  /// The lists of a query, nearest first.
  std::vector<std::size_t> lists_of(std::span<const float> query) const {
    std::vector<std::pair<double, std::size_t>> ranked;
    for (std::size_t list = 0; list < view_.lists(); ++list) {
      double sum = 0;
      for (std::size_t c = 0; c < shape_.dimension; ++c) {
        const double q = query[c];
        const double m = centroids_[list * shape_.dimension + c];
        sum += shape_.metric == Metric::kInnerProduct ? -q * m : (q - m) * (q - m);
      }
      ranked.emplace_back(sum, list);
    }
    std::sort(ranked.begin(), ranked.end());
    std::vector<std::size_t> lists;
    for (const auto& [value, list] : ranked) lists.push_back(list);
    return lists;
  }

 private:
  /// Gram and Schmidt's way to orthogonal rows.
  void draw_rotation(std::mt19937_64& random) {
    const std::size_t d = shape_.dimension;
    const std::vector<float> drawn = draw_values(random, shape_.coded() * d);
    std::vector<double> rows(drawn.begin(), drawn.end());
    for (std::size_t i = 0; i < shape_.coded(); ++i) {
      for (std::size_t j = 0; j <= i; ++j) {
        double product = 0;
        for (std::size_t c = 0; c < d; ++c) product += rows[i * d + c] * rows[j * d + c];
        const double factor = i == j ? 1 - 1 / std::sqrt(product) : product;
        for (std::size_t c = 0; c < d; ++c) rows[i * d + c] -= factor * rows[j * d + c];
      }
    }
    rotation_.assign(rows.begin(), rows.end());
  }

  void add_codes(std::mt19937_64& random, const std::vector<std::size_t>& sizes) {
    std::vector<std::uint32_t> rows(rows_);
    std::iota(rows.begin(), rows.end(), 0U);
    std::shuffle(rows.begin(), rows.end(), random);
    begins_.push_back(0);
    group_begins_.push_back(0);
    const std::size_t stored = (shape_.bytes + 3) / 4 * 4;
    for (std::size_t list = 0; list < sizes.size(); ++list) {
      const std::size_t first = begins_.back();
      std::sort(rows.begin() + static_cast<std::ptrdiff_t>(first),
                rows.begin() + static_cast<std::ptrdiff_t>(first + sizes[list]));
      begins_.push_back(first + sizes[list]);
      const std::size_t groups = (sizes[list] + 31) / 32;
      groups_.resize((group_begins_.back() + groups) * 32 * stored, 0);
      for (std::size_t i = 0; i < sizes[list]; ++i) {
        std::vector<std::uint8_t> code(shape_.bytes);
        for (std::uint8_t& byte : code) byte = static_cast<std::uint8_t>(random());
        std::uint8_t* const group = groups_.data() + (group_begins_.back() + i / 32) * 32 * stored;
        for (std::size_t b = 0; b < shape_.bytes; ++b) {
          const std::size_t chunk = b / 16;
          const std::size_t width = (chunk + 1) * 16 <= stored ? 16 : stored % 16;
          group[chunk * 512 + i % 32 * width + b % 16] = code[b];
        }
        codes_.push_back(code);
        lists_.push_back(list);
        if (shape_.metric == Metric::kL2) {
          terms_.push_back(term(codes_.size() - 1));
        } else if (!shape_.is_of_version_2) {
          std::uniform_real_distribution<float> ratio(0.3F, 2);
          terms_.push_back(ratio(random));
        }
      }
      group_begins_.push_back(group_begins_.back() + groups);
    }
    row_numbers_ = rows;
  }

  /// The residual that a code stands for, rotated still.
  std::vector<double> residual(std::size_t position) const {
    const std::size_t words = std::size_t{1} << shape_.bits;
    const std::size_t parts = shape_.bytes * 8 / shape_.bits;
    const std::size_t coded = shape_.coded();
    std::vector<double> values(coded);
    for (std::size_t part = 0; part < parts; ++part) {
      const std::vector<std::uint8_t>& code = codes_[position];
      const std::size_t word = shape_.bits == 8 ? code[part]
                               : part % 2 == 0  ? code[part / 2] % 16U
                                                : code[part / 2] / 16U;
      for (std::size_t c = part * coded / parts; c < (part + 1) * coded / parts; ++c) {
        values[c] = codebooks_[c * words + word];
      }
    }
    return values;
  }

  /// What a code stands for: the centroid and the residual, rotated back.
  std::vector<double> decode(std::size_t position) const {
    const std::size_t d = shape_.dimension;
    const std::vector<double> rotated = residual(position);
    std::vector<double> values(d);
    for (std::size_t c = 0; c < d; ++c) {
      values[c] = centroids_[lists_[position] * d + c];
      if (!shape_.is_rotated) values[c] += rotated[c];
      for (std::size_t row = 0; shape_.is_rotated && row < rotated.size(); ++row) {
        values[c] += double{rotation_[row * d + c]} * rotated[row];
      }
    }
    return values;
  }

  /// |y|^2 + 2 y·(centroid - centre), in the space that is not rotated.
  float term(std::size_t position) const {
    const std::vector<double> decoded = decode(position);
    double sum = 0;
    for (std::size_t c = 0; c < shape_.dimension; ++c) {
      const double centroid = centroids_[lists_[position] * shape_.dimension + c];
      const double y = decoded[c] - centroid;
      sum += y * (y + 2 * (centroid - double{centre_[c]}));
    }
    return static_cast<float>(sum);
  }

  CodesShape shape_;
  std::size_t rows_;
  std::vector<float> centroids_, centroid_norms_, codebooks_, rotation_, centre_, vectors_, terms_;
  std::vector<std::vector<std::uint8_t>> codes_;
  std::vector<std::size_t> lists_;
  std::vector<std::uint8_t> groups_;
  std::vector<std::uint32_t> row_numbers_;
  std::vector<std::uint64_t> begins_, group_begins_;
  Lists<PqCoding> view_;
};

}  // namespace warpdex::test
