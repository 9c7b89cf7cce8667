// OR by lookups. A block of a list that may decide is decoded by a warp; a document whose score
// there, with all that the lists behind may add, reaches the query's threshold is looked up in
// these, list by list, until it misses (MaxScore, Turtle and Flood, document by document). Warps
// look 32 documents of a list up at once; these are neighbours, so that they share blocks. A
// document is found from the first of its lists; from the others, it is dropped in the end.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/block_finder.cuh"
#include "gpu/kernels/or/draws.hpp"
#include "gpu/kernels/or/or_block_reader.cuh"

namespace warpdex::gpu {
namespace {

using namespace or_lookups;

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
/// Shares of the last chunks that a warp draws, about; and of a chunk of documents, at most.
constexpr std::uint32_t kShares = 4;
constexpr std::uint32_t kMostShares = 32;
/// The same where many blocks come over the bus.
constexpr std::uint32_t kSharesOverBus = 1;
constexpr std::uint32_t kMostSharesOverBus = 8;
/// Documents of a full chunk, at least.
constexpr std::uint32_t kFewTogether = 32;
/// Blocks that each warp reads in a round from which on chunks of documents are larger, and
/// largest.
constexpr std::uint32_t kSomeBlocks = 20;
constexpr std::uint32_t kManyBlocks = 66;

/// Where chunks and what is in them are written.
struct Room {
  std::uint32_t chunk;
  std::uint32_t thing;
};

/// Takes room for some. A thread.
__device__ Room take_room(ChunkCounters& counters, std::uint32_t things, std::uint32_t chunks) {
  static_assert(offsetof(ChunkCounters, chunks) == 0 && offsetof(ChunkCounters, things) == 4);
  const unsigned long long both = static_cast<unsigned long long>(things) << 32 | chunks;
  const unsigned long long before =
      atomicAdd(reinterpret_cast<unsigned long long*>(&counters), both);
  return {static_cast<std::uint32_t>(before), static_cast<std::uint32_t>(before >> 32)};
}

/// Draws a number that no other warp gets. A whole warp.
__device__ std::uint32_t draw(std::uint32_t& drawn) {
  std::uint32_t number = 0;
  if (lane_id() == 0) number = atomicAdd(&drawn, 1);
  return __shfl_sync(kWholeWarp, number, 0);
}

struct FindMemory {
  std::uint16_t blocks[kStretchBlocks];  ///< worth reading: from the stretch's first
  std::uint32_t count;
  Room room;  ///< where they are written
};

/// Makes chunks of the blocks that were found. Where there is no room for them, the query's answer
/// is of no use. A whole CTA, after a barrier.
__device__ void hand_on_blocks(const Batch& batch, const Query& query, const Stretch& stretch,
                               ChunkCounters& counters, FindMemory& memory) {
  const std::uint32_t count = memory.count;
  const std::uint32_t size = batch.chunk_blocks;
  const std::uint32_t chunks = (count + size - 1) / size;
  if (count == 0) return;
  if (threadIdx.x == 0) memory.room = take_room(counters, count, chunks);
  __syncthreads();
  const Room room = memory.room;
  const bool has_room = std::uint64_t{room.chunk} + chunks <= batch.most_block_chunks &&
                        std::uint64_t{room.thing} + count <= batch.most_blocks;
  if (threadIdx.x == 0 && !has_room) batch.states[query.state].overflow = 1;
  for (std::uint32_t i = threadIdx.x; i < count && has_room; i += kThreads) {
    batch.blocks[room.thing + i] = stretch.first + memory.blocks[i];
  }
  for (std::uint32_t i = threadIdx.x; i < chunks; i += kThreads) {
    if (room.chunk + i >= batch.most_block_chunks) break;
    batch.block_chunks[room.chunk + i] = {stretch.owner, room.thing + i * size,
                                          has_room ? min(size, count - i * size) : 0};
  }
}

/// Work item: blocks of a list, a CTA. Bound by the latency of finding out whether any may decide.
__global__ void __launch_bounds__(kThreads) find_blocks(Batch batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ FindMemory memory;
  const Stretch stretch = batch.table_stretches[blockIdx.x];
  const List& list = batch.lists[stretch.owner];
  const Query& query = batch.queries[batch.and_queries + list.owner];
  if (list.place >= query.scoring) return;
  if (!or_has_run(query, batch.states[query.state])) return;
  const BlockFinder finder(batch, query, stretch.owner);
  const std::uint32_t end = stretch.first + stretch.blocks;
  if (!finder.may_want(stretch.first, end)) return;  // the same for all warps
  if (threadIdx.x == 0) memory.count = 0;
  __syncthreads();
  for (std::uint32_t first = stretch.first + warp_id() * kWarp; first < end; first += kThreads) {
    const std::uint32_t block = first + lane_id();
    const bool wanted = block < end && finder.wants(block);
    const std::uint32_t group = __ballot_sync(kWholeWarp, wanted);
    std::uint32_t place = 0;
    if (lane_id() == 0 && group != 0) place = atomicAdd(&memory.count, __popc(group));
    place = __shfl_sync(kWholeWarp, place, 0) + __popc(group & ((1U << lane_id()) - 1));
    if (wanted) memory.blocks[place] = static_cast<std::uint16_t>(block - stretch.first);
  }
  __syncthreads();
  hand_on_blocks(batch, query, stretch, batch.rounds[round].blocks, memory);
}

/// Documents of a full chunk: in a round of little work few, which are looked up sooner and raise
/// thresholds for others; else many, of which those that stay are brought together list by list,
/// and which share blocks.
__device__ std::uint32_t chunk_documents(const Batch& batch, std::uint32_t round) {
  const std::uint32_t blocks = batch.rounds[round].blocks.things;
  const std::uint32_t warps = gridDim.x * kWarps;
  if (batch.spares_bus || blocks >= kManyBlocks * warps) return kTogether;
  return blocks < kSomeBlocks * warps ? kFewTogether : kTogether / 2;
}

/// Makes chunks of `together` documents of those that were found. Where there is no room for them,
/// the query's answer is of no use. A whole warp.
template <class Reader>
__device__ void hand_on_documents(const Batch& batch, ChunkCounters& counters,
                                  std::uint32_t together, const Reader& reader, std::uint32_t list,
                                  std::uint32_t count) {
  const std::uint32_t chunks = (count + together - 1) / together;
  Room room{};
  if (lane_id() == 0) room = take_room(counters, count, chunks);
  const std::uint32_t first = __shfl_sync(kWholeWarp, room.thing, 0);
  const std::uint32_t first_chunk = __shfl_sync(kWholeWarp, room.chunk, 0);
  const bool has_room = std::uint64_t{first_chunk} + chunks <= batch.most_found_chunks &&
                        std::uint64_t{first} + count <= batch.most_found;
  for (std::uint32_t i = lane_id(); i < count && has_room; i += kWarp) {
    batch.found[first + i] = reader.get(i);
  }
  for (std::uint32_t i = lane_id(); i < chunks && first_chunk + i < batch.most_found_chunks;
       i += kWarp) {
    const std::uint32_t before = i * together;
    batch.found_chunks[first_chunk + i] = {list, first + before,
                                           has_room ? min(together, count - before) : 0};
  }
  if (lane_id() != 0 || has_room) return;
  batch.states[batch.queries[batch.and_queries + batch.lists[list].owner].state].overflow = 1;
}

/// Calls use(chunk) for the chunks of blocks of a round, or shares of them, that the warp draws,
/// and counts the blocks.
template <class Use>
__device__ void for_each_drawn(const Batch& batch, const Draws& draws, ChunkCounters& counters,
                               Use use) {
  for (;;) {
    const std::uint32_t number = draw(counters.drawn);
    if (number >= draws.count()) break;
    use(draws.get(batch.block_chunks, number));
  }
  if (batch.work == nullptr || blockIdx.x != 0 || threadIdx.x != 0) return;
  atomicAdd(&batch.work->or_blocks, static_cast<unsigned long long>(counters.things));
}

__device__ Draws draws_of_blocks(const Batch& batch, const ChunkCounters& counters) {
  return {min(counters.chunks, batch.most_block_chunks), gridDim.x * kWarps, kShares,
          batch.spares_bus ? 1 : batch.chunk_blocks};
}

/// Work item: a chunk of blocks or a share of one, a warp; warps stay and draw. Bound by decoding.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kThreads, 5) read_blocks(Batch batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ __align__(16) ReadMemory memories[kWarps];
  __shared__ UnitTable<kForm> table;
  __shared__ Draws draws;
  ChunkCounters& counters = batch.rounds[round].blocks;
  const Draws all = draws_of_blocks(batch, counters);
  if (blockIdx.x >= all.count()) return;
  if (threadIdx.x == 0) draws = all;
  __syncthreads();
  table.fill(batch);
  const std::uint32_t together = chunk_documents(batch, round);
  BlockReader<kCodec, kLevels, kForm> reader(batch, table, round, together, memories[warp_id()]);
  for_each_drawn(batch, draws, counters, [&](const Chunk& chunk) {
    reader.read(chunk, [&](const auto& found, std::uint32_t list, std::uint32_t count) {
      hand_on_documents(batch, batch.rounds[round].documents, together, found, list, count);
    });
  });
}

/// Work item: a chunk of documents of a list or a share of one, a warp; warps stay and draw. Bound
/// by decoding the blocks that the documents would be in, and by the latency of finding these.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kThreads, kCodec == CodecKind::kPfor ? 4 : 5)
    look_up_chunks(Batch batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ __align__(16) SearchMemory<Spare::kWork> memories[kWarps];
  __shared__ UnitTable<kForm> table;
  ChunkCounters& counters = batch.rounds[round].documents;
  const Draws draws(min(counters.chunks, batch.most_found_chunks), gridDim.x * kWarps,
                    batch.spares_bus ? kSharesOverBus : kShares,
                    batch.spares_bus ? kMostSharesOverBus : kMostShares);
  if (blockIdx.x >= draws.count()) return;
  table.fill(batch);
  SearchMemory<Spare::kWork>& memory = memories[warp_id()];
  Searcher<kCodec, kLevels, kForm, Spare::kWork> searcher(batch, table, memory);
  for (;;) {
    const std::uint32_t number = draw(counters.drawn);
    if (number >= draws.count()) break;
    const Chunk chunk = draws.get(batch.found_chunks, number);
    if (chunk.count == 0) continue;
    for (std::uint32_t i = lane_id(); i < chunk.count; i += kWarp) {
      memory.documents[i] = batch.found[chunk.first + i];
    }
    __syncwarp();
    searcher.search(batch.lists[chunk.list], chunk.count);
    __syncwarp();
  }
  searcher.count_work();
}

struct SearchBlocksMemory {
  ReadMemory read;
  SearchMemory<Spare::kWork> search;
};

/// Work item: as read_blocks, but what a warp finds it looks up itself: in place of both kernels
/// where there is little room between them. Slower: code of both is more than multiprocessors keep
/// at hand, and warps with much to look up have nobody to share it with.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kThreads, 4) search_blocks(Batch batch, std::uint32_t round) {
  wait_for_previous();
  __shared__ __align__(16) SearchBlocksMemory memories[kWarps];
  __shared__ UnitTable<kForm> table;
  ChunkCounters& counters = batch.rounds[round].blocks;
  const Draws draws = draws_of_blocks(batch, counters);
  if (blockIdx.x >= draws.count()) return;
  table.fill(batch);
  SearchBlocksMemory& memory = memories[warp_id()];
  BlockReader<kCodec, kLevels, kForm> reader(batch, table, round, kTogether, memory.read);
  Searcher<kCodec, kLevels, kForm, Spare::kWork> searcher(batch, table, memory.search);
  for_each_drawn(batch, draws, counters, [&](const Chunk& chunk) {
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

}  // namespace

void launch_find_blocks(const Batch& batch, std::uint32_t round, cudaStream_t stream) {
  if (batch.table_stretch_count == 0) return;
  launch("find_blocks", find_blocks, batch.table_stretch_count, kThreads, 0, stream, batch, round);
}

void launch_read_blocks(const Batch& batch, std::uint32_t round, CodecKind codec,
                        cudaStream_t stream) {
  if (batch.table_stretch_count == 0) return;
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    const auto kernel = read_blocks<kCodec, kLevels, kForm>;
    static const std::uint32_t ctas = resident_ctas(kernel, kThreads, 0);
    launch("read_blocks", kernel, ctas, kThreads, 0, stream, batch, round);
  });
}

void launch_look_up_chunks(const Batch& batch, std::uint32_t round, CodecKind codec,
                           cudaStream_t stream) {
  if (batch.table_stretch_count == 0) return;
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    const auto kernel = look_up_chunks<kCodec, kLevels, kForm>;
    static const std::uint32_t ctas = resident_ctas(kernel, kThreads, 0);
    launch("look_up_chunks", kernel, ctas, kThreads, 0, stream, batch, round);
  });
}

void launch_search_blocks(const Batch& batch, std::uint32_t round, CodecKind codec,
                          cudaStream_t stream) {
  if (batch.table_stretch_count == 0) return;
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    const auto kernel = search_blocks<kCodec, kLevels, kForm>;
    static const std::uint32_t ctas = resident_ctas(kernel, kThreads, 0);
    launch("search_blocks", kernel, ctas, kThreads, 0, stream, batch, round);
  });
}

}  // namespace warpdex::gpu
