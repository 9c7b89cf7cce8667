// Distances that count: bytes that differ, and words that two sets share. A thread a pair.
#include <cstdint>

#include "metric/gpu/kernels.hpp"
#include "metric/gpu/pair_grid.cuh"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::metric {
namespace {

constexpr std::uint32_t kThreads = 256;

__device__ __forceinline__ std::uint32_t differing_bytes(std::uint32_t a, std::uint32_t b) {
  return static_cast<std::uint32_t>(__popc(__vsetne4(a, b)));
}

/// Both are filled up with zeros to whole groups.
struct HammingDistance {
  __device__ static float of(const PairTask& task, std::uint32_t query, std::uint32_t object) {
    constexpr std::uint32_t kWordsOfGroup = kGroupUnits / 4;
    const TextPlace place = task.objects.places[object];
    const std::uint64_t begin = task.queries.begins[query];
    const auto* const own = reinterpret_cast<const uint4*>(task.queries.values + begin);
    const auto* const other = static_cast<const uint4*>(task.objects.groups) + place.group;
    const auto query_groups =
        static_cast<std::uint32_t>((task.queries.begins[query + 1] - begin) / kWordsOfGroup);
    const std::uint32_t groups = min((place.units + kGroupUnits - 1) / kGroupUnits, query_groups);
    std::uint32_t differ = 0;
    for (std::uint32_t g = 0; g < groups; ++g) {
      const uint4 a = __ldg(own + g);
      const uint4 b = __ldg(other + g);
      differ += differing_bytes(a.x, b.x) + differing_bytes(a.y, b.y) + differing_bytes(a.z, b.z) +
                differing_bytes(a.w, b.w);
    }
    return static_cast<float>(differ);
  }
};

/// Merges the two ascending lists of words.
struct JaccardDistance {
  __device__ static float of(const PairTask& task, std::uint32_t query, std::uint32_t object) {
    const std::uint64_t own_begin = task.queries.begins[query];
    const std::uint64_t own_end = task.queries.begins[query + 1];
    const std::uint64_t other_begin = task.objects.set_begins[object];
    const std::uint64_t other_end = task.objects.set_begins[object + 1];
    std::uint64_t common = 0;
    for (std::uint64_t i = own_begin, j = other_begin; i < own_end && j < other_end;) {
      const std::uint32_t a = __ldg(task.queries.values + i);
      const std::uint32_t b = __ldg(task.objects.set_words + j);
      common += a == b ? 1 : 0;
      i += a <= b ? 1 : 0;
      j += a >= b ? 1 : 0;
    }
    const std::uint64_t all =
        own_end - own_begin + task.queries.unknown[query] + other_end - other_begin - common;
    if (all == 0) return 0;
    return __double2float_rn(
        __ddiv_rn(static_cast<double>(all - common), static_cast<double>(all)));
  }
};

/// Work item: a query and some of its objects; a CTA. Reads of scattered objects bound it.
template <class Distance>
__global__ void __launch_bounds__(kThreads) count_pairs(PairTask task) {
  const std::uint32_t query = blockIdx.y;
  for (std::uint32_t i = blockIdx.x * kThreads + threadIdx.x; i < task.count;
       i += gridDim.x * kThreads) {
    task.out[query * task.out_stride + i] = Distance::of(task, query, object_of(task, query, i));
  }
}

template <class Distance>
void launch_count(const PairTask& task, const Stream& stream) {
  const auto kernel = count_pairs<Distance>;
  launch({.name = "count_pairs",
          .ctas = pair_grid(task, kThreads),
          .threads = kThreads,
          .stream = stream.handle()},
         kernel, task);
}

}  // namespace

void compute_counts(const PairTask& task, const Stream& stream) {
  const bool is_of_sets = task.objects.distance == DistanceKind::kJaccard;
  (is_of_sets ? launch_count<JaccardDistance> : launch_count<HammingDistance>)(task, stream);
}

void compute_distances(const PairTask& task, const BandScratch& bands, const Stream& stream) {
  if (task.query_count == 0 || task.count == 0) return;
  if (is_of_vectors(task.objects.distance)) {
    compute_vectors(task, stream);
  } else if (task.objects.distance == DistanceKind::kLevenshtein) {
    compute_levenshtein(task, bands, stream);
  } else {
    compute_counts(task, stream);
  }
}

}  // namespace warpdex::metric
