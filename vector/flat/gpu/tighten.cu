// A histogram of each query's sums tells which k candidates are about the nearest; the largest of
// their upper bounds is a limit for all.
#include <cfloat>

#include "flat/gpu/tighten.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::uint32_t kBins = 2048;
constexpr std::uint32_t kBinsOfThread = kBins / kThreads;

struct Shared {
  std::uint32_t bins[kBins];
  std::uint32_t warps[kWarps];
  float low[kWarps];
  float high[kWarps];
  std::uint32_t last_bin;
};

__device__ float block_max(float value, float (&warps)[kWarps]) {
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kWholeWarp, value, lanes));
  }
  __syncthreads();
  if (lane_id() == 0) warps[(threadIdx.x / kWarp)] = value;
  __syncthreads();
  for (std::uint32_t warp = 0; warp < kWarps; ++warp) value = fmaxf(value, warps[warp]);
  return value;
}

/// The sum of the values of all threads before this one.
__device__ std::uint32_t block_sum_before(std::uint32_t value, std::uint32_t (&warps)[kWarps]) {
  const std::uint32_t inclusive = inclusive_sum(value);
  __syncthreads();
  if (lane_id() == kWarp - 1) warps[(threadIdx.x / kWarp)] = inclusive;
  __syncthreads();
  std::uint32_t before = inclusive - value;
  for (std::uint32_t warp = 0; warp < (threadIdx.x / kWarp); ++warp) before += warps[warp];
  return before;
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
  const std::uint32_t first = threadIdx.x * kBinsOfThread;
  for (std::uint32_t i = 0; i < kBinsOfThread; ++i) own += shared.bins[first + i];
  std::uint32_t before = block_sum_before(own, shared.warps);
  for (std::uint32_t i = 0; i < kBinsOfThread; ++i) {
    const std::uint32_t next = before + shared.bins[first + i];
    if (before < k && next >= k) shared.last_bin = first + i;
    before = next;
  }
  __syncthreads();
  return shared.last_bin;
}

/// An upper limit of the k-th smallest distance, in the query's unit; FLT_MAX if there are fewer.
__device__ float find_limit(const Candidate* candidates, std::uint32_t count,
                            const TightenTask& task, float query_slack, Shared& shared) {
  float largest = -FLT_MAX;
  float negative_smallest = -FLT_MAX;
  std::uint32_t found = 0;
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const float sum = candidates[i].sum;
    if (!(sum < FLT_MAX)) continue;  // no row
    ++found;
    largest = fmaxf(largest, sum);
    negative_smallest = fmaxf(negative_smallest, -sum);
  }
  largest = block_max(largest, shared.low);
  const float smallest = -block_max(negative_smallest, shared.high);
  const auto rows = static_cast<std::uint32_t>(__syncthreads_count(found > 0));
  if (rows == 0) return FLT_MAX;
  for (std::uint32_t i = threadIdx.x; i < kBins; i += kThreads) shared.bins[i] = 0;
  if (threadIdx.x == 0) shared.last_bin = kBins;
  __syncthreads();
  const Bins bins(smallest, largest);
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const float sum = candidates[i].sum;
    if (sum < FLT_MAX) atomicAdd(shared.bins + bins.of(sum), 1U);
  }
  __syncthreads();
  const std::uint32_t last_bin = find_bin(task.k, shared);
  if (last_bin == kBins) return FLT_MAX;
  float high = -FLT_MAX;
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const Candidate candidate = candidates[i];
    if (!(candidate.sum < FLT_MAX) || bins.of(candidate.sum) > last_bin) continue;
    high = fmaxf(high, candidate.sum + task.row_slacks[candidate.place]);
  }
  high = block_max(high, shared.low);
  return fminf(FLT_MAX, high + query_slack + fabsf(high) * 0x1p-22F);
}

/// Leaves candidates whose sums are within the limit; returns how many. In place: what is written
/// was read before.
__device__ std::uint32_t keep_within(Candidate* candidates, std::uint32_t count, float limit,
                                     Shared& shared) {
  std::uint32_t kept = 0;
  for (std::uint32_t first = 0; first < count; first += kThreads) {
    const std::uint32_t i = first + threadIdx.x;
    const Candidate candidate = i < count ? candidates[i] : Candidate{FLT_MAX, 0};
    const bool stays = i < count && candidate.sum <= limit && candidate.sum < FLT_MAX;
    const std::uint32_t before = block_sum_before(stays ? 1 : 0, shared.warps);
    if (stays) candidates[kept + before] = candidate;
    kept += static_cast<std::uint32_t>(__syncthreads_count(stays));
  }
  return kept;
}

/// Work item: a query, a CTA. Reads its candidates four times; the L2 cache bounds it.
__global__ void __launch_bounds__(kThreads) tighten_lists(TightenTask task) {
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
  float limit = task.queries.limits[query];
  if (count >= task.k) {
    limit = fminf(limit, find_limit(candidates, count, task, task.queries.slacks[query], shared));
  }
  const std::uint32_t kept = keep_within(candidates, count, limit, shared);
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
  launch({.name = "tighten_lists",
          .ctas = task.query_count,
          .threads = kThreads,
          .stream = stream.handle()},
         tighten_lists, task);
}

}  // namespace warpdex::vector
