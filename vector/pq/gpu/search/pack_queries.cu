// Scales each query's vector by a power of two of its own, and rounds it to halves.
#include <cuda_fp16.h>

#include <cfloat>

#include "flat/gpu/panel_layout.cuh"
#include "pq/gpu/search/kernels.hpp"
#include "pq/gpu/search/query_length.cuh"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;

struct PackTask {
  DeviceQueries queries;
  const float* vectors;
  const float* centre;
  std::uint32_t dimension;
  std::uint32_t coded_dimension;
  CodeBound bound;
  QueryPanels panels;
};

/// What is known of a query, the same in all lanes of its warp.
struct QueryFacts {
  float factor;  ///< of its vector
  float weight;  ///< of distances to sums
  float error;   ///< CodeBound's
  bool is_open;
};

__device__ QueryFacts find_facts(const PackTask& task, const float* query, const float* vector) {
  const double squared = squared_length(vector, nullptr, task.coded_dimension);
  const double from_centre = squared_length(query, task.centre, task.dimension);
  const CodeBound& bound = task.bound;
  // The vector's length becomes less than kQueryLength.
  const int exponent = squared > 0 ? (ilogb(squared) >> 1) + 1 : 0;
  QueryFacts facts{};
  facts.factor = scalbnf(kQueryLength, -min(max(exponent + 1, -100), 100));
  facts.weight = facts.factor * bound.scale;
  const float length = __double2float_ru(sqrt(squared)) * facts.factor;
  const float base = bound.base(__double2float_ru(sqrt(from_centre)));
  facts.error = bound.error(length, facts.weight, base);
  const float largest = facts.weight * (base + bound.term) + length;
  facts.is_open = !(length <= kQueryLength) || !(squared <= 0x1p120) ||
                  !(squared == 0 || squared >= 0x1p-120) || !(largest <= 0x1p100F) ||
                  !(facts.weight >= 0x1p-100F) || !(facts.error <= 0x1p100F);
  return facts;
}

/// Work item: a query, a warp; also those that fill up the last panel.
__global__ void __launch_bounds__(kThreads) pack_code_vectors(PackTask task) {
  const std::uint32_t index = blockIdx.x * kWarps + warp_id();
  const bool exists = index < task.queries.count;
  const std::size_t row = std::size_t{exists ? index : 0} * task.queries.stride;
  const QueryFacts facts = find_facts(task, task.queries.values + row, task.vectors + row);
  const bool is_packed = exists && !facts.is_open;
  const QueryPanels& panels = task.panels;
  const std::uint32_t dimension = task.coded_dimension;
  std::uint8_t* const panel = panels.halves + index / kPanelRows * panel_bytes(dimension);
  for (std::uint32_t chunk = 0; chunk < panel_chunks(dimension); ++chunk) {
    const std::uint32_t column = chunk * kChunkColumns + lane_id();
    float component = 0;
    if (is_packed && column < dimension) component = task.vectors[row + column] * facts.factor;
    *reinterpret_cast<__half*>(panel + chunk * kChunkBytes +
                               chunk_offset(index % kPanelRows, lane_id())) =
        __float2half_rn(component);
  }
  if (lane_id() != 0) return;
  panels.limits[index] = is_packed ? FLT_MAX : -FLT_MAX;
  if (!exists) return;
  panels.slacks[index] = 2 * facts.error;
  panels.scales[index] = facts.weight;
  panels.is_open[index] = facts.is_open ? 1 : 0;
}

}  // namespace

void pack_code_queries(const CodeQueries& search, const DeviceCodes& codes, const CodeBound& bound,
                       const QueryPanels& panels, const Stream& stream) {
  const std::uint32_t count = (search.queries.count + kPanelRows - 1) / kPanelRows * kPanelRows;
  launch({.name = "pack_code_vectors",
          .ctas = count / kWarps,
          .threads = kThreads,
          .stream = stream.handle()},
         pack_code_vectors,
         PackTask{search.queries, search.vectors, codes.centre, codes.dimension,
                  codes.coded_dimension, bound, panels});
}

}  // namespace warpdex::vector
