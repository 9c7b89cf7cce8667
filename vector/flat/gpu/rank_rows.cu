// Chosen rows of each query, compared by CTAs that share them, and the best of their answers.
#include <algorithm>

#include "flat/gpu/answers.hpp"
#include "flat/gpu/candidate_lists.cuh"
#include "flat/gpu/canonical.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"
#include "warpdex/core/select/block_limit.hpp"
#include "warpdex/core/select/block_select.cuh"
#include "warpdex/vector/data/element.hpp"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr int kRows = 8;  ///< of a warp at a time
/// A CTA turns kWords words of a set into row numbers at a time. There is room for `list_room` of
/// these; where the words have more, it takes a word for 32 of the room.
constexpr std::uint32_t kThreadWords = 4;
constexpr std::uint32_t kWords = kThreadWords * kThreads;
constexpr std::uint32_t kListRoom = 4096;
constexpr std::uint32_t kLeastListRoom = 2048;  ///< on GPUs with little shared memory
constexpr std::size_t kStaticBytes = 1 << 10;   ///< more than the kernel's own

/// Where the answers of CTAs go, and the last answers of the pass before.
struct RankParts {
  Packed32* found;
  const Packed32* last;  ///< null in the first pass
  std::uint32_t parts;
  std::uint32_t k;
};

/// Of a CTA's shared memory.
struct RankRoom {
  int capacity;  ///< entries of the selection
  std::uint32_t list_room;
};

/// The last segment whose first row (or word) is not above `number`.
template <std::uint32_t RankedSegment::*kFirst>
__device__ __forceinline__ const RankedSegment& segment_of(const RankTask& task,
                                                           std::uint32_t number) {
  std::uint32_t low = 0;
  std::uint32_t high = task.segment_count;
  while (high - low > 1) {
    const std::uint32_t middle = (low + high) / 2;
    if (task.segments[middle].*kFirst <= number) {
      low = middle;
    } else {
      high = middle;
    }
  }
  return task.segments[low];
}

__device__ __forceinline__ bool is_settled(const RankTask& task, std::uint32_t query) {
  return task.is_settled != nullptr && task.is_settled[query] != 0;
}

/// Whether a row is in a query's set.
__device__ __forceinline__ bool is_in_set(const RankTask& task, std::uint32_t query,
                                          std::uint32_t row) {
  const RankedSegment& segment = segment_of<&RankedSegment::first_row>(task, row);
  const std::uint32_t place = row - segment.first_row;
  const std::size_t word =
      std::size_t{query} * task.chosen.set_words + segment.first_word + place / 32;
  return (task.chosen.words[word] >> place % 32 & 1) != 0;
}

/// The rows of words [first, end) of a query's set, at most kWords, go to `rows` unless they are
/// more than `room`. Returns how many they are. A whole CTA.
__device__ std::uint32_t list_rows(const RankTask& task, std::uint32_t query, std::uint32_t first,
                                   std::uint32_t end, std::uint32_t* rows, std::uint32_t room,
                                   std::uint32_t (&sums)[kWarps]) {
  const std::uint32_t* const words = task.chosen.words + std::size_t{query} * task.chosen.set_words;
  std::uint32_t own[kThreadWords];
  std::uint32_t own_count = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kThreadWords; ++i) {
    const std::uint32_t at = first + i * kThreads + threadIdx.x;
    own[i] = at < end ? words[at] : 0;
    own_count += __popc(own[i]);
  }
  const std::uint32_t up_to = inclusive_sum(own_count);
  if (lane_id() == kWarp - 1) sums[threadIdx.x / kWarp] = up_to;
  __syncthreads();
  std::uint32_t place = up_to - own_count;
  std::uint32_t count = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kWarps; ++i) {
    if (i < threadIdx.x / kWarp) place += sums[i];
    count += sums[i];
  }
#pragma unroll
  for (std::uint32_t i = 0; i < kThreadWords; ++i) {
    if (own[i] == 0 || count > room) continue;
    const std::uint32_t at = first + i * kThreads + threadIdx.x;
    const RankedSegment& segment = segment_of<&RankedSegment::first_word>(task, at);
    const std::uint32_t row = segment.first_row + (at - segment.first_word) * 32;
    for (std::uint32_t word = own[i]; word != 0; word &= word - 1) {
      rows[place++] = row + static_cast<std::uint32_t>(__ffs(static_cast<int>(word)) - 1);
    }
  }
  __syncthreads();
  return count;
}

/// Adds rows to the queue, those behind the last answer of the pass before. A whole CTA.
template <class Component, bool kIsL2>
__device__ void compare(const RankTask& task, const float* query, const std::uint32_t* rows,
                        std::uint32_t count, const Packed32* last, BlockQueue<Packed32>& queue) {
  for (std::uint32_t first = 0; first < count; first += kWarps * kRows) {
    const std::uint32_t own = first + warp_id() * kRows;
    Packed32 entry = missing_entry<Packed32>();
    if (own < count) {
      // Lanes 0 to 7 find where the rows lie.
      const std::uint32_t row = rows[min(own + lane_id() % kRows, count - 1)];
      const RankedSegment& segment = segment_of<&RankedSegment::first_row>(task, row);
      const auto at = reinterpret_cast<unsigned long long>(
          static_cast<const Component*>(segment.data) +
          std::size_t{row - segment.first_row} * task.rows.stride);
      const Component* data[kRows];
#pragma unroll
      for (int r = 0; r < kRows; ++r) {
        data[r] = reinterpret_cast<const Component*>(__shfl_sync(kWholeWarp, at, r));
      }
      float sums[kRows] = {};
      add_terms<kIsL2, kRows, 1>(data, query, task.queries.stride, task.rows.dimension, sums);
      add_lanes<kRows>(sums);
      const std::uint32_t place = own + static_cast<std::uint32_t>(first_sum<kRows>());
      if (lane_id() % 4 == 0 && place < count) {
        entry = nearest_entry(ascending_value<kIsL2>(sums[0]), rows[place]);
        if (last != nullptr && entry <= *last) entry = missing_entry<Packed32>();
      }
    }
    queue.add(entry < queue.limit() ? 1U : 0U, [&](int) { return entry; });
  }
}

/// Work item: a part of a query's rows, a CTA of 8 warps, 8 rows a warp at a time. Shared memory:
/// the entries of the selection, the query, row numbers. Reads of scattered rows bound
/// it: all components of each row once, and a bit for each row of the segments.
template <class Component, bool kIsL2>
__global__ void __launch_bounds__(kThreads)
    rank_rows(RankTask task, RankParts parts, RankRoom room) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  __shared__ BlockStorage<Packed32> storage;
  __shared__ std::uint32_t sums[kWarps];
  const std::uint32_t query = blockIdx.y;
  if (is_settled(task, query)) return;
  auto* const entries = reinterpret_cast<Packed32*>(shared);
  auto* const components = reinterpret_cast<float*>(entries + room.capacity);
  auto* const rows = reinterpret_cast<std::uint32_t*>(components + task.queries.stride);
  for (std::uint32_t i = threadIdx.x; i < task.queries.stride; i += kThreads) {
    components[i] = task.queries.values[std::size_t{query} * task.queries.stride + i];
  }
  BlockQueue<Packed32> queue(entries, room.capacity, static_cast<int>(parts.k), storage);
  const Packed32* const last = parts.last == nullptr ? nullptr : parts.last + query;
  const bool is_set = task.chosen.words != nullptr;
  const std::uint32_t begin = is_set ? 0 : task.chosen.begins[query];
  const std::uint32_t size = is_set ? task.chosen.set_words : task.chosen.begins[query + 1] - begin;
  const auto bound = [&](std::uint32_t part) {
    return begin + static_cast<std::uint32_t>(std::uint64_t{size} * part / parts.parts);
  };
  const std::uint32_t end = bound(blockIdx.x + 1);
  std::uint32_t step = is_set ? kWords : room.list_room;
  for (std::uint32_t first = bound(blockIdx.x); first < end; first += step) {
    std::uint32_t count = min(step, end - first);
    const std::uint32_t* listed = task.chosen.listed + first;
    if (is_set) {
      step = kWords;
      count = list_rows(task, query, first, min(first + step, end), rows, room.list_room, sums);
      if (count > room.list_room) {
        step = room.list_room / 32;
        count = list_rows(task, query, first, min(first + step, end), rows, room.list_room, sums);
      }
      listed = rows;
    }
    compare<Component, kIsL2>(task, components, listed, count, last, queue);
    __syncthreads();
  }
  queue.finish();
  Packed32* const found = parts.found + (std::size_t{query} * parts.parts + blockIdx.x) * parts.k;
  for (std::uint32_t i = threadIdx.x; i < parts.k; i += kThreads) found[i] = queue.entries()[i];
}

/// Work item: a query, a CTA. Joins the answers of its parts, and writes them from place `rank` on.
/// Shared memory: the entries of the selection. Bound by reading the entries.
__global__ void __launch_bounds__(kThreads)
    join_parts(RankTask task, RankParts parts, Packed32* last, DeviceAnswers answers,
               std::uint32_t rank, int capacity) {
  extern __shared__ __align__(16) std::uint8_t shared[];
  __shared__ BlockStorage<Packed32> storage;
  const std::uint32_t query = blockIdx.x;
  if (is_settled(task, query)) return;
  BlockQueue<Packed32> queue(reinterpret_cast<Packed32*>(shared), capacity,
                             static_cast<int>(parts.k), storage);
  const std::uint32_t count = parts.parts * parts.k;
  const Packed32* const found = parts.found + std::size_t{query} * count;
  for (std::uint32_t first = 0; first < count; first += kThreads) {
    const std::uint32_t i = first + threadIdx.x;
    const Packed32 entry = i < count ? found[i] : missing_entry<Packed32>();
    queue.add(entry < queue.limit() ? 1U : 0U, [&](int) { return entry; });
  }
  queue.finish();
  const std::uint32_t wanted = min(parts.k, answers.k - rank);
  const std::size_t place = std::size_t{query} * answers.k + rank;
  for (std::uint32_t i = threadIdx.x; i < wanted; i += kThreads) {
    unpack<float, std::uint32_t>(queue.entries()[i], KeyRules<float>::flip(SelectOrder::kSmallest),
                                 answers.values[place + i], answers.ids[place + i]);
  }
  if (threadIdx.x == 0) last[query] = queue.entries()[parts.k - 1];
}

/// Work item: a query, a warp. Bound by the latency of reading a bit for each row of `wide`.
__global__ void __launch_bounds__(kThreads)
    pass(RankTask task, DeviceAnswers wide, DeviceAnswers answers, std::uint32_t* settled) {
  const std::uint32_t query = blockIdx.x * kWarps + threadIdx.x / kWarp;
  if (query >= task.queries.count) return;
  const std::size_t from = std::size_t{query} * wide.k;
  const std::size_t to = std::size_t{query} * answers.k;
  constexpr std::uint32_t kMissing = kNoId<std::uint32_t>;
  std::uint32_t taken = 0;
  bool ends = false;
  for (std::uint32_t first = 0; first < wide.k && taken < answers.k && !ends; first += kWarp) {
    const std::uint32_t i = first + lane_id();
    const std::uint32_t row = i < wide.k ? wide.ids[from + i] : kMissing;
    ends = __any_sync(kWholeWarp, i < wide.k && row == kMissing);
    const bool passes = row != kMissing && is_in_set(task, query, row);
    const std::uint32_t group = __ballot_sync(kWholeWarp, passes);
    const std::uint32_t place = taken + __popc(group & lanes_below());
    if (passes && place < answers.k) {
      answers.values[to + place] = wide.values[from + i];
      answers.ids[to + place] = row;
    }
    taken += __popc(group);
  }
  for (std::uint32_t i = taken + lane_id(); i < answers.k; i += kWarp) {
    answers.values[to + i] = __int_as_float(0x7F800000);
    answers.ids[to + i] = kMissing;
  }
  if (lane_id() == 0) settled[query] = taken >= answers.k || ends ? 1 : 0;
}

template <class Component, bool kIsL2>
void launch_rank(const RankTask& task, const RankParts& parts, const Stream& stream) {
  const auto kernel = rank_rows<Component, kIsL2>;
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  RankRoom room{block_capacity(parts.k), kListRoom};
  const auto bytes = [&] {
    return static_cast<std::size_t>(room.capacity) * sizeof(Packed32) +
           task.queries.stride * sizeof(float) + room.list_room * sizeof(std::uint32_t);
  };
  if (bytes() + kStaticBytes > current_chip().shared_memory_of_block) {
    room.list_room = kLeastListRoom;
  }
  launch({.name = "rank_rows",
          .ctas = dim3(parts.parts, task.queries.count),
          .threads = kThreads,
          .shared_memory = bytes(),
          .stream = stream.handle()},
         kernel, task, parts, room);
}

void rank(const RankTask& task, const RankParts& parts, const Stream& stream) {
  if (task.rows.store == Store::kFloat) {
    const auto form = task.is_l2 ? launch_rank<float, true> : launch_rank<float, false>;
    form(task, parts, stream);
  } else {
    const auto form = task.is_l2 ? launch_rank<__half, true> : launch_rank<__half, false>;
    form(task, parts, stream);
  }
}

/// CTAs of a search, about: several for each multiprocessor.
constexpr std::size_t kCtas = 1024;
/// A part of a query's rows has at least this many words, or listed rows.
constexpr std::size_t kMinWidth = 32;
/// Of a CTA's shared memory, beside the entries: the longest query, and the fewest row numbers.
constexpr std::size_t kOtherBytes =
    kMaxDimension * sizeof(float) + kLeastListRoom * sizeof(std::uint32_t) + kStaticBytes;

std::uint32_t choose_parts(std::size_t queries, std::size_t k, std::size_t width) {
  const std::size_t by_width = width / kMinWidth;
  const std::size_t by_entries = kMaxPartEntries / k;  // one CTA joins them
  return static_cast<std::uint32_t>(
      std::max<std::size_t>(1, std::min({kCtas / queries, by_width, by_entries})));
}

}  // namespace

void pass_rows(const RankTask& task, const DeviceAnswers& wide, const DeviceAnswers& answers,
               std::uint32_t* is_settled, const Stream& stream) {
  launch({.name = "pass",
          .ctas = (task.queries.count + kWarps - 1) / kWarps,
          .threads = kThreads,
          .stream = stream.handle()},
         pass, task, wide, answers, is_settled);
}

RankSearch::RankSearch(std::size_t queries, std::size_t k, std::size_t width)
    : k_(static_cast<std::uint32_t>(k)),
      pass_k_(static_cast<std::uint32_t>(
          std::min(k, block_select_limit(sizeof(Packed32), kOtherBytes)))),
      parts_(choose_parts(queries, pass_k_, width)),
      queries_(queries) {}

void RankSearch::lay_out(Arena& arena) {
  found_ = arena.take<Packed32>(queries_ * parts_ * pass_k_);
  last_ = arena.take<Packed32>(queries_);
}

void RankSearch::run(const RankTask& task, const DeviceAnswers& answers, const Stream& stream) {
  allow_all_shared_memory(reinterpret_cast<const void*>(join_parts));
  const int capacity = block_capacity(pass_k_);
  for (std::uint32_t rank_begin = 0; rank_begin < k_; rank_begin += pass_k_) {
    const RankParts parts{found_, rank_begin == 0 ? nullptr : last_, parts_, pass_k_};
    rank(task, parts, stream);
    launch({.name = "join_parts",
            .ctas = task.queries.count,
            .threads = kThreads,
            .shared_memory = static_cast<std::size_t>(capacity) * sizeof(Packed32),
            .stream = stream.handle()},
           join_parts, task, parts, last_, answers, rank_begin, capacity);
  }
}

}  // namespace warpdex::vector
