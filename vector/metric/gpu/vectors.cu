// Distances of vectors, eight rows of one query a warp. Lane l adds up components l, l + 32 and so
// on, as the CPU's lanes do (distance/distance_kernels.hpp), so the bits are the same.
#include <cstdint>

#include "flat/gpu/canonical.cuh"
#include "metric/angle.hpp"
#include "metric/gpu/pair_distances.hpp"
#include "metric/gpu/pair_grid.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::metric {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::uint32_t kRows = 8;
/// Lanes that hold the distance of the same row in the end.
constexpr std::uint32_t kLanesOfRow = kWarp / kRows;

/// The rows of pairs [first, first + 8) of a query; past the last pair, its row again.
struct RowsOfWarp {
  const float* rows[kRows];
  __device__ RowsOfWarp(const PairTask& task, std::uint32_t query, std::uint32_t first) {
#pragma unroll
    for (std::uint32_t r = 0; r < kRows; ++r) {
      const std::uint32_t object = object_of(task, query, min(first + r, task.count - 1));
      rows[r] = task.objects.vectors + std::size_t{object} * task.objects.dimension;
    }
  }
};

struct L2Distance {
  /// The distance of row lane / 4.
  __device__ static float of(const PairTask& task, const RowsOfWarp& own, const float* query) {
    float sums[kRows] = {};
    vector::add_terms<true, kRows, 1>(own.rows, query, task.queries.stride, task.objects.dimension,
                                      sums);
    vector::add_lanes<kRows>(sums);
    return __fsqrt_rn(sums[0]);
  }
};

struct AngularDistance {
  __device__ static float of(const PairTask& task, const RowsOfWarp& own, const float* query) {
    return angle_of_chord(L2Distance::of(task, own, query));
  }
};

struct L1Distance {
  __device__ static float of(const PairTask& task, const RowsOfWarp& own, const float* query) {
    float sums[kRows] = {};
    for (std::uint32_t column = lane_id(); column < task.objects.dimension; column += kWarp) {
      const float x = query[column];
#pragma unroll
      for (std::uint32_t r = 0; r < kRows; ++r) {
        sums[r] = __fadd_rn(sums[r], fabsf(__fsub_rn(x, own.rows[r][column])));
      }
    }
    // In double, in the order of lanes.
    float found = 0;
#pragma unroll
    for (std::uint32_t r = 0; r < kRows; ++r) {
      double sum = 0;
      for (std::uint32_t l = 0; l < kWarp; ++l) {
        sum = __dadd_rn(sum, double{__shfl_sync(kWholeWarp, sums[r], static_cast<int>(l))});
      }
      if (lane_id() / kLanesOfRow == r) found = __double2float_rn(sum);
    }
    return found;
  }
};

/// Work item: a query and some of its objects; a CTA. Reads of scattered rows bound it.
template <class Distance>
__global__ void __launch_bounds__(kThreads) compare_vectors(PairTask task) {
  const std::uint32_t query = blockIdx.y;
  const float* const components = task.queries.vectors + std::size_t{query} * task.queries.stride;
  for (std::uint32_t first = (blockIdx.x * kWarps + warp_id()) * kRows; first < task.count;
       first += gridDim.x * kWarps * kRows) {
    const RowsOfWarp own(task, query, first);
    float distance = Distance::of(task, own, components);
    if (isnan(distance)) distance = kNoLimit;  // overflow
    const std::uint32_t i = first + lane_id() / kLanesOfRow;
    if (lane_id() % kLanesOfRow == 0 && i < task.count) {
      task.out[query * task.out_stride + i] = distance;
    }
  }
}

template <class Distance>
void launch_vectors(const PairTask& task, const Stream& stream) {
  const auto kernel = compare_vectors<Distance>;
  launch({.name = "compare_vectors",
          .ctas = pair_grid(task, kWarps * kRows),
          .threads = kThreads,
          .stream = stream.handle()},
         kernel, task);
}

}  // namespace

void compute_vectors(const PairTask& task, const Stream& stream) {
  switch (task.objects.distance) {
    case DistanceKind::kL1: return launch_vectors<L1Distance>(task, stream);
    case DistanceKind::kL2: return launch_vectors<L2Distance>(task, stream);
    default: return launch_vectors<AngularDistance>(task, stream);
  }
}

}  // namespace warpdex::metric
