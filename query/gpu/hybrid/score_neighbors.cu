// The best by words among the neighbours of each query's vector: every neighbour is looked up in
// the query's lists and gets its exact score.
#include <algorithm>

#include "gpu/device/dispatch.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/device/score.cuh"
#include "gpu/hybrid/hybrid_kernels.hpp"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/block_sort.cuh"

namespace warpdex::gpu {
namespace {

constexpr std::uint32_t kThreads = 512;
constexpr std::uint32_t kWarps = kThreads / kWarp;

using Key = unsigned long long;

/// make_key() inverts the document, and docIDs end at 2^31, so this bit of a key is always set.
/// Until the keys are sorted, it says whether the document matches AND.
constexpr Key kMatchesAnd = Key{1} << 31;

/// A CTA's dynamic shared memory for `room` neighbours: their keys, and beside these first the
/// documents and the memory of lookups, later the memory to sort the keys.
constexpr std::size_t shared_bytes(std::uint32_t room) {
  return room * sizeof(Key) +
         std::max(room * sizeof(Key), room * sizeof(std::uint32_t) + kWarps * sizeof(LookupMemory));
}

constexpr std::size_t kOtherBytes = 64;  ///< of a CTA's other shared memory, at most

/// What a lane finds of its document.
struct Found {
  float score = 0;
  bool matches[kReadings];  ///< by Reading
};

/// Looks the document of each lane that `has` one up in all lists of a query. A whole warp.
template <CodecKind kCodec>
__device__ Found look_up(const NeighborBatch& batch, const HybridSegment& segment,
                         const SegmentQuery& query, bool has, std::uint32_t document,
                         LookupMemory& memory) {
  Found found;
  found.matches[kReadOr] = has && !query.is_empty[kReadOr];
  found.matches[kReadAnd] = has && !query.is_empty[kReadAnd];
  std::uint32_t field = 0;
  std::uint32_t length = has ? segment.lengths.of(document) : 0;
  bool has_any = false;
  const std::uint32_t lists = query.scoring_lists + query.prohibited_lists;
  for (std::uint32_t i = 0; i < lists; ++i) {
    const std::uint32_t list_index = query.first_list + i;
    const List& list = batch.lists[list_index];
    std::uint32_t held = kNone;
    const PostingPlace posting = find_document<kCodec, LookupGoal::kThroughput>(
        batch, list_index, has, document, held, memory);
    const bool is_there = posting.place != kNone;
    if (i >= query.scoring_lists) {
      found.matches[kReadOr] = found.matches[kReadOr] && !is_there;
      found.matches[kReadAnd] = found.matches[kReadAnd] && !is_there;
      continue;
    }
    const std::uint32_t value =
        value_at<kCodec, LaneLists::kSame>(batch, list_index, posting, memory);
    if (list.field != field) {
      field = list.field;
      length = has ? segment.lengths.of(segment.lengths.place(document, field)) : 0;
    }
    found.score += is_there ? exact_score(batch, list, value + 1, length) : 0.F;
    has_any = has_any || is_there;
    if (!is_there && (list.flags & kMust) != 0) found.matches[kReadOr] = false;
    if (!is_there && (list.flags & kRequired) != 0) found.matches[kReadAnd] = false;
  }
  if (has && segment.static_scores != nullptr) found.score += segment.static_scores[document];
  found.matches[kReadOr] = found.matches[kReadOr] && has_any;
  found.matches[kReadAnd] = found.matches[kReadAnd] && has_any;
  return found;
}

/// Writes the key of each of the sorted `documents`: 0 for those that do not match. Counts matches.
/// A whole CTA.
template <CodecKind kCodec>
__device__ void score_all(const NeighborBatch& batch, const std::uint32_t* documents, Key* keys,
                          LookupMemory& memory, std::uint32_t (&matches)[kReadings]) {
  for (std::uint32_t s = 0; s < batch.segment_count; ++s) {
    const HybridSegment& segment = batch.segments[s];
    const SegmentQuery& query = batch.segment_queries[blockIdx.x * batch.segment_count + s];
    const std::uint32_t first = segment.snapshot_document;
    const std::uint32_t begin = lower_bound(documents, batch.depth, first);
    const std::uint32_t end = lower_bound(documents, batch.depth, first + segment.documents);
    for (std::uint32_t group = begin + warp_id() * kWarp; group < end; group += kThreads) {
      const std::uint32_t place = group + lane_id();
      const bool has = place < end;
      const std::uint32_t document = has ? documents[place] : first;
      const Found found = look_up<kCodec>(batch, segment, query, has,
                                          document - first + segment.first_document, memory);
      if (found.matches[kReadOr]) {
        const Key key = make_key(found.score, document);
        keys[place] = found.matches[kReadAnd] ? key : key & ~kMatchesAnd;
      }
#pragma unroll
      for (std::uint32_t reading = 0; reading < kReadings; ++reading) {
        const std::uint32_t count = __popc(__ballot_sync(kWholeWarp, found.matches[reading]));
        if (lane_id() == 0 && count > 0) atomicAdd(&matches[reading], count);
      }
    }
  }
  __syncthreads();
}

/// Work item: a query, a CTA of 512 threads. Shared memory: shared_bytes(depth). Bound by the
/// latency of lookups, as `finish` is: depth / 32 groups of documents in each list.
template <CodecKind kCodec>
__global__ void __launch_bounds__(kThreads,
                                  ctas_at_once(kThreads, kCodec == CodecKind::kBitpack ? 3 : 2))
    score_neighbors(NeighborBatch batch, std::uint32_t room) {
  extern __shared__ __align__(16) Key keys[];
  __shared__ std::uint32_t matches[kReadings];
  auto* const documents = reinterpret_cast<std::uint32_t*>(keys + room);
  auto* const memory = reinterpret_cast<LookupMemory*>(documents + room);
  const std::int32_t* const neighbors = batch.neighbors + std::size_t{blockIdx.x} * batch.depth;
  if (threadIdx.x < kReadings) matches[threadIdx.x] = 0;
  // Missing ones are the largest numbers.
  sort_block(
      batch.depth, [&](std::uint32_t i) { return static_cast<std::uint32_t>(neighbors[i]); },
      documents, reinterpret_cast<std::uint32_t*>(keys));
  for (std::uint32_t i = threadIdx.x; i < batch.depth; i += kThreads) keys[i] = 0;
  __syncthreads();
  score_all<kCodec>(batch, documents, keys, memory[warp_id()], matches);
  const bool is_and = batch.mode == QueryMode::kAnd ||
                      (batch.mode == QueryMode::kAndOr && matches[kReadAnd] >= batch.min_matches);
  const std::uint32_t count = matches[is_and ? kReadAnd : kReadOr];
  const auto load = [&](std::uint32_t i) -> Key {
    const Key key = keys[i];
    return key == 0 || (is_and && (key & kMatchesAnd) == 0) ? 0 : key | kMatchesAnd;
  };
  sort_block(batch.depth, load, keys, keys + room);
  const std::uint32_t wanted = min(count, batch.k);
  Hit* const hits = batch.hits + std::size_t{blockIdx.x} * batch.k;
  for (std::uint32_t i = threadIdx.x; i < batch.k; i += kThreads) {
    const Key key = i < wanted ? keys[batch.depth - 1 - i] : 0;  // all are copied to the host
    hits[i] = {kNone - static_cast<std::uint32_t>(key),
               __uint_as_float(static_cast<std::uint32_t>(key >> 32))};
  }
  if (threadIdx.x == 0) {
    batch.answers[blockIdx.x] = {wanted, count,
                                 batch.mode == QueryMode::kAndOr && !is_and ? 1U : 0U};
  }
}

}  // namespace

std::uint32_t most_neighbors() {
  const std::size_t limit = current_chip().shared_memory_of_block - kOtherBytes;
  std::uint32_t most = kMaxK;
  while (shared_bytes(room_to_sort(most)) > limit) most -= kWarp;
  return most;
}

void launch_score_neighbors(const NeighborBatch& batch, CodecKind codec, const Stream& stream) {
  const std::uint32_t room = room_to_sort(batch.depth);
  with_codec(codec, [&]<CodecKind kCodec>() {
    const auto kernel = score_neighbors<kCodec>;
    allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
    warpdex::launch({.name = "score_neighbors",
                     .ctas = batch.query_count,
                     .threads = kThreads,
                     .shared_memory = shared_bytes(room),
                     .stream = stream.handle()},
                    kernel, batch, room);
  });
}

}  // namespace warpdex::gpu
