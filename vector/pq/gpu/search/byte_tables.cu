// A CTA makes the tables of a query in floats, in shared memory, then rounds them.
#include <cfloat>

#include "pq/gpu/search/byte_tables.hpp"
#include "pq/gpu/search/query_length.cuh"
#include "pq/gpu/search/table_entry.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;

struct RoundTask {
  DeviceCodes codes;
  CodeBound bound;
  DeviceQueries queries;
  const float* vectors;
  ByteTables tables;
  QueryPanels panels;
};

/// The float entries of each byte of a query, and their smallest and largest. In shared memory.
struct FloatTables {
  float* entries;  ///< bytes * 256
  float* lows;
  float* ranges;

  __device__ FloatTables(float* memory, std::uint32_t bytes)
      : entries(memory), lows(memory + bytes * kTableEntries), ranges(lows + bytes) {}
};

/// Stores a byte's entries, a lane's share of them. A warp.
template <std::uint32_t kShare>
__device__ __forceinline__ void store_byte(const float (&entries)[kShare], std::uint32_t byte,
                                           const FloatTables& tables) {
  float low = FLT_MAX;
  float negative_high = FLT_MAX;
#pragma unroll
  for (std::uint32_t i = 0; i < kShare; ++i) {
    tables.entries[byte * kTableEntries + i * kWarp + lane_id()] = entries[i];
    low = fminf(low, entries[i]);
    negative_high = fminf(negative_high, -entries[i]);
  }
  low = -warp_max(-low);
  const float high = warp_max(-negative_high);
  if (lane_id() != 0) return;
  tables.lows[byte] = low;
  tables.ranges[byte] = high - low;
}

/// Makes the float tables of a query. A warp takes a byte of the code. Ends without a barrier.
__device__ void make_floats(const DeviceCodes& codes, const float* vector,
                            const FloatTables& tables) {
  constexpr std::uint32_t kShare = kTableEntries / kWarp;
  for (std::uint32_t byte = warp_id(); byte < codes.bytes; byte += kWarps) {
    float entries[kShare];
#pragma unroll
    for (std::uint32_t i = 0; i < kShare; ++i) {
      entries[i] = table_entry(codes, vector, byte, i * kWarp + lane_id());
    }
    store_byte(entries, byte, tables);
  }
}

/// Sets what is known of a query's sums, by its lane 0. A warp.
__device__ void set_facts(const RoundTask& task, std::uint32_t query, float step) {
  const std::size_t row = std::size_t{query} * task.queries.stride;
  const DeviceCodes& codes = task.codes;
  const double own = squared_length(task.vectors + row, nullptr, codes.coded_dimension);
  const double squared = squared_length(task.queries.values + row, codes.centre, codes.dimension);
  if (lane_id() != 0) return;
  const float length = __double2float_ru(sqrt(own));
  const float base = task.bound.base(__double2float_ru(sqrt(squared)));
  const float error = task.bound.table_error(codes.bytes, step, length, base);
  const float largest = length * task.bound.longest + base + task.bound.term;
  const bool is_open = !(largest <= 0x1p100F) || !(error <= 0x1p100F) || !(step >= 0x1p-100F);
  task.panels.limits[query] = is_open ? -FLT_MAX : FLT_MAX;
  task.panels.slacks[query] = 2 * error;
  task.panels.is_open[query] = is_open ? 1 : 0;
}

/// Rounds the tables of a query. A CTA.
__device__ void round_query(const RoundTask& task, std::uint32_t query, const FloatTables& tables) {
  const std::uint32_t bytes = task.codes.bytes;
  float range = 0;
  float low = 0;
  for (std::uint32_t byte = 0; byte < bytes; ++byte) {
    range = fmaxf(range, tables.ranges[byte]);
    low += tables.lows[byte];
  }
  const float step = range > 0 ? range / kMaxByteEntry : 1.0F;
  if (warp_id() == 0) set_facts(task, query, step);
  if (threadIdx.x == 0) {
    task.tables.steps[query] = step;
    task.tables.lows[query] = low;
  }
  const float per_step = 1 / step;
  const std::size_t size = std::size_t{bytes} * kTableEntries;
  auto* const to = reinterpret_cast<std::uint32_t*>(task.tables.entries + query * size);
  auto* const floats = reinterpret_cast<float4*>(task.tables.floats + query * size);
  for (std::uint32_t four = threadIdx.x; four < size / 4; four += kThreads) {
    const float4 entries = reinterpret_cast<const float4*>(tables.entries)[four];
    floats[four] = entries;
    const float least = tables.lows[four * 4 / kTableEntries];
    const auto rounded = [&](float entry) {
      return min(kMaxByteEntry, __float2uint_rn((entry - least) * per_step));
    };
    to[four] = rounded(entries.x) | rounded(entries.y) << 8 | rounded(entries.z) << 16 |
               rounded(entries.w) << 24;
  }
}

/// Work item: a query, a CTA. Shared memory: 1 KiB a byte of the code. Reading the codebooks from
/// L2 bounds it: 1 KiB a component.
__global__ void __launch_bounds__(kThreads) round_tables(RoundTask task) {
  extern __shared__ __align__(16) float memory[];
  const std::uint32_t query = blockIdx.x;
  const FloatTables tables(memory, task.codes.bytes);
  make_floats(task.codes, task.vectors + std::size_t{query} * task.queries.stride, tables);
  __syncthreads();
  round_query(task, query, tables);
}

}  // namespace

void ByteTables::lay_out(Arena& arena, std::size_t queries, std::uint32_t code_bytes) {
  entries = arena.take<std::uint8_t>(queries * code_bytes * kTableEntries);
  floats = arena.take<float>(queries * code_bytes * kTableEntries);
  steps = arena.take<float>(queries);
  lows = arena.take<float>(queries);
}

std::size_t byte_tables_bytes(std::uint32_t code_bytes) {
  return std::size_t{code_bytes} * (kTableEntries + 2) * sizeof(float);
}

void make_byte_tables(const CodeQueries& search, const DeviceCodes& codes, const CodeBound& bound,
                      const ByteTables& tables, const QueryPanels& panels, const Stream& stream) {
  allow_all_shared_memory(reinterpret_cast<const void*>(round_tables));
  launch({.name = "round_tables",
          .ctas = search.queries.count,
          .threads = kThreads,
          .shared_memory = byte_tables_bytes(codes.bytes),
          .stream = stream.handle()},
         round_tables, RoundTask{codes, bound, search.queries, search.vectors, tables, panels});
}

}  // namespace warpdex::vector
