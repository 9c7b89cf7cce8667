// Prepares queries before a search, and finishes answers after it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "flat/gpu/flat_data.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/vector/metric.hpp"

namespace warpdex::vector {

/// Queues the padding of `count` queries of `dimension` floats to rows of `stride`; for kCosine
/// they are scaled to length 1, to the bits of normalize().
void prepare_on_gpu(const float* queries, std::uint32_t count, std::uint32_t dimension,
                    Metric metric, float* prepared, std::uint32_t stride, const Stream& stream);

/// Queues the filling of answers with missing places.
void clear_answers(const DeviceAnswers& answers, std::uint32_t queries, const Stream& stream);

/// Queues the copy of rows of 32-bit values: row list[i] of `from` becomes row i of `to`.
void gather_rows(const float* from, const std::uint32_t* list, std::uint32_t count,
                 std::uint32_t columns, float* to, const Stream& stream);

/// What a scan of rows found, k for each query, sorted.
struct FoundAnswers {
  const float* values;
  const std::uint32_t* ids;
  std::uint32_t k;
  std::uint32_t first_id;  ///< added to each id that is not missing
};

/// Queues the joining of two sorted lists for each of `count` queries: those of `answers` for query
/// list[i] (null: i), and found ones i. The k best are the new answers. `joined` is scratch memory
/// for the answers of `count` queries.
void join_answers(const DeviceAnswers& answers, const FoundAnswers& found,
                  const std::uint32_t* list, std::uint32_t count, const DeviceAnswers& joined,
                  const Stream& stream);

/// Queues the turning of answers into rows and distances as the metric has them.
void write_answers(const DeviceAnswers& answers, std::uint32_t queries, Metric metric,
                   std::int32_t* rows, float* distances, const Stream& stream);

}  // namespace warpdex::vector
