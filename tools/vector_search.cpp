// The searcher that suits the index.
#include "vector_search.hpp"

#include <algorithm>

#include "warpdex/core/error.hpp"

namespace warpdex::tools {

VectorSearch::VectorSearch(const vector::VectorIndex& index, const CommandLine& command,
                           std::int64_t probes, std::size_t threads) {
  if (index.settings().index == vector::IndexKind::kFlat) {
    if (command.given("probes")) {
      throw UsageError("'" + index.folder().string() +
                       "' has no lists to probe: it was built with --index flat; leave --probes "
                       "out");
    }
    flat_.emplace(index.flat(), threads);
    return;
  }
  const auto lists = static_cast<std::int64_t>(index.ivf().lists());
  if (!command.given("probes")) probes = std::min(probes, lists);
  probes_ = checked_number("--probes", probes, 1, lists);
  ivf_.emplace(index.ivf(), threads);
}

vector::Neighbors VectorSearch::nearest(std::span<const float> queries, std::size_t k,
                                        const vector::RowFilter* filter) const {
  return flat_ ? flat_->nearest(queries, k, filter) : ivf_->nearest(queries, k, probes_, filter);
}

vector::RangeNeighbors VectorSearch::within(std::span<const float> queries, float radius,
                                            const vector::RowFilter* filter) const {
  return flat_ ? flat_->within(queries, radius, filter)
               : ivf_->within(queries, radius, probes_, filter);
}

}  // namespace warpdex::tools
