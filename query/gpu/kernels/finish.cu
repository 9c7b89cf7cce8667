// From candidates to answers. Candidates that reach the last threshold survive and get their exact
// scores. The k best are sorted and written to host memory.
#include <algorithm>
#include <cuda/atomic>

#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/prune.cuh"
#include "gpu/kernels/kernels.cuh"
#include "gpu/kernels/rescore.cuh"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/select/block_sort.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = kRescoreThreads;

/// CTAs that share a query where queries are few, at most.
constexpr std::uint32_t kMaxTeam = 8;
/// With no more candidates than this, the threshold is not raised first: sorting them, or looking
/// them up by one CTA or by a team, is as fast.
constexpr std::uint32_t kFewToSort = 256;
constexpr std::uint32_t kFewToLookUp = 32;
constexpr std::uint32_t kFewForTeam = 64;
/// If a warp looks up this many survivors together, or more, they are sorted by document first.
constexpr std::uint32_t kGroupToSort = 8;
/// Keys that are sorted in shared memory at a time, at most: all, on GPUs where a CTA can have the
/// 163 KiB that these and the room to merge them take.
constexpr std::uint32_t kMaxSortedKeys = 10'176;
static_assert(kMaxSortedKeys >= kMaxK && kMaxSortedKeys % kWarp == 0);

/// A CTA's dynamic shared memory: the keys or documents that are sorted, and beside them the memory
/// to sort or to rescore them.
struct FinishMemory {
  /// `begin` is the kernel's dynamic shared memory, of finish_bytes(room) bytes.
  __device__ FinishMemory(Key* begin, std::uint32_t places) : keys(begin), room(places) {}

  __device__ Key* other_keys() const { return keys + room; }
  __device__ std::uint32_t* documents() const { return reinterpret_cast<std::uint32_t*>(keys); }
  __device__ std::uint32_t* other_documents() const {
    return reinterpret_cast<std::uint32_t*>(keys + room);
  }
  __device__ RescoreMemory& rescoring() const {
    return *reinterpret_cast<RescoreMemory*>(keys + room);
  }

  Key* keys;
  std::uint32_t room;
};

constexpr std::size_t finish_bytes(std::uint32_t room) {
  return room * sizeof(Key) + std::max(room * sizeof(Key), sizeof(RescoreMemory));
}

/// What is left of a query's candidates, and where their keys go.
struct Survivors {
  const Candidate* candidates;
  Key* keys;
  std::uint32_t count;
};

/// Copies documents of some survivors to shared memory, ascending if `are_sorted`. A whole CTA.
__device__ void fetch_documents(const Candidate* candidates, std::uint32_t count, bool are_sorted,
                                const FinishMemory& memory) {
  const auto document = [&](std::uint32_t i) { return candidates[i].document; };
  if (are_sorted) return sort_block(count, document, memory.documents(), memory.other_documents());
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) memory.documents()[i] = document(i);
  __syncthreads();
}

/// Computes the keys of all survivors. Many survivors are sorted by document first, so that
/// neighbours, which a warp looks up together, share blocks. If all fit in shared memory, each CTA
/// sorts all of them and takes a part; else each CTA sorts one piece at a time. Whole CTAs.
template <CodecKind kCodec, LookupGoal kGoal, LaneLists kLists>
__device__ void rescore_all(const FinishBatch& batch, const Query& query,
                            const Survivors& survivors, const FinishMemory& memory,
                            const Team& team) {
  const std::uint32_t count = survivors.count;
  const std::uint32_t share = (count + team.size() - 1) / team.size();
  const bool are_sorted = count > kWarp && group_size(share, query.scoring_lists) >= kGroupToSort;
  const bool fits = count <= memory.room;
  const std::uint32_t piece = fits ? count : min(share, memory.room);
  const std::uint32_t step = fits ? count : team.size() * piece;
  for (std::uint32_t begin = fits ? 0 : team.rank() * piece; begin < count; begin += step) {
    const std::uint32_t here = min(piece, count - begin);
    fetch_documents(survivors.candidates + begin, here, are_sorted, memory);
    const std::uint32_t first = fits ? min(team.rank() * share, here) : 0;
    rescore<kCodec, kGoal, kLists>(batch, query, memory.documents() + first,
                                   min(share, here - first), survivors.keys + begin + first,
                                   memory.rescoring());
  }
}

/// Returns a number that at min_key k and at most `room` of `count` distinct keys reach. Finds it
/// digit by digit. A whole CTA. Reads the keys 8 times at most.
template <class KeyAt>
__device__ Key find_kth_key(KeyAt key_at, std::uint32_t count, std::uint32_t k, std::uint32_t room,
                            std::uint32_t* bins) {
  Key prefix = 0;
  std::uint32_t wanted = k;
  for (int shift = 56;; shift -= 8) {
    for (std::uint32_t i = threadIdx.x; i < kDigits; i += kThreads) bins[i] = 0;
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
      const Key key = key_at(i);
      const bool same = shift == 56 || key >> (shift + 8) == prefix;
      if (same) atomicAdd(&bins[key >> shift & (kDigits - 1)], 1);
    }
    __syncthreads();
    const std::uint32_t digit = find_digit_from_top(bins, wanted);  // each warp finds the same
    const std::uint32_t reaching = k - wanted + bins[digit];
    prefix = prefix << 8 | digit;
    __syncthreads();
    if (reaching <= room || shift == 0) return prefix << shift;
  }
}

/// Copies the keys that reach `min_key` to shared memory, in any order, and sets `taken` to their
/// number. A whole CTA.
template <class KeyAt>
__device__ void take_keys(KeyAt key_at, std::uint32_t count, Key min_key, Key* keys,
                          std::uint32_t& taken) {
  if (threadIdx.x == 0) taken = 0;
  __syncthreads();
  for (std::uint32_t first = warp_id() * kWarp; first < count; first += kThreads) {
    const std::uint32_t i = first + lane_id();
    const Key key = i < count ? key_at(i) : 0;
    const std::uint32_t group = __ballot_sync(kWholeWarp, i < count && key >= min_key);
    if (group == 0) continue;
    std::uint32_t place = 0;
    if (lane_id() == 0) place = atomicAdd(&taken, __popc(group));
    place = __shfl_sync(kWholeWarp, place, 0) + __popc(group & lanes_below());
    if (group >> lane_id() & 1) keys[place] = key;
  }
  __syncthreads();
}

/// Writes hits to host memory, the last key first, behind `before` others. A whole CTA.
__device__ void write_sorted(const FinishBatch& batch, const Query& query, const Key* keys,
                             std::uint32_t count, std::uint32_t before) {
  // One store a hit: two stores of half a hit would cross the bus one by one, with gaps.
  static_assert(sizeof(Hit) == sizeof(Key) && offsetof(Hit, score) == 4);
  Key* const hits = reinterpret_cast<Key*>(batch.hits) + std::size_t{query.slot} * batch.k + before;
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) {
    const Key key = keys[count - 1 - i];
    std::uint32_t document = kNone - static_cast<std::uint32_t>(key);
    if (batch.space != nullptr) document -= batch.space[document >> kSpaceShift].shift;
    hits[i] = key >> 32 << 32 | document;
  }
}

/// Writes the query's k best hits to host memory, best first: all at once, or where shared memory
/// does not hold the survivors, as many at a time as it holds. A whole CTA.
__device__ void write_hits(const FinishBatch& batch, const Query& query, const Survivors& survivors,
                           const FinishMemory& memory, PruneMemory& prune_memory) {
  const bool are_sums = sums_are_scores(batch, query);
  const auto key_at = [&](std::uint32_t i) -> Key {
    if (!are_sums) return survivors.keys[i];
    const Candidate candidate = survivors.candidates[i];
    return make_key(static_cast<float>(candidate.sum), candidate.document);
  };
  const bool fit = survivors.count <= memory.room;
  const std::uint32_t wanted = min(survivors.count, query.k);
  Key above = ~Key{0};
  for (std::uint32_t written = 0; written < wanted;) {
    std::uint32_t count = survivors.count;
    if (!fit) {
      const auto rest_at = [&](std::uint32_t i) -> Key {
        const Key key = key_at(i);
        return key < above ? key : 0;
      };
      const std::uint32_t most = min(wanted - written, memory.room);
      const Key min_key = find_kth_key(rest_at, count, most, memory.room, prune_memory.all);
      take_keys(rest_at, count, min_key, memory.keys, prune_memory.kept);
      count = prune_memory.kept;
    }
    const auto load = [&](std::uint32_t i) { return fit ? key_at(i) : memory.keys[i]; };
    sort_block(count, load, memory.keys, memory.other_keys());
    const std::uint32_t here = min(count, wanted - written);
    write_sorted(batch, query, memory.keys + (count - here), here, written);
    written += here;
    if (written == wanted) return;
    above = memory.keys[count - here];
    __syncthreads();
  }
}

/// Writes the answer's other fields, after the hits. One thread.
__device__ void write_answer(const FinishBatch& batch, const Query& query, std::uint32_t survivors,
                             bool overflows) {
  const QueryState& state = batch.states[query.state];
  Answer answer{min(survivors, query.k), overflows || state.overflow != 0 ? 1U : 0U,
                state.fell_back,         0,
                state.matches,           Threshold(batch, query).sum};
  if (query.flags & kOneList) {
    answer.matches = batch.list_matches[query.state];
    answer.fell_back = answer.matches < query.min_matches ? 1 : 0;
  }
  batch.answers[query.slot] = answer;
  if (batch.ticket != 0) {  // the host waits for this, not for the end of the kernel
    using Ticket = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>;
    Ticket(batch.answers[query.slot].ticket).store(batch.ticket, cuda::memory_order_release);
  }
  if (batch.work != nullptr) {
    atomicAdd(&batch.work->rescored, static_cast<unsigned long long>(survivors));
  }
}

/// Work item: a query a team of CTAs of 512 threads. The team shares the pruning and the lookups;
/// its first CTA sorts. Where survivors were rescored before, it only sorts. Shared memory: 3 KiB
/// and finish_bytes(room). Bound by the latency of looking survivors up, or of sorting.
template <CodecKind kCodec, LookupGoal kGoal, LaneLists kLists>
__global__ void __launch_bounds__(kThreads,
                                  ctas_at_once(kThreads, kGoal == LookupGoal::kThroughput ? 3 : 2))
    finish(FinishBatch batch, std::uint32_t room) {
  wait_for_previous();
  extern __shared__ __align__(16) Key dynamic_memory[];
  __shared__ PruneMemory prune_memory;
  const FinishMemory memory(dynamic_memory, room);
  const Team team = Team::of_cluster();
  const Query& query = batch.final_queries[blockIdx.x / team.size()];
  const std::uint32_t found = batch.states[query.state].candidates;
  const bool are_sums = sums_are_scores(batch, query);
  const std::uint32_t few_to_look_up = team.size() > 1 ? kFewForTeam : kFewToLookUp;
  const std::uint32_t few = are_sums ? kFewToSort : few_to_look_up;
  const bool prunes = !batch.rescores_apart && found > min(few, query.candidate_capacity);
  Candidate* const candidates = batch.candidates + query.first_candidate;
  Survivors survivors{candidates, batch.keys + query.first_candidate, found};
  if (batch.rescores_apart) survivors.keys = keys_beside(batch, query);
  if (prunes) {
    const std::uint32_t count = min(found, query.candidate_capacity);
    update_threshold(batch, query, count, prune_memory, team);
    // Survivors are written where keys will be; then the candidates' memory holds the keys.
    auto* const kept = reinterpret_cast<Candidate*>(survivors.keys);
    keep_reaching(candidates, count, Threshold(batch, query), kept, prune_memory, team);
    survivors = {kept, reinterpret_cast<Key*>(candidates), 0};
    team.sync();
  }
  if (are_sums && team.rank() != 0) return;
  if (prunes) survivors.count = team.of(0, prune_memory.kept);
  if (!are_sums && !batch.rescores_apart) {
    rescore_all<kCodec, kGoal, kLists>(batch, query, survivors, memory, team);
    team.sync();
    if (team.rank() != 0) return;
  }
  __syncthreads();  // all have read prune_memory.kept
  write_hits(batch, query, survivors, memory, prune_memory);
  if (batch.ticket != 0) __syncthreads();
  if (threadIdx.x == 0)
    write_answer(batch, query, survivors.count, found > query.candidate_capacity);
}

/// CTAs that share a query: as many as the GPU can hold at once.
std::uint32_t team_size(const FinishBatch& batch, std::uint32_t resident) {
  std::uint32_t size = batch.has_clusters && !batch.rescores_apart ? kMaxTeam : 1;
  while (size > 1 && std::size_t{batch.state_count} * size > resident) size /= 2;
  return size;
}

/// Keys that the current GPU has the shared memory to sort at a time.
std::uint32_t most_sorted_keys() {
  constexpr std::size_t kOther = sizeof(PruneMemory) + 64;  // other shared memory of a CTA
  static_assert(sizeof(RescoreMemory) <= (kLeastSharedMemory - kOther) / 2);
  const std::size_t bytes = current_chip().shared_memory_of_block - kOther;
  return static_cast<std::uint32_t>(bytes / (2 * sizeof(Key)) / kWarp * kWarp);
}

template <CodecKind kCodec, LookupGoal kGoal, LaneLists kLists>
void launch(const FinishBatch& batch, cudaStream_t stream) {
  const std::uint32_t room =
      std::min({room_to_sort(batch.k + 1024), kMaxSortedKeys, most_sorted_keys()});
  const std::size_t bytes = finish_bytes(room);
  const auto kernel = finish<kCodec, kGoal, kLists>;
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  static const std::uint32_t usual = resident_ctas(kernel, kThreads, sizeof(RescoreMemory));
  const std::uint32_t resident = room == kMaxSortedKeys ? usual / 2 : usual;
  const std::uint32_t team = team_size(batch, resident);
  warpdex::launch({.name = "finish",
                   .ctas = batch.state_count * team,
                   .threads = kThreads,
                   .shared_memory = bytes,
                   .stream = stream,
                   .overlaps = batch.overlaps_launches,
                   .cluster = team},
                  kernel, batch, room);
}

}  // namespace

void launch_finish(const FinishBatch& batch, CodecKind codec, cudaStream_t stream) {
  if (batch.rescores_apart) launch_rescore_survivors(batch, codec, stream);
  with_codec(codec, [&]<CodecKind kCodec>() {
    constexpr std::uint32_t kFewQueries = 128;  // on a large GPU, each has a multiprocessor to
                                                // itself
    const bool are_few = batch.state_count <= kFewQueries;
    if (batch.list_spans != nullptr) {
      if (are_few) launch<kCodec, LookupGoal::kLatency, LaneLists::kOwn>(batch, stream);
      if (!are_few) launch<kCodec, LookupGoal::kThroughput, LaneLists::kOwn>(batch, stream);
    } else {
      if (are_few) launch<kCodec, LookupGoal::kLatency, LaneLists::kSame>(batch, stream);
      if (!are_few) launch<kCodec, LookupGoal::kThroughput, LaneLists::kSame>(batch, stream);
    }
  });
}

}  // namespace warpdex::gpu
