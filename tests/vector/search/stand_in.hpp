// A searcher for tests of what stands above searchers: its distances are a table.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <functional>
#include <utility>
#include <vector>

#include "tests/vector/reference.hpp"
#include "warpdex/vector/search/sharded_searcher.hpp"

namespace warpdex::vector {

/// A query is one number, the number of a row of the table of distances.
class StandIn final : public VectorSearcher {
 public:
  /// distances[q][r]: of query q and row r.
  StandIn(Metric metric, std::vector<std::vector<float>> distances)
      : metric_(metric), distances_(std::move(distances)) {}

  Metric metric() const override { return metric_; }
  std::size_t dimension() const override { return 1; }
  std::size_t rows() const override { return distances_.front().size(); }

  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const SearchOptions& options = {}) const override {
    on_search(queries);
    Neighbors found{queries.size(), k, {}, {}};
    for (const float query : queries) {
      std::vector<reference::Answer> all = ranked(query, options.filter);
      all.resize(k, {worst_distance(metric_), static_cast<std::size_t>(-1)});
      for (const reference::Answer& one : all) {
        found.rows.push_back(static_cast<std::int32_t>(one.row));
        found.distances.push_back(one.distance);
      }
    }
    return found;
  }
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const SearchOptions& options = {}) const override {
    on_search(queries);
    RangeNeighbors found{{0}, {}, {}};
    for (const float query : queries) {
      for (const reference::Answer& one : ranked(query, options.filter)) {
        if (larger_is_nearer(metric_) ? one.distance < radius : one.distance > radius) continue;
        found.rows.push_back(static_cast<std::int32_t>(one.row));
        found.distances.push_back(one.distance);
      }
      found.offsets.push_back(found.rows.size());
    }
    return found;
  }

  /// Called with each search's queries.
  std::function<void(std::span<const float>)> on_search = [](std::span<const float>) {};

 private:
  std::vector<reference::Answer> ranked(float query, const RowFilter* filter) const {
    std::vector<reference::Answer> all;
    const std::vector<float>& own = distances_[static_cast<std::size_t>(query)];
    for (std::size_t row = 0; row < own.size(); ++row) {
      if (filter == nullptr || filter->contains(row)) all.push_back({own[row], row});
    }
    reference::rank(metric_, all);
    return all;
  }

  Metric metric_;
  std::vector<std::vector<float>> distances_;
};

}  // namespace warpdex::vector
