// Checks of the settings of a search of codes, for all processors.
#pragma once

#include <cstddef>

#include "warpdex/vector/xfbq/xfbq_searcher.hpp"
#include "xfbq/query_code.hpp"

namespace warpdex::vector {

/// The bits of a query's component. Throws UsageError for bits out of range, and for refining
/// where the vectors were not kept.
std::size_t check_depth(const XfbqVectors& vectors, const XfbqDepth& depth);

/// Likewise of codes in lists, which have no extra distance. Whether there are
/// vectors is not looked at.
std::size_t check_list_depth(const XfbqQuantizer& quantizer, const XfbqDepth& depth);

/// How many are taken by their codes, others that are nearly as near not counted.
std::size_t candidate_count(const XfbqDepth& depth, std::size_t k, std::size_t rows);

/// How much farther a candidate may be than the last of these.
inline float candidate_margin(const XfbqDepth& depth, const QueryCode& query) {
  return depth.refine == 0 ? 0.0F : static_cast<float>(depth.extra) * query.step;
}

}  // namespace warpdex::vector
