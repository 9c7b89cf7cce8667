// OR. Work is shared out by regions of documents; where a query's lists that must be read whole
// have few postings in a region, these are added up in a hash table of its documents, else tile by
// tile: A tile of documents has an accumulator of 16 bits each in shared memory; the blocks of the
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

constexpr std::uint32_t kThreads = 256;  // that decode; one more warp prepares the next tile
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::uint32_t kAllThreads = kThreads + kWarp;
constexpr std::uint32_t kHalf = kTileDocuments / 2;     // documents, in the low halves of words
constexpr std::uint32_t kVectors = kTileDocuments / 8;  // of 8 accumulators
constexpr std::uint32_t kKept = 256;                    // candidates of a tile at a time
constexpr std::uint32_t kBlocksHere = 64;               // whose places are prepared
constexpr std::uint32_t kFewBlocks = 8;     // fewer: lengths are not worth copying whole
constexpr std::uint32_t kGroup = 32;        // documents of a tile that share a mark
constexpr std::uint32_t kRegionGroup = 64;  // documents of a region that do
constexpr std::uint32_t kMarkWords = kRegionDocuments / kRegionGroup / 32;
constexpr std::uint32_t kSlots = 4 * kVectors;  // of the hash table
constexpr std::uint32_t kSparseBlocks = 40;     // of at most that many, a region's table has room
constexpr std::uint32_t kWork = kThreads;       // blocks that are found worth decoding at a time
static_assert(kMostLists <= 64, "a list and a block of up to 2^26 share a word");
static_assert(kMarkWords == kWarp && kTileDocuments / kGroup / 32 <= kMarkWords);
static_assert(kSparseBlocks * kBlockSize <= kSlots * 2 / 3 && kSparseBlocks <= kBlocksHere);

/// A block that meets the tile: all that decoding and adding it up takes, but for the exceptions of
/// `pfor`. DocIDs count from the tile's first; those before it are huge.
struct alignas(16) BlockEntry {
  const std::uint8_t* docids;
  const std::uint8_t* values;
  std::uint32_t
      base;  ///< the last docID of the block before; of a list's first, one before docID 0
  std::uint32_t last;   ///< its own
  std::uint32_t index;  ///< in its list
  float weight;         ///< of its list, in units
  std::uint8_t list;    ///< in the query
  std::uint8_t docid_code;
  std::uint8_t value_code;
  std::uint8_t count;
  std::uint8_t docid_parameter;
  std::uint8_t value_parameter;
  std::uint8_t flags;  ///< ListFlags
  std::uint8_t padding;
  float c0;            ///< of its list
  std::uint32_t unit;  ///< of impacts whose sums are exact: how often the query has the term
};

/// All that is to be known of a tile before its blocks are decoded.
struct alignas(16) TilePlan {
  Query query;
  BlockEntry blocks[kBlocksHere];    ///< the first of them, list by list
  std::uint32_t first[kMostLists];   ///< the first block of each list in the tile
  std::uint32_t ends[kMostLists];    ///< blocks of the lists up to each, in the tile
  std::uint32_t bounds[kMostLists];  ///< units of each
  std::uint32_t begin;               ///< the first document
  bool is_sparse;                    ///< a region in a hash table, not a tile
  std::uint32_t essential;           ///< lists that are read whole
  std::uint32_t threshold;           ///< when the plan was made
  std::uint32_t static_bound;        ///< units that a static score adds at most
  std::uint32_t rest;                ///< units of the other lists, and of static scores
  bool is_end;                       ///< there is no tile any more
};

template <ScoreForm kForm>
struct Memory {
  static constexpr bool kHasLengths = kForm != ScoreForm::kImpact;
  /// Of a tile: word i has the sums of documents i (low half) and kHalf + i. Of a region: a hash
  /// table; a word has a document (high half) and its sum, which is not 0. All 0 in between.
  uint4 sums[kVectors];
  std::uint8_t length_codes[kHasLengths ? kTileDocuments : 16];
  device::WarpScratch scratch[kWarps];
  TilePlan plans[2];                            ///< of this tile, and of the next
  float parts[kHasLengths ? kLengthCodes : 4];  ///< length_part of each code
  std::uint32_t kept[kKept];                    ///< sum << 16 | slot
  /// A bit for each document that may reach the threshold, where lists are refined. Of a region,
  /// all 0 in between.
  uint4 candidates[kRegionDocuments / 128];
  std::uint32_t marks[kMarkWords];  ///< a bit for a group of documents: some are candidates
  std::uint32_t work[kWork];        ///< list << 26 | block: blocks that hold candidates
  std::uint32_t work_count;
  std::uint32_t queue[kWarp];          ///< queries of items to be done
  std::uint32_t queue_regions[kWarp];  ///< and their regions
  std::uint32_t kept_count;
  std::uint32_t need;
  std::uint32_t cut;
};

/// Waits for the warps that decode. The instruction takes whole warps only.
__device__ void sync_decoders() {
  __syncwarp();
  asm volatile("barrier.sync 1, %0;" ::"n"(kThreads) : "memory");
}

/// The same, and whether any thread says so.
__device__ bool any_decoder(bool value) {
  int result = 0;
  __syncwarp();
  asm volatile(
      "{\n"
      "  .reg .pred mine, any;\n"
      "  setp.ne.u32 mine, %1, 0;\n"
      "  barrier.red.or.pred any, 1, %2, mine;\n"
      "  selp.u32 %0, 1, 0, any;\n"
      "}"
      : "=r"(result)
      : "r"(static_cast<int>(value)), "n"(kThreads)
      : "memory");
  return result != 0;
}

__device__ void prefetch(const void* address) {
  asm volatile("prefetch.global.L2 [%0];" ::"l"(address));
}

/// Where a block of a list is, from the list's block metadata.
__device__ BlockEntry find_block(const Query& query, const List& list, std::uint32_t list_index,
                                 std::uint32_t block, std::uint32_t begin) {
  BlockEntry entry{};
  entry.list = static_cast<std::uint8_t>(list_index);
  entry.index = block;
  entry.flags = static_cast<std::uint8_t>(list.flags);
  entry.weight = list.weight * query.scale;
  entry.unit = static_cast<std::uint32_t>(list.weight);
  entry.c0 = list.c0;
  if (list.flags & kRaw) {
    entry.docids = list.docids.bytes;
    entry.values = list.frequencies.bytes;
    return entry;
  }
  const device::BlockPlace docids = device::locate(list.docids, block);
  const device::BlockPlace values = device::locate(list.frequencies, block);
  entry.docids = docids.at;
  entry.values = values.at;
  entry.base = (block == 0 ? kNone : list.last_docids[block - 1]) - begin;
  entry.last = list.last_docids[block] - begin;
  entry.docid_code = docids.code;
  entry.value_code = values.code;
  entry.count = docids.count;
  entry.docid_parameter = list.docids.parameter;
  entry.value_parameter = list.frequencies.parameter;
  return entry;
}

/// Whether sums in units are all that decides between documents of a query.
__device__ bool sums_are_exact(const Batch& batch, const Query& query) {
  return batch.form == ScoreForm::kImpact && query.slack == 0 && batch.static_scores == nullptr;
}

/// The least sum that documents from `first_document` on need, static scores included.
__device__ std::uint32_t needed_sum(const Batch& batch, const Query& query,
                                    std::uint32_t first_document) {
  const QueryState& state = batch.states[query.state];
  const std::uint32_t threshold = current_threshold(state);
  if (!sums_are_exact(batch, query)) return threshold;
  const unsigned long long tie = __ldcg(&state.tie);
  const bool loses_ties =
      tie >> 32 == threshold && tie != 0 && first_document > ~static_cast<std::uint32_t>(tie);
  return loses_ties ? threshold + 1 : threshold;
}

/// The warp that plans: draws items and finds out what the decoders need to know of each.
template <ScoreForm kForm>
class Planner {
 public:
  __device__ Planner(const Batch& batch, Memory<kForm>& memory, std::uint32_t items,
                     std::uint32_t at_once)
      : batch_(batch), memory_(memory), items_(items), at_once_(at_once) {}

  /// Plans the next region or tile that is not hopeless.
  __device__ void plan(TilePlan& plan) {
    for (;;) {
      __syncwarp();  // no lane looks at what the next attempt overwrites
      while (tiles_left_ > 0) {
        if (plan_tile(plan, kRegionTiles - tiles_left_--)) return;
      }
      while (next_ == queued_) {
        if (!draw()) {
          plan.is_end = true;
          return;
        }
      }
      query_index_ = memory_.queue[next_];
      region_ = memory_.queue_regions[next_++];
      copy(batch_.queries + query_index_, &plan.query, 1);
      __syncwarp();
      switch (plan_region(plan)) {
        case Outcome::kPlanned: return;
        case Outcome::kByTiles: tiles_left_ = kRegionTiles; break;
        case Outcome::kHopeless: break;
      }
    }
  }

 private:
  enum class Outcome { kHopeless, kPlanned, kByTiles };

  /// Draws the next items from the counter, each lane one, and queues those that are not hopeless.
  /// Items go by places in the queries' orders first, so that every query's best regions come
  /// early. Returns false at the end.
  __device__ bool draw() {
    std::uint32_t first = 0;
    if (lane_id() == 0) first = atomicAdd(&batch_.counters[0], at_once_);
    first = __shfl_sync(kWholeWarp, first, 0);
    if (first >= items_) return false;
    const std::uint32_t item = first + lane_id();
    bool wanted = lane_id() < at_once_ && item < items_;
    std::uint32_t region = 0;
    std::uint32_t query_index = 0;
    if (wanted) {
      query_index = batch_.and_queries + item % batch_.or_queries;
      const Query& query = batch_.queries[query_index];
      region = batch_.region_order[query.order + item / batch_.or_queries];
      const std::uint32_t bound = batch_.region_bounds[query.order + region];
      wanted = bound > 0 &&
               (reads_all(query) || bound >= needed_sum(batch_, query, region * kRegionDocuments));
    }
    const std::uint32_t group = __ballot_sync(kWholeWarp, wanted);
    if (wanted) {
      const std::uint32_t place = __popc(group & ((1U << lane_id()) - 1));
      memory_.queue[place] = query_index;
      memory_.queue_regions[place] = region;
    }
    __syncwarp();
    next_ = 0;
    queued_ = __popc(group);
    return true;
  }

  __device__ static bool reads_all(const Query& query) {
    return (query.flags & (kCount | kExhaustive)) != 0;
  }

  __device__ Outcome plan_region(TilePlan& plan) {
    if (reads_all(plan.query) || plan.query.lists > plan.query.scoring) return Outcome::kByTiles;
    const std::uint32_t first_tile = region_ * kRegionTiles;
    Totals totals = add_lists(plan, first_tile, kRegionTiles);
    for (std::uint32_t i = 0; i < kRegionTiles && batch_.static_bounds != nullptr; ++i) {
      totals.static_bound =
          max(totals.static_bound, static_tile_bound(batch_, plan.query, first_tile + i));
    }
    if (!choose_essential(plan, totals, first_tile, kRegionTiles)) return Outcome::kHopeless;
    const std::uint32_t essential = plan.essential;
    const std::uint32_t blocks = essential == 0 ? 0 : plan.ends[essential - 1];
    if (blocks > kSparseBlocks) return Outcome::kByTiles;
    find_blocks(plan, blocks);
    if (lane_id() == 0) plan.is_sparse = true;
    return Outcome::kPlanned;
  }

  /// Returns false if the tile is hopeless.
  __device__ bool plan_tile(TilePlan& plan, std::uint32_t which) {
    __syncwarp();  // all lanes have read what is there
    copy(batch_.queries + query_index_, &plan.query, 1);
    __syncwarp();
    const std::uint32_t tile = region_ * kRegionTiles + which;
    Totals totals = add_lists(plan, tile, 1);
    if (totals.bound == 0) return false;
    if (batch_.static_bounds != nullptr) {
      totals.static_bound = static_tile_bound(batch_, plan.query, tile);
    }
    if (!choose_essential(plan, totals, tile, 1)) return false;
    find_blocks(plan, min(totals.blocks, kBlocksHere));
    if (lane_id() == 0) plan.is_sparse = false;
    return true;
  }

  struct Totals {
    std::uint32_t blocks = 0;
    std::uint32_t bound = 0;  ///< units of all lists
    std::uint32_t static_bound = 0;
  };

  /// Finds the first list from which on no document can reach the threshold, static scores
  /// included. Returns false if that is the first of all.
  __device__ bool choose_essential(TilePlan& plan, const Totals& totals, std::uint32_t first_tile,
                                   std::uint32_t tiles) {
    const Query& query = plan.query;
    const std::uint32_t begin = first_tile * kTileDocuments;
    const bool all = reads_all(query);
    const std::uint32_t threshold = needed_sum(batch_, query, begin);
    std::uint32_t rest = totals.bound + totals.static_bound;
    if (!all && rest < threshold) return false;
    std::uint32_t essential = 0;
    while (essential < query.scoring && (all || rest >= threshold)) {
      rest -= plan.bounds[essential];
      ++essential;
    }
    if (lane_id() == 0) {
      plan.begin = begin;
      plan.essential = essential;
      plan.threshold = threshold;
      plan.static_bound = totals.static_bound;
      plan.rest = rest;
      plan.is_end = false;
      if (batch_.work != nullptr) atomicAdd(&batch_.work->tiles, 1ULL);
    }
    __syncwarp();
    return true;
  }

  template <typename T>
  __device__ void copy(const T* from, T* to, std::uint32_t count) {
    const auto* source = reinterpret_cast<const uint4*>(from);
    auto* target = reinterpret_cast<uint4*>(to);
    static_assert(sizeof(T) % sizeof(uint4) == 0);
    for (std::uint32_t i = lane_id(); i < count * sizeof(T) / sizeof(uint4); i += kWarp) {
      target[i] = source[i];
    }
  }

  /// The lists' blocks in some tiles, and their bounds.
  __device__ Totals add_lists(TilePlan& plan, std::uint32_t first_tile, std::uint32_t tiles) {
    const Query& query = plan.query;
    const List* const lists = batch_.lists + query.first_list;
    Totals totals;
    for (std::uint32_t begin = 0; begin < query.lists; begin += kWarp) {
      const std::uint32_t i = begin + lane_id();
      std::uint32_t blocks = 0;
      std::uint32_t bound = 0;
      if (i < query.lists) {
        const std::uint32_t row = lists[i].row + first_tile;
        const std::uint32_t first = batch_.first_blocks[row];
        const std::uint32_t next = batch_.first_blocks[row + tiles];
        const std::uint32_t in_list = lists[i].blocks;
        if (i < query.scoring) {
          for (std::uint32_t tile = 0; tile < tiles; ++tile) {
            bound = max(bound, batch_.upper_bounds[row + tile]);
          }
        }
        const bool meets = first < in_list && (bound > 0 || i >= query.scoring);
        blocks = meets ? min(next, in_list - 1) - first + 1 : 0;
        plan.first[i] = first;
        plan.bounds[i] = bound;
      }
      std::uint32_t sum = blocks;
      for (std::uint32_t step = 1; step < kWarp; step *= 2) {
        const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
        if (lane_id() >= step) sum += other;
      }
      if (i < query.lists) plan.ends[i] = totals.blocks + sum;
      totals.blocks += __shfl_sync(kWholeWarp, sum, kWarp - 1);
      totals.bound += __reduce_add_sync(kWholeWarp, bound);
    }
    __syncwarp();
    return totals;
  }

  __device__ void find_blocks(TilePlan& plan, std::uint32_t count) {
    const List* const lists = batch_.lists + plan.query.first_list;
    for (std::uint32_t i = lane_id(); i < count; i += kWarp) {
      std::uint32_t list = 0;
      while (i >= plan.ends[list]) ++list;
      const std::uint32_t block = plan.first[list] + i - (list == 0 ? 0 : plan.ends[list - 1]);
      const BlockEntry entry = find_block(plan.query, lists[list], list, block, plan.begin);
      plan.blocks[i] = entry;
      prefetch(entry.docids);
      prefetch(entry.values);
    }
  }

  const Batch& batch_;
  Memory<kForm>& memory_;
  std::uint32_t items_;
  std::uint32_t at_once_;
  std::uint32_t next_ = 0;
  std::uint32_t queued_ = 0;
  std::uint32_t query_index_ = 0;
  std::uint32_t region_ = 0;
  std::uint32_t tiles_left_ = 0;  ///< of the region, where it is done by tiles
};

/// A planned tile while the decoders work on it.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
class Tile {
 public:
  __device__ Tile(const Batch& batch, const TilePlan& plan, Memory<kForm>& memory,
                  std::uint32_t warp)
      : batch_(batch),
        plan_(plan),
        query_(plan.query),
        memory_(memory),
        state_(batch.states[plan.query.state]),
        begin_(plan.begin),
        lists_(batch.lists + plan.query.first_list),
        warp_(warp),
        sums_are_whole_(kForm == ScoreForm::kImpact && plan.query.slack == 0) {}

  __device__ void run() {
    if (plan_.is_sparse) {
      run_sparse();
    } else {
      run_dense();
    }
  }

 private:
  __device__ void run_dense() {
    const std::uint32_t essential = plan_.essential;
    const std::uint32_t blocks = essential == 0 ? 0 : plan_.ends[essential - 1];
    const bool refines = essential < query_.scoring;
    start(blocks);
    add_blocks(0, blocks);
    if (threadIdx.x == 0) {
      memory_.kept_count = 0;
      memory_.need = max(plan_.threshold, threshold_);
    }
    if (threadIdx.x < kMarkWords) memory_.marks[threadIdx.x] = 0;
    sync_decoders();
    if (query_.lists > query_.scoring) {
      erase_blocks(plan_.ends[query_.scoring - 1], plan_.ends[query_.lists - 1]);
      sync_decoders();
    }
    if (refines) {
      const std::uint32_t need = memory_.need > plan_.rest ? memory_.need - plan_.rest : 0;
      if (!mark_candidates(max(need, 1U))) return;
      refine_blocks(blocks, plan_.ends[query_.scoring - 1]);
      sync_decoders();
    }
    collect(refines);
    if (refines) {
      for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) candidate_bytes()[i] = 0;
    }
  }

  /// The same with a hash table.
  __device__ void run_sparse() {
    const std::uint32_t essential = plan_.essential;
    const std::uint32_t blocks = essential == 0 ? 0 : plan_.ends[essential - 1];
    if (threadIdx.x == 0) threshold_ = needed_sum(batch_, query_, begin_);
    insert_blocks(blocks);
    if (threadIdx.x == 0) {
      memory_.kept_count = 0;
      memory_.work_count = 0;
      memory_.need = max(plan_.threshold, threshold_);
    }
    if (threadIdx.x < kMarkWords) memory_.marks[threadIdx.x] = 0;
    sync_decoders();
    const bool refines = query_.scoring > essential;
    if (refines) {
      const std::uint32_t need = memory_.need > plan_.rest ? memory_.need - plan_.rest : 0;
      if (!mark_entries(max(need, 1U))) return;
      refine_region(blocks, plan_.ends[query_.scoring - 1]);
    }
    collect(false);
    if (refines) {
      for (std::uint32_t i = threadIdx.x; i < kRegionDocuments / 128; i += kThreads) {
        memory_.candidates[i] = {0, 0, 0, 0};
      }
    }
  }

  __device__ std::uint32_t* words() { return reinterpret_cast<std::uint32_t*>(memory_.sums); }
  __device__ device::WarpScratch& scratch() { return memory_.scratch[warp_]; }

  /// Asks for the threshold of now, and brings the documents' lengths if enough blocks need them.
  __device__ void start(std::uint32_t blocks) {
    if (threadIdx.x == 0) threshold_ = needed_sum(batch_, query_, plan_.begin);
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
      sync_decoders();
    }
  }

  /// The length_part of a document's length.
  __device__ float part(std::uint32_t slot) {
    if constexpr (Memory<kForm>::kHasLengths) {
      const std::uint8_t code =
          has_lengths_ ? memory_.length_codes[slot] : batch_.length_codes[begin_ + slot];
      return memory_.parts[code];
    }
    return 0;
  }

  /// A posting's units.
  __device__ std::uint32_t units(const BlockEntry& entry, std::uint32_t value, std::uint32_t slot) {
    if (kForm == ScoreForm::kImpact && sums_are_whole_) return entry.unit * value + entry.unit;
    return units_of<kForm>(value, part(slot), entry.weight, entry.c0,
                           (entry.flags & kHugeFrequencies) != 0);
  }

  __device__ void add(const BlockEntry& entry, std::uint32_t value, std::uint32_t slot) {
    atomicAdd(words() + slot % kHalf, units(entry, value, slot) << (slot / kHalf * 16));
  }

  __device__ std::uint8_t* candidate_bytes() {
    return reinterpret_cast<std::uint8_t*>(memory_.candidates);
  }

  __device__ bool is_candidate(std::uint32_t slot) {
    return (candidate_bytes()[slot % kHalf / 4] >> (slot % 4 + slot / kHalf * 4) & 1) != 0;
  }

  // --------------------------------------------------------------------------- the hash table

  __device__ static std::uint32_t hash(std::uint32_t document) {
    return document * 0x9E3779B1U >> 19;
  }
  static_assert(kSlots == 1U << (32 - 19));

  /// Adds to a document of the region. There is room: kSparseBlocks.
  __device__ void insert(std::uint32_t document, std::uint32_t sum) {
    std::uint32_t slot = hash(document);
    for (std::uint32_t probe = 0; probe < kSlots; ++probe) {
      const std::uint32_t old = atomicCAS(words() + slot, 0U, document << 16 | sum);
      if (old == 0) return;
      if (old >> 16 == document) {
        atomicAdd(words() + slot, sum);
        return;
      }
      slot = (slot + 1) % kSlots;
    }
  }

  /// Where a document is that is in the table.
  __device__ std::uint32_t* find(std::uint32_t document) {
    std::uint32_t slot = hash(document);
    for (;;) {
      // By an atomic, since others add to sums meanwhile.
      const std::uint32_t entry = atomicOr(words() + slot, 0U);
      if (entry != 0 && entry >> 16 == document) return words() + slot;
      slot = (slot + 1) % kSlots;
    }
  }

  __device__ void insert_blocks(std::uint32_t count) {
    for (std::uint32_t i = warp_; i < count; i += kWarps) {
      const BlockEntry& entry = plan_.blocks[i];
      std::uint32_t documents[4];
      std::uint32_t values[4];
      decode_values(entry, values);
      decode_slots(entry, documents);
#pragma unroll
      for (int j = 0; j < 4; ++j) {
        if (documents[j] >= kRegionDocuments) continue;
        insert(documents[j], units(entry, values[j], documents[j]));
      }
    }
  }

  /// Empties all entries below `need`, and marks the others' documents. Returns whether there are
  /// any.
  __device__ bool mark_entries(std::uint32_t need) {
    bool found = false;
    for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) {
      const uint4 four = memory_.sums[i];
      if ((four.x | four.y | four.z | four.w) == 0) continue;
      const std::uint32_t kept[4] = {
          (four.x & 0xFFFF) >= need ? four.x : 0, (four.y & 0xFFFF) >= need ? four.y : 0,
          (four.z & 0xFFFF) >= need ? four.z : 0, (four.w & 0xFFFF) >= need ? four.w : 0};
      // An emptied entry may part another from its hash: none is looked for but those that stay.
      memory_.sums[i] = {kept[0], kept[1], kept[2], kept[3]};
#pragma unroll
      for (const std::uint32_t entry : kept) {
        if (entry == 0) continue;
        const std::uint32_t document = entry >> 16;
        auto* const bits = reinterpret_cast<std::uint32_t*>(memory_.candidates);
        atomicOr(bits + document / 32, 1U << document % 32);
        atomicOr(&memory_.marks[document / kRegionGroup / 32], 1U << document / kRegionGroup % 32);
        found = true;
      }
    }
    return any_decoder(found);
  }

  __device__ bool is_region_candidate(std::uint32_t document) {
    return (reinterpret_cast<const std::uint32_t*>(memory_.candidates)[document / 32] >>
                document % 32 &
            1) != 0;
  }

  /// Whether any of the region's documents from `from` to `to` (inclusive) is marked. One thread.
  __device__ bool is_range_marked(std::uint32_t from, std::uint32_t to) {
    const std::uint32_t low = from / kRegionGroup;
    const std::uint32_t high = to / kRegionGroup;
    for (std::uint32_t word = low / 32; word <= high / 32; ++word) {
      std::uint32_t mask = kWholeWarp;
      if (word == low / 32) mask &= kWholeWarp << low % 32;
      if (word == high / 32) mask &= kWholeWarp >> (31 - high % 32);
      if ((memory_.marks[word] & mask) != 0) return true;
    }
    return false;
  }

  /// Adds the other lists' blocks [from, to), for documents that are candidates. Threads look for
  /// blocks that hold any, warps decode these.
  __device__ void refine_region(std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t begin = from; begin < to; begin += kWork) {
      const std::uint32_t i = begin + threadIdx.x;
      if (i < to) {
        std::uint32_t list = 0;
        while (i >= plan_.ends[list]) ++list;
        const std::uint32_t block = plan_.first[list] + i - (list == 0 ? 0 : plan_.ends[list - 1]);
        if (holds_candidates(lists_[list], block)) {
          memory_.work[atomicAdd(&memory_.work_count, 1)] = list << 26 | block;
        }
      }
      sync_decoders();
      const std::uint32_t count = memory_.work_count;
      for (std::uint32_t work = warp_; work < count; work += kWarps) {
        const std::uint32_t list = memory_.work[work] >> 26;
        refine_block(
            find_block(query_, lists_[list], list, memory_.work[work] & 0x3FFFFFF, begin_));
      }
      sync_decoders();
      if (threadIdx.x == 0) memory_.work_count = 0;
      sync_decoders();  // before others count on from it
    }
  }

  __device__ bool holds_candidates(const List& list, std::uint32_t block) {
    if (list.flags & kRaw) return true;
    const std::uint32_t first = block == 0 ? 0 : list.last_docids[block - 1] + 1;
    const std::uint32_t last = list.last_docids[block] - begin_;
    const std::uint32_t low = max(first, begin_) - begin_;
    return low < kRegionDocuments && is_range_marked(low, min(last, kRegionDocuments - 1));
  }

  __device__ void refine_block(const BlockEntry& entry) {
    std::uint32_t documents[4];
    decode_slots(entry, documents);
    bool wanted = false;
#pragma unroll
    for (std::uint32_t& document : documents) {
      if (document >= kRegionDocuments || !is_region_candidate(document)) document = kNone;
      wanted |= document != kNone;
    }
    if (!__any_sync(kWholeWarp, wanted)) return;
    std::uint32_t values[4];
    decode_values(entry, values);
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (documents[i] == kNone) continue;
      atomicAdd(find(documents[i]), units(entry, values[i], documents[i]));
    }
  }

  // -------------------------------------------------------------------------------- the blocks

  /// Calls visit(entry) for the tile's blocks [from, to), counted through all lists; each by one
  /// warp.
  template <class Visit>
  __device__ void for_each_block(std::uint32_t from, std::uint32_t to, Visit visit) {
    for (std::uint32_t i = from + warp_; i < min(to, kBlocksHere); i += kWarps) {
      visit(plan_.blocks[i]);
    }
    if (to <= kBlocksHere) return;
    // Continues where the loop above ended: the first of this warp's that is not here.
    const std::uint32_t begin = from + warp_;
    std::uint32_t i = begin;
    if (begin < kBlocksHere) i += (kBlocksHere - begin + kWarps - 1) / kWarps * kWarps;
    for (; i < to; i += kWarps) {
      std::uint32_t list = 0;
      while (i >= plan_.ends[list]) ++list;
      const std::uint32_t before = list == 0 ? 0 : plan_.ends[list - 1];
      visit(find_block(query_, lists_[list], list, plan_.first[list] + i - before, plan_.begin));
    }
  }

  using Decoder = device::BlockDecoder<kCodec, kLevels>;

  /// What decoding takes to know of the list.
  __device__ device::DeviceValues list_of(const device::DeviceValues List::*which,
                                          const BlockEntry& entry, std::uint8_t parameter) {
    if constexpr (kCodec == CodecKind::kPfor) {
      return lists_[entry.list].*which;
    } else {
      device::DeviceValues list{};
      list.parameter = parameter;
      return list;
    }
  }

  __device__ void decode_slots(const BlockEntry& entry, std::uint32_t (&slots)[4]) {
    if (entry.flags & kRaw) {
      read_raw(entry.docids, slots);
#pragma unroll
      for (std::uint32_t& slot : slots) slot = slot == kNone ? kNone : slot - begin_;
      return;
    }
    const device::BlockPlace place{entry.docids, entry.index, entry.docid_code, entry.count};
    Decoder::docids(list_of(&List::docids, entry, entry.docid_parameter), place, entry.base,
                    entry.last, scratch(), slots);
  }

  __device__ void decode_values(const BlockEntry& entry, std::uint32_t (&values)[4]) {
    if (entry.flags & kRaw) return read_raw(entry.values, values);
    const device::BlockPlace place{entry.values, entry.index, entry.value_code, entry.count};
    Decoder::values(list_of(&List::frequencies, entry, entry.value_parameter), place, scratch(),
                    values);
  }

  /// Whether all of a block's documents are in the same half of the tile.
  __device__ bool is_in_one_half(const BlockEntry& entry) {
    const std::uint32_t first = entry.base + 1;
    return entry.last < kTileDocuments && first <= entry.last &&
           first / kHalf == entry.last / kHalf && entry.count == kBlockSize;
  }

  __device__ void add_blocks(std::uint32_t from, std::uint32_t to) {
    for_each_block(from, to, [&](const BlockEntry& entry) {
      std::uint32_t slots[4];
      std::uint32_t values[4];
      decode_values(entry, values);
      decode_slots(entry, slots);
      if (is_in_one_half(entry)) {
        const std::uint32_t half = entry.last / kHalf;
        std::uint32_t* const to_add = words() - half * kHalf;
        if (kForm == ScoreForm::kImpact && sums_are_whole_) {
          const std::uint32_t unit = entry.unit << (16 * half);
#pragma unroll
          for (int i = 0; i < 4; ++i) atomicAdd(to_add + slots[i], unit * values[i] + unit);
        } else {
#pragma unroll
          for (int i = 0; i < 4; ++i) {
            atomicAdd(to_add + slots[i], units(entry, values[i], slots[i]) << (16 * half));
          }
        }
        return;
      }
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (slots[i] < kTileDocuments) add(entry, values[i], slots[i]);
      }
    });
  }

  /// Empties the accumulators of a prohibited list's documents.
  __device__ void erase_blocks(std::uint32_t from, std::uint32_t to) {
    for_each_block(from, to, [&](const BlockEntry& entry) {
      std::uint32_t slots[4];
      decode_slots(entry, slots);
#pragma unroll
      for (const std::uint32_t slot : slots) {
        if (slot < kTileDocuments) {
          atomicAnd(words() + slot % kHalf, ~(0xFFFFU << (slot / kHalf * 16)));
        }
      }
    });
  }

  /// Empties all accumulators below `need`, and marks the others. Returns whether there are any.
  __device__ bool mark_candidates(std::uint32_t need) {
    const std::uint32_t least = min(need, 65'535U) * 0x10001U;
    bool found = false;
    for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) {
      const uint4 four = memory_.sums[i];
      candidate_bytes()[i] = 0;
      if ((four.x | four.y | four.z | four.w) == 0) continue;
      if (!reaches(four, least)) {
        memory_.sums[i] = {0, 0, 0, 0};
        continue;
      }
      const std::uint32_t x = __vcmpgeu2(four.x, least);
      const std::uint32_t y = __vcmpgeu2(four.y, least);
      const std::uint32_t z = __vcmpgeu2(four.z, least);
      const std::uint32_t w = __vcmpgeu2(four.w, least);
      memory_.sums[i] = {four.x & x, four.y & y, four.z & z, four.w & w};
      const std::uint32_t low = (x & 1) | (y & 2) | (z & 4) | (w & 8);
      const std::uint32_t high = (x >> 16 & 1) | (y >> 16 & 2) | (z >> 16 & 4) | (w >> 16 & 8);
      candidate_bytes()[i] = static_cast<std::uint8_t>(low | high << 4);
      if (low != 0) mark(4 * i);
      if (high != 0) mark(kHalf + 4 * i);
      found = true;
    }
    return any_decoder(found);
  }

  /// Whether any of eight sums reaches both halves of `least`, which are the same and not 0.
  __device__ static bool reaches(const uint4& four, std::uint32_t least) {
    const std::uint32_t below = least - 0x10001U;
    const std::uint32_t largest = __vmaxu2(__vmaxu2(four.x, four.y), __vmaxu2(four.z, four.w));
    return __vmaxu2(largest, below) != below;
  }

  __device__ void mark(std::uint32_t slot) {
    atomicOr(&memory_.marks[slot / kGroup / 32], 1U << slot / kGroup % 32);
  }

  __device__ bool is_marked(std::uint32_t slot) {
    return (memory_.marks[slot / kGroup / 32] >> slot / kGroup % 32 & 1) != 0;
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
    for_each_block(from, to, [&](const BlockEntry& entry) {
      if (!(entry.flags & kRaw)) {
        const std::uint32_t first = entry.base + 1;
        const std::uint32_t low = first < kTileDocuments ? first : 0;
        const std::uint32_t high = min(entry.last, kTileDocuments - 1);
        if (!is_marked(low, high)) return;
      }
      std::uint32_t slots[4];
      decode_slots(entry, slots);
      bool wanted = false;
#pragma unroll
      for (std::uint32_t& slot : slots) {
        if (slot >= kTileDocuments || !is_candidate(slot)) slot = kNone;
        wanted |= slot != kNone;
      }
      if (!__any_sync(kWholeWarp, wanted)) return;
      std::uint32_t values[4];
      decode_values(entry, values);
#pragma unroll
      for (int i = 0; i < 4; ++i) {
        if (slots[i] != kNone) add(entry, values[i], slots[i]);
      }
    });
  }

  __device__ std::uint32_t last_document() const {
    return begin_ + (plan_.is_sparse ? kRegionDocuments : kTileDocuments) - 1;
  }

  /// Empties all accumulators; those that reach the threshold become candidates of the query, a
  /// bounded number at a time, between which the threshold rises.
  __device__ void collect(bool only_marked) {
    bool counts = (query_.flags & kCount) != 0;
    for (;;) {
      const std::uint32_t threshold = memory_.need;
      const std::uint32_t need =
          threshold > plan_.static_bound ? threshold - plan_.static_bound : 0;
      if (plan_.is_sparse) {
        scan_entries(max(need, 1U));
      } else {
        scan(max(need, 1U), only_marked, counts);
      }
      counts = false;
      sync_decoders();
      const std::uint32_t kept = memory_.kept_count;
      if (kept == 0) return;
      const std::uint32_t here = min(kept, kKept);
      append_kept(here, here > query_.k ? max(threshold, own_threshold(here)) : threshold);
      if (kept >= query_.k && threadIdx.x == 0 && sums_are_exact(batch_, query_)) {
        atomicMax(&state_.tie, static_cast<unsigned long long>(threshold) << 32 |
                                   static_cast<std::uint32_t>(~plan_.begin));
      }
      __threadfence();
      sync_decoders();
      if (warp_ == 0) {
        raise_threshold(batch_, query_);
        if (lane_id() == 0) {
          memory_.need = needed_sum(batch_, query_, plan_.begin);
          memory_.kept_count = 0;
        }
        __syncwarp();  // no lane is to read the plan behind the next barrier
      }
      if (kept <= kKept) return;
      sync_decoders();
    }
  }

  __device__ void scan(std::uint32_t need, bool only_marked, bool counts) {
    const std::uint32_t least = min(need, 65'535U) * 0x10001U;
    std::uint32_t matches = 0;
    for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) {
      if (only_marked && !is_marked(4 * i) && !is_marked(kHalf + 4 * i)) continue;
      const uint4 four = memory_.sums[i];
      if (counts) {
        matches += (__popc(__vcmpne2(four.x, 0)) + __popc(__vcmpne2(four.y, 0)) +
                    __popc(__vcmpne2(four.z, 0)) + __popc(__vcmpne2(four.w, 0))) /
                   16;
      }
      uint4 left{0, 0, 0, 0};
      if (reaches(four, least)) {
        left = {keep(four.x, least, 4 * i), keep(four.y, least, 4 * i + 1),
                keep(four.z, least, 4 * i + 2), keep(four.w, least, 4 * i + 3)};
      }
      memory_.sums[i] = left;
    }
    if (!counts) return;
    matches = __reduce_add_sync(kWholeWarp, matches);
    if (lane_id() == 0 && matches > 0) {
      atomicAdd(&state_.matches, static_cast<unsigned long long>(matches));
    }
  }

  /// Likewise of the hash table.
  __device__ void scan_entries(std::uint32_t need) {
    for (std::uint32_t i = threadIdx.x; i < kVectors; i += kThreads) {
      const uint4 four = memory_.sums[i];
      if ((four.x | four.y | four.z | four.w) == 0) continue;
      memory_.sums[i] = {keep_entry(four.x, need), keep_entry(four.y, need),
                         keep_entry(four.z, need), keep_entry(four.w, need)};
    }
  }

  __device__ std::uint32_t keep_entry(std::uint32_t entry, std::uint32_t need) {
    if ((entry & 0xFFFF) < need) return 0;
    const std::uint32_t place = atomicAdd(&memory_.kept_count, 1);
    if (place >= kKept) return entry;
    memory_.kept[place] = entry << 16 | entry >> 16;
    return 0;
  }

  /// Remembers those of two accumulators, of documents `slot` and kHalf + slot, that reach `least`,
  /// as long as there is room. Returns what of the two is to stay in the accumulators: those for
  /// which there was none.
  __device__ std::uint32_t keep(std::uint32_t two, std::uint32_t least, std::uint32_t slot) {
    const std::uint32_t reached = two & __vcmpgeu2(two, least);
    std::uint32_t left = 0;
    if (reached == 0) return left;
    for (std::uint32_t half = 0; half < 2; ++half) {
      const std::uint32_t sum = reached >> (16 * half) & 0xFFFF;
      if (sum == 0) continue;
      const std::uint32_t place = atomicAdd(&memory_.kept_count, 1);
      if (place < kKept) {
        memory_.kept[place] = sum << 16 | (slot + half * kHalf);
      } else {
        left |= sum << (16 * half);
      }
    }
    return left;
  }

  /// A sum below which there are k better documents among those kept, static scores apart: each
  /// counts those before it.
  __device__ std::uint32_t own_threshold(std::uint32_t count) {
    if (threadIdx.x < count) {
      const std::uint32_t own = memory_.kept[threadIdx.x];
      std::uint32_t before = 0;
      for (std::uint32_t i = 0; i < count; ++i) before += memory_.kept[i] > own ? 1 : 0;
      if (before == query_.k - 1) memory_.cut = lower_units(batch_, query_, own >> 16);
    }
    sync_decoders();
    return memory_.cut;
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
  const TilePlan& plan_;
  const Query& query_;
  Memory<kForm>& memory_;
  QueryState& state_;
  std::uint32_t begin_;
  const List* lists_;
  std::uint32_t warp_;  ///< the same for all lanes, as the compiler sees it
  bool sums_are_whole_;
  std::uint32_t threshold_ = 0;  ///< of thread 0
  bool has_lengths_ = false;
};

/// Work item: a tile of a query; CTAs stay and draw items. 8 warps decode a tile while another
/// plans the next. Shared memory: Memory, 51 or 68 KiB. Bound by instructions: about 20 (impacts)
/// to 35 (BM25) a posting, and by shared memory's banks.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kAllThreads,
                                  Memory<kForm>::kHasLengths || kCodec == CodecKind::kPfor ? 3 : 4)
    or_tiles(Batch batch, std::uint32_t items, std::uint32_t at_once) {
  extern __shared__ __align__(16) unsigned char bytes[];
  auto& memory = *reinterpret_cast<Memory<kForm>*>(bytes);
  for (std::uint32_t i = threadIdx.x; i < kVectors; i += kAllThreads) memory.sums[i] = {0, 0, 0, 0};
  for (std::uint32_t i = threadIdx.x; i < kRegionDocuments / 128; i += kAllThreads) {
    memory.candidates[i] = {0, 0, 0, 0};
  }
  if constexpr (Memory<kForm>::kHasLengths) {
    for (std::uint32_t i = threadIdx.x; i < kLengthCodes; i += kAllThreads) {
      memory.parts[i] =
          length_part(kForm, batch.c0, batch.c1, static_cast<float>(decode_length(i)));
    }
  }
  const std::uint32_t warp = warp_id();
  const bool plans = warp == kWarps;
  Planner<kForm> planner(batch, memory, items, at_once);
  if (plans) planner.plan(memory.plans[0]);
  for (std::uint32_t turn = 0;; turn ^= 1) {
    __syncthreads();
    if (memory.plans[turn].is_end) return;
    if (plans) {
      planner.plan(memory.plans[turn ^ 1]);
    } else {
      Tile<kCodec, kLevels, kForm>(batch, memory.plans[turn], memory, warp).run();
    }
  }
}

template <CodecKind kCodec, int kLevels, ScoreForm kForm>
void launch(const Batch& batch, cudaStream_t stream) {
  const auto kernel = or_tiles<kCodec, kLevels, kForm>;
  constexpr int kBytes = sizeof(Memory<kForm>);
  check_cuda(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, kBytes),
             "cudaFuncSetAttribute");
  int per_multiprocessor = 0;
  check_cuda(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&per_multiprocessor, kernel, kAllThreads,
                                                           kBytes),
             "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
  int device = 0;
  int multiprocessors = 0;
  check_cuda(cudaGetDevice(&device), "cudaGetDevice");
  check_cuda(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
             "cudaDeviceGetAttribute");
  const std::uint32_t items = batch.or_queries * batch.regions;
  const std::uint32_t most = static_cast<std::uint32_t>(per_multiprocessor * multiprocessors);
  const std::uint32_t ctas = std::min(most, items);
  const std::uint32_t at_once = std::clamp(items / (16 * ctas), 1U, kWarp);
  kernel<<<ctas, kAllThreads, kBytes, stream>>>(batch, items, at_once);
  check_launch("or_tiles");
}

template <CodecKind kCodec, int kLevels = 0>
void launch(const Batch& batch, cudaStream_t stream) {
  switch (batch.form) {
    case ScoreForm::kImpact: return launch<kCodec, kLevels, ScoreForm::kImpact>(batch, stream);
    case ScoreForm::kBm25: return launch<kCodec, kLevels, ScoreForm::kBm25>(batch, stream);
    case ScoreForm::kQueryLikelihood:
      return launch<kCodec, kLevels, ScoreForm::kQueryLikelihood>(batch, stream);
  }
}

}  // namespace

void launch_or_tiles(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.regions == 0) return;
  switch (codec) {
    case CodecKind::kBitpack: return launch<CodecKind::kBitpack>(batch, stream);
    case CodecKind::kPfor:
      if (batch.pfor_levels <= 1) return launch<CodecKind::kPfor, 1>(batch, stream);
      return launch<CodecKind::kPfor, kMaxPforLevels>(batch, stream);
    case CodecKind::kPforBlock: return launch<CodecKind::kPforBlock>(batch, stream);
    case CodecKind::kRice: return launch<CodecKind::kRice>(batch, stream);
  }
}

}  // namespace warpdex::gpu
