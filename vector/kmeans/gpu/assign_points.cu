// Points are multiplied with all centroids on the tensor cores. What may be the nearest goes into a
// short list of each point, whose centroids are then compared in the canonical order.
#include <algorithm>
#include <cfloat>

#include "flat/gpu/canonical.cuh"
#include "flat/gpu/panel_product.cuh"
#include "kmeans/gpu/assign_points.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

/// Panels of points that lists of candidates are made for at a time.
constexpr std::uint32_t kSlabPanels = 8192;
/// Bytes of panels that are packed at a time, where they are not kept.
constexpr std::size_t kSlabBytes = std::size_t{512} << 20;
/// Panels of centroids that give a first limit, before any candidate is taken.
constexpr std::uint32_t kFirstPanels = 2;

/// A float as a whole number of the same order.
__device__ __forceinline__ int to_ordered(float value) {
  const int bits = __float_as_int(value);
  return bits < 0 ? bits ^ 0x7FFFFFFF : bits;
}
__device__ __forceinline__ float from_ordered(int bits) {
  return __int_as_float(bits < 0 ? bits ^ 0x7FFFFFFF : bits);
}

/// What a CTA knows of its points.
struct PointShared {
  int best[kPanelRows];  ///< the smallest sum so far, ordered
  std::uint32_t counts[kPanelRows];
  PointCandidate candidates[kPanelRows][kPointCandidates];
};

struct AssignTask {
  RowPanels points;  ///< from the first panel on
  CentroidPanels centroids;
  std::uint32_t chunks;
  PointCandidates out;  ///< likewise
};

/// The smallest sum of each of a thread's 8 rows, over the tile's columns of four lanes.
__device__ __forceinline__ void find_lowest(const TileSums& sums, const float* offsets,
                                            float (&lowest)[4][2]) {
#pragma unroll
  for (std::uint32_t m = 0; m < 4; ++m) lowest[m][0] = lowest[m][1] = FLT_MAX;
#pragma unroll
  for (std::uint32_t n = 0; n < 8; ++n) {
#pragma unroll
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      const float offset = offsets[column_of_sum(n, odd)];
#pragma unroll
      for (std::uint32_t m = 0; m < 4; ++m) {
        lowest[m][0] = fminf(lowest[m][0], sums[m][n][odd] + offset);
        lowest[m][1] = fminf(lowest[m][1], sums[m][n][2 + odd] + offset);
      }
    }
  }
#pragma unroll
  for (std::uint32_t m = 0; m < 4; ++m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      float value = lowest[m][half];
      value = fminf(value, __shfl_xor_sync(kWholeWarp, value, 1));
      lowest[m][half] = fminf(value, __shfl_xor_sync(kWholeWarp, value, 2));
    }
  }
}

/// Lowers the best sums of the rows to those of a tile; lowest[m][half] becomes the best so far.
__device__ __forceinline__ void lower_best(PointShared& shared, float (&lowest)[4][2]) {
#pragma unroll
  for (std::uint32_t m = 0; m < 4; ++m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      int* const best = shared.best + row_of_sum(m, half);
      const int old = *reinterpret_cast<volatile int*>(best);
      const int own = to_ordered(lowest[m][half]);
      if (own < old && lane_id() % 4 == 0) atomicMin(best, own);
      lowest[m][half] = from_ordered(min(own, old));
    }
  }
}

/// Takes the sums of a tile that are within the rows' limits.
__device__ __forceinline__ void keep_candidates(PointShared& shared, const TileSums& sums,
                                                const float* offsets, std::uint32_t first_centroid,
                                                const float (&best)[4][2],
                                                const float (&slacks)[4][2]) {
#pragma unroll
  for (std::uint32_t m = 0; m < 4; ++m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const float limit = best[m][half] + slacks[m][half];
      const std::uint32_t row = row_of_sum(m, half);
#pragma unroll
      for (std::uint32_t n = 0; n < 8; ++n) {
#pragma unroll
        for (std::uint32_t odd = 0; odd < 2; ++odd) {
          const std::uint32_t column = column_of_sum(n, odd);
          const float sum = sums[m][n][2 * half + odd] + offsets[column];
          if (sum > limit || !(sum < FLT_MAX)) continue;
          const std::uint32_t at = atomicAdd(shared.counts + row, 1U);
          if (at < kPointCandidates) shared.candidates[row][at] = {sum, first_centroid + column};
        }
      }
    }
  }
}

__device__ __forceinline__ void clear_sums(TileSums& sums) {
#pragma unroll
  for (std::uint32_t m = 0; m < 4; ++m) {
#pragma unroll
    for (std::uint32_t n = 0; n < 8; ++n) {
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) sums[m][n][i] = 0;
    }
  }
}

/// Work item: a panel of points and all centroids, a CTA of 4 warps. Shared memory: the points (up
/// to 256 components), 4 chunks of centroids, the candidates. The tensor cores bound it.
__global__ void __launch_bounds__(kProductThreads, 2) assign_panels(AssignTask task) {
  extern __shared__ __align__(128) std::uint8_t memory[];
  auto& shared = *reinterpret_cast<PointShared*>(memory + product_shared_bytes(task.chunks));
  shared.best[threadIdx.x] = to_ordered(FLT_MAX);
  shared.counts[threadIdx.x] = 0;
  const std::size_t first_place = std::size_t{blockIdx.x} * kPanelRows;
  const float centroid_slack = *task.centroids.slack;
  float slacks[4][2];
#pragma unroll
  for (std::uint32_t m = 0; m < 4; ++m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      slacks[m][half] = task.points.slacks[first_place + row_of_sum(m, half)] + centroid_slack;
    }
  }
  const std::uint32_t panels = (task.centroids.count + kPanelRows - 1) / kPanelRows;
  ProductTask product{task.points.halves + std::size_t{blockIdx.x} * task.chunks * kChunkBytes,
                      task.centroids.panels.halves,
                      task.centroids.offsets,
                      task.chunks,
                      0,
                      min(kFirstPanels, panels)};
  __syncthreads();
  PanelProduct(product, memory)
      .run(clear_sums, [&](std::uint32_t, const TileSums& sums, const float* offsets) {
        float lowest[4][2];
        find_lowest(sums, offsets, lowest);
        lower_best(shared, lowest);
      });
  __syncthreads();
  product.last = panels;
  PanelProduct(product, memory)
      .run(clear_sums, [&](std::uint32_t panel, const TileSums& sums, const float* offsets) {
        float best[4][2];
        find_lowest(sums, offsets, best);
        lower_best(shared, best);
        keep_candidates(shared, sums, offsets, panel * kPanelRows, best, slacks);
      });
  __syncthreads();
  const std::size_t place = first_place + threadIdx.x;
  task.out.counts[place] = shared.counts[threadIdx.x];
  task.out.limits[place] =
      from_ordered(shared.best[threadIdx.x]) + task.points.slacks[place] + centroid_slack;
  constexpr std::uint32_t kAll = kPanelRows * kPointCandidates;
  for (std::uint32_t i = threadIdx.x; i < kAll; i += kProductThreads) {
    task.out.candidates[first_place * kPointCandidates + i] =
        shared.candidates[i / kPointCandidates][i % kPointCandidates];
  }
}

constexpr std::uint32_t kThreads = 256;
constexpr int kPoints = 8;  ///< of a warp at a time

struct ResolveTask {
  DeviceRows points;
  DeviceChoice choice;
  TileOrder order;
  std::uint32_t first_place;
  std::uint32_t places;
  PointCandidates candidates;
  CentroidPanels centroids;
  std::uint32_t* clusters;
  float* distances;
};

/// The best centroid so far of one point; equal in the four lanes that have the point.
struct Nearest {
  float distance = FLT_MAX;
  std::uint32_t centroid = 0;

  __device__ void add(float other, std::uint32_t number) {
    if (other < distance || (other == distance && number < centroid)) {
      distance = other;
      centroid = number;
    }
  }
};

/// Canonical distances of 8 (point, centroid) pairs; lane l gets that of pair l / 4. A warp.
__device__ float pair_distances(const float* const (&points)[kPoints],
                                const float* const (&centroids)[kPoints], std::uint32_t dimension) {
  float sums[kPoints] = {};
#pragma unroll 2
  for (std::uint32_t begin = 0; begin < dimension; begin += kWarp) {
    const std::uint32_t column = begin + lane_id();
#pragma unroll
    for (int i = 0; i < kPoints; ++i) {
      const float x = column < dimension ? points[i][column] : 0.0F;
      const float y = column < dimension ? centroids[i][column] : 0.0F;
      sums[i] = add_term<true>(x, y, sums[i]);
    }
  }
  add_lanes<kPoints>(sums);
  return sums[0];
}

/// Work item: 8 points, a warp. Reading the points and their candidates bounds it.
__global__ void __launch_bounds__(kThreads) resolve(ResolveTask task) {
  const std::uint32_t first = (blockIdx.x * (kThreads / kWarp) + warp_id()) * kPoints;
  if (first >= task.places) return;
  const auto* const data = static_cast<const float*>(task.points.data);
  const float* points[kPoints];
  std::uint32_t wanted[kPoints];  // bits of the candidates that are to be compared
  std::uint32_t own_position = kNoRow;
  bool takes_all = false;
#pragma unroll
  for (int i = 0; i < kPoints; ++i) {
    const std::uint32_t place = first + i;
    const std::uint32_t position = position_of(task.choice, task.order, task.first_place + place);
    points[i] = data + std::size_t{position == kNoRow ? 0 : position} * task.points.stride;
    if (first_sum<kPoints>() == i) own_position = position;
    const std::uint32_t count = position == kNoRow ? 0 : task.candidates.counts[place];
    takes_all = takes_all || count > kPointCandidates;
    bool is_wanted = lane_id() < min(count, kPointCandidates);
    if (is_wanted) {
      is_wanted =
          task.candidates.candidates[std::size_t{place} * kPointCandidates + lane_id()].sum <=
          task.candidates.limits[place];
    }
    wanted[i] = __ballot_sync(kWholeWarp, is_wanted);
  }
  Nearest nearest;
  const float* centroids[kPoints];
  if (takes_all) {
    for (std::uint32_t number = 0; number < task.centroids.count; ++number) {
      if (task.centroids.is_closed != nullptr && task.centroids.is_closed[number] != 0) continue;
#pragma unroll
      for (int i = 0; i < kPoints; ++i) {
        centroids[i] = task.centroids.centroids + std::size_t{number} * task.points.dimension;
      }
      nearest.add(pair_distances(points, centroids, task.points.dimension), number);
    }
  } else {
    for (;;) {
      std::uint32_t any = 0;
      std::uint32_t own = 0xFFFFFFFF;
#pragma unroll
      for (int i = 0; i < kPoints; ++i) {
        any |= wanted[i];
        std::uint32_t number = 0;
        if (wanted[i] != 0) {
          const int at = __ffs(static_cast<int>(wanted[i])) - 1;
          number =
              task.candidates.candidates[std::size_t{first + i} * kPointCandidates + at].centroid;
          if (first_sum<kPoints>() == i) own = number;
          wanted[i] &= wanted[i] - 1;
        }
        centroids[i] = task.centroids.centroids + std::size_t{number} * task.points.dimension;
      }
      if (any == 0) break;
      const float distance = pair_distances(points, centroids, task.points.dimension);
      if (own != 0xFFFFFFFF) nearest.add(distance, own);
    }
  }
  if (lane_id() % (kWarp / kPoints) == 0 && own_position != kNoRow) {
    task.clusters[own_position] = nearest.centroid;
    task.distances[own_position] = nearest.distance;
  }
}

/// Work item: a centroid's place in the panels, a thread of one CTA, which finds the largest slack.
__global__ void __launch_bounds__(1024) set_offsets(CentroidPanels centroids, HalfBound bound) {
  __shared__ float largest[32];
  const std::uint32_t places = (centroids.count + kPanelRows - 1) / kPanelRows * kPanelRows;
  float slack = 0;
  for (std::uint32_t i = threadIdx.x; i < places; i += blockDim.x) {
    const float infinity = __int_as_float(0x7F800000);
    centroids.offsets[i] = infinity;
    if (i >= centroids.count) continue;
    if (centroids.is_closed != nullptr && centroids.is_closed[i] != 0) continue;
    // Where nothing is known of its products, all centroids are compared.
    const bool is_known = centroids.panels.is_open[i] == 0;
    centroids.offsets[i] = is_known ? centroids.panels.shifts[i] - bound.absolute : 0;
    slack = fmaxf(slack, is_known ? centroids.panels.slacks[i] : infinity);
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    slack = fmaxf(slack, __shfl_xor_sync(kWholeWarp, slack, lanes));
  }
  if (lane_id() == 0) largest[threadIdx.x / kWarp] = slack;
  __syncthreads();
  if (threadIdx.x != 0) return;
  for (std::uint32_t warp = 1; warp < blockDim.x / kWarp; ++warp) {
    slack = fmaxf(slack, largest[warp]);
  }
  *centroids.slack = slack;
}

}  // namespace

PointAssignment::PointAssignment(std::uint32_t dimension, std::uint32_t points, bool keeps_panels)
    : dimension_(dimension), points_(points), keeps_panels_(keeps_panels) {
  const std::uint32_t panels = TileOrder(points, kPanelRows).panels();
  const auto by_bytes =
      static_cast<std::uint32_t>(std::max<std::size_t>(1, kSlabBytes / panel_bytes(dimension)));
  slab_panels_ = std::max(1U, std::min({panels, kSlabPanels, by_bytes}));
}

void PointAssignment::lay_out(Arena& arena) {
  const auto take = [&](std::size_t panels) {
    return RowPanels{arena.take<std::uint8_t>(panels * panel_bytes(dimension_)),
                     arena.take<float>(panels * kPanelRows),
                     arena.take<float>(panels * kPanelRows)};
  };
  if (keeps_panels_) kept_ = take(TileOrder(points_, kPanelRows).panels());
  slab_ = take(slab_panels_);
  const std::size_t places = std::size_t{slab_panels_} * kPanelRows;
  candidates_ = {arena.take<PointCandidate>(places * kPointCandidates),
                 arena.take<std::uint32_t>(places), arena.take<float>(places)};
}

void PointAssignment::pack(const DeviceRows& points, const DeviceChoice& choice,
                           const PanelRules& rules, const Stream& stream) {
  const TileOrder order(choice.count, kPanelRows);
  pack_rows(points, choice, order, rules, 0, order.panels(), kept_, stream);
}

void PointAssignment::run(const DeviceRows& points, const DeviceChoice& choice,
                          const PanelRules& rules, const CentroidPanels& centroids,
                          bool uses_panels, std::uint32_t* clusters, float* distances,
                          const Stream& stream) {
  const TileOrder order(choice.count, kPanelRows);
  const std::uint32_t chunks = panel_chunks(dimension_);
  const std::size_t bytes = product_shared_bytes(chunks) + sizeof(PointShared);
  allow_all_shared_memory(reinterpret_cast<const void*>(assign_panels));
  for (std::uint32_t panel = 0; panel < order.panels(); panel += slab_panels_) {
    const std::uint32_t count = std::min(slab_panels_, order.panels() - panel);
    RowPanels part = slab_;
    if (uses_panels) {
      const std::size_t place = std::size_t{panel} * kPanelRows;
      part = {kept_.halves + panel * panel_bytes(dimension_), kept_.offsets + place,
              kept_.slacks + place};
    } else {
      pack_rows(points, choice, order, rules, panel, count, part, stream);
    }
    launch({.name = "assign_panels",
            .ctas = count,
            .threads = kProductThreads,
            .shared_memory = bytes,
            .stream = stream.handle()},
           assign_panels, AssignTask{part, centroids, chunks, candidates_});
    const std::uint32_t places = count * kPanelRows;
    launch({.name = "resolve",
            .ctas = (places - 1) / (kThreads / kWarp * kPoints) + 1,
            .threads = kThreads,
            .stream = stream.handle()},
           resolve,
           ResolveTask{points, choice, order, panel * kPanelRows, places, candidates_, centroids,
                       clusters, distances});
  }
}

void pack_centroids(const CentroidPanels& centroids, std::uint32_t dimension,
                    const PanelRules& rules, const Stream& stream) {
  pack_queries({centroids.centroids, centroids.count, dimension}, dimension, rules, nullptr, 0,
               centroids.panels, stream);
  launch({.name = "set_offsets", .ctas = 1, .threads = 1024, .stream = stream.handle()},
         set_offsets, centroids, rules.bound);
}

}  // namespace warpdex::vector
