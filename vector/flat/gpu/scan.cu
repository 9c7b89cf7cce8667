// Few queries: every vector is read once and compared with them in the canonical order.
#include <algorithm>

#include "flat/gpu/answers.hpp"
#include "flat/gpu/canonical.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr int kRows = 8;  ///< of a warp at a time: as many loads are under way in each lane

/// Work item: 8 rows of the choice and kQueries queries, a warp. Shared memory: the queries. Reads
/// all vectors for each kQueries queries. For one query the memory bounds it, for 8 the arithmetic:
/// 2 instructions a component, 3 a sum.
template <class Component, bool kIsL2, int kQueries>
__global__ void __launch_bounds__(kThreads)
    scan(DeviceRows rows, DeviceChoice choice, DeviceQueries queries, float* values,
         std::size_t stride) {
  extern __shared__ float shared[];
  const std::uint32_t first_query = blockIdx.y * kQueries;
  for (std::uint32_t i = threadIdx.x; i < kQueries * queries.stride; i += kThreads) {
    const std::uint32_t query = min(first_query + i / queries.stride, queries.count - 1);
    shared[i] = queries.values[std::size_t{query} * queries.stride + i % queries.stride];
  }
  __syncthreads();
  const auto* const data = static_cast<const Component*>(rows.data);
  const std::uint32_t step = gridDim.x * (kThreads / kWarp) * kRows;
  std::uint32_t first = (blockIdx.x * (kThreads / kWarp) + warp_id()) * kRows;
  for (; first < choice.count; first += step) {
    const Component* row[kRows];
#pragma unroll
    for (int r = 0; r < kRows; ++r) {
      const std::uint32_t place = min(first + r, choice.count - 1);
      const std::uint32_t position = choice.positions == nullptr ? place : choice.positions[place];
      row[r] = data + std::size_t{position} * rows.stride;
    }
    float sums[kRows * kQueries] = {};
    add_terms<kIsL2, kRows, kQueries>(row, shared, queries.stride, rows.dimension, sums);
    add_lanes<kRows * kQueries>(sums);
    constexpr int kHeld = kSumsOfLane<kRows * kQueries>;
#pragma unroll
    for (int i = 0; i < kHeld; ++i) {
      const int sum = first_sum<kRows * kQueries>() + i;
      const std::uint32_t query = first_query + sum / kRows;
      const std::uint32_t place = first + sum % kRows;
      if (query < queries.count && place < choice.count) {
        values[query * stride + place] = ascending_value<kIsL2>(sums[i]);
      }
    }
    if (choice.count - first <= step) break;  // `first` must not wrap around
  }
}

template <class Component, bool kIsL2, int kQueries>
void launch_scan(const DeviceRows& rows, const DeviceChoice& choice, const DeviceQueries& queries,
                 float* values, std::size_t stride, const Stream& stream) {
  const auto kernel = scan<Component, kIsL2, kQueries>;
  const std::size_t bytes = std::size_t{kQueries} * queries.stride * sizeof(float);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  constexpr std::uint32_t kRowsOfCta = kThreads / kWarp * kRows;
  const std::uint32_t ctas =
      std::min((choice.count - 1) / kRowsOfCta + 1, resident_ctas(kernel, kThreads, bytes));
  launch({.name = "scan",
          .ctas = dim3(ctas, (queries.count + kQueries - 1) / kQueries),
          .threads = kThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         kernel, rows, choice, queries, values, stride);
}

template <class Component, bool kIsL2>
void choose_queries(const DeviceRows& rows, const DeviceChoice& choice,
                    const DeviceQueries& queries, float* values, std::size_t stride,
                    const Stream& stream) {
  if (queries.count == 1) {
    launch_scan<Component, kIsL2, 1>(rows, choice, queries, values, stride, stream);
  } else {
    launch_scan<Component, kIsL2, 8>(rows, choice, queries, values, stride, stream);
  }
}

}  // namespace

void scan_rows(const DeviceRows& rows, const DeviceChoice& choice, const DeviceQueries& queries,
               bool is_l2, float* values, std::size_t stride, const Stream& stream) {
  if (choice.count == 0 || queries.count == 0) return;
  if (rows.store == Store::kFloat) {
    const auto form = is_l2 ? choose_queries<float, true> : choose_queries<float, false>;
    form(rows, choice, queries, values, stride, stream);
  } else {
    const auto form = is_l2 ? choose_queries<__half, true> : choose_queries<__half, false>;
    form(rows, choice, queries, values, stride, stream);
  }
}

}  // namespace warpdex::vector
