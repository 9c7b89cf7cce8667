// Checks a query against QueryLimits. Internal to query/.
#pragma once

#include <cstddef>
#include <string>

#include "warpdex/query/query.hpp"

namespace warpdex {

/// What is wrong with a query of so many bytes, as "has a query of … bytes; …"; empty: nothing.
std::string query_bytes_problem(std::size_t bytes, const QueryLimits& limits);

/// Throw InputError for a query beyond the limits. O(1), and O(terms) where these are more than the
/// limit.
void check_query_bytes(std::size_t bytes, const QueryLimits& limits);
void check_query_terms(const Query& query, const QueryLimits& limits);

}  // namespace warpdex
