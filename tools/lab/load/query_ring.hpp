// The queries of a load, for engines that take batches.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "load/load_measure.hpp"

namespace warpdex::tools {

/// Queries of a whole batch.
inline constexpr std::size_t kWholeBatch = 1000;

/// The plan's queries, repeated in one array, so that any `largest_batch` neighbours are a batch.
class QueryRing {
 public:
  QueryRing(const LoadPlan& plan, std::size_t largest_batch) : count_(plan.queries.size()) {
    for (std::size_t i = 0; i < count_ + largest_batch; ++i) {
      plans_.push_back(plan.queries[i % count_].plan);
      settings_.push_back(plan.queries[i % count_].settings);
    }
  }
  /// The next batch. The ring outlives it.
  Ticket submit(Engine& engine, std::size_t batch) {
    const std::size_t first = next_;
    next_ = (next_ + batch) % count_;
    return engine.submit(std::span(plans_).subspan(first, batch),
                         std::span(settings_).subspan(first, batch));
  }

 private:
  std::size_t count_;
  std::size_t next_ = 0;
  std::vector<PlannedQuery> plans_;
  std::vector<SearchSettings> settings_;
};

}  // namespace warpdex::tools
