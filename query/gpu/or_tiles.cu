// OR. A tile of documents has an accumulator of 16 bits each in shared memory; the blocks of the
// query's lists that meet the tile are decoded and added up there, in any order, since sums of
// integers do not depend on it; then the documents that reach the query's threshold become
// candidates and raise it. Lists that could not lift a document over the threshold by themselves
// (MaxScore, Turtle and Flood) are read only where the others left a document that they could.
#include <cuda_pipeline.h>

#include <algorithm>

#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/emit.cuh"
#include "warpdex/query/gpu/kernels.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::uint32_t kVectors = kTileDocuments / 8;  // of 8 accumulators
constexpr std::uint32_t kKept = 512;                    // candidates of a tile at a time
constexpr std::uint32_t kListsHere = 8;                 // that are copied to shared memory
constexpr std::uint32_t kFewBlocks = 8;  // fewer: lengths are not worth copying whole
constexpr std::uint32_t kGroup = 32;     // documents that share a mark
constexpr std::uint32_t kMarkWords = kTileDocuments / kGroup / 32;

template <ScoreForm kForm>
struct Memory {
  static constexpr bool kHasLengths = kForm != ScoreForm::kImpact;
  uint4 sums[kVectors];  ///< all 0 between tiles
  std::uint8_t length_codes[kHasLengths ? kTileDocuments : 16];
  device::WarpScratch scratch[kWarps];
  List lists[kListsHere];
  float parts[kHasLengths ? kLengthCodes : 1];  ///< length_part of each code
  std::uint32_t kept[kKept];                    ///< sum << 16 | slot
  std::uint8_t candidates[kVectors];            ///< a bit for each document, where lists are refined
  std::uint32_t marks[kMarkWords];              ///< a bit for kGroup documents: some are candidates
  std::uint32_t first[kMostLists];              ///< the first block of each list in the tile
  std::uint32_t ends[kMostLists];               ///< blocks of the lists up to each, in the tile
  std::uint32_t queue[kWarp];                   ///< queries of items to be done
  std::uint32_t queue_tiles[kWarp];             ///< and their tiles
  std::uint32_t queued;
  std::uint32_t kept_count;
  std::uint32_t essential;
  std::uint32_t need;
  std::uint32_t static_bound;
  std::uint32_t rest;  ///< units of the lists that are not essential, and of static scores
  std::uint32_t skipped;
};

/// A tile of a query while a CTA works on it.
template <CodecKind kCodec, ScoreForm kForm>
class Tile {
 public:
  __device__ Tile(const Batch& batch, const Query& query, std::uint32_t tile, Memory<kForm>& memory)
      : batch_(batch),
        query_(query),
        memory_(memory),
        state_(batch.states[query.state]),
        tile_(tile),
        begin_(tile * kTileDocuments),
        lists_(query.lists <= kListsHere ? memory.lists : batch.lists + query.first_list) {}

  __device__ void run() {
    __syncthreads();  // the tile before is done with shared memory
    set_up();
    __syncthreads();
    if (memory_.skipped != 0) return;
    const std::uint32_t essential = memory_.essential;
    const std::uint32_t blocks = essential == 0 ? 0 : memory_.ends[essential - 1];
    copy_lengths(blocks);
    add_blocks(0, blocks);
    __syncthreads();
    if (query_.lists > query_.scoring) {
      erase_blocks(memory_.ends[query_.scoring - 1], memory_.ends[query_.lists - 1]);
      __syncthreads();
    }
    if (essential < query_.scoring) {
      const std::uint32_t need = memory_.need > memory_.rest ? memory_.need - memory_.rest : 0;
      if (mark_candidates(max(need, 1U)) == 0) return;
      refine_blocks(blocks, memory_.ends[query_.scoring - 1]);
      __syncthreads();
    }
    collect(essential < query_.scoring);
  }

 private:
  __device__ std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>(memory_.sums); }
  __device__ device::WarpScratch& scratch() { return memory_.scratch[warp_id()]; }

  /// The tile's blocks of each list, and which lists are essential.
  __device__ void set_up() {
    const std::uint32_t count = query_.lists;
    const List* const lists = batch_.lists + query_.first_list;
    if (count <= kListsHere) {
      const auto* from = reinterpret_cast<const uint4*>(lists);
      auto* to = reinterpret_cast<uint4*>(memory_.lists);
      for (std::uint32_t i = threadIdx.x; i < count * sizeof(List) / sizeof(uint4); i += kThreads) {
        to[i] = from[i];
      }
    }
    if (threadIdx.x < kMarkWords) memory_.marks[threadIdx.x] = 0;
    if (warp_id() == 0) set_up_lists(lists, count);
  }

  /// One warp.
  __device__ void set_up_lists(const List* lists, std::uint32_t count) {
    const bool all = (query_.flags & (kCount | kExhaustive)) != 0;
    const std::uint32_t threshold = current_threshold(state_);
    std::uint32_t blocks_before = 0;
    std::uint32_t total = 0;
    for (std::uint32_t begin = 0; begin < count; begin += kWarp) {
      const std::uint32_t i = begin + lane_id();
      std::uint32_t blocks = 0;
      std::uint32_t bound = 0;
      if (i < count) {
        const std::uint32_t* const row = batch_.first_blocks + lists[i].row + tile_;
        const std::uint32_t first = row[0];
        const std::uint32_t in_list = lists[i].blocks;
        if (i < query_.scoring) bound = batch_.upper_bounds[lists[i].row + tile_];
        const bool meets = first < in_list && (bound > 0 || i >= query_.scoring);
        blocks = meets ? min(row[1], in_list - 1) - first + 1 : 0;
        memory_.first[i] = first;
      }
      std::uint32_t sum = blocks;
      for (std::uint32_t step = 1; step < kWarp; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
        if (lane_id() >= step) sum += other;
      }
      if (i < count) memory_.ends[i] = blocks_before + sum;
      blocks_before += __shfl_sync(kWholeWarp, sum, kWarp - 1);
      total += __reduce_add_sync(kWholeWarp, bound);
    }
    // The first list from which on no document can reach the threshold, static scores included.
    const std::uint32_t static_bound =
        batch_.static_bounds == nullptr ? 0 : batch_.tile_bounds[query_.order + tile_] - total;
    std::uint32_t rest = total + static_bound;
    const bool skipped = !all && rest < threshold;
    std::uint32_t essential = 0;
    while (essential < query_.scoring && (all || rest >= threshold)) {
      rest -= batch_.upper_bounds[lists[essential].row + tile_];
      ++essential;
    }
    if (lane_id() != 0) return;
    memory_.skipped = skipped ? 1 : 0;
    memory_.essential = essential;
    memory_.static_bound = static_bound;
    memory_.rest = rest;
    memory_.need = threshold;
    memory_.kept_count = 0;
    if (batch_.work != nullptr && !skipped) atomicAdd(&batch_.work->tiles, 1ULL);
  }

  __device__ void copy_lengths(std::uint32_t blocks) {
    if constexpr (Memory<kForm>::kHasLengths) {
      has_lengths_ = blocks >= kFewBlocks;
      if (!has_lengths_) return;
      const auto* from = reinterpret_cast<const uint4*>(batch_.length_codes + begin_);
      auto* to = reinterpret_cast<uint4*>(memory_.length_codes);
      for (std::uint32_t i = threadIdx.x; i < kTileDocuments / sizeof(uint4); i += kThreads) {
        __pipeline_memcpy_async(to + i, from + i, sizeof(uint4));
      }
      __pipeline_commit();
      __pipeline_wait_prior(0);
      __syncthreads();
    }
  }

  __device__ std::uint32_t units(const List& list, std::uint32_t value, std::uint32_t slot) {
    const float weight = list.weight * query_.scale;
    if constexpr (Memory<kForm>::kHasLengths) {
      const std::uint8_t code =
          has_lengths_ ? memory_.length_codes[slot] : batch_.length_codes[begin_ + slot];
      return units_of<kForm>(value, memory_.parts[code], weight, list.c0);
    } else {
      return units_of<kForm>(value, 0.F, weight, 0.F);
    }
  }

  __device__ void add(std::uint32_t slot, std::uint32_t sum) {
    atomicAdd(words() + slot / 2, sum << (16 * (slot % 2)));
  }

  __device__ bool is_candidate(std::uint32_t slot) {
    return (memory_.candidates[slot / 8] >> slot % 8 & 1) != 0;
  }

  /// Calls visit(list, block) for the tile's blocks [from, to), counted through all lists; each by
  /// one warp.
  template <class Visit>
  __device__ void for_each_block(std::uint32_t from, std::uint32_t to, Visit visit) {
    std::uint32_t list = 0;
    for (std::uint32_t i = from + warp_id(); i < to; i += kWarps) {
      while (i >= memory_.ends[list]) ++list;
      const std::uint32_t before = list == 0 ? 0 : memory_.ends[list - 1];
      visit(lists_[list], memory_.first[list] + i - before);
    }
  }

  __device__ void add_blocks(std::uint32_t from, std::uint32_t to) {
    for_each_block(from, to, [&](const List& list, std::uint32_t block) {
      std::uint32_t docids[4];
      std::uint32_t values[4];
      read_docids<kCodec>(list, block, scratch(), docids);
      read_values<kCodec>(list, block, scratch(), values);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t slot = docids[i] - begin_;
        if (slot < kTileDocuments) add(slot, units(list, values[i], slot));
      }
    });
  }

  /// Empties the accumulators of a prohibited list's documents.
  __device__ void erase_blocks(std::uint32_t from, std::uint32_t to) {
    for_each_block(from, to, [&](const List& list, std::uint32_t block) {
      std::uint32_t docids[4];
      read_docids<kCodec>(list, block, scratch(), docids);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t slot = docids[i] - begin_;
        if (slot < kTileDocuments) atomicAnd(words() + slot / 2, ~(0xFFFFU << (16 * (slot % 2))));
      }
    });
  }

  /// Empties all accumulators below `need`, and marks the others'. Returns how many those are.
  __device__ std::uint32_t mark_candidates(std::uint32_t need) {
    const std::uint32_t least = min(need, 65'535U) * 0x10001U;
    std::uint32_t found = 0;
    for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) {
      const uint4 four = memory_.sums[i];
      memory_.candidates[i] = 0;
      if ((four.x | four.y | four.z | four.w) == 0) continue;
      const std::uint32_t x = __vcmpgeu2(four.x, least);
      const std::uint32_t y = __vcmpgeu2(four.y, least);
      const std::uint32_t z = __vcmpgeu2(four.z, least);
      const std::uint32_t w = __vcmpgeu2(four.w, least);
      memory_.sums[i] = {four.x & x, four.y & y, four.z & z, four.w & w};
      if ((x | y | z | w) == 0) continue;
      const auto bits = [](std::uint32_t two) { return (two & 1) | (two >> 15 & 2); };
      memory_.candidates[i] =
          static_cast<std::uint8_t>(bits(x) | bits(y) << 2 | bits(z) << 4 | bits(w) << 6);
      const std::uint32_t group = i * 8 / kGroup;
      atomicOr(&memory_.marks[group / 32], 1U << group % 32);
      found = 1;
    }
    return static_cast<std::uint32_t>(__syncthreads_or(static_cast<int>(found)));
  }

  /// Whether any document from `from` to `to` (slots, inclusive) is marked. A whole warp.
  __device__ bool is_marked(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t low = from / kGroup;
    const std::uint32_t high = to / kGroup;
    bool found = false;
    if (lane_id() < kMarkWords && lane_id() >= low / 32 && lane_id() <= high / 32) {
      std::uint32_t mask = kWholeWarp;
      if (lane_id() == low / 32) mask &= kWholeWarp << low % 32;
      if (lane_id() == high / 32) mask &= kWholeWarp >> (31 - high % 32);
      found = (memory_.marks[lane_id()] & mask) != 0;
    }
    return __any_sync(kWholeWarp, found);
  }

  /// Adds the lists that are not essential, for documents that are candidates.
  __device__ void refine_blocks(std::uint32_t from, std::uint32_t to) {
    for_each_block(from, to, [&](const List& list, std::uint32_t block) {
      if (!(list.flags & kRaw)) {
        const std::uint32_t last = list.last_docids[block];
        const std::uint32_t base = block == 0 ? 0 : list.last_docids[block - 1] + 1;
        const std::uint32_t low = max(base, begin_) - begin_;
        const std::uint32_t high = min(last - begin_, kTileDocuments - 1);
        if (low >= kTileDocuments || !is_marked(low, high)) return;
      }
      std::uint32_t docids[4];
      read_docids<kCodec>(list, block, scratch(), docids);
      bool wanted = false;
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t slot = docids[i] - begin_;
        if (slot >= kTileDocuments || !is_candidate(slot)) docids[i] = kNone;
        wanted |= docids[i] != kNone;
      }
      if (!__any_sync(kWholeWarp, wanted)) return;
      std::uint32_t values[4];
      read_values<kCodec>(list, block, scratch(), values);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        const std::uint32_t slot = docids[i] - begin_;
        if (docids[i] != kNone) add(slot, units(list, values[i], slot));
      }
    });
  }

  /// Empties all accumulators; those that reach the threshold become candidates of the query, a
  /// bounded number at a time, between which the threshold rises.
  __device__ void collect(bool only_marked) {
    bool counts = (query_.flags & kCount) != 0;
    for (;;) {
      const std::uint32_t threshold = memory_.need;
      const std::uint32_t need =
          threshold > memory_.static_bound ? threshold - memory_.static_bound : 0;
      scan(max(need, 1U), only_marked, counts);
      counts = false;
      __syncthreads();
      const std::uint32_t kept = memory_.kept_count;
      if (kept == 0) return;
      append_kept(min(kept, kKept), threshold);
      __threadfence();
      __syncthreads();
      if (warp_id() == 0) {
        raise_threshold(batch_, query_);
        if (lane_id() == 0) {
          memory_.need = current_threshold(state_);
          memory_.kept_count = 0;
        }
      }
      if (kept <= kKept) return;
      __syncthreads();
    }
  }

  __device__ void scan(std::uint32_t need, bool only_marked, bool counts) {
    const std::uint32_t least = min(need, 65'535U) * 0x10001U;
    std::uint32_t matches = 0;
    for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) {
      const std::uint32_t group = i * 8 / kGroup;
      if (only_marked && (memory_.marks[group / 32] >> group % 32 & 1) == 0) continue;
      const uint4 four = memory_.sums[i];
      if ((four.x | four.y | four.z | four.w) == 0) continue;
      if (counts) {
        matches += (__popc(__vcmpne2(four.x, 0)) + __popc(__vcmpne2(four.y, 0)) +
                    __popc(__vcmpne2(four.z, 0)) + __popc(__vcmpne2(four.w, 0))) / 16;
      }
      memory_.sums[i] = {keep(four.x, least, 8 * i), keep(four.y, least, 8 * i + 2),
                         keep(four.z, least, 8 * i + 4), keep(four.w, least, 8 * i + 6)};
    }
    if (!counts) return;
    matches = __reduce_add_sync(kWholeWarp, matches);
    if (lane_id() == 0 && matches > 0) {
      atomicAdd(&state_.matches, static_cast<unsigned long long>(matches));
    }
  }

  /// Remembers those of two accumulators that reach `least`, as long as there is room. Returns what
  /// of the two is to stay in the accumulators: those for which there was none.
  __device__ std::uint32_t keep(std::uint32_t two, std::uint32_t least, std::uint32_t slot) {
    const std::uint32_t reached = two & __vcmpgeu2(two, least);
    std::uint32_t left = 0;
    if (reached == 0) return left;
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t sum = reached >> (16 * half) & 0xFFFF;
      if (sum == 0) continue;
      const std::uint32_t place = atomicAdd(&memory_.kept_count, 1);
      if (place < kKept) {
        memory_.kept[place] = sum << 16 | (slot + half);
      } else {
        left |= sum << (16 * half);
      }
    }
    return left;
  }

  __device__ void append_kept(std::uint32_t count, std::uint32_t threshold) {
    for (std::uint32_t i = threadIdx.x; i - lane_id() < count; i += kThreads) {
      bool has = i < count;
      std::uint32_t document = 0;
      std::uint32_t sum = 0;
      if (has) {
        document = begin_ + (memory_.kept[i] & 0xFFFF);
        sum = (memory_.kept[i] >> 16) + static_units(batch_, query_, document);
        has = sum >= threshold;
      }
      append_candidate(batch_, query_, has, document, sum);
    }
  }

  const Batch& batch_;
  const Query& query_;
  Memory<kForm>& memory_;
  QueryState& state_;
  std::uint32_t tile_;
  std::uint32_t begin_;
  const List* lists_;
  bool has_lengths_ = false;
};

/// Draws the next items from the counter, each lane one, and queues those that are not hopeless.
/// Items go by places in the queries' orders first, so that every query's best tiles come early.
/// One warp. Returns false at the end.
template <ScoreForm kForm>
__device__ bool draw_items(const Batch& batch, std::uint32_t items, std::uint32_t at_once,
                           Memory<kForm>& memory) {
  std::uint32_t first = 0;
  if (lane_id() == 0) first = atomicAdd(&batch.counters[0], at_once);
  first = __shfl_sync(kWholeWarp, first, 0);
  if (first >= items) return false;
  const std::uint32_t item = first + lane_id();
  bool wanted = lane_id() < at_once && item < items;
  std::uint32_t tile = 0;
  std::uint32_t query_index = 0;
  if (wanted) {
    query_index = batch.and_queries + item % batch.or_queries;
    const Query& query = batch.queries[query_index];
    const std::uint32_t place = item / batch.or_queries;
    wanted = place < query.tiles;
    if (wanted) {
      tile = batch.tile_order[query.order + place];
      const std::uint32_t bound = batch.tile_bounds[query.order + tile];
      const bool all = (query.flags & (kCount | kExhaustive)) != 0;
      wanted = bound > 0 && (all || bound >= current_threshold(batch.states[query.state]));
    }
  }
  const std::uint32_t group = __ballot_sync(kWholeWarp, wanted);
  if (wanted) {
    const std::uint32_t place = __popc(group & ((1U << lane_id()) - 1));
    memory.queue[place] = query_index;
    memory.queue_tiles[place] = tile;
  }
  if (lane_id() == 0) memory.queued = __popc(group);
  return true;
}

/// Work item: a tile of a query; CTAs stay and draw items. Shared memory: Memory, 45 or 58 KiB.
/// Bound by instructions: about 20 (impacts) to 35 (BM25) a posting, and by shared memory's banks.
template <CodecKind kCodec, ScoreForm kForm>
__global__ void __launch_bounds__(kThreads, 3)
    or_tiles(Batch batch, std::uint32_t items, std::uint32_t at_once) {
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory<kForm>*>(bytes);
  for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) memory.sums[i] = {0, 0, 0, 0};
  if constexpr (Memory<kForm>::kHasLengths) {
    for (std::uint32_t i = threadIdx.x; i < kLengthCodes; i += kThreads) {
      memory.parts[i] =
          length_part(kForm, batch.c0, batch.c1, static_cast<float>(decode_length(i)));
    }
  }
  __shared__ bool goes_on;
  for (;;) {
    __syncthreads();
    if (warp_id() == 0) {
      const bool drawn = draw_items(batch, items, at_once, memory);
      if (lane_id() == 0) goes_on = drawn;
    }
    __syncthreads();
    if (!goes_on) break;
    const std::uint32_t queued = memory.queued;
    for (std::uint32_t i = 0; i < queued; ++i) {
      const Query& query = batch.queries[memory.queue[i]];
      Tile<kCodec, kForm>(batch, query, memory.queue_tiles[i], memory).run();
    }
  }
}

template <CodecKind kCodec, ScoreForm kForm>
void launch(const Batch& batch, cudaStream_t stream) {
  const auto kernel = or_tiles<kCodec, kForm>;
  constexpr int kBytes = sizeof(Memory<kForm>);
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
             "cudaFuncSetAttribute");
  int per_multiprocessor = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, kThreads,
                                                           kBytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  int device = 0;
  int multiprocessors = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  const std::uint32_t items = batch.or_queries * batch.most_tiles;
  const std::uint32_t most = static_cast<std::uint32_t>(per_multiprocessor * multiprocessors);
  const std::uint32_t ctas = std::min(most, items);
  const std::uint32_t at_once = std::clamp(items / (16 * ctas), 1U, kWarp);
  kernel<<<ctas, kThreads, kBytes, stream>>>(batch, items, at_once);
  check_launch("or_tiles");
}

template <CodecKind kCodec>
void launch(const Batch& batch, cudaStream_t stream) {
  switch (batch.form) {
    case ScoreForm::kImpact: return launch<kCodec, ScoreForm::kImpact>(batch, stream);
    case ScoreForm::kBm25: return launch<kCodec, ScoreForm::kBm25>(batch, stream);
    case ScoreForm::kQueryLikelihood:
      return launch<kCodec, ScoreForm::kQueryLikelihood>(batch, stream);
  }
}

}  // namespace

void launch_or_tiles(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.most_tiles == 0) return;
  switch (codec) {
    case CodecKind::kBitpack: return launch<CodecKind::kBitpack>(batch, stream);
    case CodecKind::kPfor: return launch<CodecKind::kPfor>(batch, stream);
    case CodecKind::kPforBlock: return launch<CodecKind::kPforBlock>(batch, stream);
    case CodecKind::kRice: return launch<CodecKind::kRice>(batch, stream);
  }
}

}  // namespace warpdex::gpu
