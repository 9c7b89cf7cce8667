// OR of batches of few postings, where what takes time is each kernel's own latency. Instead of
// tiles in rounds, documents are taken in phases by what each can reach: few, to learn what the
// answers' scores are, then those that can still matter. The blocks that may decide are sorted into
// classes for it by what their documents can reach; warps draw them and look documents up at once.
#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/settle.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/or/block_finder.cuh"
#include "gpu/kernels/or/or_searcher.cuh"

namespace warpdex::gpu {
namespace {

using namespace or_lookups;

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
static_assert(kShortStretchBlocks <= kThreads, "a thread looks at one block");
static_assert(kClasses == kWarp, "a lane knows of one class");
/// Warps that share a block, at most, where blocks are few.
constexpr std::uint32_t kMostShares = kWarp;
/// Shares that a warp takes then, at most: of several queries more, as shares of those with many
/// lists take many times as long as others.
constexpr std::uint32_t kSharesOfOne = 2;
constexpr std::uint32_t kSharesOfSome = 4;
/// Times that each warp draws at least, where it draws more than one block at once.
constexpr std::uint32_t kTurns = 4;

/// What documents of a query's first `classes` classes can reach, and others can't.
__device__ std::uint32_t edge_of(const QueryState& state, std::uint32_t classes) {
  if (classes == kClasses) return 0;
  const std::uint64_t range = state.highest - min(state.lowest, state.highest);
  return state.highest - static_cast<std::uint32_t>(range * classes / kClasses);
}

/// 0 for the most promising.
__device__ std::uint32_t class_of(const QueryState& state, std::uint32_t bound) {
  const std::uint64_t range = state.highest - min(state.lowest, state.highest);
  const std::uint64_t missing = state.highest - min(bound, state.highest);
  if (missing == 0) return 0;
  // By floating numbers it is this or a later one.
  const float share = static_cast<float>(missing) / static_cast<float>(max(range, missing));
  auto kind = static_cast<std::uint32_t>(share * (kClasses * 0.999F));
  while (kind + 1 < kClasses && missing > range * (kind + 1) / kClasses) ++kind;
  return kind;
}

struct ClassMemory {
  std::uint32_t counts[kClasses];
  std::uint32_t firsts[kClasses];
};

/// Work item: blocks of a list, a CTA, a thread each. Bound by the latency of finding out whether
/// they may decide.
__global__ void __launch_bounds__(kThreads) find_promising(Batch batch) {
  wait_for_previous();
  __shared__ ClassMemory memory;
  const Stretch stretch = batch.table_stretches[blockIdx.x];
  const List& list = batch.lists[stretch.owner];
  const Query& query = batch.queries[batch.and_queries + list.owner];
  const QueryState& state = batch.states[query.state];
  if (list.place >= query.scoring || !or_has_run(query, state)) return;
  const BlockFinder finder(batch, query, stretch.owner);
  const std::uint32_t end = stretch.first + stretch.blocks;
  if (!finder.may_want(stretch.first, end)) return;  // the same for all warps
  if (threadIdx.x < kClasses) memory.counts[threadIdx.x] = 0;
  __syncthreads();
  const std::uint32_t block = stretch.first + threadIdx.x;
  Promise promise{stretch.owner, block, 0};
  std::uint32_t kind = 0;
  std::uint32_t place = 0;
  if (block < end) promise.bound = finder.promise(block);
  if (promise.bound != 0) {
    kind = class_of(state, promise.bound);
    place = atomicAdd(&memory.counts[kind], 1);
  }
  __syncthreads();
  if (threadIdx.x < kClasses && memory.counts[threadIdx.x] != 0) {
    memory.firsts[threadIdx.x] =
        atomicAdd(&batch.promise_counters->counts[threadIdx.x], memory.counts[threadIdx.x]);
  }
  __syncthreads();
  if (promise.bound == 0) return;
  batch.promises[std::size_t{kind} * batch.most_promises + memory.firsts[kind] + place] = promise;
}

/// Where the promising blocks of all classes are. In shared memory.
struct Classes {
  std::uint32_t ends[kClasses];  ///< blocks in the first classes, to this one

  /// By a whole CTA; ends with a barrier.
  __device__ void fill(const Batch& batch) {
    if (warp_id() == 0) {
      ends[lane_id()] = inclusive_sum(batch.promise_counters->counts[lane_id()]);
    }
    __syncthreads();
  }

  /// The first classes that have so many blocks together, or all. A whole warp.
  __device__ std::uint32_t having(std::uint32_t blocks) const {
    const std::uint32_t enough = __ballot_sync(kWholeWarp, ends[lane_id()] >= blocks);
    return enough == 0 ? kClasses : __ffs(static_cast<int>(enough));
  }
  __device__ std::uint32_t blocks() const { return ends[kClasses - 1]; }

  /// The i-th block, counted through the classes. A thread.
  __device__ Promise block(const Batch& batch, std::uint32_t i) const {
    std::uint32_t kind = 0;
#pragma unroll
    for (std::uint32_t step = kClasses / 2; step > 0; step /= 2) {
      if (ends[kind + step - 1] <= i) kind += step;
    }
    const std::uint32_t place = i - (kind == 0 ? 0 : ends[kind - 1]);
    return batch.promises[std::size_t{kind} * batch.most_promises + place];
  }
};

/// A lane's, to all lanes.
__device__ Promise promise_of(const Promise& promise, int lane) {
  return {__shfl_sync(kWholeWarp, promise.list, lane), __shfl_sync(kWholeWarp, promise.block, lane),
          __shfl_sync(kWholeWarp, promise.bound, lane)};
}

/// What a phase takes: blocks, and of their documents those whose reach is within bounds. The first
/// takes so many classes that there are enough blocks in them, but not many more blocks than that,
/// where very many are alike. The last takes all that is left.
struct Phase {
  std::uint32_t classes;  ///< the first, of whose documents it takes some
  std::uint32_t blocks;   ///< the first
  std::uint32_t before;   ///< of which the phase before took documents of those classes
  std::uint32_t blocks_before;
};

/// A whole warp.
__device__ Phase find_phase(const Batch& batch, const Classes& classes, std::uint32_t number) {
  static_assert(kPhases == 2);
  constexpr std::uint32_t kAlike = 4;
  const std::uint32_t first = classes.having(batch.first_promises);
  const std::uint32_t taken = min(classes.ends[first - 1], kAlike * batch.first_promises);
  if (number == 0) return {first, taken, 0, 0};
  return {kClasses, classes.blocks(), first, taken};
}

/// One warp's part of a phase: reads a block and looks documents of it up.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
class BlockAnswerer {
 public:
  __device__ BlockAnswerer(const Batch& batch, const UnitTable<kForm>& table, const Phase& phase,
                           SearchMemory<Spare::kTime>& memory)
      : batch_(batch),
        table_(table),
        phase_(phase),
        memory_(memory),
        searcher_(batch, table, memory) {}

  /// Of the block, the `number`-th in the order of the classes, what the lanes [first, end) have of
  /// it.
  __device__ void answer(const Promise& promise, std::uint32_t number, std::uint32_t first,
                         std::uint32_t end) {
    const List& list = batch_.lists[promise.list];
    const Query& query = batch_.queries[batch_.and_queries + list.owner];
    const QueryState& state = batch_.states[query.state];
    const Need need(batch_, query);
    const std::uint32_t least = edge_of(state, phase_.classes);
    const bool was_taken = number < phase_.blocks_before;
    const std::uint32_t end_of_reach = was_taken ? edge_of(state, phase_.before) : kNone;
    const std::uint32_t needed = __shfl_sync(kWholeWarp, max(need.threshold, least), 0);
    if (promise.bound < needed || needed >= end_of_reach) return;
    if (first == 0) ++read_;
    const ListWeight weight = table_.weigh(query, list);
    const std::uint32_t* const rests = batch_.rests + list.row;
    std::uint32_t docids[4];
    std::uint32_t sums[4];
    bool wanted[4];
    read_values<kCodec, kLevels>(batch_, promise.list, promise.block, memory_.lookup.scratch, sums);
    read_docids<kCodec, kLevels>(batch_, promise.list, promise.block, memory_.lookup.scratch,
                                 docids);
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      wanted[i] = docids[i] != kNone && lane_id() >= first && lane_id() < end;
      if (!wanted[i]) continue;
      sums[i] = table_.units(weight, sums[i], table_.code_of(batch_, docids[i]));
      const std::uint32_t reach = sums[i] + rests[docids[i] >> kTileShift];
      wanted[i] = reach >= max(need.of(docids[i]), least) && reach < end_of_reach;
    }
    const Places places(wanted);
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
  const Batch& batch_;
  const UnitTable<kForm>& table_;
  const Phase& phase_;
  SearchMemory<Spare::kTime>& memory_;
  Searcher<kCodec, kLevels, kForm, Spare::kTime> searcher_;
  std::uint32_t read_ = 0;
};

/// Whether a block may hold documents of the answer still. A thread.
__device__ bool is_open(const Batch& batch, const Promise& promise) {
  const List& list = batch.lists[promise.list];
  const Need need(batch, batch.queries[batch.and_queries + list.owner]);
  if (promise.bound < need.threshold) return false;
  if (promise.bound > need.threshold || need.last_tied == kNone || promise.block == 0) return true;
  return list.last_docids[promise.block - 1] < need.last_tied;
}

/// Whether the only query's threshold has passed all that was left.
__device__ bool is_done(const Batch& batch, const Classes& classes, const Phase& phase) {
  if (phase.before == 0 || batch.or_queries != 1) return false;
  if (phase.blocks_before < classes.ends[phase.before - 1]) return false;
  const Query& query = batch.queries[batch.and_queries];
  return Need(batch, query).threshold >= edge_of(batch.states[query.state], phase.before);
}

/// After the first phase of an only query: raises its threshold, and finds out which equal sums do
/// not count. By the last of `ctas` CTAs, whole.
__device__ void settle_first_phase(const Batch& batch, std::uint32_t ctas, Settling& memory) {
  const Query& query = batch.queries[batch.and_queries];
  if (batch.or_queries != 1 || !sums_are_exact(batch, query)) return;
  __threadfence();
  __syncthreads();
  bool is_last = false;
  if (threadIdx.x == 0) is_last = atomicAdd(&batch.promise_counters->ended, 1) + 1 == ctas;
  if (!__syncthreads_or(is_last)) return;
  __threadfence();
  const std::uint32_t count = min(__ldcg(&batch.states[query.state].candidates), query.capacity);
  raise_to_candidates(batch, query, count, memory, Team::alone());
}

/// Work item: a block, or a share of its documents where blocks are few, a warp; warps stay and
/// draw, some blocks at once where there are many, of which they look only at those that matter
/// still. Bound by the latency of looking documents up.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kThreads, 4) answer_blocks(Batch batch, std::uint32_t number) {
  wait_for_previous();
  __shared__ __align__(16) SearchMemory<Spare::kTime> memories[kWarps];
  __shared__ UnitTable<kForm> table;
  __shared__ Classes classes;
  __shared__ Settling settling;
  classes.fill(batch);
  const Phase phase = find_phase(batch, classes, number);
  const std::uint32_t warps = gridDim.x * kWarps;
  const std::uint32_t most = warps * (batch.or_queries == 1 ? kSharesOfOne : kSharesOfSome);
  std::uint32_t shares = kMostShares;
  while (shares > 1 && phase.blocks * shares > most) shares /= 2;
  const std::uint32_t items = phase.blocks * shares;
  if (blockIdx.x >= items) return;
  if (__syncthreads_or(is_done(batch, classes, phase))) return;  // the same for all warps
  const std::uint32_t together = min(max(items / (kTurns * warps), 1U), kWarp);
  table.fill(batch);
  BlockAnswerer<kCodec, kLevels, kForm> answerer(batch, table, phase, memories[warp_id()]);
  // The first items are a warp's own, the others are drawn; each a turn before it is needed. CTAs
  // take turns, so that few items are spread over all multiprocessors.
  std::uint32_t begin = (warp_id() * gridDim.x + blockIdx.x) * together;
  while (begin < items) {
    std::uint32_t drawn = 0;
    if (lane_id() == 0) drawn = atomicAdd(&batch.promise_counters->drawn[number], together);
    const std::uint32_t own = begin + lane_id();
    Promise promise{};
    bool is_wanted = lane_id() < together && own < items;
    if (is_wanted) promise = classes.block(batch, own / shares);
    if (together > 1) is_wanted = is_wanted && is_open(batch, promise);
    const std::uint32_t lanes = kWarp / shares;
    for (std::uint32_t left = __ballot_sync(kWholeWarp, is_wanted); left != 0; left &= left - 1) {
      const int lane = __ffs(static_cast<int>(left)) - 1;
      const std::uint32_t item = begin + lane;
      const std::uint32_t first = item % shares * lanes;
      answerer.answer(promise_of(promise, lane), item / shares, first, first + lanes);
    }
    begin = warps * together + __shfl_sync(kWholeWarp, drawn, 0);
  }
  answerer.count_work();
  if (number == 0 && phase.blocks < classes.blocks()) {
    settle_first_phase(batch, min(gridDim.x, items), settling);
  }
}

template <CodecKind kCodec, int kLevels, ScoreForm kForm>
void launch(const Batch& batch, cudaStream_t stream) {
  gpu::launch("find_promising", find_promising, batch.table_stretch_count, kThreads, 0, stream,
              batch);
  const auto answer = answer_blocks<kCodec, kLevels, kForm>;
  static const std::uint32_t ctas = resident_ctas(answer, kThreads, 0);
  for (std::uint32_t phase = 0; phase < kPhases; ++phase) {
    gpu::launch("answer_blocks", answer, ctas, kThreads, 0, stream, batch, phase);
  }
}

}  // namespace

void launch_or_at_once(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.table_stretch_count == 0) return;
  with_codec_and_form(batch, codec, [&]<CodecKind kCodec, int kLevels, ScoreForm kForm>() {
    launch<kCodec, kLevels, kForm>(batch, stream);
  });
}

}  // namespace warpdex::gpu
