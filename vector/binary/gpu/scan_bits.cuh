// The scan of codes: a lane holds a vector, since the words of a group's 32 vectors lie beside each
// other. A sink says what is done with the distances. See *XOR-Friendly Binary Quantization*,
// section 4.1.
#pragma once

#include <algorithm>

#include "binary/gpu/kernels.hpp"
#include "integer_codes/gpu/code_value.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kScanThreads = 256;
inline constexpr std::uint32_t kScanWarps = kScanThreads / kWarp;
inline constexpr std::uint32_t kGroupsOfPanel = kPanelRows / TileOrder::kGroupRows;

/// Adds up the distances of words, each with the weight of its bit.
template <int kQueryBits>
class WordSums {
 public:
  __device__ explicit WordSums(std::uint32_t bits) : bits_(bits), shift_(bits - 1) {}

  /// The next word, and the query's words of its components, the highest bit first.
  __device__ __forceinline__ void add(std::uint32_t word,
                                      const std::uint32_t (&query)[kQueryBits]) {
    std::uint32_t distance = 0;
#pragma unroll
    for (int j = 0; j < kQueryBits; ++j) {
      distance = 2 * distance + static_cast<std::uint32_t>(__popc(word ^ query[j]));
    }
    sum_ += distance << shift_;
    shift_ = shift_ == 0 ? bits_ - 1 : shift_ - 1;
  }
  __device__ std::uint32_t sum() const { return sum_; }

 private:
  std::uint32_t bits_;
  std::uint32_t shift_;
  std::uint32_t sum_ = 0;
};

/// The query's words of a chunk: [j] of each.
template <int kQueryBits>
struct QueryChunk {
  __device__ explicit QueryChunk(const uint4* shared) {
#pragma unroll
    for (int j = 0; j < kQueryBits; ++j) {
      const uint4 words = shared[j];
      of[0][j] = words.x, of[1][j] = words.y, of[2][j] = words.z, of[3][j] = words.w;
    }
  }
  std::uint32_t of[4][kQueryBits];
};

/// The distance of the lane's vector in a group. `query` is in shared memory.
template <int kQueryBits>
__device__ __forceinline__ std::uint32_t code_distance(const DeviceBinaryCodes& codes,
                                                       std::uint32_t group, const uint4* query) {
  const std::uint32_t words = codes.code_words();
  const std::uint32_t chunks = words / 4;
  const std::uint8_t* const begin = codes.groups + group * codes.group_bytes();
  const auto* const own = reinterpret_cast<const uint4*>(begin) + lane_id();
  WordSums<kQueryBits> sums(codes.bits);
#pragma unroll 3
  for (std::uint32_t chunk = 0; chunk < chunks; ++chunk) {
    const uint4 four = __ldg(own + chunk * kWarp);
    const QueryChunk<kQueryBits> part(query + chunk * kQueryBits);
    sums.add(four.x, part.of[0]);
    sums.add(four.y, part.of[1]);
    sums.add(four.z, part.of[2]);
    sums.add(four.w, part.of[3]);
  }
  const std::uint32_t width = words % 4;
  if (width == 0) return sums.sum();
  const auto* const rest =
      reinterpret_cast<const std::uint32_t*>(begin + chunks * kWarp * 16) + lane_id() * width;
  const QueryChunk<kQueryBits> part(query + chunks * kQueryBits);
#pragma unroll
  for (std::uint32_t w = 0; w < 3; ++w) {
    if (w < width) sums.add(__ldg(rest + w), part.of[w]);
  }
  return sums.sum();
}

/// What a lane has of a row.
struct ScannedRow {
  std::uint32_t query;
  std::uint32_t place;  ///< in the panels
  std::uint32_t row;
  bool exists;  ///< and is allowed
  float value;
};

/// The groups of a warp: the number of the group at a place of the order, without a division for
/// each.
class GroupSteps {
 public:
  __device__ GroupSteps(const ScanBitsTask& task, std::uint32_t first, std::uint32_t step)
      : groups_(task.order.panels() * kGroupsOfPanel),
        group_(number(task, first)),
        step_(number(task, first + step) + groups_ - group_) {
    if (step_ >= groups_) step_ -= groups_;
  }
  __device__ std::uint32_t group() const { return group_; }
  __device__ void next() {
    group_ += step_;
    if (group_ >= groups_) group_ -= groups_;
  }

 private:
  static __device__ std::uint32_t number(const ScanBitsTask& task, std::uint32_t place) {
    return task.order.row(place * TileOrder::kGroupRows) / TileOrder::kGroupRows;
  }
  std::uint32_t groups_;
  std::uint32_t group_;
  std::uint32_t step_;
};

__device__ __forceinline__ bool is_allowed(const std::uint64_t* filter, std::uint32_t row) {
  return filter == nullptr || (filter[row / 64] >> (row % 64) & 1) != 0;
}

/// Work item: a query and a group of 32 vectors, a warp; grid-stride. CTAs with neighbouring
/// numbers have the same groups and other queries. Shared memory: the query's words. Counting bits
/// bounds it (16 counts a clock and multiprocessor), or, where codes and queries have few bits,
/// reading the codes.
template <int kQueryBits, bool kIsL2, class Sink>
__global__ void __launch_bounds__(kScanThreads) scan_bits(ScanBitsTask task, Sink sink) {
  wait_for_previous();
  extern __shared__ uint4 words[];
  const DeviceQueryCodes& queries = task.queries;
  const std::uint32_t query = blockIdx.x % queries.count;
  const std::uint32_t share = blockIdx.x / queries.count;
  const std::uint32_t shares = gridDim.x / queries.count;
  const auto* const given =
      reinterpret_cast<const uint4*>(queries.words + std::size_t{query} * queries.stride);
  for (std::uint32_t i = threadIdx.x; i < queries.stride / 4; i += kScanThreads)
    words[i] = given[i];
  __syncthreads();
  const float weight = queries.weights[query];
  const float base = queries.bases[query];
  const float query_share = kIsL2 ? 1.0F : share_of(queries.shares, query);
  const float limit = sink.limit(query);
  const std::uint32_t first = task.first_panel * kGroupsOfPanel;
  const std::uint32_t end = first + task.panels * kGroupsOfPanel;
  const std::uint32_t step = shares * kScanWarps;
  std::uint32_t place = first + share * kScanWarps + warp_id();
  GroupSteps steps(task, place, step);
  for (; place < end; place += step, steps.next()) {
    const std::uint32_t begin = steps.group() * TileOrder::kGroupRows;
    ScannedRow own{query, place * TileOrder::kGroupRows + lane_id(), begin + lane_id(), false, 0};
    if (begin < task.codes.rows) {
      own.exists = own.row < task.codes.rows && is_allowed(task.filter, own.row);
      float term = 0;
      if (own.exists) term = shared_term<kIsL2>(task.codes.terms, own.row, query_share);
      const std::uint32_t distance = code_distance<kQueryBits>(task.codes, steps.group(), words);
      const int product = queries.top - 2 * static_cast<int>(distance);
      float own_weight = weight;
      if (task.codes.factors != nullptr && own.exists) {
        own_weight = __fmul_rn(weight, __ldg(task.codes.factors + own.row));
      }
      own.value = code_value<kIsL2>(own_weight, base, __int2float_rn(product), term);
    }
    sink.take(own, limit);
  }
}

template <int kQueryBits, bool kIsL2, class Sink>
void launch_scan(const ScanBitsTask& task, const Sink& sink, const Stream& stream) {
  const auto kernel = scan_bits<kQueryBits, kIsL2, Sink>;
  const std::size_t bytes = task.queries.stride * sizeof(std::uint32_t);
  const std::uint32_t ctas = (task.panels * kGroupsOfPanel + kScanWarps - 1) / kScanWarps;
  const std::uint32_t resident = resident_ctas(kernel, kScanThreads, bytes);
  const std::uint32_t shares = std::clamp(resident / task.queries.count, 1U, ctas);
  launch({.name = "scan_bits",
          .ctas = shares * task.queries.count,
          .threads = kScanThreads,
          .shared_memory = bytes,
          .stream = stream.handle(),
          .overlaps = task.overlaps},
         kernel, task, sink);
}

template <class Sink>
void scan(const ScanBitsTask& task, const Sink& sink, const Stream& stream) {
  if (task.panels == 0 || task.queries.count == 0) return;
  const auto choose = [&]<int kQueryBits>() {
    if (task.codes.is_l2) {
      launch_scan<kQueryBits, true>(task, sink, stream);
    } else {
      launch_scan<kQueryBits, false>(task, sink, stream);
    }
  };
  switch (task.queries.bits) {
    case 1: return choose.template operator()<1>();
    case 2: return choose.template operator()<2>();
    case 3: return choose.template operator()<3>();
    case 4: return choose.template operator()<4>();
    case 5: return choose.template operator()<5>();
    case 6: return choose.template operator()<6>();
    case 7: return choose.template operator()<7>();
    default: return choose.template operator()<8>();
  }
}

}  // namespace warpdex::vector
