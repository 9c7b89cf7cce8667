// What exact search must answer: all rows, ranked by the distances of tests/vector/reference.hpp.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "tests/vector/collection.hpp"
#include "tests/vector/reference.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector::reference {

/// All rows that are allowed, nearest first.
inline std::vector<Answer> ranked(const Collection& collection, std::span<const float> query,
                                  const RowFilter* filter) {
  const FlatVectors& vectors = collection.vectors;
  const std::size_t dimension = vectors.vectors.dimension;
  std::vector<float> prepared(query.begin(), query.end());
  if (vectors.metric == Metric::kCosine) normalize(prepared);
  std::vector<Answer> all;
  for (std::size_t row = 0; row < vectors.vectors.rows; ++row) {
    if (filter != nullptr && !filter->contains(row)) continue;
    const std::span<const float> vector(collection.rows.data() + row * dimension, dimension);
    all.push_back({distance(vectors.metric, prepared, vector), row});
  }
  rank(vectors.metric, all);
  return all;
}

inline Neighbors nearest(const Collection& collection, std::span<const float> queries,
                         std::size_t k, const RowFilter* filter) {
  const std::size_t dimension = collection.vectors.vectors.dimension;
  Neighbors found{queries.size() / dimension, k, {}, {}};
  for (std::size_t q = 0; q < found.queries; ++q) {
    const std::vector<Answer> all =
        ranked(collection, queries.subspan(q * dimension, dimension), filter);
    for (std::size_t i = 0; i < k; ++i) {
      const bool there = i < all.size();
      found.rows.push_back(there ? static_cast<std::int32_t>(all[i].row) : -1);
      found.distances.push_back(there ? all[i].distance
                                      : worst_distance(collection.vectors.metric));
    }
  }
  return found;
}

inline RangeNeighbors within(const Collection& collection, std::span<const float> queries,
                             float radius, const RowFilter* filter) {
  const std::size_t dimension = collection.vectors.vectors.dimension;
  const bool larger = larger_is_nearer(collection.vectors.metric);
  RangeNeighbors found{{0}, {}, {}};
  for (std::size_t q = 0; q < queries.size() / dimension; ++q) {
    for (const Answer& one :
         ranked(collection, queries.subspan(q * dimension, dimension), filter)) {
      if (larger ? one.distance < radius : one.distance > radius) break;
      found.rows.push_back(static_cast<std::int32_t>(one.row));
      found.distances.push_back(one.distance);
    }
    found.offsets.push_back(found.rows.size());
  }
  return found;
}

/// To the bit.
inline void expect_same(const Neighbors& found, const Neighbors& expected,
                        const std::string& what) {
  ASSERT_EQ(found.queries, expected.queries) << what;
  ASSERT_EQ(found.k, expected.k) << what;
  ASSERT_EQ(found.rows.size(), expected.rows.size()) << what;
  ASSERT_EQ(found.distances.size(), expected.distances.size()) << what;
  for (std::size_t i = 0; i < found.rows.size(); ++i) {
    ASSERT_EQ(found.rows[i], expected.rows[i])
        << what << ", query " << i / expected.k << ", place " << i % expected.k;
    ASSERT_EQ(std::bit_cast<std::uint32_t>(found.distances[i]),
              std::bit_cast<std::uint32_t>(expected.distances[i]))
        << what << ", query " << i / expected.k << ", place " << i % expected.k << ": "
        << found.distances[i] << " and " << expected.distances[i];
  }
}

inline void expect_same(const RangeNeighbors& found, const RangeNeighbors& expected,
                        const std::string& what) {
  ASSERT_EQ(found.offsets, expected.offsets) << what;
  ASSERT_EQ(found.rows, expected.rows) << what;
  ASSERT_EQ(found.distances, expected.distances) << what;
}

}  // namespace warpdex::vector::reference
