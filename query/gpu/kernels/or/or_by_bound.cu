// OR for batches of few postings, where the latency of each kernel takes most of the time. There
// are no rounds of tiles. Instead, competitive blocks are sorted into classes by their upper
// bounds, and documents are taken in two phases: first a few with high bounds, which raise the
// threshold, then all that can still be in the answer. Warps take blocks one by one and look their
// documents up at once.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/prune.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/block_finder.cuh"
#include "gpu/kernels/or/or_searcher.cuh"

namespace warpdex::gpu {
namespace {

using namespace or_lookups;

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
static_assert(kBoundClasses == kWarp, "a lane knows of one class");
/// If blocks are few, at most this many warps share one.
constexpr std::uint32_t kMaxShares = kWarp;
/// Then a warp takes at most this many shares on average. The number is larger for batches of
/// several queries, since shares of queries with many lists take many times as long as others.
constexpr std::uint32_t kSharesOfOne = 2;
constexpr std::uint32_t kSharesOfSome = 4;
/// Warps take several blocks at a time only if each still gets at least this many turns. A block
/// takes about 25 us. With fewer and longer turns, the kernel would wait longer for its last warp.
constexpr std::uint32_t kTurns = 16;

/// Documents of a query's first `classes` classes have bounds of this or more, all others have
/// less.
__device__ std::uint32_t class_floor(const QueryState& state, std::uint32_t classes) {
  if (classes == kBoundClasses) return 0;
  const std::uint64_t range =
      state.max_tile_bound - min(state.start_threshold, state.max_tile_bound);
  return state.max_tile_bound - static_cast<std::uint32_t>(range * classes / kBoundClasses);
}

/// The class of an upper bound. Class 0 has the highest bounds.
__device__ std::uint32_t class_of(const QueryState& state, std::uint32_t bound) {
  const std::uint64_t range =
      state.max_tile_bound - min(state.start_threshold, state.max_tile_bound);
  const std::uint64_t missing = state.max_tile_bound - min(bound, state.max_tile_bound);
  if (missing == 0) return 0;
  // Computed in floating point: the class, or an earlier one.
  const float share = static_cast<float>(missing) / static_cast<float>(max(range, missing));
  auto class_index = static_cast<std::uint32_t>(share * (kBoundClasses * 0.999F));
  while (class_index + 1 < kBoundClasses && missing > range * (class_index + 1) / kBoundClasses)
    ++class_index;
  return class_index;
}

/// Adds each lane's block to its class. A lane with the bound 0 has no block. A whole warp.
__device__ void add_blocks(const OrByBound& batch, const QueryState& state,
                           const CompetitiveBlock& promise) {
  const bool is_block = promise.bound != 0;
  const std::uint32_t class_index = is_block ? class_of(state, promise.bound) : kBoundClasses;
  const std::uint32_t alike = __match_any_sync(kWholeWarp, class_index);
  const int first = __ffs(static_cast<int>(alike)) - 1;
  std::uint32_t place = 0;
  if (is_block && lane_id() == first) {
    place = atomicAdd(&batch.competitive_counters->counts[class_index], __popc(alike));
  }
  place = __shfl_sync(kWholeWarp, place, first) + __popc(alike & ((1U << lane_id()) - 1));
  if (!is_block) return;
  batch.competitive_blocks[std::size_t{class_index} * batch.max_competitive_blocks + place] =
      promise;
}

/// Work item: a block range of a list, shared by 1 to 8 warps, 32 blocks at a time; CTAs of 256
/// threads. No shared memory. Bound by the latency of finding out whether blocks are competitive.
__global__ void __launch_bounds__(kThreads) find_competitive(OrByBound batch) {
  wait_for_previous();
  const std::uint32_t sharing = batch.range_threads / kWarp;
  const std::uint32_t item = blockIdx.x * kWarps + warp_id();
  if (item / sharing >= batch.table_range_count) return;
  const BlockRange range = batch.table_ranges[item / sharing];
  const List& list = batch.lists[range.owner];
  const Query& query = batch.queries[batch.and_queries + list.or_query];
  const QueryState& state = batch.states[query.state];
  if (list.rank >= query.scoring_lists || !or_has_run(query, state)) return;
  const BlockFinder finder(batch, query, range.owner);
  const std::uint32_t end = range.first + range.blocks;
  std::uint32_t first = range.first + item % sharing * kWarp;
  for (; first < end; first += sharing * kWarp) {
    CompetitiveBlock promise{range.owner, first + lane_id(), 0};
    if (promise.block < end) promise.bound = finder.promise(promise.block);
    add_blocks(batch, state, promise);
  }
}

/// Finds competitive blocks by number. They are numbered through all classes, class 0 first. In
/// shared memory.
struct BoundClasses {
  std::uint32_t ends[kBoundClasses];  ///< blocks in all classes up to each

  /// A whole CTA; ends with a barrier.
  __device__ void fill(const OrByBound& batch) {
    if (warp_id() == 0) {
      ends[lane_id()] = inclusive_sum(batch.competitive_counters->counts[lane_id()]);
    }
    __syncthreads();
  }

  /// The smallest number of classes that have `blocks` blocks or more together; else all classes. A
  /// whole warp.
  __device__ std::uint32_t count_with(std::uint32_t blocks) const {
    const std::uint32_t enough = __ballot_sync(kWholeWarp, ends[lane_id()] >= blocks);
    return enough == 0 ? kBoundClasses : __ffs(static_cast<int>(enough));
  }
  __device__ std::uint32_t blocks() const { return ends[kBoundClasses - 1]; }

  /// Block number i. One thread.
  __device__ CompetitiveBlock block(const OrByBound& batch, std::uint32_t i) const {
    std::uint32_t class_index = 0;
#pragma unroll
    for (std::uint32_t step = kBoundClasses / 2; step > 0; step /= 2) {
      if (ends[class_index + step - 1] <= i) class_index += step;
    }
    const std::uint32_t place = i - (class_index == 0 ? 0 : ends[class_index - 1]);
    return batch
        .competitive_blocks[std::size_t{class_index} * batch.max_competitive_blocks + place];
  }
};

/// Gives one lane's block to all lanes.
__device__ CompetitiveBlock promise_of(const CompetitiveBlock& promise, int lane) {
  return {__shfl_sync(kWholeWarp, promise.list, lane), __shfl_sync(kWholeWarp, promise.block, lane),
          __shfl_sync(kWholeWarp, promise.bound, lane)};
}

/// The blocks of a phase, and the limits for the bounds of their documents. The first phase takes
/// the first classes that together have `first_phase_blocks` blocks. Since many blocks may have the
/// same bound, it takes at most kAlike times that number. The second phase takes all blocks and
/// documents that are left. With several queries, the first phase takes all documents of its
/// blocks: reading these blocks again would take longer than the lookups that are saved.
struct Phase {
  std::uint32_t classes;         ///< documents with bounds of the first so many classes
  std::uint32_t blocks;          ///< the first so many blocks
  std::uint32_t classes_before;  ///< `classes` of the phase before; 0: there is none
  std::uint32_t blocks_before;
};

/// Phase number `number`. A whole warp.
__device__ Phase find_phase(const OrByBound& batch, const BoundClasses& classes,
                            std::uint32_t number) {
  static_assert(kPhases == 2);
  constexpr std::uint32_t kAlike = 4;
  const std::uint32_t first = classes.count_with(batch.first_phase_blocks);
  const std::uint32_t taken = min(classes.ends[first - 1], kAlike * batch.first_phase_blocks);
  const std::uint32_t of_documents = batch.is_one_query ? first : kBoundClasses;
  if (number == 0) return {of_documents, taken, 0, 0};
  return {kBoundClasses, classes.blocks(), of_documents, taken};
}

/// One warp's part of a phase: reads blocks and looks their documents up.
template <CodecKind kCodec, class Units>
class BlockSearcher {
 public:
  __device__ BlockSearcher(const OrByBound& batch, const UnitTable<Units>& table,
                           const Phase& phase, SearchMemory& memory)
      : batch_(batch),
        table_(table),
        phase_(phase),
        memory_(memory),
        searcher_(batch, table, memory) {}

  /// Searches block number `number` for the documents of the lanes [first, end).
  __device__ void answer(const CompetitiveBlock& promise, std::uint32_t number, std::uint32_t first,
                         std::uint32_t end) {
    const List& list = batch_.lists[promise.list];
    const Query& query = batch_.queries[batch_.and_queries + list.or_query];
    const QueryState& state = batch_.states[query.state];
    const Threshold need(batch_, query);
    const std::uint32_t floor = class_floor(state, phase_.classes);
    const bool was_taken = number < phase_.blocks_before;
    const std::uint32_t ceiling = was_taken ? class_floor(state, phase_.classes_before) : kNone;
    const std::uint32_t needed = __shfl_sync(kWholeWarp, max(need.sum, floor), 0);
    if (promise.bound < needed || needed >= ceiling) return;
    if (first == 0) ++read_;
    const ListWeight weight = table_.weigh(batch_, query, list);
    const std::uint32_t* const suffix_bounds = batch_.suffix_bounds + list.tile_row;
    std::uint32_t docids[4];
    std::uint32_t sums[4];
    bool wanted[4];
    if constexpr (!Units::kHasLengths) {
      read_values<kCodec>(batch_, promise.list, promise.block, memory_.lookup.scratch, sums);
    }
    read_docids<kCodec>(batch_, promise.list, promise.block, memory_.lookup.scratch, docids);
    // The documents' length codes, bounds and removed bits are read together, while the values are
    // decoded.
    std::uint8_t codes[4];
    std::uint32_t bounds[4];
    table_.read_codes(batch_, weight, docids, codes);
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      wanted[i] = docids[i] != kNone && lane_id() >= first && lane_id() < end;
      bounds[i] = wanted[i] ? suffix_bounds[docids[i] >> kTileShift] : 0;
    }
    const RemovedBits removed(batch_, docids, wanted);
    if constexpr (Units::kHasLengths) {
      read_values<kCodec>(batch_, promise.list, promise.block, memory_.lookup.scratch, sums);
    }
    removed.drop(docids, wanted);
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      sums[i] = table_.units(weight, sums[i], codes[i]);
      const std::uint32_t reach = sums[i] + bounds[i];
      wanted[i] = wanted[i] && reach >= max(need.at(docids[i]), floor) && reach < ceiling;
    }
    const LanePlaces places(wanted);
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (wanted[i]) memory_.documents[places.place(i)] = {docids[i], sums[i]};
    }
    __syncwarp();
    if (places.count > 0) searcher_.search(list, places.count, need);
    __syncwarp();
  }

  __device__ void count_work() {
    searcher_.count_work();
    if (batch_.work == nullptr || lane_id() != 0) return;
    atomicAdd(&batch_.work->or_blocks, static_cast<unsigned long long>(read_));
  }

 private:
  const OrByBound& batch_;
  const UnitTable<Units>& table_;
  const Phase& phase_;
  SearchMemory& memory_;
  Searcher<kCodec, Units, LookupGoal::kLatency> searcher_;
  std::uint32_t read_ = 0;
};

/// Whether a block may still hold documents of the answer. One thread.
__device__ bool is_still_competitive(const OrByBound& batch, const CompetitiveBlock& promise) {
  const List& list = batch.lists[promise.list];
  const Threshold need(batch, batch.queries[batch.and_queries + list.or_query]);
  if (promise.bound < need.sum) return false;
  if (promise.bound > need.sum || need.last_tied == kNone || promise.block == 0) return true;
  return list.last_docids[promise.block - 1] < need.last_tied;
}

/// Whether the threshold of the batch's only query exceeds the bounds of all documents that are
/// left.
__device__ bool is_done(const OrByBound& batch, const BoundClasses& classes, const Phase& phase) {
  if (phase.classes_before == 0 || !batch.is_one_query) return false;
  if (phase.blocks_before < classes.ends[phase.classes_before - 1]) return false;
  const Query& query = batch.queries[batch.and_queries];
  return Threshold(batch, query).sum >=
         class_floor(batch.states[query.state], phase.classes_before);
}

/// After the first phase of a batch of one query whose sums are exact, the last of `ctas` CTAs
/// raises the threshold and the tie by all candidates. A whole CTA.
__device__ void end_first_phase(const OrByBound& batch, std::uint32_t ctas, PruneMemory& memory) {
  const Query& query = batch.queries[batch.and_queries];
  if (!batch.is_one_query || !sums_are_exact(batch, query)) return;
  __threadfence();
  __syncthreads();
  bool is_last = false;
  if (threadIdx.x == 0)
    is_last = atomicAdd(&batch.competitive_counters->finished_ctas, 1) + 1 == ctas;
  if (!__syncthreads_or(is_last)) return;
  __threadfence();
  const std::uint32_t count =
      min(__ldcg(&batch.states[query.state].candidates), query.candidate_capacity);
  update_threshold(batch, query, count, memory, Team::alone());
}

/// Work item: a warp's block or, if blocks are few, a share of a block's lanes. CTAs of 256 threads
/// stay and take further items. If blocks are many, a warp takes several at once and skips those
/// that are no longer competitive. Shared memory: SearchMemory of 8 warps, UnitTable, BoundClasses
/// and PruneMemory, about 21 KiB. Bound by the latency of lookups.
template <CodecKind kCodec, class Units>
__global__ void __launch_bounds__(kThreads, 4)
    search_classes(OrByBound batch, std::uint32_t number) {
  wait_for_previous();
  __shared__ __align__(16) SearchMemory memories[kWarps];
  __shared__ UnitTable<Units> table;
  __shared__ BoundClasses classes;
  __shared__ PruneMemory prune_memory;
  classes.fill(batch);
  const Phase phase = find_phase(batch, classes, number);
  const std::uint32_t warps = gridDim.x * kWarps;
  const std::uint32_t max_shares = warps * (batch.is_one_query ? kSharesOfOne : kSharesOfSome);
  std::uint32_t shares = kMaxShares;
  while (shares > 1 && phase.blocks * shares > max_shares) shares /= 2;
  const std::uint32_t items = phase.blocks * shares;
  if (blockIdx.x >= items) return;
  if (__syncthreads_or(is_done(batch, classes, phase))) return;  // all warps get the same result
  const std::uint32_t together = min(max(items / (kTurns * warps), 1U), kWarp);
  table.fill(batch);
  BlockSearcher<kCodec, Units> block_searcher(batch, table, phase, memories[warp_id()]);
  // A warp's first items follow from its number; it takes the others by a counter, one turn ahead.
  // Few items are spread over all CTAs, and so over all multiprocessors.
  std::uint32_t begin = (warp_id() * gridDim.x + blockIdx.x) * together;
  while (begin < items) {
    std::uint32_t drawn = 0;
    if (lane_id() == 0) drawn = atomicAdd(&batch.competitive_counters->taken[number], together);
    const std::uint32_t own = begin + lane_id();
    CompetitiveBlock promise{};
    bool is_wanted = lane_id() < together && own < items;
    if (is_wanted) promise = classes.block(batch, own / shares);
    if (together > 1) is_wanted = is_wanted && is_still_competitive(batch, promise);
    const std::uint32_t lanes = kWarp / shares;
    for (std::uint32_t left = __ballot_sync(kWholeWarp, is_wanted); left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t item = begin + lane;
      const std::uint32_t first = item % shares * lanes;
      block_searcher.answer(promise_of(promise, lane), item / shares, first, first + lanes);
    }
    begin = warps * together + __shfl_sync(kWholeWarp, drawn, 0);
  }
  block_searcher.count_work();
  if (number == 0 && phase.blocks < classes.blocks()) {
    end_first_phase(batch, min(gridDim.x, items), prune_memory);
  }
}

template <CodecKind kCodec, class Units>
void launch(const OrByBound& batch, cudaStream_t stream) {
  const std::uint32_t warps = batch.table_range_count * (batch.range_threads / kWarp);
  gpu::launch("find_competitive", find_competitive, (warps + kWarps - 1) / kWarps, kThreads, 0,
              stream, batch);
  const auto answer = search_classes<kCodec, Units>;
  static const std::uint32_t ctas = resident_ctas(answer, kThreads, 0);
  for (std::uint32_t phase = 0; phase < kPhases; ++phase) {
    gpu::launch("search_classes", answer, ctas, kThreads, 0, stream, batch, phase);
  }
}

}  // namespace

void launch_or_by_bound(const OrByBound& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.table_range_count == 0) return;
  with_codec_and_units(LookupUnits(), batch, codec, [&]<CodecKind kCodec, class Units>() {
    launch<kCodec, Units>(batch, stream);
  });
}

}  // namespace warpdex::gpu
