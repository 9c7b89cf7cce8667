// Groups of a query's lists one behind the other: a lane has a vector of a group.
#include <cub/block/block_scan.cuh>

#include "binary/gpu/lists/scan_list_codes.hpp"
#include "binary/gpu/scan_bits.cuh"
#include "flat/gpu/canonical.cuh"
#include "flat/gpu/nearest_entry.cuh"
#include "lists/gpu/match_lists.hpp"

namespace warpdex::vector {
namespace {

__device__ const std::int32_t* lists_of(const ScanListCodesTask& task, std::uint32_t query) {
  return task.probed.lists + std::size_t{query} * task.probed.probes;
}

/// Work item: a query, a CTA. ends[p] becomes the number of groups of its first p + 1 lists,
/// bases[p] the canonical distance of the centroid of list p.
template <bool kIsL2>
__global__ void __launch_bounds__(kScanThreads) open_lists(ScanListCodesTask task) {
  using Scan = cub::BlockScan<std::uint32_t, kScanThreads>;
  __shared__ typename Scan::TempStorage scratch;
  const std::uint32_t query = blockIdx.x;
  const std::uint32_t probes = task.probed.probes;
  const std::int32_t* const lists = lists_of(task, query);
  const std::size_t first = std::size_t{query} * probes;
  std::uint32_t total = 0;
  for (std::uint32_t turn = 0; turn < probes; turn += kScanThreads) {
    const std::uint32_t probe = turn + threadIdx.x;
    std::uint32_t end = 0;
    if (probe < probes) {
      const std::uint32_t* const begins = task.lists.group_begins + lists[probe];
      end = begins[1] - begins[0];
    }
    std::uint32_t sum = 0;
    Scan(scratch).InclusiveSum(end, end, sum);
    if (probe < probes) task.ends[first + probe] = total + end;
    total += sum;
    __syncthreads();
  }
  const float* const values = task.queries.values + std::size_t{query} * task.queries.stride;
  for (std::uint32_t probe = warp_id(); probe < probes; probe += kScanWarps) {
    const float* const row[1] = {static_cast<const float*>(task.lists.centroids.data) +
                                 std::size_t(lists[probe]) * task.lists.centroids.stride};
    float sums[1] = {};
    add_terms<kIsL2, 1, 1>(row, values, task.queries.stride, task.lists.centroids.dimension, sums);
    add_lanes<1>(sums);
    if (lane_id() == 0) task.bases[first + probe] = ascending_value<kIsL2>(sums[0]);
  }
}

/// The probe that a group of a query's lists belongs to. `ends` has the groups up to each.
__device__ __forceinline__ std::uint32_t find_probe(const std::uint32_t* ends, std::uint32_t probes,
                                                    std::uint32_t group) {
  std::uint32_t low = 0;
  for (std::uint32_t high = probes - 1; low < high;) {
    const std::uint32_t middle = (low + high) / 2;
    if (group < ends[middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/// Work item: a group of 32 vectors of query blockIdx.y, a warp; grid-stride. Shared memory: the
/// query's words. Counting bits bounds it, or writing 8 bytes a vector where there are few bits.
template <int kQueryBits, bool kIsL2>
__global__ void __launch_bounds__(kScanThreads) scan_groups(ScanListCodesTask task) {
  extern __shared__ uint4 words[];
  const std::uint32_t query = blockIdx.y;
  const DeviceQueryCodes& queries = task.codes;
  const auto* const given =
      reinterpret_cast<const uint4*>(queries.words + std::size_t{query} * queries.stride);
  for (std::uint32_t i = threadIdx.x; i < queries.stride / 4; i += kScanThreads) {
    words[i] = given[i];
  }
  __syncthreads();
  const DeviceBinaryCodes& codes = task.lists.codes;
  const std::uint32_t probes = task.probed.probes;
  const std::int32_t* const lists = lists_of(task, query);
  const std::uint32_t* const ends = task.ends + std::size_t{query} * probes;
  const float* const bases = task.bases + std::size_t{query} * probes;
  const float weight = queries.weights[query];
  const std::uint32_t groups = ends[probes - 1];
  const std::uint32_t step = gridDim.x * kScanWarps;
  for (std::uint32_t own = blockIdx.x * kScanWarps + warp_id(); own < task.stride / kWarp;
       own += step) {
    const std::size_t out = std::size_t{query} * task.stride + own * kWarp + lane_id();
    float value = 0;
    std::uint32_t id = kNoEntry;
    if (own < groups) {
      const std::uint32_t probe = find_probe(ends, probes, own);
      const std::uint32_t in_list = own - (probe == 0 ? 0 : ends[probe - 1]);
      const std::uint32_t list = static_cast<std::uint32_t>(lists[probe]);
      const std::uint32_t position = task.lists.begins[list] + in_list * kWarp + lane_id();
      const bool exists = position < task.lists.begins[list + 1];
      const std::uint32_t distance =
          code_distance<kQueryBits>(codes, task.lists.group_begins[list] + in_list, words);
      if (exists) {
        const std::uint32_t row = __ldg(task.lists.row_numbers + position);
        const float term = kIsL2 ? __ldg(codes.terms + position) : 0.0F;
        float own_weight = weight;
        if (codes.factors != nullptr) {
          own_weight = __fmul_rn(weight, __ldg(codes.factors + position));
        }
        const int product = queries.top - 2 * static_cast<int>(distance);
        value = code_value<kIsL2>(own_weight, bases[probe], __int2float_rn(product), term);
        if (is_allowed(task.filter, row)) id = row;
      }
    }
    task.values[out] = value;
    task.ids[out] = id;
  }
}

template <int kQueryBits, bool kIsL2>
void launch_groups(const ScanListCodesTask& task, const Stream& stream) {
  const auto kernel = scan_groups<kQueryBits, kIsL2>;
  const std::size_t bytes = task.codes.stride * sizeof(std::uint32_t);
  const std::uint32_t ctas = (task.stride / kWarp + kScanWarps - 1) / kScanWarps;
  const std::uint32_t resident = resident_ctas(kernel, kScanThreads, bytes);
  constexpr std::uint32_t kRounds = 4;
  launch(
      {.name = "scan_groups",
       .ctas = dim3(std::clamp(kRounds * resident / task.codes.count, 1U, ctas), task.codes.count),
       .threads = kScanThreads,
       .shared_memory = bytes,
       .stream = stream.handle()},
      kernel, task);
}

template <bool kIsL2>
void launch_all(const ScanListCodesTask& task, const Stream& stream) {
  launch({.name = "open_lists",
          .ctas = task.codes.count,
          .threads = kScanThreads,
          .stream = stream.handle()},
         open_lists<kIsL2>, task);
  switch (task.codes.bits) {
    case 1: return launch_groups<1, kIsL2>(task, stream);
    case 2: return launch_groups<2, kIsL2>(task, stream);
    case 3: return launch_groups<3, kIsL2>(task, stream);
    case 4: return launch_groups<4, kIsL2>(task, stream);
    case 5: return launch_groups<5, kIsL2>(task, stream);
    case 6: return launch_groups<6, kIsL2>(task, stream);
    case 7: return launch_groups<7, kIsL2>(task, stream);
    default: return launch_groups<8, kIsL2>(task, stream);
  }
}

}  // namespace

void scan_list_codes(const ScanListCodesTask& task, const Stream& stream) {
  if (task.codes.count == 0) return;
  (task.lists.codes.is_l2 ? launch_all<true> : launch_all<false>)(task, stream);
}

}  // namespace warpdex::vector
