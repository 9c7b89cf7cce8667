// Candidates of points are compared by canonical distances, where there are several.
#include <cfloat>

#include "flat/gpu/canonical.cuh"
#include "flat/gpu/panel_layout.cuh"
#include "kmeans/gpu/kernels.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr int kPairs = 8;  ///< whose distances a warp computes at a time

/// Candidates of a point that are compared in one go.
constexpr std::uint32_t kTurn = 8;

/// What a warp knows of its 32 points, and the pairs of them and centroids that are to be compared.
struct ResolveShared {
  std::uint64_t nearest[kWarp];  ///< the best distance and centroid so far
  const float* points[kWarp];
  std::uint8_t owners[kWarp * kTurn];
  std::uint32_t centroids[kWarp * kTurn];
};

/// Canonical distances of 8 (point, centroid) pairs; lane l gets that of pair l / 4. A warp.
__device__ float pair_distances(const float* const (&points)[kPairs],
                                const float* const (&centroids)[kPairs], std::uint32_t dimension) {
  float sums[kPairs] = {};
#pragma unroll 2
  for (std::uint32_t begin = 0; begin < dimension; begin += kWarp) {
    const std::uint32_t column = begin + lane_id();
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      const float x = column < dimension ? points[i][column] : 0.0F;
      const float y = column < dimension ? centroids[i][column] : 0.0F;
      sums[i] = add_term<true>(x, y, sums[i]);
    }
  }
  add_lanes<kPairs>(sums);
  return sums[0];
}

/// Compares `count` pairs, of which pair(i) tells the point's lane and the centroid.
template <class Pair>
__device__ void compare_pairs(const ResolveTask& task, ResolveShared& shared, std::uint32_t count,
                              const Pair& pair) {
  for (std::uint32_t first = 0; first < count; first += kPairs) {
    const float* points[kPairs];
    const float* centroids[kPairs];
    std::uint32_t own_point = 0;
    std::uint32_t own_centroid = 0;
#pragma unroll
    for (int i = 0; i < kPairs; ++i) {
      std::uint32_t point;
      std::uint32_t centroid;
      pair(min(first + i, count - 1), point, centroid);
      points[i] = shared.points[point];
      centroids[i] = task.centroids.centroids + std::size_t{centroid} * task.points.dimension;
      if (first_sum<kPairs>() == i) {
        own_point = point;
        own_centroid = centroid;
      }
    }
    const float distance = pair_distances(points, centroids, task.points.dimension);
    // Distances are not negative, so their bits have their order.
    const std::uint64_t key = std::uint64_t{__float_as_uint(distance)} << 32 | own_centroid;
    const bool is_closed =
        task.centroids.is_closed != nullptr && task.centroids.is_closed[own_centroid] != 0;
    if (lane_id() % (kWarp / kPairs) == 0 && !is_closed) {
      atomicMin(reinterpret_cast<unsigned long long*>(shared.nearest + own_point),
                static_cast<unsigned long long>(key));
    }
  }
  __syncwarp();
}

/// The candidates of one point that are within its limit.
struct OwnCandidates {
  std::uint32_t count = 0;
  std::uint32_t centroid = 0;  ///< one of them
  float sum = 0;               ///< its sum
  float limit = FLT_MAX;
  bool is_full = false;  ///< some were left out

  __device__ OwnCandidates(const ResolveTask& task, std::size_t place) {
    for (std::uint32_t part = 0; part < task.parts; ++part) {
      const std::size_t list = place * kMaxParts + part;
      limit = fminf(limit, task.candidates.limits[list]);
      is_full = is_full || task.candidates.counts[list] > task.room;
    }
  }

  /// Calls work(centroid) for each.
  template <class Work>
  __device__ void for_each(const ResolveTask& task, std::size_t place, const Work& work) {
    for (std::uint32_t part = 0; part < task.parts; ++part) {
      const std::size_t list = place * kMaxParts + part;
      const std::uint32_t all = min(task.candidates.counts[list], task.room);
      for (std::uint32_t i = 0; i < all; ++i) {
        const PointCandidate one = task.candidates.candidates[list * kMaxRoom + i];
        if (one.sum > limit) continue;
        centroid = one.centroid;
        sum = one.sum;
        ++count;
        work(one.centroid);
      }
    }
  }
};

/// Work item: 32 points, a warp. Reading the points with several candidates bounds it.
__global__ void __launch_bounds__(kThreads) resolve(ResolveTask task) {
  __shared__ ResolveShared all_shared[kThreads / kWarp];
  ResolveShared& shared = all_shared[threadIdx.x / kWarp];
  const std::uint32_t place = (blockIdx.x * (kThreads / kWarp) + warp_id()) * kWarp + lane_id();
  std::uint32_t position = kNoRow;
  if (place < task.places) {
    position = position_of(task.choice, task.order, task.first_place + place);
  }
  const bool exists = position != kNoRow;
  shared.nearest[lane_id()] = ~std::uint64_t{0};
  shared.points[lane_id()] = static_cast<const float*>(task.points.data) +
                             std::size_t{exists ? position : 0} * task.points.stride;
  std::uint32_t wanted = 0;
  OwnCandidates own(task, exists ? place : 0);
  if (exists && !own.is_full) {
    own.for_each(task, place, [](std::uint32_t) {});
    wanted = own.count > 1 || task.computes_distances ? own.count : 0;
  }
  __syncwarp();
  for (std::uint32_t first = 0; __any_sync(kWholeWarp, first < wanted); first += kTurn) {
    const std::uint32_t some = min(kTurn, wanted - min(first, wanted));
    const std::uint32_t end = inclusive_sum(some);
    if (some > 0) {
      std::uint32_t at = end - some;
      std::uint32_t number = 0;
      own.for_each(task, place, [&](std::uint32_t centroid) {
        const bool is_now = number >= first && number < first + kTurn;
        ++number;
        if (!is_now) return;
        shared.owners[at] = static_cast<std::uint8_t>(lane_id());
        shared.centroids[at++] = centroid;
      });
    }
    __syncwarp();
    compare_pairs(task, shared, __shfl_sync(kWholeWarp, end, kWarp - 1),
                  [&](std::uint32_t i, std::uint32_t& point, std::uint32_t& centroid) {
                    point = shared.owners[i];
                    centroid = shared.centroids[i];
                  });
  }
  // Points with too many candidates are compared with all centroids.
  std::uint32_t full = __ballot_sync(kWholeWarp, exists && own.is_full);
  for (; full != 0; full &= full - 1) {
    const std::uint32_t lane = __ffs(static_cast<int>(full)) - 1;
    compare_pairs(task, shared, task.centroids.count,
                  [&](std::uint32_t i, std::uint32_t& point, std::uint32_t& centroid) {
                    point = lane;
                    centroid = i;
                  });
  }
  if (!exists) return;
  const std::uint64_t nearest = shared.nearest[lane_id()];
  if (nearest != ~std::uint64_t{0}) {
    task.clusters[position] = static_cast<std::uint32_t>(nearest);
    task.distances[position] = __uint_as_float(static_cast<std::uint32_t>(nearest >> 32));
  } else {
    task.clusters[position] = own.centroid;
    // The sum is a lower bound: without what it was lowered by, errors cancel out over all points.
    const float sum =
        own.sum + task.centroids.bounds->relative * task.centroids.sizes[own.centroid];
    task.distances[position] = fmaxf(0.0F, sum * task.scale + task.points.norms[position]);
  }
}

}  // namespace

void resolve_points(const ResolveTask& task, const Stream& stream) {
  launch({.name = "resolve",
          .ctas = (task.places - 1) / kThreads + 1,
          .threads = kThreads,
          .stream = stream.handle()},
         resolve, task);
}

}  // namespace warpdex::vector
