// Launches of Parallel Merge Find.
#include "benchmarks/parallel_merge_find.cuh"

#include <cub/device/device_scan.cuh>
#include <string>

#include "benchmarks/parallel_merge_find.hpp"
#include "warpdex/core/cuda/check_internal.hpp"

namespace warpdex {
namespace {

std::uint32_t divided_up(std::uint32_t value, std::uint32_t by) {
  return static_cast<std::uint32_t>((std::uint64_t{value} + by - 1) / by);
}

/// How much finer each level's splitters are than the one's above, a power of two: the levels share
/// the work of placing `splitters` evenly.
std::uint32_t fan_out(std::uint32_t splitters, int levels) {
  std::uint32_t fan = 2;
  for (;; fan *= 2) {
    std::uint64_t reach = 1;
    for (int i = 0; i < levels; ++i) reach *= fan;
    if (reach >= splitters || fan >= 1U << 15) return fan;
  }
}

}  // namespace

ListIntersection::ListIntersection(std::uint32_t max_elements, int device)
    : max_elements_(max_elements) {
  const std::uint32_t tiles = divided_up(max_elements, kMergeTile);
  places_ = DeviceArray<std::uint32_t>(2 * std::size_t{tiles} + 4 * kMaxMergeLevels, device);
  words_ = DeviceArray<std::uint32_t>(std::size_t{tiles} * (kMergeTile / 32), device);
  counts_ = DeviceArray<std::uint32_t>(tiles, device);
  starts_ = DeviceArray<std::uint32_t>(tiles, device);
  const CurrentDevice current(device);
  std::size_t bytes = 0;
  check_cuda(cub::DeviceScan::ExclusiveSum(nullptr, bytes, counts_.data(), starts_.data(),
                                           static_cast<int>(tiles)),
             "cub::DeviceScan::ExclusiveSum");
  scan_scratch_ = DeviceBuffer(bytes, device);
}

void ListIntersection::run(const std::uint32_t* shorter, std::uint32_t shorter_size,
                           const std::uint32_t* longer, std::uint32_t longer_size, int levels,
                           std::uint32_t* out, std::uint32_t* out_size, const Stream& stream) {
  if (levels < 0 || levels > kMaxMergeLevels) {
    throw UsageError("intersection by Parallel Merge Find has 0 to 4 levels, not " +
                     std::to_string(levels));
  }
  if (shorter_size > max_elements_) {
    throw UsageError("a list of " + std::to_string(shorter_size) +
                     " elements is longer than the intersection was made for, " +
                     std::to_string(max_elements_));
  }
  const CurrentDevice current(stream.device());
  const cudaStream_t handle = stream.handle();
  if (shorter_size == 0) {
    check_cuda(cudaMemsetAsync(out_size, 0, sizeof *out_size, handle), "cudaMemsetAsync");
    return;
  }
  const std::uint32_t tiles = divided_up(shorter_size, kMergeTile);
  SplitterLevel level{places_.data(), 0, 0};
  const std::uint32_t fan = fan_out(tiles, levels > 0 ? levels : 1);
  std::uint32_t* places = places_.data();
  for (int left = levels; left > 0; --left) {
    std::uint64_t stride = kMergeTile;
    for (int i = 1; i < left; ++i) stride *= fan;
    if (stride >= shorter_size && left > 1) continue;  // a single splitter bounds nothing
    const SplitterLevel next{places, divided_up(shorter_size, static_cast<std::uint32_t>(stride)),
                             static_cast<std::uint32_t>(stride)};
    place_splitters<<<next.count / 128 + 1, 128, 0, handle>>>(shorter, longer, longer_size, level,
                                                              next);
    check_launch("place_splitters");
    places += next.count + 1;
    level = next;
  }
  match_tiles<<<tiles, kMergeThreads, 0, handle>>>(shorter, shorter_size, longer, longer_size,
                                                   level,
                                                   TileMatches{words_.data(), counts_.data()});
  check_launch("match_tiles");
  std::size_t bytes = scan_scratch_.size();
  check_cuda(cub::DeviceScan::ExclusiveSum(scan_scratch_.data(), bytes, counts_.data(),
                                           starts_.data(), static_cast<int>(tiles), handle),
             "cub::DeviceScan::ExclusiveSum");
  write_matches<<<tiles, kMergeThreads, 0, handle>>>(shorter, words_.data(), starts_.data(), tiles,
                                                     out, out_size);
  check_launch("write_matches");
}

}  // namespace warpdex
