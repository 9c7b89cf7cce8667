// Queries as products with decoded codes read them.
#pragma once

#include <cstddef>

#include "flat/gpu/panels.hpp"
#include "pq/gpu/search/code_bound.hpp"
#include "pq/gpu/search/table_scan.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Queues the packing of the queries' vectors into `panels`, whose scales become each query's
/// weight: sums are distances times it. Slacks are CodeBound's, twice. All sums are wanted. Queries
/// that nothing is known of become open. Shifts are not set.
void pack_code_queries(const CodeQueries& search, const DeviceCodes& codes, const CodeBound& bound,
                       const QueryPanels& panels, const Stream& stream);

}  // namespace warpdex::vector
