// Sorting by CUB, and sums whose order does not depend on the GPU.
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "kmeans/gpu/kernels.hpp"
#include "kmeans/update.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;

__device__ std::uint32_t own_item() { return blockIdx.x * kThreads + threadIdx.x; }

/// Work item: a point, a thread. Distances are not negative, so their bits have their order.
__global__ void make_keys(const std::uint32_t* clusters, const float* distances,
                          std::uint32_t count, std::uint64_t* keys, std::uint32_t* points) {
  const std::uint32_t i = own_item();
  if (i >= count) return;
  const std::uint32_t low = distances == nullptr ? 0 : __float_as_uint(distances[i]);
  keys[i] = std::uint64_t{clusters[i]} << 32 | low;
  points[i] = i;
}

/// Work item: a sorted point, a thread, which sets the begins of the clusters from the one before
/// it up to its own.
__global__ void set_begins(const std::uint64_t* keys, std::uint32_t count, std::uint32_t clusters,
                           std::uint32_t* begins) {
  const std::uint32_t i = own_item();
  if (i > count) return;
  const std::uint32_t first = i == 0 ? 0 : static_cast<std::uint32_t>(keys[i - 1] >> 32) + 1;
  const std::uint32_t last = i == count ? clusters : static_cast<std::uint32_t>(keys[i] >> 32);
  for (std::uint32_t cluster = first; cluster <= last; ++cluster) begins[cluster] = i;
}

constexpr std::uint32_t kMeanThreads = 128;

/// Work item: 128 components of a part of a cluster's points, a CTA. Reading the points bounds it.
__global__ void __launch_bounds__(kMeanThreads)
    sum_parts(DevicePoints points, const std::uint32_t* members, const std::uint32_t* begins,
              std::uint32_t parts, double* sums) {
  const std::uint32_t cluster = blockIdx.x / parts;
  const std::uint32_t part = blockIdx.x % parts;
  const std::uint32_t column = blockIdx.y * kMeanThreads + threadIdx.x;
  if (column >= points.dimension) return;
  const std::uint64_t size = begins[cluster + 1] - begins[cluster];
  const auto begin = static_cast<std::uint32_t>(begins[cluster] + size * part / parts);
  const auto end = static_cast<std::uint32_t>(begins[cluster] + size * (part + 1) / parts);
  double sum = 0;
#pragma unroll 8
  for (std::uint32_t i = begin; i < end; ++i) {
    sum = __dadd_rn(sum, points.values[std::size_t{members[i]} * points.dimension + column]);
  }
  sums[std::size_t{blockIdx.x} * points.dimension + column] = sum;
}

/// Work item: a component of a cluster, a thread.
__global__ void __launch_bounds__(kThreads)
    add_parts(const double* parts_of_sums, std::uint32_t parts, std::size_t size,
              std::uint32_t dimension, double* sums) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= size) return;
  double sum = 0;
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::size_t row = i / dimension * parts + part;
    sum = __dadd_rn(sum, parts_of_sums[row * dimension + i % dimension]);
  }
  sums[i] = sum;
}

/// Work item: a component of a centroid, a thread.
__global__ void __launch_bounds__(kThreads)
    divide(const double* sums, const std::uint32_t* begins, std::size_t size,
           std::uint32_t dimension, float* centroids) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= size) return;
  const std::size_t cluster = i / dimension;
  const std::uint32_t points = begins[cluster + 1] - begins[cluster];
  if (points > 0) centroids[i] = __double2float_rn(__ddiv_rn(sums[i], points));
}

/// Work item: a component of a cluster, a thread.
__global__ void __launch_bounds__(kThreads)
    add_share(const double* sums, bool is_first, std::size_t size, double* all) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i < size) all[i] = __dadd_rn(is_first ? 0. : all[i], sums[i]);
}

/// Work item: a component of a centroid, a thread.
__global__ void __launch_bounds__(kThreads)
    divide_shared(SharedSums all, std::size_t size, std::uint32_t dimension, float* centroids) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= size) return;
  const std::uint64_t points = all.sizes[i / dimension];
  if (points == 0) return;
  centroids[i] = __double2float_rn(__ddiv_rn(all.sums[i], __ull2double_rn(points)));
}

__device__ double block_sum(double value) {
  __shared__ double warps[kThreads / kWarp];
  for (int lanes = 16; lanes > 0; lanes /= 2) {
    value += __shfl_xor_sync(kWholeWarp, value, lanes);
  }
  if (lane_id() == 0) warps[threadIdx.x / kWarp] = value;
  __syncthreads();
  double sum = 0;
  for (std::uint32_t warp = 0; warp < kThreads / kWarp; ++warp) sum += warps[warp];
  return sum;
}

/// Work item: a share of the points, a CTA.
__global__ void __launch_bounds__(kThreads)
    sum_shares(const float* distances, const std::uint32_t* clusters, const std::uint32_t* before,
               std::uint32_t count, double* partial, IterationFigures* figures) {
  double sum = 0;
  std::uint32_t changed = 0;
  for (std::uint32_t i = own_item(); i < count; i += gridDim.x * kThreads) {
    sum += double{distances[i]};
    changed += clusters[i] != before[i] ? 1 : 0;
    if (count - i <= gridDim.x * kThreads) break;
  }
  sum = block_sum(sum);
  if (threadIdx.x == 0) partial[blockIdx.x] = sum;
  if (changed > 0) atomicAdd(&figures->changed, changed);
}

__global__ void __launch_bounds__(kThreads)
    sum_partial(const double* partial, std::uint32_t count, IterationFigures* figures) {
  double sum = 0;
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) sum += partial[i];
  sum = block_sum(sum);
  if (threadIdx.x == 0) figures->objective = sum;
}

/// One CTA: a repair may read what the one before it wrote.
__global__ void __launch_bounds__(kThreads)
    split_all(DevicePoints points, const DeviceRepair* repairs, std::uint32_t count,
              float* centroids) {
  for (std::uint32_t i = 0; i < count; ++i) {
    const DeviceRepair one = repairs[i];
    float* const kept = centroids + std::size_t{one.parted} * points.dimension;
    float* const placed = centroids + std::size_t{one.cluster} * points.dimension;
    const float* const point = points.values + std::size_t{one.point} * points.dimension;
    for (std::uint32_t c = threadIdx.x; c < points.dimension; c += kThreads) {
      const float step = __fmul_rn(kSplitShare, __fsub_rn(point[c], kept[c]));
      placed[c] = __fadd_rn(kept[c], step);
      kept[c] = __fsub_rn(kept[c], step);
    }
    __syncthreads();
  }
}

/// Work item: a share of `count` points, `step` apart, a CTA.
__global__ void __launch_bounds__(kThreads)
    sum_points(DevicePoints points, std::uint32_t count, std::uint32_t step, double* partial) {
  for (std::uint32_t c = threadIdx.x; c < points.dimension; c += kThreads) {
    double sum = 0;
    for (std::uint32_t i = blockIdx.x; i < count; i += gridDim.x) {
      sum += double{points.values[std::size_t{i} * step * points.dimension + c]};
    }
    partial[std::size_t{blockIdx.x} * points.dimension + c] = sum;
  }
}

__global__ void __launch_bounds__(kThreads)
    divide_sums(const double* partial, std::uint32_t shares, std::uint32_t count,
                std::uint32_t dimension, float* mean) {
  const std::uint32_t c = own_item();
  if (c >= dimension) return;
  double sum = 0;
  for (std::uint32_t i = 0; i < shares; ++i) sum += partial[std::size_t{i} * dimension + c];
  mean[c] = static_cast<float>(sum / count);
}

/// Work item: a point, a warp.
__global__ void __launch_bounds__(kThreads)
    find_squares(DevicePoints points, const float* centre, float limit, float* norms,
                 NormFigures* figures) {
  const std::uint32_t point = blockIdx.x * (kThreads / kWarp) + warp_id();
  if (point >= points.count) return;
  const float* const row = points.values + std::size_t{point} * points.dimension;
  double sum = 0;
  for (std::uint32_t c = lane_id(); c < points.dimension; c += kWarp) {
    const float left = __fsub_rn(row[c], centre[c]);
    sum += double{left} * double{left};
  }
  for (int lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_xor_sync(kWholeWarp, sum, lanes);
  if (lane_id() != 0) return;
  const auto norm = static_cast<float>(sum);
  norms[point] = norm;
  if (!(norm <= limit)) atomicMin(&figures->first_far, point);
  // Norms are not negative, so their bits have their order. Most are smaller than one before.
  const auto bits = static_cast<int>(__float_as_uint(norm));
  if (bits > *reinterpret_cast<volatile int*>(&figures->largest_bits)) {
    atomicMax(&figures->largest_bits, bits);
  }
}

__global__ void copy_rows_of(DevicePoints points, const std::uint32_t* rows, std::size_t size,
                             float* centroids) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= size) return;
  centroids[i] = points.values[std::size_t{rows[i / points.dimension]} * points.dimension +
                               i % points.dimension];
}

/// Work item: a cluster, a CTA.
__global__ void __launch_bounds__(kThreads)
    list_rest(const std::uint32_t* members, const std::uint32_t* begins, std::uint32_t limit,
              std::uint32_t* is_closed, std::uint32_t* surplus, std::uint32_t* count) {
  const std::uint32_t begin = begins[blockIdx.x];
  const std::uint32_t size = begins[blockIdx.x + 1] - begin;
  if (size < limit) return;
  __shared__ std::uint32_t first;
  if (threadIdx.x == 0) {
    is_closed[blockIdx.x] = 1;
    first = atomicAdd(count, size - limit);
  }
  __syncthreads();
  for (std::uint32_t i = limit + threadIdx.x; i < size; i += kThreads) {
    surplus[first + i - limit] = members[begin + i];
  }
}

}  // namespace

DeviceMembers::DeviceMembers(std::uint32_t points, std::uint32_t clusters)
    : count_(points), clusters_(clusters), bits_(std::bit_width(clusters)) {
  check_cuda(cub::DeviceRadixSort::SortPairs(nullptr, scratch_bytes_, keys_, keys_out_, points_,
                                             points_out_, count_, 0, 32 + bits_),
             "cub::DeviceRadixSort::SortPairs");
}

void DeviceMembers::lay_out(Arena& arena) {
  scratch_ = arena.take<std::uint8_t>(scratch_bytes_);
  keys_ = arena.take<std::uint64_t>(count_);
  keys_out_ = arena.take<std::uint64_t>(count_);
  points_ = arena.take<std::uint32_t>(count_);
  points_out_ = arena.take<std::uint32_t>(count_);
  begins_ = arena.take<std::uint32_t>(std::size_t{clusters_} + 1);
}

void DeviceMembers::sort(const std::uint32_t* clusters, const Stream& stream) {
  launch(launch_over("make_keys", count_, kThreads, stream.handle()), make_keys, clusters, nullptr,
         count_, keys_, points_);
  check_cuda(cub::DeviceRadixSort::SortPairs(scratch_, scratch_bytes_, keys_, keys_out_, points_,
                                             points_out_, count_, 32, 32 + bits_, stream.handle()),
             "cub::DeviceRadixSort::SortPairs");
  find_begins(stream);
}

void DeviceMembers::sort_by_distance(const std::uint32_t* clusters, const float* distances,
                                     const Stream& stream) {
  launch(launch_over("make_keys", count_, kThreads, stream.handle()), make_keys, clusters,
         distances, count_, keys_, points_);
  check_cuda(cub::DeviceRadixSort::SortPairs(scratch_, scratch_bytes_, keys_, keys_out_, points_,
                                             points_out_, count_, 0, 32 + bits_, stream.handle()),
             "cub::DeviceRadixSort::SortPairs");
  find_begins(stream);
}

void DeviceMembers::find_begins(const Stream& stream) {
  launch(launch_over("set_begins", std::size_t{count_} + 1, kThreads, stream.handle()), set_begins,
         keys_out_, count_, clusters_, begins_);
}

std::uint32_t mean_parts(std::uint32_t clusters) {
  constexpr std::uint32_t kEnoughCtas = 4096;
  constexpr std::uint32_t kMostMeanParts = 64;
  return std::clamp(kEnoughCtas / clusters, 1U, kMostMeanParts);
}

void sum_clusters(const DevicePoints& points, const DeviceMembers& members, std::uint32_t clusters,
                  double* parts_of_sums, double* sums, const Stream& stream) {
  const std::uint32_t parts = mean_parts(clusters);
  launch({.name = "sum_parts",
          .ctas = dim3(clusters * parts, (points.dimension - 1) / kMeanThreads + 1),
          .threads = kMeanThreads,
          .stream = stream.handle()},
         sum_parts, points, members.points(), members.begins(), parts,
         parts == 1 ? sums : parts_of_sums);
  if (parts == 1) return;
  const std::size_t size = std::size_t{clusters} * points.dimension;
  launch(launch_over("add_parts", size, kThreads, stream.handle()), add_parts, parts_of_sums, parts,
         size, points.dimension, sums);
}

void move_centroids(const DeviceMembers& members, std::uint32_t clusters, std::uint32_t dimension,
                    const double* sums, float* centroids, const Stream& stream) {
  const std::size_t size = std::size_t{clusters} * dimension;
  launch(launch_over("divide", size, kThreads, stream.handle()), divide, sums, members.begins(),
         size, dimension, centroids);
}

void add_sums(const double* sums, bool is_first, std::size_t size, const SharedSums& all,
              const Stream& stream) {
  launch(launch_over("add_share", size, kThreads, stream.handle()), add_share, sums, is_first, size,
         all.sums);
}

void move_centroids(const SharedSums& all, std::uint32_t clusters, std::uint32_t dimension,
                    float* centroids, const Stream& stream) {
  const std::size_t size = std::size_t{clusters} * dimension;
  launch(launch_over("divide_shared", size, kThreads, stream.handle()), divide_shared, all, size,
         dimension, centroids);
}

void sum_up(const float* distances, const std::uint32_t* clusters, const std::uint32_t* before,
            std::uint32_t count, double* partial, IterationFigures* figures, const Stream& stream) {
  check_cuda(cudaMemsetAsync(figures, 0, sizeof(*figures), stream.handle()), "cudaMemsetAsync");
  launch(
      {.name = "sum_shares", .ctas = kPartialSums, .threads = kThreads, .stream = stream.handle()},
      sum_shares, distances, clusters, before, count, partial, figures);
  launch({.name = "sum_partial", .ctas = 1, .threads = kThreads, .stream = stream.handle()},
         sum_partial, partial, kPartialSums, figures);
}

void split_centroids(const DevicePoints& points, const DeviceRepair* repairs, std::uint32_t count,
                     float* centroids, const Stream& stream) {
  launch({.name = "split_all", .ctas = 1, .threads = kThreads, .stream = stream.handle()},
         split_all, points, repairs, count, centroids);
}

void find_centre(const DevicePoints& points, double* partial, float* centre, const Stream& stream) {
  constexpr std::uint32_t kSample = 65'536;
  const std::uint32_t count = std::min(points.count, kSample);
  const std::uint32_t shares = std::min(kPartialSums, count);
  launch({.name = "sum_points", .ctas = shares, .threads = kThreads, .stream = stream.handle()},
         sum_points, points, count, points.count / count, partial);
  launch(launch_over("divide_sums", points.dimension, kThreads, stream.handle()), divide_sums,
         partial, shares, count, points.dimension, centre);
}

void find_norms(const DevicePoints& points, const float* centre, float limit, float* norms,
                NormFigures* figures, const Stream& stream) {
  check_cuda(cudaMemsetAsync(&figures->largest_bits, 0, sizeof(int), stream.handle()),
             "cudaMemsetAsync");
  check_cuda(cudaMemsetAsync(&figures->first_far, 0xFF, sizeof(std::uint32_t), stream.handle()),
             "cudaMemsetAsync");
  launch({.name = "find_squares",
          .ctas = (points.count - 1) / (kThreads / kWarp) + 1,
          .threads = kThreads,
          .stream = stream.handle()},
         find_squares, points, centre, limit, norms, figures);
}

void copy_points(const DevicePoints& points, const std::uint32_t* rows, std::uint32_t count,
                 float* centroids, const Stream& stream) {
  const std::size_t size = std::size_t{count} * points.dimension;
  launch(launch_over("copy_rows_of", size, kThreads, stream.handle()), copy_rows_of, points, rows,
         size, centroids);
}

void list_surplus(const DeviceMembers& members, std::uint32_t clusters, std::uint32_t limit,
                  std::uint32_t* is_closed, std::uint32_t* surplus, std::uint32_t* count,
                  const Stream& stream) {
  launch({.name = "list_rest", .ctas = clusters, .threads = kThreads, .stream = stream.handle()},
         list_rest, members.points(), members.begins(), limit, is_closed, surplus, count);
}

}  // namespace warpdex::vector
