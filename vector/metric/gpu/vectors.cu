// Distances of vectors, eight rows of one query a warp; or of four queries, where all queries are
// compared with the same rows. Lane l adds up components l, l + 32 and so on, as the CPU's lanes do
// (distance/distance_kernels.hpp), so the bits are the same.
#include <cstdint>

#include "flat/gpu/canonical.cuh"
#include "metric/angle.hpp"
#include "metric/gpu/kernels.hpp"
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

constexpr std::uint32_t kTileQueries = kQueriesOfTile;
constexpr std::uint32_t kTile = kRows * kTileQueries;  ///< pairs of a warp, one a lane in the end
static_assert(kTile == kWarp);
/// Queries that a CTA goes through: its rows stay in the L1 cache.
constexpr std::uint32_t kQueriesOfCta = 16;

/// What a warp of a tile adds up in; a policy for each distance. of() is called by the whole warp
/// and gives lane l the distance of query l / 8 and row l % 8.
struct L2Tile {
  struct Storage {};
  __device__ static float of(const PairTask& task, const RowsOfWarp& own, const float* queries,
                             Storage& /*storage*/) {
    float sums[kTile] = {};
    vector::add_terms<true, kRows, kTileQueries>(own.rows, queries, task.queries.stride,
                                                 task.objects.dimension, sums);
    vector::add_lanes<kTile>(sums);
    return __fsqrt_rn(sums[0]);
  }
};

struct AngularTile {
  using Storage = L2Tile::Storage;
  __device__ static float of(const PairTask& task, const RowsOfWarp& own, const float* queries,
                             Storage& storage) {
    return angle_of_chord(L2Tile::of(task, own, queries, storage));
  }
};

struct L1Tile {
  struct Storage {
    float sums[kTile][kWarp + 1];  ///< of each pair and lane; one more, so that banks differ
  };
  __device__ static float of(const PairTask& task, const RowsOfWarp& own, const float* queries,
                             Storage& storage) {
    float sums[kTile] = {};
    for (std::uint32_t begin = 0; begin < task.objects.dimension; begin += kWarp) {
      const std::uint32_t column = begin + lane_id();
      float x[kRows];
#pragma unroll
      for (std::uint32_t r = 0; r < kRows; ++r) {
        x[r] = column < task.objects.dimension ? own.rows[r][column] : 0.0F;
      }
#pragma unroll
      for (std::uint32_t q = 0; q < kTileQueries; ++q) {
        const float y = queries[std::size_t{q} * task.queries.stride + column];
#pragma unroll
        for (std::uint32_t r = 0; r < kRows; ++r) {
          sums[q * kRows + r] = __fadd_rn(sums[q * kRows + r], fabsf(__fsub_rn(y, x[r])));
        }
      }
    }
    __syncwarp();  // all have read the sums of the tile before
#pragma unroll
    for (std::uint32_t pair = 0; pair < kTile; ++pair) storage.sums[pair][lane_id()] = sums[pair];
    __syncwarp();
    // In double, in the order of lanes.
    double sum = 0;
    for (std::uint32_t l = 0; l < kWarp; ++l) {
      sum = __dadd_rn(sum, double{storage.sums[lane_id()][l]});
    }
    return __double2float_rn(sum);
  }
};

/// Work item: 64 rows and 16 queries; a CTA, whose warps have eight rows each and take four queries
/// at a time. Arithmetic bounds it: two instructions for each component of a pair; 64 of them come
/// with 12 loads.
template <class Tile>
__global__ void __launch_bounds__(kThreads) compare_vector_tiles(PairTask task) {
  __shared__ typename Tile::Storage storage[kWarps];
  const std::uint32_t first = (blockIdx.x * kWarps + warp_id()) * kRows;
  if (first >= task.count) return;
  const RowsOfWarp own(task, 0, first);
  const std::uint32_t row = first + lane_id() % kRows;
  const std::uint32_t end = min(task.query_count, (blockIdx.y + 1) * kQueriesOfCta);
  for (std::uint32_t query = blockIdx.y * kQueriesOfCta; query < end; query += kTileQueries) {
    const float* const components = task.queries.vectors + std::size_t{query} * task.queries.stride;
    float distance = Tile::of(task, own, components, storage[warp_id()]);
    if (isnan(distance)) distance = kNoLimit;  // overflow
    const std::uint32_t own_query = query + lane_id() / kRows;
    if (own_query < task.query_count && row < task.count) {
      task.out[own_query * task.out_stride + row] = distance;
    }
  }
}

template <class Tile>
void launch_tiles(const PairTask& task, const Stream& stream) {
  constexpr std::uint32_t kRowsOfCta = kWarps * kRows;
  const auto kernel = compare_vector_tiles<Tile>;
  launch({.name = "compare_vector_tiles",
          .ctas = dim3((task.count + kRowsOfCta - 1) / kRowsOfCta,
                       (task.query_count + kQueriesOfCta - 1) / kQueriesOfCta),
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

void compute_vector_tiles(const PairTask& task, const Stream& stream) {
  switch (task.objects.distance) {
    case DistanceKind::kL1: return launch_tiles<L1Tile>(task, stream);
    case DistanceKind::kL2: return launch_tiles<L2Tile>(task, stream);
    default: return launch_tiles<AngularTile>(task, stream);
  }
}

}  // namespace warpdex::metric
