// Makes the entries of queries, with their lists, from what large batches send.
#include "gpu/kernels/make_entries.hpp"

#include <vector_types.h>

#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 64;
constexpr std::uint32_t kListWords = sizeof(List) / sizeof(uint4);
static_assert(sizeof(List) % sizeof(uint4) == 0);

/// Writes the lane's block ranges, behind those of all lanes before it. Returns where those of the
/// next lists go. A whole warp.
__device__ std::uint32_t write_ranges(const EntryBatch& batch, std::uint32_t number,
                                      std::uint32_t blocks, std::uint32_t first_range) {
  const std::uint32_t count = (blocks + batch.range_blocks - 1) / batch.range_blocks;
  const std::uint32_t end = inclusive_sum(count);
  BlockRange* range = batch.table_ranges + first_range + end - count;
  for (std::uint32_t block = 0; block < blocks; block += batch.range_blocks) {
    *range++ = {number, block, min(batch.range_blocks, blocks - block)};
  }
  return first_range + __shfl_sync(kWholeWarp, end, kWarp - 1);
}

/// Makes an entry's lists in all its segments, a lane each, and writes 32 of them together.
/// `memory` has room for these. A whole warp.
__device__ void make_lists(const EntryBatch& batch, const EntrySource& entry, List* memory) {
  const std::uint32_t lists = entry.query.list_count;
  const std::uint32_t count = lists * entry.segments;
  std::uint32_t range = entry.first_range;
  for (std::uint32_t first = 0; first < count; first += kWarp) {
    const std::uint32_t here = min(kWarp, count - first);
    const std::uint32_t i = first + lane_id();
    std::uint32_t blocks = 0;
    if (i < count) {
      const std::uint32_t segment = entry.first_segment + i / lists;
      const ListUse use = batch.uses[entry.first_use + i % lists];
      List list = make_list(use.row[segment], batch.tables[segment], use);
      place_list(entry, batch.tables, i / lists, i % lists, list);
      memory[lane_id()] = list;
      blocks = list.blocks;
    }
    const std::uint32_t number = entry.query.first_list + first;
    if (entry.row != kNone) range = write_ranges(batch, number + lane_id(), blocks, range);
    __syncwarp();
    auto* const to = reinterpret_cast<uint4*>(batch.lists + number);
    const auto* const from = reinterpret_cast<const uint4*>(memory);
    for (std::uint32_t word = lane_id(); word < here * kListWords; word += kWarp) {
      to[word] = from[word];
    }
    __syncwarp();
  }
}

/// Work item: a query's entries in neighbouring segments, a warp; CTAs of 64 threads. Shared
/// memory: 13 KiB. Bound by the latency of some dependent reads, and by writing 208 bytes a list.
__global__ void __launch_bounds__(kThreads) make_entries(EntryBatch batch) {
  __shared__ uint4 memory[kThreads * kListWords];
  const std::uint32_t number = blockIdx.x * (kThreads / kWarp) + warp_id();
  if (number >= batch.entry_count) return;
  const EntrySource& entry = batch.entries[number];
  if (entry.first_use != kNone) {
    make_lists(batch, entry, reinterpret_cast<List*>(memory + warp_id() * kWarp * kListWords));
  }
  for (std::uint32_t i = lane_id(); i < entry.segments; i += kWarp) {
    const Query query = make_query(entry, batch.tables, i);
    batch.queries[entry.place + i] = query;
    if (batch.segments == 1) continue;
    // AND and its fallback write the same span. Either will do: both have the same scoring lists.
    batch.list_spans[std::size_t{query.state} * batch.segments + entry.first_segment + i] = {
        query.first_list, query.scoring_lists};
  }
}

}  // namespace

void launch_make_entries(const EntryBatch& batch, cudaStream_t stream) {
  if (batch.entry_count == 0) return;
  constexpr std::uint32_t kWarps = kThreads / kWarp;
  warpdex::launch({.name = "make_entries",
                   .ctas = (batch.entry_count + kWarps - 1) / kWarps,
                   .threads = kThreads,
                   .shared_memory = 0,
                   .stream = stream,
                   .overlaps = false},
                  make_entries, batch);
}

}  // namespace warpdex::gpu
