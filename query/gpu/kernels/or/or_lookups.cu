// OR by lookups: MaxScore (Turtle and Flood), document by document. A warp decodes a competitive
// block. A document whose score there and suffix bound together reach the query's threshold is
// looked up in the later lists, one by one, until it falls below. Warps look up 32 documents of a
// list at a time; these are neighbours, so that they share blocks. A document becomes a candidate
// from the first of its lists only: if an earlier list has it, it is dropped at the end.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/block_finder.cuh"
#include "gpu/kernels/or/chunk_shares.hpp"
#include "gpu/kernels/or/or_block_reader.cuh"
#include "gpu/kernels/or/tile_costs.cuh"

namespace warpdex::gpu {
namespace {

using namespace or_lookups;

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// The last chunks are cut into shares: about kShares for each warp, and at most kMaxShares of a
/// chunk of documents.
constexpr std::uint32_t kShares = 4;
constexpr std::uint32_t kMaxShares = 32;
/// The same where many blocks are read over the bus.
constexpr std::uint32_t kSharesOverBus = 1;
constexpr std::uint32_t kMaxSharesOverBus = 8;
/// Documents of a full chunk, at least.
constexpr std::uint32_t kFewTogether = 32;
/// In a round with kSomeBlocks blocks a warp or more, a full chunk has 64 documents; with
/// kManyBlocks or more it has kTogether.
constexpr std::uint32_t kSomeBlocks = 20;
constexpr std::uint32_t kManyBlocks = 66;

/// Where the next chunks and their items are written.
struct ChunkRoom {
  std::uint32_t chunk;
  std::uint32_t item;
};

/// Takes room for chunks and their items. One thread.
__device__ ChunkRoom take_room(ChunkCounters& counters, std::uint32_t items, std::uint32_t chunks) {
  static_assert(offsetof(ChunkCounters, chunks) == 0 && offsetof(ChunkCounters, items) == 4);
  const unsigned long long both = static_cast<unsigned long long>(items) << 32 | chunks;
  const unsigned long long before =
      atomicAdd(reinterpret_cast<unsigned long long*>(&counters), both);
  return {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(before >> 32)};
}

/// Takes the next number of a counter. A whole warp.
__device__ std::uint32_t take_number(std::uint32_t& counter) {
  std::uint32_t number = 0;
  if (lane_id() == 0) number = atomicAdd(&counter, 1);
  return __shfl_sync(kWholeWarp, number, 0);
}

struct FindMemory {
  std::uint16_t blocks[kRangeBlocks];  ///< the competitive blocks, counted from the range's first
  std::uint32_t count;
  ChunkRoom room;  ///< where the blocks are written
};

/// Appends the blocks that were found, as chunks. If there is no room for them, marks the query's
/// answer as unusable. A whole CTA, after a barrier.
__device__ void append_block_chunks(const OrRounds& batch, const Query& query,
                                    const BlockRange& range, ChunkCounters& counters,
                                    FindMemory& memory) {
  const std::uint32_t count = memory.count;
  const std::uint32_t size = batch.chunk_blocks;
  const std::uint32_t chunks = (count + size - 1) / size;
  if (count == 0) return;
  if (threadIdx.x == 0) memory.room = take_room(counters, count, chunks);
  __syncthreads();
  const ChunkRoom room = memory.room;
  const bool has_room = std::uint64_t{room.chunk} + chunks <= batch.max_block_chunks &&
                        std::uint64_t{room.item} + count <= batch.max_blocks;
  if (threadIdx.x == 0 && !has_room) batch.states[query.state].overflow = 1;
  for (std::uint32_t i = threadIdx.x; i < count && has_room; i += blockDim.x) {
    batch.blocks[room.item + i] = range.first + memory.blocks[i];
  }
  for (std::uint32_t i = threadIdx.x; i < chunks; i += blockDim.x) {
    if (room.chunk + i >= batch.max_block_chunks) break;
    batch.block_chunks[room.chunk + i] = {range.owner, room.item + i * size,
                                          has_room ? min(size, count - i * size) : 0};
  }
}

/// Work item: a block range of a list, a CTA of 64 or 256 threads; a block a thread. Shared memory:
/// FindMemory, 4 KiB. Bound by the latency of finding out whether blocks are competitive.
__global__ void __launch_bounds__(kThreads) find_blocks(OrRounds batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ FindMemory memory;
  const BlockRange range = batch.table_ranges[blockIdx.x];
  const List& list = batch.lists[range.owner];
  const Query& query = batch.queries[batch.and_queries + list.or_query];
  if (list.rank >= query.scoring_lists || is_searched(batch, query, round)) return;
  if (!or_has_run(query, batch.states[query.state])) return;
  const BlockFinder finder(batch, query, range.owner);
  const std::uint32_t end = range.first + range.blocks;
  if (!finder.may_have_competitive(range.first, end)) return;  // all warps get the same result
  if (threadIdx.x == 0) memory.count = 0;
  __syncthreads();
  for (std::uint32_t first = range.first + warp_id() * kWarp; first < end; first += blockDim.x) {
    const std::uint32_t block = first + lane_id();
    const bool wanted = block < end && finder.wants(block);
    const std::uint32_t group = __ballot_sync(kWholeWarp, wanted);
    std::uint32_t place = 0;
    if (lane_id() == 0 && group != 0) place = atomicAdd(&memory.count, __popc(group));
    place = __shfl_sync(kWholeWarp, place, 0) + __popc(group & ((1U << lane_id()) - 1));
    if (wanted) memory.blocks[place] = static_cast<std::uint16_t>(block - range.first);
  }
  __syncthreads();
  append_block_chunks(batch, query, range, batch.rounds[round].blocks, memory);
}

/// Documents of a full chunk. Few if the round has little work: they are looked up sooner and raise
/// the threshold for others. Many if it has much work: the documents that are left after each list
/// are packed together, and share the blocks that are decoded for them.
__device__ std::uint32_t chunk_documents(const OrRounds& batch, std::uint32_t round) {
  const std::uint32_t blocks = batch.rounds[round].blocks.items;
  const std::uint32_t warps = gridDim.x * kWarps;
  if (batch.spares_bus || blocks >= kManyBlocks * warps) return kTogether;
  return blocks < kSomeBlocks * warps ? kFewTogether : kTogether / 2;
}

/// Appends the documents that were found, as chunks of `together`. If there is no room for them,
/// marks the query's answer as unusable. A whole warp.
template <class Reader>
__device__ void append_document_chunks(const OrRounds& batch, ChunkCounters& counters,
                                       std::uint32_t together, const Reader& reader,
                                       std::uint32_t list, std::uint32_t count) {
  const std::uint32_t chunks = (count + together - 1) / together;
  ChunkRoom room{};
  if (lane_id() == 0) room = take_room(counters, count, chunks);
  const std::uint32_t first = __shfl_sync(kWholeWarp, room.item, 0);
  const std::uint32_t first_chunk = __shfl_sync(kWholeWarp, room.chunk, 0);
  const bool has_room = std::uint64_t{first_chunk} + chunks <= batch.max_document_chunks &&
                        std::uint64_t{first} + count <= batch.max_documents;
  for (std::uint32_t i = lane_id(); i < count && has_room; i += kWarp) {
    batch.lookup_documents[first + i] = reader.get(i);
  }
  for (std::uint32_t i = lane_id(); i < chunks && first_chunk + i < batch.max_document_chunks;
       i += kWarp) {
    const std::uint32_t before = i * together;
    batch.document_chunks[first_chunk + i] = {list, first + before,
                                              has_room ? min(together, count - before) : 0};
  }
  if (lane_id() != 0 || has_room) return;
  batch.states[batch.queries[batch.and_queries + batch.lists[list].or_query].state].overflow = 1;
}

/// Calls use(chunk) for each chunk of blocks, or share of one, that the warp takes in a round, and
/// counts the blocks.
template <class Use>
__device__ void for_each_taken(const OrRounds& batch, const ChunkShares& pieces,
                               ChunkCounters& counters, Use use) {
  for (;;) {
    const std::uint32_t number = take_number(counters.taken);
    if (number >= pieces.count()) break;
    use(pieces.get(batch.block_chunks, number));
  }
  if (batch.work == nullptr || blockIdx.x != 0 || threadIdx.x != 0) return;
  atomicAdd(&batch.work->or_blocks, static_cast<unsigned long long>(counters.items));
}

__device__ ChunkShares shares_of_blocks(const OrRounds& batch, const ChunkCounters& counters) {
  return {min(counters.chunks, batch.max_block_chunks), gridDim.x * kWarps, kShares,
          batch.spares_bus ? 1 : batch.chunk_blocks};
}

/// Work item: a chunk of blocks or a share of one, a warp; CTAs of 256 threads stay and take
/// further items. Shared memory: ReadMemory of 8 warps and UnitTable, about 21 KiB. Bound by
/// decoding.
template <CodecKind kCodec, class Units>
__global__ void __launch_bounds__(kThreads, ctas_at_once(kThreads, 5))
    read_blocks(OrRounds batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ __align__(16) ReadMemory memories[kWarps];
  __shared__ UnitTable<Units> table;
  __shared__ ChunkShares pieces;
  ChunkCounters& counters = batch.rounds[round].blocks;
  const ChunkShares all = shares_of_blocks(batch, counters);
  if (blockIdx.x >= all.count()) return;
  if (threadIdx.x == 0) pieces = all;
  __syncthreads();
  table.fill(batch);
  const std::uint32_t together = chunk_documents(batch, round);
  BlockReader<kCodec, Units> reader(batch, table, round, together, memories[warp_id()]);
  for_each_taken(batch, pieces, counters, [&](const Chunk& chunk) {
    reader.read(chunk, [&](const auto& found, std::uint32_t list, std::uint32_t count) {
      append_document_chunks(batch, batch.rounds[round].documents, together, found, list, count);
    });
  });
}

/// Work item: a chunk of documents of a list, or a share of one, a warp; CTAs of 256 threads stay
/// and take further items. Shared memory: SearchMemory of 8 warps and UnitTable, about 17 KiB.
/// Bound by decoding the blocks that may hold the documents, and by the latency of finding these
/// blocks.
template <CodecKind kCodec, class Units>
__global__ void __launch_bounds__(kThreads,
                                  ctas_at_once(kThreads, kCodec == CodecKind::kPfor ? 4 : 5))
    look_up_chunks(OrRounds batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ __align__(16) SearchMemory memories[kWarps];
  __shared__ UnitTable<Units> table;
  ChunkCounters& counters = batch.rounds[round].documents;
  const ChunkShares pieces(min(counters.chunks, batch.max_document_chunks), gridDim.x * kWarps,
                           batch.spares_bus ? kSharesOverBus : kShares,
                           batch.spares_bus ? kMaxSharesOverBus : kMaxShares);
  if (blockIdx.x >= pieces.count()) return;
  table.fill(batch);
  SearchMemory& memory = memories[warp_id()];
  Searcher<kCodec, Units, LookupGoal::kThroughput> searcher(batch, table, memory);
  for (;;) {
    const std::uint32_t number = take_number(counters.taken);
    if (number >= pieces.count()) break;
    const Chunk chunk = pieces.get(batch.document_chunks, number);
    if (chunk.count == 0) continue;
    for (std::uint32_t i = lane_id(); i < chunk.count; i += kWarp) {
      memory.documents[i] = batch.lookup_documents[chunk.first + i];
    }
    __syncwarp();
    searcher.search(batch.lists[chunk.list], chunk.count);
    __syncwarp();
  }
  searcher.count_work();
}

struct SearchBlocksMemory {
  ReadMemory read;
  SearchMemory search;
};

/// Work item: as read_blocks, but each warp looks up what it finds. It takes the place of both
/// kernels where there is no room for the documents between them (has_document_room). Shared
/// memory: about 37 KiB. Slower than both: their code together does not fit the instruction cache,
/// and a warp that finds many documents cannot share them.
template <CodecKind kCodec, class Units>
__global__ void __launch_bounds__(kThreads, 4) search_blocks(OrRounds batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ __align__(16) SearchBlocksMemory memories[kWarps];
  __shared__ UnitTable<Units> table;
  ChunkCounters& counters = batch.rounds[round].blocks;
  const ChunkShares pieces = shares_of_blocks(batch, counters);
  if (blockIdx.x >= pieces.count()) return;
  table.fill(batch);
  SearchBlocksMemory& memory = memories[warp_id()];
  BlockReader<kCodec, Units> reader(batch, table, round, kTogether, memory.read);
  Searcher<kCodec, Units, LookupGoal::kThroughput> searcher(batch, table, memory.search);
  for_each_taken(batch, pieces, counters, [&](const Chunk& chunk) {
    reader.read(chunk, [&](const auto& found, std::uint32_t list, std::uint32_t count) {
      for (std::uint32_t first = 0; first < count; first += kTogether) {
        const std::uint32_t now = min(count - first, kTogether);
        for (std::uint32_t i = lane_id(); i < now; i += kWarp) {
          memory.search.documents[i] = found.get(first + i);
        }
        __syncwarp();
        searcher.search(batch.lists[list], now);
        __syncwarp();
      }
    });
  });
  searcher.count_work();
}

/// Launches a round's kernel with as many CTAs as the GPU can hold. `kernel_of` gives its instance.
template <class KernelOf>
void launch_resident(const char* name, const OrRounds& batch, std::uint32_t round, CodecKind codec,
                     cudaStream_t stream, KernelOf kernel_of) {
  if (batch.table_range_count == 0) return;
  with_codec_and_units(LookupUnits(), batch, codec, [&]<CodecKind kCodec, class Units>() {
    const auto kernel = kernel_of.template operator()<kCodec, Units>();
    static const std::uint32_t ctas = resident_ctas(kernel, kThreads, 0);
    launch(name, kernel, ctas, kThreads, 0, stream, batch, round);
  });
}

}  // namespace

void launch_find_blocks(const OrRounds& batch, std::uint32_t round, cudaStream_t stream) {
  if (batch.table_range_count == 0) return;
  launch("find_blocks", find_blocks, batch.table_range_count, batch.range_threads, 0, stream, batch,
         round);
}

void launch_read_blocks(const OrRounds& batch, std::uint32_t round, CodecKind codec,
                        cudaStream_t stream) {
  launch_resident("read_blocks", batch, round, codec, stream,
                  [&]<CodecKind kCodec, class Units>() { return read_blocks<kCodec, Units>; });
}

void launch_look_up_chunks(const OrRounds& batch, std::uint32_t round, CodecKind codec,
                           cudaStream_t stream) {
  launch_resident("look_up_chunks", batch, round, codec, stream,
                  [&]<CodecKind kCodec, class Units>() { return look_up_chunks<kCodec, Units>; });
}

void launch_search_blocks(const OrRounds& batch, std::uint32_t round, CodecKind codec,
                          cudaStream_t stream) {
  launch_resident("search_blocks", batch, round, codec, stream,
                  [&]<CodecKind kCodec, class Units>() { return search_blocks<kCodec, Units>; });
}

}  // namespace warpdex::gpu
