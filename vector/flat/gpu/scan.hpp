// Few queries against all vectors of a choice.
#pragma once

#include <cstddef>

#include "flat/gpu/flat_data.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Queues the computation of all distances, as values that are smaller when nearer: that of query q
/// and place p of the choice goes to values[q * stride + p]. At most 2^19 queries. Reads the
/// vectors once for each 8 queries. O(queries * choice * dimension).
void scan_rows(const DeviceRows& rows, const DeviceChoice& choice, const DeviceQueries& queries,
               bool is_l2, float* values, std::size_t stride, const Stream& stream);

}  // namespace warpdex::vector
