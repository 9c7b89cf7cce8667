// Ranks by counting, and distances of permutations.
#include "metric/gpu/kernels.hpp"

#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"
#include "warpdex/core/select/block_cut.cuh"

namespace warpdex::metric {
namespace {

constexpr std::uint32_t kThreads = 256;
/// Queries that a thread compares its object with at once.
constexpr int kQueriesAtOnce = 16;
constexpr std::uint32_t kBytesOfChunk = sizeof(uint4);

/// Work item: a query, a CTA. Shared memory: its distances to the permutants. Instructions bound
/// it: permutants^2 comparisons.
template <class Rank>
__global__ void __launch_bounds__(kThreads)
    rank_permutants_of(const float* distances, std::uint32_t permutants, std::uint32_t stride,
                       DeviceQueryRanks queries) {
  __shared__ float own[kMaxPermutants];
  const std::uint32_t query = blockIdx.x;
  for (std::uint32_t p = threadIdx.x; p < permutants; p += kThreads) {
    own[p] = distances[std::size_t{query} * permutants + p];
  }
  __syncthreads();
  auto* const row = reinterpret_cast<Rank*>(queries.rows) + std::size_t{query} * stride;
  for (std::uint32_t p = threadIdx.x; p < stride; p += kThreads) {
    if (p >= permutants) {
      row[p] = 0;
      continue;
    }
    const int rank = count_before(own, static_cast<int>(permutants), own[p], static_cast<int>(p));
    row[p] = static_cast<Rank>(rank);
    queries.order[std::size_t{query} * permutants + static_cast<std::uint32_t>(rank)] =
        static_cast<std::uint16_t>(p);
  }
}

/// The sum of differences of the ranks in two words of four bytes or two halves.
template <class Rank, bool kIsSquared>
__device__ __forceinline__ std::uint32_t add_apart(std::uint32_t a, std::uint32_t b,
                                                   std::uint32_t sum) {
  if constexpr (sizeof(Rank) == 1) {
    if constexpr (kIsSquared) {
      const std::uint32_t apart = __vabsdiffu4(a, b);
      return __dp4a(apart, apart, sum);
    } else {
      std::uint32_t added;
      asm("vabsdiff4.u32.u32.u32.add %0, %1, %2, %3;" : "=r"(added) : "r"(a), "r"(b), "r"(sum));
      return added;
    }
  } else {
    const int low = static_cast<int>(a & 0xFFFF) - static_cast<int>(b & 0xFFFF);
    const int high = static_cast<int>(a >> 16) - static_cast<int>(b >> 16);
    if constexpr (kIsSquared) {
      return sum + static_cast<std::uint32_t>(low * low) +
             static_cast<std::uint32_t>(high) * static_cast<std::uint32_t>(high);
    } else {
      return sum + static_cast<std::uint32_t>(abs(low)) + static_cast<std::uint32_t>(abs(high));
    }
  }
}

struct RankTask {
  const uint4* rows;
  const uint4* queries;
  std::uint32_t chunks;  ///< of a row
  std::uint32_t objects;
  std::uint32_t query_count;
  std::uint32_t* apart;
  std::uint64_t stride;
};

/// Work item: 256 objects, a thread each, and up to kQueries queries. Shared memory: the queries'
/// rows, all of a chunk beside each other. An object's row is read once for all of them.
/// Instructions bound it, one for each query and four ranks; for one query, reading the rows.
template <class Rank, bool kIsSquared, int kQueries>
__global__ void __launch_bounds__(kThreads) compare_rows(RankTask task) {
  extern __shared__ uint4 query_chunks[];
  const std::uint32_t first = blockIdx.y * kQueries;
  for (std::uint32_t i = threadIdx.x; i < task.chunks * kQueries; i += kThreads) {
    const std::uint32_t query = min(first + i % kQueries, task.query_count - 1);
    query_chunks[i] = task.queries[std::size_t{query} * task.chunks + i / kQueries];
  }
  __syncthreads();
  const std::uint32_t object = blockIdx.x * kThreads + threadIdx.x;
  if (object >= task.objects) return;
  const uint4* const row = task.rows + std::size_t{object} * task.chunks;
  std::uint32_t sums[kQueries] = {};
#pragma unroll 2
  for (std::uint32_t c = 0; c < task.chunks; ++c) {
    const uint4 own = __ldg(row + c);
#pragma unroll
    for (int q = 0; q < kQueries; ++q) {
      const uint4 other = query_chunks[c * kQueries + q];
      sums[q] = add_apart<Rank, kIsSquared>(own.x, other.x, sums[q]);
      sums[q] = add_apart<Rank, kIsSquared>(own.y, other.y, sums[q]);
      sums[q] = add_apart<Rank, kIsSquared>(own.z, other.z, sums[q]);
      sums[q] = add_apart<Rank, kIsSquared>(own.w, other.w, sums[q]);
    }
  }
#pragma unroll
  for (int q = 0; q < kQueries; ++q) {
    if (first + q < task.query_count) task.apart[(first + q) * task.stride + object] = sums[q];
  }
}

template <class Rank, bool kIsSquared, int kQueries>
void launch_groups(const RankTask& task, const Stream& stream) {
  const auto kernel = compare_rows<Rank, kIsSquared, kQueries>;
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  launch({.name = "compare_rows",
          .ctas = dim3((task.objects + kThreads - 1) / kThreads,
                       (task.query_count + kQueries - 1) / kQueries),
          .threads = kThreads,
          .shared_memory = std::size_t{task.chunks} * kQueries * kBytesOfChunk,
          .stream = stream.handle()},
         kernel, task);
}

template <class Rank, bool kIsSquared>
void launch_rows(const RankTask& task, const Stream& stream) {
  if (task.query_count == 1) {
    launch_groups<Rank, kIsSquared, 1>(task, stream);
  } else {
    launch_groups<Rank, kIsSquared, kQueriesAtOnce>(task, stream);
  }
}

constexpr std::uint32_t kTauThreads = 128;

/// Work item: 128 objects, a thread each, and a query. Takes the permutants in the query's order,
/// and counts for each those taken before it that the object has after it: a bit a rank says which
/// ranks were taken. Shared memory: the order, and each thread's bits, threads beside each other.
/// Counting bits bounds it.
template <class Rank>
__global__ void __launch_bounds__(kTauThreads)
    count_inversions(RankTask task, const std::uint16_t* orders, std::uint32_t permutants,
                     std::uint32_t stride) {
  extern __shared__ std::uint32_t taken[];
  __shared__ std::uint16_t order[kMaxPermutants];
  const std::uint32_t query = blockIdx.y;
  for (std::uint32_t p = threadIdx.x; p < permutants; p += kTauThreads) {
    order[p] = orders[std::size_t{query} * permutants + p];
  }
  const std::uint32_t words = (permutants + 31) / 32;
  std::uint32_t* const own = taken + threadIdx.x;
  for (std::uint32_t w = 0; w < words; ++w) own[w * kTauThreads] = 0;
  __syncthreads();
  const std::uint32_t object = blockIdx.x * kTauThreads + threadIdx.x;
  if (object >= task.objects) return;
  const Rank* const row = reinterpret_cast<const Rank*>(task.rows) + std::size_t{object} * stride;
  std::uint32_t inversions = 0;
  for (std::uint32_t p = 0; p < permutants; ++p) {
    // Damaged ranks may be too large.
    const std::uint32_t rank = min(std::uint32_t{row[order[p]]}, permutants - 1);
    const std::uint32_t word = rank / 32;
    const std::uint32_t bits = own[word * kTauThreads];
    inversions += static_cast<std::uint32_t>(__popc(bits >> rank % 32));
    for (std::uint32_t w = word + 1; w < words; ++w) {
      inversions += static_cast<std::uint32_t>(__popc(own[w * kTauThreads]));
    }
    own[word * kTauThreads] = bits | 1U << rank % 32;
  }
  task.apart[query * task.stride + object] = inversions;
}

template <class Rank>
void launch_tau(const RankTask& task, const std::uint16_t* orders, std::uint32_t permutants,
                const Stream& stream) {
  const auto kernel = count_inversions<Rank>;
  launch(
      {.name = "count_inversions",
       .ctas = dim3((task.objects + kTauThreads - 1) / kTauThreads, task.query_count),
       .threads = kTauThreads,
       .shared_memory = std::size_t{(permutants + 31) / 32} * kTauThreads * sizeof(std::uint32_t),
       .stream = stream.handle()},
      kernel, task, orders, permutants, static_cast<std::uint32_t>(rank_stride(permutants)));
}

}  // namespace

void rank_queries(const float* distances, std::uint32_t permutants, const DeviceQueryRanks& queries,
                  const Stream& stream) {
  const auto kernel = rank_bytes(permutants) == 1 ? rank_permutants_of<std::uint8_t>
                                                  : rank_permutants_of<std::uint16_t>;
  launch({.name = "rank_permutants_of",
          .ctas = queries.count,
          .threads = kThreads,
          .stream = stream.handle()},
         kernel, distances, permutants, static_cast<std::uint32_t>(rank_stride(permutants)),
         queries);
}

void compare_all_ranks(RankDistance distance, const DeviceRanks& ranks,
                       const DeviceQueryRanks& queries, std::uint32_t* apart, std::uint64_t stride,
                       const Stream& stream) {
  const RankTask task{reinterpret_cast<const uint4*>(ranks.rows),
                      reinterpret_cast<const uint4*>(queries.rows),
                      ranks.row_bytes() / kBytesOfChunk,
                      ranks.objects,
                      queries.count,
                      apart,
                      stride};
  const bool is_wide = rank_bytes(ranks.permutants) == 2;
  switch (distance) {
    case RankDistance::kFootrule:
      return (is_wide ? launch_rows<std::uint16_t, false>
                      : launch_rows<std::uint8_t, false>)(task, stream);
    case RankDistance::kRho:
      return (is_wide ? launch_rows<std::uint16_t, true> : launch_rows<std::uint8_t, true>)(task,
                                                                                            stream);
    case RankDistance::kTau:
      return (is_wide ? launch_tau<std::uint16_t>
                      : launch_tau<std::uint8_t>)(task, queries.order, ranks.permutants, stream);
    case RankDistance::kBits: break;
  }
}

}  // namespace warpdex::metric
