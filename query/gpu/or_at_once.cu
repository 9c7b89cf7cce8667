// OR of batches of few postings, where what takes time is each kernel's own latency. Instead of
// tiles in rounds, documents are taken in phases by what each can reach: few, to learn what the
// answers' scores are, then those that can still matter. The blocks that may decide are sorted into
// classes for it by what their documents can reach; warps draw them and look documents up at once.
#include "warpdex/query/gpu/block_finder.cuh"
#include "warpdex/query/gpu/dispatch.cuh"
#include "warpdex/query/gpu/kernels.cuh"
#include "warpdex/query/gpu/launch.cuh"
#include "warpdex/query/gpu/or_searcher.cuh"

namespace warpdex::gpu {
namespace {

using namespace or_lookups;

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
static_assert(kShortStretchBlocks <= kThreads, "a thread looks at one block");
static_assert(kClasses == kWarp, "a lane knows of one class");
/// Warps that share a block, at most, where blocks are few.
constexpr std::uint32_t kMostShares = 8;

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

/// Where the promising blocks of all classes are: each lane knows of one class.
class Classes {
 public:
  /// A whole warp.
  __device__ explicit Classes(const Batch& batch)
      : batch_(batch),
        count_(batch.promise_counters->counts[lane_id()]),
        end_(device::inclusive_sum(count_)) {}

  /// The first classes that have so many blocks together, or all. A whole warp, as all of this.
  __device__ std::uint32_t having(std::uint32_t blocks) const {
    const std::uint32_t enough = __ballot_sync(kWholeWarp, end_ >= blocks);
    return enough == 0 ? kClasses : __ffs(static_cast<int>(enough));
  }
  /// In the first classes, 1 or more.
  __device__ std::uint32_t blocks(std::uint32_t classes) const {
    return __shfl_sync(kWholeWarp, end_, classes - 1);
  }
  /// The i-th block, counted through the classes.
  __device__ Promise block(std::uint32_t i) const {
    const std::uint32_t kind = __popc(__ballot_sync(kWholeWarp, end_ <= i));
    const std::uint32_t place = i - __shfl_sync(kWholeWarp, end_ - count_, kind);
    return batch_.promises[std::size_t{kind} * batch_.most_promises + place];
  }

 private:
  const Batch& batch_;
  std::uint32_t count_;
  std::uint32_t end_;
};

/// What a phase takes.
struct Phase {
  std::uint32_t classes;  ///< the first
  std::uint32_t before;   ///< of which the phase before took those
};

/// The first phase has so many classes that there are enough blocks in them, the last has all.
__device__ Phase find_phase(const Batch& batch, const Classes& classes, std::uint32_t number) {
  static_assert(kPhases == 2);
  const std::uint32_t first = classes.having(batch.first_promises);
  if (number == 0) return {first, 0};
  return {kClasses, first};
}

/// One warp's part of a phase: reads a block and looks documents of it up.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
class BlockAnswerer {
 public:
  __device__ BlockAnswerer(const Batch& batch, const UnitTable<kForm>& table, const Phase& phase,
                           SearchMemory& memory)
      : batch_(batch),
        table_(table),
        phase_(phase),
        memory_(memory),
        searcher_(batch, table, memory) {}

  /// Of the block, what the lanes [first, end) have of it.
  __device__ void answer(const Promise& promise, std::uint32_t first, std::uint32_t end) {
    const List& list = batch_.lists[promise.list];
    const Query& query = batch_.queries[batch_.and_queries + list.owner];
    const QueryState& state = batch_.states[query.state];
    const Need need(batch_, query);
    const std::uint32_t least = edge_of(state, phase_.classes);
    const std::uint32_t end_of_reach = phase_.before == 0 ? kNone : edge_of(state, phase_.before);
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
      sums[i] = table_.units(batch_, weight, sums[i], docids[i]);
      const std::uint32_t reach = sums[i] + rests[docids[i] >> kTileShift];
      wanted[i] = reach >= max(need.of(docids[i]), least) && reach < end_of_reach;
    }
    const Places places(wanted);
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      if (wanted[i]) memory_.documents[places.place(i)] = {docids[i], sums[i]};
    }
    __syncwarp();
    if (places.count > 0) searcher_.search(list, places.count);
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
  SearchMemory& memory_;
  Searcher<kCodec, kLevels, kForm> searcher_;
  std::uint32_t read_ = 0;
};

/// Whether the only query's threshold has passed all that was left.
__device__ bool is_done(const Batch& batch, const Phase& phase) {
  if (phase.before == 0 || batch.or_queries != 1) return false;
  const Query& query = batch.queries[batch.and_queries];
  return Need(batch, query).threshold >= edge_of(batch.states[query.state], phase.before);
}

/// Work item: a block, or a share of its documents where blocks are few, a warp; warps stay and
/// draw. Bound by the latency of looking documents up list by list.
template <CodecKind kCodec, int kLevels, ScoreForm kForm>
__global__ void __launch_bounds__(kThreads, 5) answer_blocks(Batch batch, std::uint32_t number) {
  wait_for_previous();
  __shared__ __align__(16) SearchMemory memories[kWarps];
  __shared__ UnitTable<kForm> table;
  const Classes classes(batch);
  const Phase phase = find_phase(batch, classes, number);
  const std::uint32_t blocks = classes.blocks(phase.classes);
  const std::uint32_t warps = gridDim.x * kWarps;
  std::uint32_t shares = kMostShares;
  while (shares > 1 && blocks * shares > 2 * warps) shares /= 2;
  const std::uint32_t items = blocks * shares;
  if (blockIdx.x >= items || phase.before == phase.classes) return;
  if (__syncthreads_or(is_done(batch, phase))) return;  // the same for all warps
  table.fill(batch);
  BlockAnswerer<kCodec, kLevels, kForm> answerer(batch, table, phase, memories[warp_id()]);
  // The first item is a warp's own, the others are drawn; each a turn before it is needed. CTAs
  // take turns, so that few items are spread over all multiprocessors.
  std::uint32_t item = warp_id() * gridDim.x + blockIdx.x;
  while (item < items) {
    std::uint32_t drawn = 0;
    if (lane_id() == 0) drawn = atomicAdd(&batch.promise_counters->drawn[number], 1);
    const std::uint32_t lanes = kWarp / shares;
    const std::uint32_t first = item % shares * lanes;
    answerer.answer(classes.block(item / shares), first, first + lanes);
    item = warps + __shfl_sync(kWholeWarp, drawn, 0);
  }
  answerer.count_work();
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
