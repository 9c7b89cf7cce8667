// Points are multiplied with all centroids on the tensor cores. What may be the nearest goes into a
// short list of each point.
#include <algorithm>
#include <cfloat>

#include "flat/gpu/panel_product.cuh"
#include "kmeans/gpu/kernels.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

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

/// Lowers the best sums of the rows to those of a tile; best[m][half] becomes the best so far.
__device__ __forceinline__ void lower_best(PointShared& shared,
                                           const float (&lowest)[kRowBlocks][2],
                                           float (&best)[kRowBlocks][2]) {
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
                                                const float (&lowest)[kRowBlocks][2],
                                                const float (&best)[kRowBlocks][2],
                                                const float (&slacks)[kRowBlocks][2]) {
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
__global__ void __launch_bounds__(kProductThreads, 2) assign(AssignTask task, ProductShape shape) {
  extern __shared__ __align__(1024) std::uint8_t memory[];
  auto& shared = *reinterpret_cast<PointShared*>(memory + shape.bytes(task.chunks));
  if (threadIdx.x < kPanelRows) {
    shared.best[threadIdx.x] = to_ordered(FLT_MAX);
    shared.counts[threadIdx.x] = 0;
  }
  const std::size_t first_place = std::size_t{blockIdx.y} * kPanelRows;
  const CentroidBounds bounds = *task.centroids.bounds;
  float slacks[kRowBlocks][2];
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
  PanelProduct(product, shape, memory)
      .run(clear_sums, [&](std::uint32_t, const TileSums& sums, const float* offsets) {
        float lowest[kRowBlocks][2];
        float best[kRowBlocks][2];
        find_lowest(sums, offsets, lowest);
        lower_best(shared, lowest, best);
      });
  __syncthreads();
  product.last = last;
  PanelProduct(product, shape, memory)
      .run(clear_sums, [&](std::uint32_t panel, const TileSums& sums, const float* offsets) {
        float lowest[kRowBlocks][2];
        float best[kRowBlocks][2];
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
    if (i % task.room >= shared.counts[i / task.room]) continue;
    const std::size_t list = (first_place + i / task.room) * kMaxParts + blockIdx.x;
    task.out.candidates[list * kMaxRoom + i % task.room] = shared.candidates[i];
  }
}

/// Places for candidates of a point, at least.
constexpr std::uint32_t kMinRoom = 12;

/// Shared memory beside the panels'.
constexpr std::size_t other_bytes(std::uint32_t room) {
  return sizeof(PointShared) + (std::size_t{kPanelRows} * room - 1) * sizeof(PointCandidate);
}

ProductShape shape_of_gpu() { return product_shape(1, other_bytes(kMinRoom)); }

}  // namespace

std::uint32_t assign_parts(std::uint32_t chunks) {
  return chunks <= kMaxResidentChunks ? 1 : kMaxParts;
}

std::uint32_t assign_room(std::uint32_t chunks) {
  // Two CTAs are to fit on a multiprocessor of 228 KiB.
  constexpr std::size_t kBytesOfCta = 113 * 1024;
  const std::size_t most = std::min(kBytesOfCta, current_chip().shared_memory_of_block);
  const std::size_t panels = shape_of_gpu().bytes(chunks);
  std::uint32_t room = kMaxRoom;
  while (room > kMinRoom && panels + other_bytes(room) > most) --room;
  return room;
}

void assign_panels(const AssignTask& task, std::uint32_t panels, const Stream& stream) {
  const ProductShape shape = shape_of_gpu();
  allow_all_shared_memory(reinterpret_cast<const void*>(assign));
  launch({.name = "assign",
          .ctas = dim3(assign_parts(task.chunks), panels),
          .threads = kProductThreads,
          .shared_memory = shape.bytes(task.chunks) + other_bytes(task.room),
          .stream = stream.handle()},
         assign, task, shape);
}

}  // namespace warpdex::vector
