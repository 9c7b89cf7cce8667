// Codes and distances of XOR-friendly binary quantisation, written apart from those under test,
// from the words of docs/vector.md: component by component.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <functional>
#include <span>
#include <vector>

#include "binary/corrected_code.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector::reference {

/// The cell of a component, by the scale and the number of bits.
inline int plain_cell(float y, float scale, int bits) {
  const float half = static_cast<float>(1 << (bits - 1));
  float t = y * (half / scale);
  t = t + half;
  const int cells = 1 << bits;
  if (t < 0) return 0;
  if (t >= static_cast<float>(cells)) return cells - 1;
  return static_cast<int>(std::floor(t));
}

/// The cells of a code of words.
inline std::vector<int> cells_of_words(const std::vector<std::uint32_t>& words,
                                       std::size_t dimension, std::size_t bits) {
  std::vector<int> cells(dimension);
  for (std::size_t c = 0; c < dimension; ++c) {
    for (std::size_t bit = 0; bit < bits; ++bit) {
      cells[c] = cells[c] * 2 + static_cast<int>(words[c / 32 * bits + bit] >> (c % 32) & 1);
    }
  }
  return cells;
}

/// The cells of a stored code, as the layout says.
inline std::vector<int> stored_cells(const BinaryVectors& vectors, std::size_t row) {
  const std::size_t bits = vectors.quantizer.bits;
  const std::size_t words = (vectors.quantizer.dimension + 31) / 32 * bits;
  const std::uint8_t* const group = vectors.codes.data() + row / 32 * 32 * words * 4;
  const auto word = [&](std::size_t number) {
    const std::size_t chunk = number / 4;
    const std::size_t width = std::min<std::size_t>(4, words - chunk * 4);
    std::uint32_t value;
    std::memcpy(&value, group + chunk * 512 + (row % 32) * width * 4 + number % 4 * 4, 4);
    return value;
  };
  std::vector<std::uint32_t> code;
  for (std::size_t number = 0; number < words; ++number) code.push_back(word(number));
  return cells_of_words(code, vectors.quantizer.dimension, bits);
}

/// The share of the centre in a query of products. Sums as long doubles may round otherwise.
inline float plain_share(const BinaryQuantizer& quantizer, const std::vector<float>& query) {
  double product = 0;
  double centre = 0;
  double own = 0;
  for (std::size_t c = 0; c < quantizer.centre.size(); ++c) {
    product += double{query[c]} * double{quantizer.centre[c]};
    centre += double{quantizer.centre[c]} * double{quantizer.centre[c]};
    own += double{query[c]} * double{query[c]};
  }
  double share = product / centre;
  const double smallest = std::sqrt(own / centre) / 1024;
  if (share < smallest) share = smallest;
  const bool is_usual = share >= std::pow(2.0, -40) && share <= std::pow(2.0, 40);
  return is_usual ? static_cast<float>(share) : 1;
}

/// The vector less so much of the centre, rotated.
inline std::vector<float> plain_rotated(const BinaryQuantizer& quantizer, std::vector<float> vector,
                                        float share) {
  const std::size_t dimension = quantizer.dimension;
  for (std::size_t c = 0; c < dimension && share != 0; ++c) {
    const float taken = share * quantizer.centre[c];
    vector[c] -= taken;
  }
  if (quantizer.rotation.empty()) return vector;
  std::vector<float> rotated;
  for (std::size_t c = 0; c < dimension; ++c) {
    rotated.push_back(
        canonical(vector, quantizer.rotation.subspan(c * dimension, dimension), false));
  }
  return rotated;
}

/// A query's cells, and what its distances are made of.
struct PlainQuery {
  std::vector<int> cells;
  int bits;
  float weight;
  float base;
  float step;
  float share;
};

inline PlainQuery plain_query(const BinaryVectors& vectors, std::vector<float> query, int bits) {
  constexpr double kClip[] = {0.11, 0.046, 0.019, 0.0073, 0.0026, 0.00087, 0.00028, 0.000083};
  const BinaryQuantizer& quantizer = vectors.quantizer;
  const bool is_l2 = vectors.metric == Metric::kL2;
  if (vectors.metric == Metric::kCosine) normalize(query);
  const bool moves = is_l2 || quantizer.moves_queries;
  const float share = is_l2 ? 1 : plain_share(quantizer, query);
  const std::vector<float> rotated = plain_rotated(quantizer, query, moves ? share : 0);
  std::vector<float> sizes;
  for (const float y : rotated) sizes.push_back(std::abs(y));
  std::sort(sizes.begin(), sizes.end(), std::greater<>());
  float scale = sizes[static_cast<std::size_t>(kClip[bits - 1] * double(sizes.size()))];
  if (scale == 0) scale = sizes.front();
  if (scale == 0) scale = 1;
  PlainQuery plain{{}, bits, 0, 0, 0, share};
  double query_unit = double{scale} / std::pow(2.0, bits);
  if (quantizer.is_corrected) {
    // How the cells are found has tests of its own.
    std::vector<float> padded(rotated);
    padded.resize((rotated.size() + 31) / 32 * 32);
    std::vector<std::uint32_t> code(padded.size() / 32 * static_cast<std::size_t>(bits));
    query_unit = double{encode_corrected(padded.data(), rotated.size(), scale,
                                         static_cast<std::size_t>(bits), code.data())
                            .factor};
    plain.cells = cells_of_words(code, rotated.size(), static_cast<std::size_t>(bits));
  } else {
    for (const float y : rotated) plain.cells.push_back(plain_cell(y, scale, bits));
  }
  double base = 0;
  for (std::size_t c = 0; c < query.size(); ++c) {
    const float left = query[c] - quantizer.centre[c];
    base += is_l2 ? double{left} * double{left} : -double{query[c]} * double{quantizer.centre[c]};
  }
  const double usual = double{quantizer.scale} / std::pow(2.0, double(quantizer.bits));
  const double unit = quantizer.is_corrected ? query_unit : usual * query_unit;
  plain.weight = static_cast<float>((is_l2 ? -2 : -1) * unit);
  plain.step = static_cast<float>((is_l2 ? 4 : 2) * usual * query_unit);
  plain.base = static_cast<float>(base);
  return plain;
}

/// As the metric says: larger may be nearer.
inline float plain_distance(const BinaryVectors& vectors, const PlainQuery& query,
                            std::size_t row) {
  const std::vector<int> cells = stored_cells(vectors, row);
  std::int64_t product = 0;
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const int x = 2 * cells[c] + 1 - (1 << vectors.quantizer.bits);
    product += x * (2 * query.cells[c] + 1 - (1 << query.bits));
  }
  const bool is_l2 = vectors.metric == Metric::kL2;
  float term = vectors.terms.empty() ? 0.0F : vectors.terms[row];
  if (!is_l2) term = query.share * term;
  const float factor = vectors.factors.empty() ? 1.0F : vectors.factors[row];
  const float weight = query.weight * factor;
  const float share = weight * static_cast<float>(product);
  const float value = share + (query.base + term);
  if (!is_l2) return 0.0F - value;
  return value < 0 ? 0.0F : value;
}

/// All rows that the filter allows, ranked by their codes.
inline std::vector<Answer> rank_by_codes(const BinaryVectors& vectors, const PlainQuery& query,
                                         const RowFilter* filter) {
  std::vector<Answer> all;
  for (std::size_t row = 0; row < vectors.rows; ++row) {
    if (filter != nullptr && !filter->contains(row)) continue;
    all.push_back({plain_distance(vectors, query, row), row});
  }
  rank(vectors.metric, all);
  return all;
}

}  // namespace warpdex::vector::reference
