// Each changed point is taken off one sum and added to another. Sorted by cluster, then by point,
// these are summed up in parts, as all points are.
#include <algorithm>
#include <bit>
#include <cub/device/device_radix_sort.cuh>

#include "kmeans/gpu/kernels.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kSumThreads = 128;

/// A change of a sum: a cluster, a point, and whether the point comes or goes. Sorted by the first
/// two.
struct Change {
  std::uint64_t key;

  __device__ explicit Change(std::uint64_t given) : key(given) {}
  __device__ Change(std::uint32_t cluster, std::uint32_t point, bool comes)
      : key(std::uint64_t{cluster} << kClusterShift | std::uint64_t{point} << 1 | (comes ? 1 : 0)) {
  }
  __device__ std::uint32_t cluster() const {
    return static_cast<std::uint32_t>(key >> kClusterShift);
  }
  __device__ std::uint32_t point() const { return static_cast<std::uint32_t>(key >> 1); }
  __device__ bool comes() const { return (key & 1) != 0; }

  static constexpr int kClusterShift = 33;
};

/// Work item: a point, a thread. The changes come in no fixed order.
__global__ void __launch_bounds__(kThreads)
    list_changes(const std::uint32_t* before, const std::uint32_t* clusters, std::uint32_t points,
                 std::uint64_t* keys, std::uint32_t* count) {
  const std::uint32_t point = blockIdx.x * kThreads + threadIdx.x;
  const bool has_changed = point < points && before[point] != clusters[point];
  const std::uint32_t mask = __ballot_sync(kWholeWarp, has_changed);
  if (mask == 0) return;
  std::uint32_t first = 0;
  if (lane_id() == 0) first = atomicAdd(count, static_cast<std::uint32_t>(__popc(mask)));
  first = __shfl_sync(kWholeWarp, first, 0);
  if (!has_changed) return;
  const std::uint32_t at = first + __popc(mask & ((1U << lane_id()) - 1));
  keys[2 * at] = Change(before[point], point, false).key;
  keys[2 * at + 1] = Change(clusters[point], point, true).key;
}

/// Work item: a sorted change, a thread, which sets the begins of the clusters behind the one
/// before it up to its own.
__global__ void __launch_bounds__(kThreads)
    set_change_begins(const std::uint64_t* keys, std::uint32_t count, std::uint32_t clusters,
                      std::uint32_t* begins) {
  const std::uint32_t i = blockIdx.x * kThreads + threadIdx.x;
  if (i > count) return;
  const std::uint32_t first = i == 0 ? 0 : Change(keys[i - 1]).cluster() + 1;
  const std::uint32_t last = i == count ? clusters : Change(keys[i]).cluster();
  for (std::uint32_t cluster = first; cluster <= last; ++cluster) begins[cluster] = i;
}

/// Work item: 128 components of a part of a cluster's changes, a CTA. Reading the points bounds it.
__global__ void __launch_bounds__(kSumThreads)
    sum_changes(DevicePoints points, const std::uint64_t* keys, const std::uint32_t* begins,
                std::uint32_t parts, double* sums) {
  const std::uint32_t cluster = blockIdx.x / parts;
  const std::uint32_t part = blockIdx.x % parts;
  const std::uint32_t column = blockIdx.y * kSumThreads + threadIdx.x;
  if (column >= points.dimension) return;
  const std::uint64_t size = begins[cluster + 1] - begins[cluster];
  const auto begin = static_cast<std::uint32_t>(begins[cluster] + size * part / parts);
  const auto end = static_cast<std::uint32_t>(begins[cluster] + size * (part + 1) / parts);
  double sum = 0;
#pragma unroll 8
  for (std::uint32_t i = begin; i < end; ++i) {
    const Change change(keys[i]);
    const float x = points.values[std::size_t{change.point()} * points.dimension + column];
    sum = __dadd_rn(sum, change.comes() ? x : -x);
  }
  sums[std::size_t{blockIdx.x} * points.dimension + column] = sum;
}

/// Work item: a component of a cluster, a thread.
__global__ void __launch_bounds__(kThreads)
    add_changes(const double* parts_of_sums, std::uint32_t parts, std::size_t size,
                std::uint32_t dimension, double* sums) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= size) return;
  double sum = sums[i];
  for (std::uint32_t part = 0; part < parts; ++part) {
    const std::size_t row = i / dimension * parts + part;
    sum = __dadd_rn(sum, parts_of_sums[row * dimension + i % dimension]);
  }
  sums[i] = sum;
}

}  // namespace

ClusterChanges::ClusterChanges(std::uint32_t points, std::uint32_t clusters)
    : clusters_(clusters),
      max_changed_(points / 8),
      bits_(Change::kClusterShift + static_cast<int>(std::bit_width(clusters))) {
  if (max_changed_ == 0) return;
  check_cuda(cub::DeviceRadixSort::SortKeys(nullptr, scratch_bytes_, keys_, sorted_,
                                            2 * max_changed_, 0, bits_),
             "cub::DeviceRadixSort::SortKeys");
}

void ClusterChanges::lay_out(Arena& arena) {
  scratch_ = arena.take<std::uint8_t>(scratch_bytes_);
  keys_ = arena.take<std::uint64_t>(std::size_t{2} * max_changed_);
  sorted_ = arena.take<std::uint64_t>(std::size_t{2} * max_changed_);
  begins_ = arena.take<std::uint32_t>(std::size_t{clusters_} + 1);
  count_ = arena.take<std::uint32_t>(1);
}

void ClusterChanges::update_sums(const DevicePoints& points, const std::uint32_t* before,
                                 const std::uint32_t* clusters, std::uint32_t changed,
                                 double* parts_of_sums, double* sums, const Stream& stream) {
  if (changed == 0) return;
  check_cuda(cudaMemsetAsync(count_, 0, sizeof(*count_), stream.handle()), "cudaMemsetAsync");
  launch(launch_over("list_changes", points.count, kThreads, stream.handle()), list_changes, before,
         clusters, points.count, keys_, count_);
  const std::uint32_t entries = 2 * changed;
  check_cuda(cub::DeviceRadixSort::SortKeys(scratch_, scratch_bytes_, keys_, sorted_, entries, 0,
                                            bits_, stream.handle()),
             "cub::DeviceRadixSort::SortKeys");
  launch(launch_over("set_change_begins", std::size_t{entries} + 1, kThreads, stream.handle()),
         set_change_begins, sorted_, entries, clusters_, begins_);
  const std::uint32_t parts = mean_parts(clusters_);
  launch({.name = "sum_changes",
          .ctas = dim3(clusters_ * parts, (points.dimension - 1) / kSumThreads + 1),
          .threads = kSumThreads,
          .stream = stream.handle()},
         sum_changes, points, sorted_, begins_, parts, parts_of_sums);
  const std::size_t size = std::size_t{clusters_} * points.dimension;
  launch(launch_over("add_changes", size, kThreads, stream.handle()), add_changes, parts_of_sums,
         parts, size, points.dimension, sums);
}

}  // namespace warpdex::vector
