// Sizes of lists, and the distances of their centroids.
#include <cub/block/block_scan.cuh>

#include "flat/gpu/canonical.cuh"
#include "flat/gpu/panel_product.cuh"
#include "integer_codes/gpu/code_panels.hpp"
#include "lists/gpu/codes/code_tasks.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kOpenThreads = 256;

/// Work item: a query, a CTA.
template <bool kIsL2>
__global__ void __launch_bounds__(kOpenThreads) open_query_lists(OpenListsTask task) {
  using Scan = cub::BlockScan<std::uint32_t, kOpenThreads>;
  __shared__ typename Scan::TempStorage scratch;
  const std::uint32_t query = blockIdx.x;
  const std::uint32_t probes = task.probed.probes;
  const std::size_t first = std::size_t{query} * probes;
  const std::int32_t* const lists = task.probed.lists + first;
  std::uint32_t total = 0;
  for (std::uint32_t turn = 0; turn < probes; turn += kOpenThreads) {
    const std::uint32_t probe = turn + threadIdx.x;
    std::uint32_t end = 0;
    if (probe < probes) {
      const std::uint32_t* const begins = task.group_begins + lists[probe];
      end = begins[1] - begins[0];
    }
    std::uint32_t sum = 0;
    Scan(scratch).InclusiveSum(end, end, sum);
    if (probe < probes) task.ends[first + probe] = total + end;
    total += sum;
    __syncthreads();
  }
  const float* const values = task.queries.values + std::size_t{query} * task.queries.stride;
  for (std::uint32_t probe = warp_id(); probe < probes; probe += kOpenThreads / kWarp) {
    const float* const row[1] = {static_cast<const float*>(task.centroids.data) +
                                 std::size_t(lists[probe]) * task.centroids.stride};
    float sums[1] = {};
    add_terms<kIsL2, 1, 1>(row, values, task.queries.stride, task.centroids.dimension, sums);
    add_lanes<1>(sums);
    if (lane_id() == 0) task.bases[first + probe] = ascending_value<kIsL2>(sums[0]);
  }
}

}  // namespace

void open_lists(const OpenListsTask& task, bool is_l2, const Stream& stream) {
  launch({.name = "open_lists",
          .ctas = task.queries.count,
          .threads = kOpenThreads,
          .stream = stream.handle()},
         is_l2 ? open_query_lists<true> : open_query_lists<false>, task);
}

bool can_match_list_codes(std::uint32_t dimension) {
  const std::uint32_t chunks = code_chunks(dimension, PanelNumber::kByte);
  return std::size_t{dimension + 31} * sizeof(float) <=
         product_shape(2, kBesideListPanels).bytes(chunks);
}

}  // namespace warpdex::vector
