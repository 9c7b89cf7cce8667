// From candidates to answers: those that reach the last threshold survive, get their exact scores,
// and the k best are sorted and written where the host reads them.
#include <algorithm>
#include <cuda/atomic>

#include "gpu/device/dispatch.cuh"
#include "gpu/device/launch.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/device/settle.cuh"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/select/block_sort.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = kQueryThreads;
constexpr std::uint32_t kWarps = kThreads / kWarp;

/// CTAs that share a query, at most, where queries are few.
constexpr std::uint32_t kMostTeam = 8;
/// Candidates that are sorted, or looked up by one CTA or by some, without a look at the threshold:
/// as fast as it would be raised.
constexpr std::uint32_t kFewToSort = 256;
constexpr std::uint32_t kFewToLookUp = 32;
constexpr std::uint32_t kFewForTeam = 64;
/// Survivors that a warp looks up together from which on they are sorted by document before.
constexpr std::uint32_t kGroupToSort = 8;
/// Of 32 survivors and a term.
constexpr std::uint32_t kScoreRows = kMostLists;
/// Keys that are sorted in shared memory, at most: with room to merge them in, they fit beside the
/// rest in the 163 KiB that a CTA can have on large GPUs.
constexpr std::uint32_t kMostRoom = 10'176;
static_assert(kMostRoom >= kMaxK && kMostRoom % kWarp == 0);

using Key = unsigned long long;

/// In shared memory.
template <Spare kSpare>
struct RescoreMemory {
  LookupMemory<kSpare> lookups[kWarps];
  float scores[kScoreRows][kWarp];
};

/// A CTA's memory: keys, or documents, that are sorted, and what is needed to find or sort them.
struct FinishMemory {
  /// Of the kernel's dynamic shared memory, finish_bytes(room).
  __device__ FinishMemory(Key* begin, std::uint32_t places) : keys(begin), room(places) {}

  __device__ Key* other_keys() const { return keys + room; }
  __device__ std::uint32_t* documents() const { return reinterpret_cast<std::uint32_t*>(keys); }
  __device__ std::uint32_t* other_documents() const {
    return reinterpret_cast<std::uint32_t*>(keys + room);
  }
  template <Spare kSpare>
  __device__ RescoreMemory<kSpare>& rescoring() const {
    return *reinterpret_cast<RescoreMemory<kSpare>*>(keys + room);
  }

  Key* keys;
  std::uint32_t room;
};

template <Spare kSpare>
constexpr std::size_t finish_bytes(std::uint32_t room) {
  return room * sizeof(Key) + std::max(room * sizeof(Key), sizeof(RescoreMemory<kSpare>));
}

/// What is left of a query's candidates, and room for their keys.
struct Survivors {
  const Candidate* candidates;
  Key* keys;
  std::uint32_t count;
};

/// Whether sums in units are the scores themselves.
__device__ bool sums_are_scores(const Batch& batch, const Query& query) {
  return batch.form == ScoreForm::kImpact && query.slack == 0;
}

/// Looks the documents of a warp's lanes up, and returns what a posting adds to their scores: 0
/// where there is none.
template <CodecKind kCodec, int kLevels, Spare kSpare>
__device__ float score_of_term(const Batch& batch, std::uint32_t list_index, bool has,
                               std::uint32_t document, LookupMemory<kSpare>& memory) {
  const List& list = batch.lists[list_index];
  if (has) {
    prefetch(batch.lengths.codes + document);
    prefetch(batch.lengths.rests + document);
  }
  std::uint32_t held = kNone;
  const Spot spot =
      find_spot<kCodec, kLevels, kSpare>(batch, list_index, has, document, held, memory);
  const std::uint32_t value = value_at<kCodec, kLevels, kSpare>(batch, list_index, spot, memory);
  return value == kNone ? 0.F
                        : exact_score(batch.form, list, value + 1, batch.lengths.of(document));
}

/// Survivors that a warp looks up together, in a list: fewer than its lanes if there are warps
/// enough, since the blocks that they are in are decoded one after the other.
__device__ std::uint32_t group_size(std::uint32_t survivors, std::uint32_t lists) {
  std::uint32_t size = kWarp;
  while (size > 1 && (survivors + size / 2 - 1) / (size / 2) * lists <= kWarps) size /= 2;
  return size;
}

/// Makes keys of exact scores. Warps find what a term adds to a group of documents; then these are
/// added up in the canonical order, by the operations of the CPU engine. A whole CTA.
template <CodecKind kCodec, int kLevels, Spare kSpare>
__device__ void rescore(const Batch& batch, const Query& query, const std::uint32_t* documents,
                        std::uint32_t count, Key* keys, RescoreMemory<kSpare>& memory) {
  const std::uint32_t warp = warp_id();
  const std::uint32_t size = group_size(count, query.scoring);
  const std::uint32_t groups_at_once = kScoreRows / query.scoring;
  const std::uint32_t groups = (count + size - 1) / size;
  for (std::uint32_t begin = 0; begin < groups; begin += groups_at_once) {
    const std::uint32_t here = min(groups_at_once, groups - begin);
    const auto place_of = [&](std::uint32_t group) { return (begin + group) * size + lane_id(); };
    const auto is_taken = [&](std::uint32_t place) { return lane_id() < size && place < count; };
    // Term by term, so that each warp has some of the long lists, whose blocks are many.
    for (std::uint32_t row = warp; row < here * query.scoring; row += kWarps) {
      const std::uint32_t place = place_of(row % here);
      const bool has = is_taken(place);
      memory.scores[row][lane_id()] =
          score_of_term<kCodec, kLevels, kSpare>(batch, query.first_list + row / here, has,
                                                 has ? documents[place] : 0, memory.lookups[warp]);
    }
    __syncthreads();
    for (std::uint32_t group = warp; group < here; group += kWarps) {
      const std::uint32_t place = place_of(group);
      if (!is_taken(place)) continue;
      const std::uint32_t document = documents[place];
      float score = 0;
      for (std::uint32_t term = 0; term < query.scoring; ++term) {
        score += memory.scores[term * here + group][lane_id()];
      }
      if (batch.static_scores != nullptr) score += batch.static_scores[document];
      keys[place] = make_key(score, document);
    }
    __syncthreads();
  }
}

/// Takes some survivors' documents to shared memory, ascending if they `are_sorted`. A whole CTA.
__device__ void fetch_documents(const Candidate* candidates, std::uint32_t count, bool are_sorted,
                                const FinishMemory& memory) {
  const auto document = [&](std::uint32_t i) { return candidates[i].document; };
  if (are_sorted) return sort_block(count, document, memory.documents(), memory.other_documents());
  for (std::uint32_t i = threadIdx.x; i < count; i += kThreads) memory.documents()[i] = document(i);
  __syncthreads();
}

/// Makes keys of all survivors' exact scores. Where they are many, they are sorted by document, so
/// that the neighbours that a warp looks up share blocks: all of them by each CTA, which takes a
/// part of the order; or piece by piece where there is no room. Whole CTAs.
template <CodecKind kCodec, int kLevels, Spare kSpare>
__device__ void rescore_all(const Batch& batch, const Query& query, const Survivors& survivors,
                            const FinishMemory& memory, const Team& team) {
  const std::uint32_t count = survivors.count;
  const std::uint32_t share = (count + team.size() - 1) / team.size();
  const bool are_sorted = count > kWarp && group_size(share, query.scoring) >= kGroupToSort;
  const bool fits = count <= memory.room;
  const std::uint32_t piece = fits ? count : min(share, memory.room);
  const std::uint32_t step = fits ? count : team.size() * piece;
  for (std::uint32_t begin = fits ? 0 : team.rank() * piece; begin < count; begin += step) {
    const std::uint32_t here = min(piece, count - begin);
    fetch_documents(survivors.candidates + begin, here, are_sorted, memory);
    const std::uint32_t first = fits ? min(team.rank() * share, here) : 0;
    rescore<kCodec, kLevels, kSpare>(batch, query, memory.documents() + first,
                                     min(share, here - first), survivors.keys + begin + first,
                                     memory.template rescoring<kSpare>());
  }
}

/// A number that at least k and at most `room` of `count` different keys reach: found digit by
/// digit. A whole CTA. Reads the keys 8 times at most.
template <class KeyAt>
__device__ Key find_least(KeyAt key_at, std::uint32_t count, std::uint32_t k, std::uint32_t room,
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
    const std::uint32_t digit = find_digit_from_top(bins, wanted);  // by each warp for itself
    const std::uint32_t reaching = k - wanted + bins[digit];
    prefix = prefix << 8 | digit;
    __syncthreads();
    if (reaching <= room || shift == 0) return prefix << shift;
  }
}

/// Takes the keys that reach `least` to shared memory, in any order; `taken` becomes how many they
/// are. A whole CTA.
template <class KeyAt>
__device__ void take_keys(KeyAt key_at, std::uint32_t count, Key least, Key* keys,
                          std::uint32_t& taken) {
  if (threadIdx.x == 0) taken = 0;
  __syncthreads();
  for (std::uint32_t first = warp_id() * kWarp; first < count; first += kThreads) {
    const std::uint32_t i = first + lane_id();
    const Key key = i < count ? key_at(i) : 0;
    const std::uint32_t group = __ballot_sync(kWholeWarp, i < count && key >= least);
    if (group == 0) continue;
    std::uint32_t place = 0;
    if (lane_id() == 0) place = atomicAdd(&taken, __popc(group));
    place = __shfl_sync(kWholeWarp, place, 0) + __popc(group & lanes_below());
    if (group >> lane_id() & 1) keys[place] = key;
  }
  __syncthreads();
}

/// Writes the query's k best, best first, to the host's memory. A whole CTA.
__device__ void write_hits(const Batch& batch, const Query& query, const Survivors& survivors,
                           const FinishMemory& memory, Settling& settling) {
  const bool are_sums = sums_are_scores(batch, query);
  const auto key_at = [&](std::uint32_t i) -> Key {
    if (!are_sums) return survivors.keys[i];
    const Candidate candidate = survivors.candidates[i];
    return make_key(static_cast<float>(candidate.sum), candidate.document);
  };
  std::uint32_t count = survivors.count;
  if (count > memory.room) {
    const Key least = find_least(key_at, count, query.k, memory.room, settling.all);
    take_keys(key_at, count, least, memory.keys, settling.kept);
    count = settling.kept;
  }
  const bool are_taken = survivors.count > memory.room;
  const auto load = [&](std::uint32_t i) { return are_taken ? memory.keys[i] : key_at(i); };
  sort_block(count, load, memory.keys, memory.other_keys());
  // A hit by one store: each of its halves would go over the bus by itself, between gaps.
  static_assert(sizeof(Hit) == sizeof(Key) && offsetof(Hit, score) == 4);
  Key* const hits = reinterpret_cast<Key*>(batch.hits) + std::size_t{query.slot} * batch.k;
  for (std::uint32_t i = threadIdx.x; i < min(count, query.k); i += kThreads) {
    const Key key = memory.keys[count - 1 - i];
    hits[i] = key >> 32 << 32 | (kNone - static_cast<std::uint32_t>(key));
  }
}

/// What else the host is told, after the hits. One thread.
__device__ void write_answer(const Batch& batch, const Query& query, std::uint32_t survivors,
                             bool overflows) {
  const QueryState& state = batch.states[query.state];
  Answer answer{min(survivors, query.k), overflows || state.overflow != 0 ? 1U : 0U,
                state.fell_back,         0,
                state.matches,           Need(batch, query).threshold};
  if (query.flags & kOneList) {
    answer.matches = batch.lists[query.first_list].size;
    answer.fell_back = answer.matches < query.least ? 1 : 0;
  }
  batch.answers[query.slot] = answer;
  if (batch.ticket != 0) {  // the host waits for this, not for the kernel's end
    using Ticket = cuda::atomic_ref<std::uint32_t, cuda::thread_scope_system>;
    Ticket(batch.answers[query.slot].ticket).store(batch.ticket, cuda::memory_order_release);
  }
  if (batch.work != nullptr) {
    atomicAdd(&batch.work->rescored, static_cast<unsigned long long>(survivors));
  }
}

/// Work item: a query a team of CTAs. They share out the settling and the lookups; the first sorts.
/// Shared memory: 3 KiB and finish_bytes(room). Bound by the latency of looking survivors up, or of
/// sorting.
template <CodecKind kCodec, int kLevels, Spare kSpare>
__global__ void __launch_bounds__(kThreads, kSpare == Spare::kWork ? 3 : 2)
    finish(Batch batch, std::uint32_t room) {
  wait_for_previous();
  extern __shared__ __align__(16) Key dynamic_memory[];
  __shared__ Settling settling;
  const FinishMemory memory(dynamic_memory, room);
  const Team team = Team::of_cluster();
  const Query& query = batch.finals[blockIdx.x / team.size()];
  const std::uint32_t found = batch.states[query.state].candidates;
  const bool are_sums = sums_are_scores(batch, query);
  const std::uint32_t few_to_look_up = team.size() > 1 ? kFewForTeam : kFewToLookUp;
  const std::uint32_t few = are_sums ? kFewToSort : few_to_look_up;
  const bool settles = found > min(few, query.capacity);
  Candidate* const candidates = batch.candidates + query.candidates;
  Survivors survivors{candidates, batch.keys + query.candidates, found};
  if (settles) {
    const std::uint32_t count = min(found, query.capacity);
    raise_to_candidates(batch, query, count, settling, team);
    // Survivors go to where keys would; then the candidates are read, and theirs is room for keys.
    auto* const kept = reinterpret_cast<Candidate*>(survivors.keys);
    keep_needed(candidates, count, Need(batch, query), kept, settling, team);
    survivors = {kept, reinterpret_cast<Key*>(candidates), 0};
    team.sync();
  }
  if (are_sums && team.rank() != 0) return;
  if (settles) survivors.count = team.of(0, settling.kept);
  if (!are_sums) {
    rescore_all<kCodec, kLevels, kSpare>(batch, query, survivors, memory, team);
    team.sync();
    if (team.rank() != 0) return;
  }
  __syncthreads();  // all have read settling.kept
  write_hits(batch, query, survivors, memory, settling);
  if (batch.ticket != 0) __syncthreads();
  if (threadIdx.x == 0) write_answer(batch, query, survivors.count, found > query.capacity);
}

/// CTAs that share a query: as many as the GPU holds at once.
std::uint32_t team_size(const Batch& batch, std::uint32_t resident) {
  std::uint32_t size = batch.has_clusters ? kMostTeam : 1;
  while (size > 1 && std::size_t{batch.state_count} * size > resident) size /= 2;
  return size;
}

template <CodecKind kCodec, int kLevels, Spare kSpare>
void launch(const Batch& batch, cudaStream_t stream) {
  const std::uint32_t room = std::min(room_to_sort(batch.k + 1024), kMostRoom);
  const std::size_t bytes = finish_bytes<kSpare>(room);
  const auto kernel = finish<kCodec, kLevels, kSpare>;
  constexpr std::size_t kOther = 64;  // what a CTA has beside those
  static_assert(finish_bytes<kSpare>(kMostRoom) + sizeof(Settling) + kOther <= kNeededSharedMemory);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  static const std::uint32_t usual = resident_ctas(kernel, kThreads, sizeof(RescoreMemory<kSpare>));
  const std::uint32_t resident = room == kMostRoom ? usual / 2 : usual;
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

void launch_finish(const Batch& batch, CodecKind codec, cudaStream_t stream) {
  with_codec(batch, codec, [&]<CodecKind kCodec, int kLevels>() {
    constexpr std::uint32_t kFewQueries = 128;  // on a large GPU, each multiprocessor has one
    if (batch.state_count <= kFewQueries) {
      launch<kCodec, kLevels, Spare::kTime>(batch, stream);
    } else {
      launch<kCodec, kLevels, Spare::kWork>(batch, stream);
    }
  });
}

}  // namespace warpdex::gpu
