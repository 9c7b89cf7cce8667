// The kernels of TwoPassSearch, and what they share with the host. One file may include it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/warp.cuh"
#include "warpdex/core/select/select_k.hpp"

namespace warpdex::tools::two_pass {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::uint32_t kEntries = 256;  ///< of the table of a byte
constexpr std::uint32_t kChunk = 16;     ///< bytes of a code that lie side by side

/// The codes, as IvfPqVectors has them.
struct Codes {
  const std::uint8_t* groups;
  const float* terms;  ///< null but for l2
  const float* codebooks;
  const std::uint32_t* row_numbers;
  const std::uint64_t* begins;
  const std::uint64_t* group_begins;
  std::uint32_t dimension;
  std::uint32_t bytes;
  std::uint32_t bits;

  __device__ std::uint32_t stored_bytes() const { return (bytes + 3) / 4 * 4; }
};

/// The lists of queries, nearest first.
struct Probed {
  const std::int32_t* lists;  ///< `probes` a query; -1: none
  const float* distances;     ///< of the centroids, as the metric says
  std::uint32_t* offsets;     ///< probes + 1 a query: where each list begins among its distances
  std::uint32_t probes;
};

/// Queries that are searched together; all pointers are of the first one.
struct Tile {
  Codes codes;
  Probed probed;
  const float* vectors;  ///< a query's components, ready for tables
  float* tables;         ///< bytes * 256 a query
  float* distances;      ///< `parts` * `part_columns` a query
  std::uint32_t parts;
  std::uint32_t part_columns;
};

/// What both passes selected.
struct Selected {
  const std::uint32_t* first_ids;   ///< parts * k a query: columns of a part
  const float* second;              ///< k a query
  const std::uint32_t* second_ids;  ///< k a query: among the first_ids of the query
  std::uint32_t k;
  std::size_t count;  ///< of all answers
  std::int32_t* rows;
  float* distances;
};

/// Work item: the lists of a query, a thread. Bound by the launch.
__global__ void __launch_bounds__(kThreads)
    add_sizes(Codes codes, Probed probed, std::size_t queries, std::uint32_t* totals) {
  const std::size_t query = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (query >= queries) return;
  const std::int32_t* const lists = probed.lists + query * probed.probes;
  std::uint32_t* const offsets = probed.offsets + query * (probed.probes + 1);
  std::uint32_t total = 0;
  for (std::uint32_t probe = 0; probe < probed.probes; ++probe) {
    offsets[probe] = total;
    const std::int32_t list = lists[probe];
    if (list >= 0) total += static_cast<std::uint32_t>(codes.begins[list + 1] - codes.begins[list]);
  }
  offsets[probed.probes] = total;
  totals[query] = total;
}

/// The product of a run of a vector and a codeword.
__device__ float run_product(const Codes& codes, const float* vector, std::uint32_t part,
                             std::uint32_t word) {
  const std::uint32_t parts = codes.bytes * 8 / codes.bits;
  const auto begin = static_cast<std::uint32_t>(std::uint64_t{part} * codes.dimension / parts);
  const auto end = static_cast<std::uint32_t>(std::uint64_t{part + 1} * codes.dimension / parts);
  float sum = 0;
  for (std::uint32_t c = begin; c < end; ++c) {
    sum = __fmaf_rn(vector[c], codes.codebooks[(std::size_t{c} << codes.bits) + word], sum);
  }
  return sum;
}

/// Work item: the table of byte blockIdx.x for query blockIdx.y, a CTA of a thread for each entry.
/// Bound by reading codebooks from L2.
__global__ void __launch_bounds__(kEntries) make_tables(Tile tile) {
  const Codes& codes = tile.codes;
  const std::uint32_t byte = blockIdx.x;
  const std::uint32_t value = threadIdx.x;
  const float* const vector = tile.vectors + std::size_t{blockIdx.y} * codes.dimension;
  float entry;
  if (codes.bits == 8) {
    entry = run_product(codes, vector, byte, value);
  } else {
    entry = __fadd_rn(run_product(codes, vector, 2 * byte, value % 16),
                      run_product(codes, vector, 2 * byte + 1, value / 16));
  }
  tile.tables[(std::size_t{blockIdx.y} * codes.bytes + byte) * kEntries + value] = entry;
}

/// Adds the entries of the first `count` (at most 4) bytes of a word of a code, in order.
__device__ __forceinline__ float add_word(float sum, std::uint32_t word, const float* tables,
                                          std::uint32_t count) {
#pragma unroll
  for (std::uint32_t b = 0; b < 4; ++b) {
    if (b < count) sum = __fadd_rn(sum, tables[b * kEntries + (word >> 8 * b & 0xFF)]);
  }
  return sum;
}

/// Adds the entries of the lane's code in a group to `sum`, byte after byte.
__device__ __forceinline__ float add_code(const Codes& codes, const std::uint8_t* group,
                                          const float* tables, float sum) {
  for (std::uint32_t first = 0; first < codes.bytes; first += kChunk) {
    const std::uint32_t width = min(kChunk, codes.stored_bytes() - first);
    const std::uint8_t* const own = group + first * kWarp + lane_id() * width;
    const float* const of_chunk = tables + first * kEntries;
    if (first + kChunk <= codes.bytes) {
      const uint4 words = *reinterpret_cast<const uint4*>(own);
      sum = add_word(sum, words.x, of_chunk, 4);
      sum = add_word(sum, words.y, of_chunk + 4 * kEntries, 4);
      sum = add_word(sum, words.z, of_chunk + 8 * kEntries, 4);
      sum = add_word(sum, words.w, of_chunk + 12 * kEntries, 4);
      continue;
    }
    const std::uint32_t left = codes.bytes - first;
    for (std::uint32_t byte = 0; byte < left; byte += 4) {
      const std::uint32_t word = *reinterpret_cast<const std::uint32_t*>(own + byte);
      sum = add_word(sum, word, of_chunk + byte * kEntries, left - byte);
    }
  }
  return sum;
}

/// Work item: list number blockIdx.x of query blockIdx.y, a CTA of 8 warps, which take a group of
/// 32 codes each in turn. Shared memory: the query's tables, 1 KiB a byte of the codes. Look-ups in
/// shared memory bound it, as 32 random entries take 3.5 turns; for short lists, the copy of the
/// tables. The CTA behind the last list fills the places that the query's lists leave.
__global__ void __launch_bounds__(kThreads) scan_list(Tile tile) {
  extern __shared__ __align__(16) float tables[];
  const Codes& codes = tile.codes;
  const std::size_t query = blockIdx.y;
  const std::uint32_t probe = blockIdx.x;
  const std::uint32_t probes = tile.probed.probes;
  const std::uint32_t offset = tile.probed.offsets[query * (probes + 1) + probe];
  float* const distances = tile.distances + query * tile.parts * tile.part_columns;
  if (probe == probes) {
    for (std::uint32_t i = offset + threadIdx.x; i < tile.parts * tile.part_columns;
         i += kThreads) {
      distances[i] = __int_as_float(0x7F800000);
    }
    return;
  }
  const std::int32_t list = tile.probed.lists[query * probes + probe];
  if (list < 0) return;
  const float4* const from =
      reinterpret_cast<const float4*>(tile.tables + query * codes.bytes * kEntries);
  for (std::uint32_t i = threadIdx.x; i < codes.bytes * kEntries / 4; i += kThreads) {
    reinterpret_cast<float4*>(tables)[i] = from[i];
  }
  __syncthreads();
  const bool is_l2 = codes.terms != nullptr;
  const float to_centroid = tile.probed.distances[query * probes + probe];
  const float base = is_l2 ? to_centroid : __fsub_rn(0.0F, to_centroid);
  const std::uint64_t begin = codes.begins[list];
  const auto size = static_cast<std::uint32_t>(codes.begins[list + 1] - begin);
  const std::size_t group_bytes = std::size_t{kWarp} * codes.stored_bytes();
  const std::uint8_t* const groups = codes.groups + codes.group_begins[list] * group_bytes;
  for (std::uint32_t group = warp_id(); group * kWarp < size; group += kWarps) {
    const std::uint32_t i = group * kWarp + lane_id();
    if (i >= size) continue;
    const float start = is_l2 ? __fadd_rn(base, codes.terms[begin + i]) : base;
    const float sum = add_code(codes, groups + group * group_bytes, tables, start);
    distances[offset + i] = is_l2 && sum < 0 ? 0.0F : __fadd_rn(sum, 0.0F);
  }
}

/// Work item: an answer, a thread. Bound by the launch.
__global__ void __launch_bounds__(kThreads) name_rows(Tile tile, Selected selected) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  if (i >= selected.count) return;
  const std::size_t query = i / selected.k;
  const float value = selected.second[i];
  selected.distances[i] = tile.codes.terms != nullptr ? value : -value;
  selected.rows[i] = -1;
  const std::uint32_t place = selected.second_ids[i];
  if (place == kNoId<std::uint32_t>) return;
  const std::uint32_t id = selected.first_ids[query * tile.parts * selected.k + place];
  const std::uint32_t probes = tile.probed.probes;
  const std::uint32_t* const offsets = tile.probed.offsets + query * (probes + 1);
  if (id == kNoId<std::uint32_t>) return;
  const std::uint32_t column = place / selected.k * tile.part_columns + id;
  if (column >= offsets[probes]) return;
  // The last list that begins at or before the column.
  std::uint32_t low = 0;
  for (std::uint32_t high = probes - 1; low < high;) {
    const std::uint32_t middle = (low + high + 1) / 2;
    if (offsets[middle] <= column) {
      low = middle;
    } else {
      high = middle - 1;
    }
  }
  const std::int32_t list = tile.probed.lists[query * probes + low];
  selected.rows[i] = static_cast<std::int32_t>(
      tile.codes.row_numbers[tile.codes.begins[list] + column - offsets[low]]);
}

}  // namespace
}  // namespace warpdex::tools::two_pass
