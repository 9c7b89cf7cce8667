// Ranks by counting for up to 256 permutants, whose ranks are bytes; by sorting for more.
#include "metric/gpu/kernels.hpp"

#include "metric/rank_counting.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"
#include "warpdex/core/select/block_cut.cuh"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;

__device__ __forceinline__ std::uint8_t* row_of(const ObjectRanksTask& task, std::uint32_t object,
                                                std::uint32_t row_bytes) {
  const std::uint32_t row = task.places == nullptr ? object : task.places[object];
  return task.rows + std::size_t{row} * row_bytes;
}

__device__ __forceinline__ std::uint32_t four_bytes(const std::uint32_t* ranks) {
  return ranks[0] | ranks[1] << 8 | ranks[2] << 16 | ranks[3] << 24;
}

/// Work item: 32 objects, a lane each; a CTA, whose warps share out the permutants, eight at a
/// time. Shared memory: their distances, up to 32 KB. Comparing bounds it: for m permutants an
/// object takes 2 m^2 instructions and m^2 / 8 loads.
__global__ void __launch_bounds__(kThreads)
    rank_by_counting(ObjectRanksTask task, std::uint32_t row_bytes) {
  extern __shared__ std::uint32_t distances[];  // as bits
  const std::uint32_t object = blockIdx.x * kWarp + lane_id();
  const std::uint32_t read = min(object, task.objects - 1);
  for (std::uint32_t p = warp_id(); p < task.permutants; p += kWarps) {
    distances[p * kWarp + lane_id()] = __float_as_uint(task.distances[p * task.stride + read]);
  }
  __syncthreads();
  if (object >= task.objects) return;
  std::uint8_t* const row = row_of(task, object, row_bytes);
  for (std::uint32_t first = threadIdx.x / kWarp * kRanksAtOnce; first < row_bytes;
       first += kWarps * kRanksAtOnce) {
    std::uint32_t ranks[kRanksAtOnce];
    count_ranks(distances + lane_id(), kWarp, task.permutants, first, ranks);
    *reinterpret_cast<uint2*>(row + first) = {four_bytes(ranks), four_bytes(ranks + 4)};
  }
}

/// Work item: an object, a CTA. Shared memory: a key of 8 bytes for each permutant, and its rank.
/// Shared memory bounds it: for m permutants, a power of two, m log m (log m + 1) / 4 pairs are
/// read and written.
__global__ void __launch_bounds__(kThreads)
    rank_by_sorting(ObjectRanksTask task, std::uint32_t row_bytes) {
  __shared__ Packed32 keys[kMaxPermutants];
  __shared__ alignas(sizeof(uint4)) std::uint16_t ranks[kMaxPermutants];
  const std::uint32_t object = blockIdx.x;
  for (std::uint32_t p = threadIdx.x; p < task.permutants; p += kThreads) {
    // No distance is below 0, so the bits are in the order of distances.
    const std::uint32_t bits = __float_as_uint(task.distances[p * task.stride + object]);
    keys[p] = Packed32{bits} << 32 | p;
  }
  for (std::uint32_t p = threadIdx.x; p < row_bytes / sizeof(std::uint16_t); p += kThreads) {
    ranks[p] = 0;
  }
  __syncthreads();
  sort_entries(keys, static_cast<int>(task.permutants));
  for (std::uint32_t rank = threadIdx.x; rank < task.permutants; rank += kThreads) {
    ranks[static_cast<std::uint32_t>(keys[rank])] = static_cast<std::uint16_t>(rank);
  }
  __syncthreads();
  auto* const row = reinterpret_cast<uint4*>(row_of(task, object, row_bytes));
  const auto* const own = reinterpret_cast<const uint4*>(ranks);
  for (std::uint32_t i = threadIdx.x; i < row_bytes / sizeof(uint4); i += kThreads) row[i] = own[i];
}

}  // namespace

void rank_objects(const ObjectRanksTask& task, const Stream& stream) {
  const auto row_bytes =
      static_cast<std::uint32_t>(rank_stride(task.permutants) * rank_bytes(task.permutants));
  if (rank_bytes(task.permutants) == 1) {
    launch({.name = "rank_by_counting",
            .ctas = (task.objects + kWarp - 1) / kWarp,
            .threads = kThreads,
            .shared_memory = std::size_t{task.permutants} * kWarp * sizeof(std::uint32_t),
            .stream = stream.handle()},
           rank_by_counting, task, row_bytes);
  } else {
    launch({.name = "rank_by_sorting",
            .ctas = task.objects,
            .threads = kThreads,
            .stream = stream.handle()},
           rank_by_sorting, task, row_bytes);
  }
}

}  // namespace warpdex::metric
