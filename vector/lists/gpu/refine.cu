// Canonical distances of candidates, eight rows of one query a warp, then a selection.
#include "flat/gpu/canonical.cuh"
#include "lists/gpu/kernels.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr int kRows = 8;

/// Work item: 8 candidates of query blockIdx.y, a warp. Reads of scattered rows bound it.
template <class Component, bool kIsL2>
__global__ void __launch_bounds__(kThreads)
    score_rows(DeviceRows rows, DeviceQueries queries, DeviceAnswers candidates, float* values) {
  const std::size_t begin = std::size_t{blockIdx.y} * candidates.k;
  const std::uint32_t first = (blockIdx.x * kWarps + warp_id()) * kRows;
  if (first >= candidates.k) return;
  const Component* row[kRows];
#pragma unroll
  for (int r = 0; r < kRows; ++r) {
    const std::uint32_t id = candidates.ids[begin + min(first + r, candidates.k - 1)];
    row[r] = static_cast<const Component*>(rows.data) +
             std::size_t{id == kNoId<std::uint32_t> ? 0 : id} * rows.stride;
  }
  const float* const query = queries.values + std::size_t{blockIdx.y} * queries.stride;
  float sums[kRows] = {};
  add_terms<kIsL2, kRows, 1>(row, query, queries.stride, rows.dimension, sums);
  add_lanes<kRows>(sums);
  const std::uint32_t candidate = first + first_sum<kRows>();
  if (lane_id() % (kWarp / kRows) != 0 || candidate >= candidates.k) return;
  values[begin + candidate] = ascending_value<kIsL2>(sums[0]);
}

template <class Component, bool kIsL2>
void launch_score(const DeviceRows& rows, const DeviceQueries& queries,
                  const DeviceAnswers& candidates, float* values, const Stream& stream) {
  constexpr std::uint32_t kRowsOfCta = kWarps * kRows;
  launch({.name = "score_rows",
          .ctas = dim3((candidates.k + kRowsOfCta - 1) / kRowsOfCta, queries.count),
          .threads = kThreads,
          .stream = stream.handle()},
         score_rows<Component, kIsL2>, rows, queries, candidates, values);
}

}  // namespace

void refine(const DeviceRows& rows, bool is_l2, const DeviceQueries& queries,
            const DeviceAnswers& candidates, float* values, const DeviceAnswers& answers,
            Workspace& workspace) {
  const Stream& stream = workspace.stream;
  if (rows.store == Store::kFloat) {
    (is_l2 ? launch_score<float, true> : launch_score<float, false>)(rows, queries, candidates,
                                                                     values, stream);
  } else {
    (is_l2 ? launch_score<__half, true> : launch_score<__half, false>)(rows, queries, candidates,
                                                                       values, stream);
  }
  const std::size_t count = candidates.k;
  select_k(MatrixView<float>{values, queries.count, count, count},
           MatrixView<std::uint32_t>{candidates.ids, queries.count, count, count}, answers.k,
           SelectOrder::kSmallest, answers.values, answers.ids, workspace.select, stream);
}

}  // namespace warpdex::vector
