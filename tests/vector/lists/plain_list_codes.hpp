// Distances by binary codes in lists, written apart from those under test, from the words of
// docs/vector.md: code by code.
#pragma once

#include <algorithm>
#include <cstring>
#include <vector>

#include "tests/vector/binary/plain_binary.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/lists/ivf_settings.hpp"

namespace warpdex::vector::reference {

/// The numbers 2u + 1 - 2^bits of a code: vector `place` of a list.
inline std::vector<int> list_numbers(const Lists<BinaryCoding>& vectors, std::size_t list,
                                     std::size_t place) {
  const std::size_t bits = vectors.quantizer.bits;
  const std::size_t words = (vectors.quantizer.dimension + 31) / 32 * bits;
  std::size_t group = place / 32;
  for (std::size_t before = 0; before < list; ++before) {
    group += (vectors.begins[before + 1] - vectors.begins[before] + 31) / 32;
  }
  std::vector<std::uint32_t> code(words);
  for (std::size_t number = 0; number < words; ++number) {
    const std::size_t chunk = number / 4;
    const std::size_t width = std::min<std::size_t>(4, words - chunk * 4);
    const std::size_t word = (group * 32 * words) + chunk * 128 + place % 32 * width + number % 4;
    std::memcpy(&code[number], vectors.codes.data() + word * 4, 4);
  }
  std::vector<int> numbers = cells_of_words(code, vectors.quantizer.dimension, bits);
  for (int& number : numbers) number = 2 * number + 1 - (1 << bits);
  return numbers;
}

/// The vectors of the `probes` nearest lists that the filter allows, ranked by their codes.
inline std::vector<Answer> rank_list_codes(const Lists<BinaryCoding>& vectors,
                                           std::vector<float> query, int query_bits,
                                           std::size_t probes, const RowFilter* filter) {
  const bool is_l2 = vectors.metric == Metric::kL2;
  const std::size_t dimension = query.size();
  const std::vector<float> zeros(dimension);
  BinaryVectors as_rows;
  as_rows.metric = vectors.metric;
  as_rows.quantizer = vectors.quantizer;
  if (as_rows.quantizer.centre.empty()) as_rows.quantizer.centre = zeros;
  const PlainQuery plain = plain_query(as_rows, query, query_bits);
  if (vectors.metric == Metric::kCosine) normalize(query);
  std::vector<Answer> lists;
  std::vector<float> centroid(dimension);
  for (std::size_t list = 0; list < vectors.lists(); ++list) {
    copy_row(vectors.centroids.vectors, list, centroid.data());
    lists.push_back({distance(coarse_metric(vectors.metric), query, centroid), list});
  }
  rank(coarse_metric(vectors.metric), lists);
  std::vector<Answer> all;
  for (std::size_t probe = 0; probe < probes; ++probe) {
    const std::size_t list = lists[probe].row;
    copy_row(vectors.centroids.vectors, list, centroid.data());
    const float near = distance(vectors.metric, query, centroid);
    const float base = is_l2 ? near : 0.0F - near;
    for (std::size_t p = vectors.begins[list]; p < vectors.begins[list + 1]; ++p) {
      const std::size_t row = vectors.row_numbers[p];
      if (filter != nullptr && !filter->contains(row)) continue;
      const std::vector<int> numbers = list_numbers(vectors, list, p - vectors.begins[list]);
      std::int64_t product = 0;
      for (std::size_t c = 0; c < dimension; ++c) {
        product += numbers[c] * (2 * plain.cells[c] + 1 - (1 << query_bits));
      }
      const float factor = vectors.factors.empty() ? 1.0F : vectors.factors[p];
      const float share = plain.weight * factor * static_cast<float>(product);
      float term = vectors.terms.empty() ? 0.0F : vectors.terms[p];
      if (!is_l2) term = plain.share * term;
      const float value = share + (base + term);
      all.push_back({is_l2 ? std::max(value, 0.0F) : 0.0F - value, row});
    }
  }
  rank(vectors.metric, all);
  return all;
}

}  // namespace warpdex::vector::reference
