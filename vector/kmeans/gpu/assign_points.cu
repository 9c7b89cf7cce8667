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
constexpr std::size_t kSlabBytes = std::size_t{2} << 30;
/// Places of a point's list of candidates, at the most.
constexpr std::uint32_t kMaxRoom = 32;
/// Parts of the centroids. Two CTAs that read the same points do not need more of the L2 cache than
/// one, so where points do not stay in shared memory each takes half of the centroids.
constexpr std::uint32_t kMaxParts = 2;

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
  PointCandidate candidates[1];  ///< kPanelRows lists of `room` places
};

struct AssignTask {
  RowPanels points;  ///< from the first panel on
  CentroidPanels centroids;
  std::uint32_t chunks;
  std::uint32_t room;          ///< places of a list
  std::uint32_t first_panels;  ///< of centroids that only give a first limit
  PointCandidates out;         ///< likewise
};

/// Lowers the best sums of the rows to those of a tile; best[m][half] becomes the best so far.
__device__ __forceinline__ void lower_best(PointShared& shared, const float (&lowest)[4][2],
                                           float (&best)[4][2]) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      float value = lowest[m][half];
      value = fminf(value, __shfl_xor_sync(kWholeWarp, value, 1));
      value = fminf(value, __shfl_xor_sync(kWholeWarp, value, 2));
      int* const place = shared.best + row_of_sum(m, half);
      const int old = *reinterpret_cast<volatile int*>(place);
      const int own = to_ordered(value);
      if (own < old && lane_id() % 4 == 0) atomicMin(place, own);
      best[m][half] = from_ordered(min(own, old));
    }
  }
}

/// Takes the sums of a tile that are within the rows' limits.
__device__ __forceinline__ void keep_candidates(PointShared& shared, std::uint32_t room,
                                                const TileSums& sums, const float* offsets,
                                                std::uint32_t first_centroid,
                                                const float (&lowest)[4][2],
                                                const float (&best)[4][2],
                                                const float (&slacks)[4][2]) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const float limit = best[m][half] + slacks[m][half];
      if (lowest[m][half] > limit) continue;
      const std::uint32_t row = row_of_sum(m, half);
#pragma unroll
      for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
        for (std::uint32_t odd = 0; odd < 2; ++odd) {
          const std::uint32_t column = column_of_sum(n, odd);
          const float sum = sums[m][n][2 * half + odd] + offsets[column];
          if (sum > limit || !(sum < FLT_MAX)) continue;
          const std::uint32_t at = atomicAdd(shared.counts + row, 1U);
          if (at < room) shared.candidates[row * room + at] = {sum, first_centroid + column};
        }
      }
    }
  }
}

/// Work item: a panel of points and a part of the centroids (all, where there is one part), a CTA
/// of 4 warps. Shared memory: the points (up to 256 components), 4 chunks of centroids, the
/// candidates. The tensor cores bound it.
__global__ void __launch_bounds__(kProductThreads, 2) assign_panels(AssignTask task) {
  extern __shared__ __align__(128) std::uint8_t memory[];
  auto& shared = *reinterpret_cast<PointShared*>(memory + product_shared_bytes(task.chunks));
  if (threadIdx.x < kPanelRows) {
    shared.best[threadIdx.x] = to_ordered(FLT_MAX);
    shared.counts[threadIdx.x] = 0;
  }
  const std::size_t first_place = std::size_t{blockIdx.y} * kPanelRows;
  const CentroidBounds bounds = *task.centroids.bounds;
  float slacks[4][2];
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
    for (std::uint32_t half = 0; half < 2; ++half) {
      const float slack = task.points.slacks[first_place + row_of_sum(m, half)];
      slacks[m][half] = slack * bounds.share + bounds.slack;
    }
  }
  const std::uint32_t panels = (task.centroids.count + kPanelRows - 1) / kPanelRows;
  const std::uint32_t first = panels * blockIdx.x / gridDim.x;
  const std::uint32_t last = panels * (blockIdx.x + 1) / gridDim.x;
  ProductTask product{task.points.halves + std::size_t{blockIdx.y} * task.chunks * kChunkBytes,
                      task.centroids.panels.halves,
                      task.centroids.offsets,
                      task.chunks,
                      first,
                      min(first + task.first_panels, last)};
  __syncthreads();
  PanelProduct(product, memory)
      .run(clear_sums, [&](std::uint32_t, const TileSums& sums, const float* offsets) {
        float lowest[4][2];
        float best[4][2];
        find_lowest(sums, offsets, lowest);
        lower_best(shared, lowest, best);
      });
  __syncthreads();
  product.last = last;
  PanelProduct(product, memory)
      .run(clear_sums, [&](std::uint32_t panel, const TileSums& sums, const float* offsets) {
        float lowest[4][2];
        float best[4][2];
        find_lowest(sums, offsets, lowest);
        lower_best(shared, lowest, best);
        keep_candidates(shared, task.room, sums, offsets, panel * kPanelRows, lowest, best, slacks);
      });
  __syncthreads();
  if (threadIdx.x < kPanelRows) {
    const std::size_t place = first_place + threadIdx.x;
    const std::size_t list = place * kMaxParts + blockIdx.x;
    task.out.counts[list] = shared.counts[threadIdx.x];
    task.out.limits[list] = from_ordered(shared.best[threadIdx.x]) +
                            task.points.slacks[place] * bounds.share + bounds.slack;
  }
  for (std::uint32_t i = threadIdx.x; i < kPanelRows * task.room; i += kProductThreads) {
    const std::size_t list = (first_place + i / task.room) * kMaxParts + blockIdx.x;
    task.out.candidates[list * kMaxRoom + i % task.room] = shared.candidates[i];
  }
}

constexpr std::uint32_t kThreads = 256;
constexpr int kPairs = 8;  ///< whose distances a warp computes at a time

struct ResolveTask {
  DeviceRows points;
  DeviceChoice choice;
  TileOrder order;
  std::uint32_t first_place;
  std::uint32_t places;
  PointCandidates candidates;
  std::uint32_t room;
  std::uint32_t parts;
  CentroidPanels centroids;
  float scale;              ///< of sums to squared distances
  bool computes_distances;  ///< also of points with one candidate
  std::uint32_t* clusters;
  float* distances;
};

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

/// The largest of the values of all threads of a CTA of 1,024.
__device__ float block_max(float value, float (&warps)[32]) {
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value = fmaxf(value, __shfl_xor_sync(kWholeWarp, value, lanes));
  }
  __syncthreads();
  if (lane_id() == 0) warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  for (const float other : warps) value = fmaxf(value, other);
  return value;
}

/// Work item: a centroid's place in the panels, a thread of one CTA. The centroids' rounding, as it
/// was, takes the place of the largest that there can be: bounds come closer to each other.
__global__ void __launch_bounds__(1024) set_offsets(CentroidPanels centroids, HalfBound bound) {
  __shared__ float warps[32];
  const float infinity = __int_as_float(0x7F800000);
  float rounding = 0;
  for (std::uint32_t i = threadIdx.x; i < centroids.count; i += blockDim.x) {
    rounding = fmaxf(rounding, centroids.panels.roundings[i]);
  }
  rounding = fminf(block_max(rounding, warps) * 1.001F, HalfBound::kUnit);
  const float relative = bound.relative - (HalfBound::kUnit - rounding);
  const std::uint32_t places = (centroids.count + kPanelRows - 1) / kPanelRows * kPanelRows;
  float slack = 0;
  for (std::uint32_t i = threadIdx.x; i < places; i += blockDim.x) {
    centroids.offsets[i] = infinity;
    if (i >= centroids.count) continue;
    if (centroids.is_closed != nullptr && centroids.is_closed[i] != 0) continue;
    // Where nothing is known of its products, all centroids are compared.
    const bool is_known = centroids.panels.is_open[i] == 0;
    const float size = centroids.panels.shifts[i] / (1 - bound.relative);
    centroids.sizes[i] = size;
    centroids.offsets[i] = is_known ? (1 - relative) * size - bound.absolute : 0;
    const float canonical = centroids.panels.slacks[i] - 2 * bound.relative * size;
    slack = fmaxf(slack, is_known ? 2 * relative * size + fmaxf(0, canonical) : infinity);
  }
  slack = block_max(slack, warps);
  if (threadIdx.x != 0) return;
  // Points have slacks by the bound as it was: some of it is left over, and covers roundings here.
  centroids.bounds->slack = slack * 1.001F + 2 * bound.absolute;
  centroids.bounds->share = relative / bound.relative * 1.001F;
  centroids.bounds->relative = relative;
}

}  // namespace

namespace {

constexpr std::size_t shared_bytes(std::uint32_t chunks, std::uint32_t room) {
  return product_shared_bytes(chunks) + sizeof(PointShared) +
         (std::size_t{kPanelRows} * room - 1) * sizeof(PointCandidate);
}

/// So many places that two CTAs fit on a multiprocessor of 228 KiB; no fewer than 12.
constexpr std::uint32_t choose_room(std::uint32_t chunks) {
  constexpr std::size_t kBytesOfCta = 113 * 1024;
  std::uint32_t room = kMaxRoom;
  while (room > 12 && shared_bytes(chunks, room) > kBytesOfCta) --room;
  return room;
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
  candidates_ = {arena.take<PointCandidate>(places * kMaxParts * kMaxRoom),
                 arena.take<std::uint32_t>(places * kMaxParts),
                 arena.take<float>(places * kMaxParts)};
}

void PointAssignment::pack(const DeviceRows& points, const DeviceChoice& choice,
                           const PanelRules& rules, const Stream& stream) {
  const TileOrder order(choice.count, kPanelRows);
  pack_rows(points, choice, order, rules, 0, order.panels(), kept_, stream);
}

void PointAssignment::run(const DeviceRows& points, const DeviceChoice& choice,
                          const PanelRules& rules, const CentroidPanels& centroids,
                          bool uses_panels, bool computes_distances, std::uint32_t* clusters,
                          float* distances, const Stream& stream) {
  const TileOrder order(choice.count, kPanelRows);
  const std::uint32_t chunks = panel_chunks(dimension_);
  const std::uint32_t parts = chunks <= kMaxResidentChunks ? 1 : kMaxParts;
  const std::uint32_t room = choose_room(chunks);
  const std::size_t bytes = shared_bytes(chunks, room);
  // With many centroids, a first look at some of them keeps lists short.
  const std::uint32_t centroid_panels = (centroids.count - 1) / kPanelRows + 1;
  const std::uint32_t first_panels = centroid_panels / parts >= 16 ? 2 : 0;
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
            .ctas = dim3(parts, count),
            .threads = kProductThreads,
            .shared_memory = bytes,
            .stream = stream.handle()},
           assign_panels, AssignTask{part, centroids, chunks, room, first_panels, candidates_});
    const std::uint32_t places = count * kPanelRows;
    launch({.name = "resolve",
            .ctas = (places - 1) / kThreads + 1,
            .threads = kThreads,
            .stream = stream.handle()},
           resolve,
           ResolveTask{points, choice, order, panel * kPanelRows, places, candidates_, room, parts,
                       centroids, 1 / (rules.scale * rules.scale), computes_distances, clusters,
                       distances});
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
