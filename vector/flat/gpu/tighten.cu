// A histogram of each query's sums tells which k candidates are about the nearest; the largest of
// their upper bounds is a limit for all.
#include <cfloat>
#include <limits>

#include "flat/gpu/products.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kMaxWarps = 32;
constexpr std::uint32_t kBins = 2048;
/// Sums that a thread holds in registers.
constexpr std::uint32_t kShare = 16;

struct Shared {
  std::uint32_t bins[kBins];
  std::uint32_t warps[kMaxWarps];
  float low[kMaxWarps];
  float high[kMaxWarps];
  std::uint32_t last_bin;
  std::uint32_t kept;
};

__device__ float block_max(float value, float (&warps)[kMaxWarps]) {
  value = warp_max(value);
  __syncthreads();
  if (lane_id() == 0) warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  return warp_max(lane_id() < blockDim.x / kWarp ? warps[lane_id()] : value);
}

/// The sum of the values of all threads before this one.
__device__ std::uint32_t block_sum_before(std::uint32_t value, std::uint32_t (&warps)[kMaxWarps]) {
  const std::uint32_t inclusive = inclusive_sum(value);
  __syncthreads();
  if (lane_id() == kWarp - 1) warps[(threadIdx.x / kWarp)] = inclusive;
  __syncthreads();
  const std::uint32_t warp = threadIdx.x / kWarp;
  std::uint32_t before = lane_id() < warp ? warps[lane_id()] : 0;
  before = warp_sum(before);
  return before + inclusive - value;
}

/// Sums from `low` to `high` in bins of equal widths.
struct Bins {
  float low;
  float scale;
  __device__ Bins(float first, float last) : low(first), scale(0) {
    if (last > first) scale = (kBins - 1) / (last - first);
  }
  __device__ std::uint32_t of(float sum) const {
    return min(kBins - 1, static_cast<std::uint32_t>((sum - low) * scale));
  }
};

/// The first bin at whose end k sums have been seen; there are k or more.
__device__ std::uint32_t find_bin(std::uint32_t k, Shared& shared) {
  std::uint32_t own = 0;
  const std::uint32_t bins = kBins / blockDim.x;
  const std::uint32_t first = threadIdx.x * bins;
  for (std::uint32_t i = 0; i < bins; ++i) own += shared.bins[first + i];
  std::uint32_t before = block_sum_before(own, shared.warps);
  for (std::uint32_t i = 0; i < bins; ++i) {
    const std::uint32_t next = before + shared.bins[first + i];
    if (before < k && next >= k) shared.last_bin = first + i;
    before = next;
  }
  __syncthreads();
  return shared.last_bin;
}

/// The sums of a list, a thread's share of them in registers; infinite where there is no row.
struct ListSums {
  __device__ ListSums(const Candidate* candidates, std::uint32_t count) {
#pragma unroll
    for (std::uint32_t i = 0; i < kShare; ++i) {
      const std::uint32_t at = i * blockDim.x + threadIdx.x;
      sums[i] = at < count ? candidates[at].sum : kInfinity;
    }
  }

  static constexpr float kInfinity = std::numeric_limits<float>::infinity();
  float sums[kShare];
};

/// An upper limit of the k-th smallest distance, in the query's unit; FLT_MAX if there are fewer.
__device__ float find_limit(const ListSums& list, const Candidate* candidates,
                            const TightenTask& task, float query_slack, Shared& shared) {
  float largest = -FLT_MAX;
  float negative_smallest = -FLT_MAX;
#pragma unroll
  for (std::uint32_t i = 0; i < kShare; ++i) {
    const float sum = list.sums[i];
    if (sum < FLT_MAX) largest = fmaxf(largest, sum);
    negative_smallest = fmaxf(negative_smallest, -sum);
  }
  largest = block_max(largest, shared.low);
  const float smallest = -block_max(negative_smallest, shared.high);
  for (std::uint32_t i = threadIdx.x; i < kBins; i += blockDim.x) shared.bins[i] = 0;
  if (threadIdx.x == 0) shared.last_bin = kBins;
  __syncthreads();
  const Bins bins(smallest, largest);
#pragma unroll
  for (std::uint32_t i = 0; i < kShare; ++i) {
    const float sum = list.sums[i];
    if (sum < FLT_MAX) atomicAdd(shared.bins + bins.of(sum), 1U);
  }
  __syncthreads();
  const std::uint32_t last_bin = find_bin(task.k, shared);
  if (last_bin == kBins) return FLT_MAX;
  float high = -FLT_MAX;
#pragma unroll
  for (std::uint32_t i = 0; i < kShare; ++i) {
    const float sum = list.sums[i];
    if (!(sum < FLT_MAX) || bins.of(sum) > last_bin) continue;
    float slack = 0;
    if (task.row_slacks != nullptr) {
      slack = task.row_slacks[candidates[i * blockDim.x + threadIdx.x].place];
    }
    high = fmaxf(high, sum + slack);
  }
  high = block_max(high, shared.low);
  return fminf(FLT_MAX, high + query_slack + fabsf(high) * 0x1p-22F);
}

/// Leaves candidates whose sums are within the limit, in any order; returns how many. All that stay
/// are read before the first is written.
__device__ std::uint32_t keep_within(const ListSums& list, Candidate* candidates, float limit,
                                     Shared& shared) {
  std::uint32_t places[kShare];
  std::uint32_t own = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kShare; ++i) {
    if (!(list.sums[i] <= limit) || !(list.sums[i] < FLT_MAX)) continue;
    places[i] = candidates[i * blockDim.x + threadIdx.x].place;
    ++own;
  }
  if (threadIdx.x == 0) shared.kept = 0;
  __syncthreads();
  std::uint32_t at = own == 0 ? 0 : atomicAdd(&shared.kept, own);
#pragma unroll
  for (std::uint32_t i = 0; i < kShare; ++i) {
    if (!(list.sums[i] <= limit) || !(list.sums[i] < FLT_MAX)) continue;
    candidates[at++] = {list.sums[i], places[i]};
  }
  __syncthreads();
  return shared.kept;
}

/// Work item: a query, a CTA, whose threads hold all sums of its list. Reading the list bounds it.
__global__ void __launch_bounds__(kMaxWarps* kWarp) tighten_lists(TightenTask task) {
  wait_for_previous();
  __shared__ Shared shared;
  const std::uint32_t query = blockIdx.x;
  if (task.queries.is_open[query] != 0) return;
  const std::uint32_t count = task.given_count != 0 ? task.given_count : task.lists.counts[query];
  if (count > task.lists.capacity) {
    if (threadIdx.x == 0) {
      task.queries.is_open[query] = 1;
      task.queries.limits[query] = -FLT_MAX;
      task.lists.counts[query] = 0;
    }
    return;
  }
  Candidate* const candidates = task.lists.candidates + query * task.lists.capacity;
  const ListSums list(candidates, count);
  float limit = task.queries.limits[query];
  if (count >= task.k) {
    limit = fminf(limit, find_limit(list, candidates, task, task.queries.slacks[query], shared));
  }
  const std::uint32_t kept = keep_within(list, candidates, limit, shared);
  if (threadIdx.x != 0) return;
  task.queries.limits[query] = limit;
  task.lists.counts[query] = kept;
}

}  // namespace

void clear_counts(const CandidateLists& lists, std::uint32_t query_count, const Stream& stream) {
  check_cuda(cudaMemsetAsync(lists.counts, 0, query_count * sizeof(std::uint32_t), stream.handle()),
             "cudaMemsetAsync");
}

void tighten(const TightenTask& task, const Stream& stream) {
  static_assert(kMaxListCapacity <= kShare * kMaxWarps * kWarp);
  launch({.name = "tighten_lists",
          .ctas = task.query_count,
          .threads = static_cast<std::uint32_t>((task.lists.capacity - 1) / kShare + 1),
          .stream = stream.handle(),
          .overlaps = task.overlaps},
         tighten_lists, task);
}

}  // namespace warpdex::vector
