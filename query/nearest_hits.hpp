// What segments found by vectors, put together. Internal.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "warpdex/query/search.hpp"
#include "warpdex/vector/codings/searched_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex {

/// Ranks both kinds of metrics and puts NaN last.
struct IsNearer {
  bool larger;
  float rank(float score) const {
    if (std::isnan(score)) return -std::numeric_limits<float>::infinity();
    return larger ? score : -score;
  }
  bool operator()(const Hit& a, const Hit& b) const {
    const float of_a = rank(a.score);
    const float of_b = rank(b.score);
    return of_a > of_b || (of_a == of_b && a.document < b.document);
  }
};

/// Adds what was found for a query in the segment whose first document is `first`.
inline void append_hits(const vector::Neighbors& found, std::size_t query, std::uint32_t first,
                        std::vector<Hit>& to) {
  for (std::size_t i = query * found.k; i < (query + 1) * found.k; ++i) {
    if (found.rows[i] < 0) break;
    to.push_back({first + static_cast<std::uint32_t>(found.rows[i]), found.distances[i]});
  }
}

/// The k nearest of them.
inline void keep_nearest_hits(std::vector<Hit>& hits, std::uint32_t k, const IsNearer& is_nearer) {
  std::sort(hits.begin(), hits.end(), is_nearer);
  hits.resize(std::min<std::size_t>(hits.size(), k));
}

/// Of vectors that are in no lists, 1: any search probes it.
inline std::size_t list_count(const vector::SearchedVectors& vectors) {
  return std::max<std::size_t>(vector::list_begins_of(vectors).size(), 2) - 1;
}

/// The search of a segment that has so many lists, none of which is probed twice; `live` may be
/// null.
inline vector::SearchOptions segment_options(const vector::SearchOptions& depth, std::size_t lists,
                                             const vector::RowFilter* live) {
  vector::SearchOptions options = depth.among(live);
  options.probes = std::clamp<std::size_t>(depth.probes, 1, lists);
  return options;
}

}  // namespace warpdex
