// Checks of the settings of a search of codes, for all processors.
#pragma once

#include <cstddef>

#include "binary/query_code.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

/// The bits of a query's component. Throws UsageError for bits out of range, and for refining
/// where the vectors were not kept.
std::size_t check_depth(const BinaryVectors& vectors, const SearchOptions& options);

/// Likewise of codes in lists, which have no extra distance. Whether there are
/// vectors is not looked at.
std::size_t check_list_depth(const BinaryQuantizer& quantizer, const SearchOptions& options);

/// How many are taken by their codes, others that are nearly as near not counted.
std::size_t candidate_count(const SearchOptions& options, std::size_t k, std::size_t rows);

/// How much farther a candidate may be than the last of these.
inline float candidate_margin(const SearchOptions& options, const QueryCode& query) {
  return options.refine == 0 ? 0.0F : static_cast<float>(options.extra) * query.step;
}

}  // namespace warpdex::vector
