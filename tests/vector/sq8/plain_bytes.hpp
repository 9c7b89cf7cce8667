// Codes of bytes and their distances, written apart from those under test, from the words of
// docs/vector.md: component by component.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>
#include <vector>

#include "tests/vector/reference.hpp"
#include "warpdex/vector/rows/row_filter.hpp"
#include "warpdex/vector/sq8/sq8_coding.hpp"

namespace warpdex::vector::reference {

/// The bytes of a code: vector `place` of a list.
inline std::vector<int> code_bytes(const Lists<Sq8Coding>& vectors, std::size_t list,
                                   std::size_t place) {
  const std::size_t dimension = vectors.quantizer.dimension;
  const std::size_t stored = (dimension + 3) / 4 * 4;
  std::size_t group = place / 32;
  for (std::size_t before = 0; before < list; ++before) {
    group += (vectors.begins[before + 1] - vectors.begins[before] + 31) / 32;
  }
  std::vector<int> bytes;
  for (std::size_t c = 0; c < dimension; ++c) {
    const std::size_t width = std::min<std::size_t>(16, stored - c / 16 * 16);
    const std::size_t at = group * 32 * stored + c / 16 * 512 + place % 32 * width + c % 16;
    const int byte = vectors.codes[at];
    bytes.push_back(byte > 127 ? byte - 256 : byte);
  }
  return bytes;
}

/// A query's whole numbers, and what a step of them is worth.
struct PlainBytes {
  std::vector<int> numbers;
  double step = 0;
  double sum = 0;  ///< of what became numbers
};

inline PlainBytes plain_bytes(const Lists<Sq8Coding>& vectors, const std::vector<float>& query) {
  PlainBytes plain;
  std::vector<double> moved;
  for (std::size_t c = 0; c < query.size(); ++c) {
    const bool has_centre = vectors.metric == Metric::kL2;
    moved.push_back(double{query[c]} - (has_centre ? double{vectors.centre[c]} : 0));
    plain.step = std::max(plain.step, std::abs(moved.back()) / 127);
    plain.sum += moved.back();
  }
  for (const double component : moved) {
    const double steps = plain.step == 0 ? 0 : component / plain.step;
    plain.numbers.push_back(static_cast<int>(std::nearbyint(steps)));
  }
  return plain;
}

/// The vectors of the `probes` nearest lists that the filter allows, ranked by their codes.
inline std::vector<Answer> rank_bytes(const Lists<Sq8Coding>& vectors, std::vector<float> query,
                                      std::size_t probes, const RowFilter* filter) {
  const bool is_l2 = vectors.metric == Metric::kL2;
  if (vectors.metric == Metric::kCosine) normalize(query);
  const PlainBytes plain = plain_bytes(vectors, query);
  const double sign = is_l2 ? -2 : -1;
  std::vector<std::pair<float, std::size_t>> lists;  // smaller is nearer
  std::vector<Answer> ranked;
  std::vector<float> centroid(query.size());
  for (std::size_t list = 0; list < vectors.lists(); ++list) {
    copy_row(vectors.centroids.vectors, list, centroid.data());
    // Lists of cosine are chosen by squared distances, compared by products.
    ranked.push_back({distance(vectors.centroids.metric, query, centroid), list});
  }
  rank(vectors.centroids.metric, ranked);
  std::vector<Answer> all;
  for (std::size_t probe = 0; probe < probes; ++probe) {
    const std::size_t list = ranked[probe].row;
    copy_row(vectors.centroids.vectors, list, centroid.data());
    const float given = distance(vectors.metric, query, centroid);
    const ByteScale scale = vectors.quantizer.scales[list];
    const float weight = static_cast<float>(sign * plain.step) * scale.scale;
    const float base =
        (is_l2 ? given : 0.0F - given) + static_cast<float>(sign * plain.sum) * scale.offset;
    for (std::size_t p = vectors.begins[list]; p < vectors.begins[list + 1]; ++p) {
      const std::size_t row = vectors.row_numbers[p];
      if (filter != nullptr && !filter->contains(row)) continue;
      const std::vector<int> bytes = code_bytes(vectors, list, p - vectors.begins[list]);
      int product = 0;
      for (std::size_t c = 0; c < bytes.size(); ++c) product += bytes[c] * plain.numbers[c];
      const float term = is_l2 ? vectors.terms[p] : 0.0F;
      const float value = weight * static_cast<float>(product) + (base + term);
      all.push_back({is_l2 ? std::max(value, 0.0F) : 0.0F - value, row});
    }
  }
  rank(vectors.metric, all);
  return all;
}

}  // namespace warpdex::vector::reference
