// A list's codes are looked up in the tables of 8 queries at a time, or of 4 where there are few
// queries. An entry of shared memory has the bytes of all of them, so that a look-up serves them
// all.
//
// What bounds it: a vector makes a look-up of 8 bytes for each byte of its code. 32 of them, at
// random places, take about 5.8 turns of shared memory, and some 8 instructions. So a
// multiprocessor makes 44 look-ups of single queries a cycle; for 10,000 queries in 16 of 4,096
// lists of 10 M vectors with 32 bytes, that is 1.1 ms on an H200. It takes 3 times as long: half of
// the loads from shared memory are those of the queries' rules, and tables are not always full.
#include <algorithm>
#include <cfloat>

#include "pq/gpu/search/byte_tables.hpp"
#include "pq/gpu/search/group_scan.cuh"
#include "pq/gpu/search/list_bases.cuh"
#include "warpdex/core/cuda/kernel_internal.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 320;  ///< as many as three CTAs have registers for
constexpr std::uint32_t kWarps = kThreads / kWarp;
constexpr std::uint32_t kWordQueries = 4;  ///< whose bytes are in a word
constexpr std::uint32_t kGroupsOfPanel = kPanelRows / kGroupVectors;
/// Sums of bytes of a word, in pairs of 16 bits.
constexpr std::uint32_t kEvenBytes = 0x00FF00FF;
constexpr std::uint32_t kOddBytes = 0x4341;  ///< bytes 1 and 3, for __byte_perm()

/// The rule by which a sum of a query and the list is judged.
struct QueryRules {
  std::uint32_t query;
  float step;
  float base;   ///< of a sum: the centroid's distance and the smallest entries
  float limit;  ///< of a sum, for l2 without its base
};

/// Bytes of 4 * kWords queries: word w has those of the queries from 4 * w on.
template <std::uint32_t kWords>
struct alignas(4 * kWords) Entry {
  std::uint32_t words[kWords];
};

/// Dynamic shared memory.
template <std::uint32_t kWords>
struct Shared {
  static constexpr std::uint32_t kQueries = kWords * kWordQueries;

  Entry<kWords>* tables;  ///< code bytes * 256
  QueryRules* rules;
  float* centroid;

  static std::size_t bytes(std::uint32_t code_bytes, std::uint32_t stride) {
    return std::size_t{code_bytes} * kTableEntries * sizeof(Entry<kWords>) +
           kQueries * sizeof(QueryRules) + stride * sizeof(float);
  }
  __device__ Shared(std::uint8_t* memory, std::uint32_t code_bytes)
      : tables(reinterpret_cast<Entry<kWords>*>(memory)),
        rules(reinterpret_cast<QueryRules*>(tables + code_bytes * kTableEntries)),
        centroid(reinterpret_cast<float*>(rules + kQueries)) {}
};

/// Four words of four bytes turned around: byte j of word i becomes byte i of word j.
__device__ __forceinline__ uint4 transpose(const std::uint32_t (&words)[4]) {
  const std::uint32_t a = __byte_perm(words[0], words[1], 0x5140);
  const std::uint32_t b = __byte_perm(words[2], words[3], 0x5140);
  const std::uint32_t c = __byte_perm(words[0], words[1], 0x7362);
  const std::uint32_t d = __byte_perm(words[2], words[3], 0x7362);
  return {__byte_perm(a, b, 0x5410), __byte_perm(a, b, 0x7632), __byte_perm(c, d, 0x5410),
          __byte_perm(c, d, 0x7632)};
}

/// Brings the queries' tables together. A CTA; ends without a barrier.
template <std::uint32_t kWords>
__device__ void bring_tables(const MatchTablesTask& task, const std::uint32_t* entries,
                             Entry<kWords>* tables) {
  const std::size_t size = std::size_t{task.codes.bytes} * kTableEntries;
  for (std::uint32_t four = threadIdx.x; four < size / 4; four += kThreads) {
    Entry<kWords> turned[4];
#pragma unroll
    for (std::uint32_t w = 0; w < kWords; ++w) {
      std::uint32_t words[4];
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) {
        const std::uint32_t query = entries[kWordQueries * w + i];
        words[i] =
            query == kNoEntry
                ? 0
                : reinterpret_cast<const std::uint32_t*>(task.tables.entries + query * size)[four];
      }
      const uint4 four_values = transpose(words);
      turned[0].words[w] = four_values.x;
      turned[1].words[w] = four_values.y;
      turned[2].words[w] = four_values.z;
      turned[3].words[w] = four_values.w;
    }
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) tables[4 * four + i] = turned[i];
  }
}

/// Sets the rules of a CTA's queries. A warp.
template <bool kIsL2, std::uint32_t kWords>
__device__ void set_rules(const MatchTablesTask& task, const std::uint32_t* entries,
                          const Shared<kWords>& shared) {
  constexpr std::uint32_t kQueries = Shared<kWords>::kQueries;
  const std::uint32_t dimension = task.codes.dimension;
  const float base = find_bases<kIsL2, kQueries>(task.queries, dimension, entries, shared.centroid);
  if (lane_id() % (kWarp / kQueries) != 0) return;
  const std::uint32_t slot = first_sum<kQueries>();
  const std::uint32_t query = entries[slot];
  const float limit = query == kNoEntry ? -FLT_MAX : task.limits[query];
  QueryRules rules{query, 0, 0, -FLT_MAX};
  if (limit > -FLT_MAX) {
    rules.step = task.tables.steps[query];
    rules.base = base + task.tables.lows[query];
    rules.limit = kIsL2 ? limit - rules.base : limit;
  }
  shared.rules[slot] = rules;
}

/// Sums of a vector's bytes: even[w] has those of the queries 4w and 4w + 2, odd[w] those of 4w + 1
/// and 4w + 3, 16 bits each.
template <std::uint32_t kWords>
struct ByteSums {
  std::uint32_t even[kWords] = {};
  std::uint32_t odd[kWords] = {};

  __device__ __forceinline__ void add(const Entry<kWords>& entry) {
#pragma unroll
    for (std::uint32_t w = 0; w < kWords; ++w) {
      even[w] += entry.words[w] & kEvenBytes;
      odd[w] += __byte_perm(entry.words[w], 0, kOddBytes);
    }
  }
  __device__ __forceinline__ float of(std::uint32_t query) const {
    const std::uint32_t pair = query % 2 == 0 ? even[query / 4] : odd[query / 4];
    const std::uint32_t sum = query / 2 % 2 == 0 ? pair & 0xFFFF : pair >> 16;
    return __uint_as_float(0x4B000000 | sum) - 8'388'608.0F;  // faster than a conversion
  }
};

/// The entry of byte kByte of a chunk.
template <int kByte, std::uint32_t kWords>
__device__ __forceinline__ Entry<kWords> look_up(const uint4& words, const std::uint8_t* tables) {
  const std::uint32_t word = kByte < 4    ? words.x
                             : kByte < 8  ? words.y
                             : kByte < 12 ? words.z
                                          : words.w;
  constexpr int kShift = kByte % 4 * 8 - (kWords == 2 ? 3 : 2);
  constexpr std::uint32_t kMask = 255 * sizeof(Entry<kWords>);
  const std::uint32_t offset =
      (kShift < 0 ? word << (-kShift & 31) : word >> (kShift & 31)) & kMask;
  return *reinterpret_cast<const Entry<kWords>*>(
      tables + kByte * kTableEntries * sizeof(Entry<kWords>) + offset);
}

/// Adds the bytes [kByte, count) of a chunk; two at a time, whose sums fit a byte.
template <int kByte, bool kIsWhole, std::uint32_t kWords>
__device__ __forceinline__ void add_bytes(const uint4& words, std::uint32_t count,
                                          const std::uint8_t* tables, ByteSums<kWords>& sums) {
  if constexpr (kByte < static_cast<int>(kCodeChunk)) {
    if (!kIsWhole && kByte >= count) return;
    Entry<kWords> entry = look_up<kByte, kWords>(words, tables);
    if (kIsWhole || kByte + 1 < count) {
      const Entry<kWords> next = look_up<kByte + 1, kWords>(words, tables);
#pragma unroll
      for (std::uint32_t w = 0; w < kWords; ++w) entry.words[w] += next.words[w];
    }
    sums.add(entry);
    add_bytes<kByte + 2, kIsWhole, kWords>(words, count, tables, sums);
  }
}

/// The sum that a limit is for.
template <bool kIsL2>
__device__ __forceinline__ float limited_sum(const QueryRules& rules, float entries, float term) {
  if constexpr (kIsL2) return __fmaf_rn(rules.step, entries, term);
  return __fmul_rn(__fmaf_rn(rules.step, entries, rules.base), term);
}

/// Adds what is within the limits to the candidates. A warp, with a vector each.
template <bool kIsL2, std::uint32_t kWords>
__device__ __forceinline__ void keep_within(const MatchTablesTask& task, const QueryRules* rules,
                                            const ByteSums<kWords>& sums, float term,
                                            std::uint32_t place) {
  constexpr std::uint32_t kQueries = kWords * kWordQueries;
  std::uint32_t kept = 0;
#pragma unroll
  for (std::uint32_t i = 0; i < kQueries; ++i) {
    const float sum = limited_sum<kIsL2>(rules[i], sums.of(i), term);
    if (sum <= rules[i].limit) kept |= 1U << i;
  }
  const std::uint32_t any = warp_or(kept);
  if (any == 0) return;
#pragma unroll
  for (std::uint32_t i = 0; i < kQueries; ++i) {
    if ((any >> i & 1) == 0) continue;
    const bool is_kept = (kept >> i & 1) != 0;
    const std::uint32_t lanes = __ballot_sync(kWholeWarp, is_kept);
    const std::uint32_t query = rules[i].query;
    std::uint32_t first = 0;
    if (lane_id() == 0) {
      first = atomicAdd(task.lists.counts + query, static_cast<std::uint32_t>(__popc(lanes)));
    }
    first = __shfl_sync(kWholeWarp, first, 0);
    const std::uint32_t at = first + __popc(lanes & ((1U << lane_id()) - 1));
    if (!is_kept || at >= task.lists.capacity) continue;
    const float sum = limited_sum<kIsL2>(rules[i], sums.of(i), term);
    task.lists.candidates[query * task.lists.capacity + at] = {
        kIsL2 ? fmaxf(sum + rules[i].base, 0.0F) : sum, place};
  }
}

/// What a warp reads of a list's codes: chunk after chunk, group after group.
struct ListCodes {
  const MatchTablesTask& task;
  std::uint32_t first_group;
  std::uint32_t position;  ///< of the list's first vector
  std::uint32_t position_end;

  __device__ ListCodes(const MatchTablesTask& given, std::uint32_t list)
      : task(given),
        first_group(given.codes.group_begins[list]),
        position(given.codes.begins[list]),
        position_end(given.codes.begins[list + 1]) {}

  /// The chunk of the lane's vector that begins at a byte.
  __device__ __forceinline__ uint4 chunk(std::uint32_t group, std::uint32_t begin) const {
    const DeviceCodes& codes = task.codes;
    const std::uint32_t width = min(kCodeChunk, codes.stored_bytes() - begin);
    return load_code(
        codes.groups + std::size_t{group} * codes.group_bytes() + begin * kGroupVectors, lane_id(),
        width);
  }
  /// excluding_term() where there is no vector, or one that is not allowed.
  template <bool kIsL2>
  __device__ __forceinline__ float term(std::uint32_t group) const {
    const std::uint32_t own = position + (group - first_group) * kGroupVectors + lane_id();
    if (own >= position_end ||
        (task.filter != nullptr && !is_allowed(task.filter, task.codes.row_numbers[own]))) {
      return excluding_term<kIsL2>();
    }
    return term_of<kIsL2>(task.codes, own);
  }
};

/// Compares the groups [first, last) of a list with the queries whose tables are there. What comes
/// next is read while look-ups are made. A CTA.
template <bool kIsL2, std::uint32_t kWords>
__device__ __forceinline__ void match_groups(const MatchTablesTask& task,
                                             const Shared<kWords>& shared, const ListCodes& list,
                                             std::uint32_t first, std::uint32_t last) {
  const std::uint32_t bytes = task.codes.bytes;
  const auto* const tables = reinterpret_cast<const std::uint8_t*>(shared.tables);
  std::uint32_t group = first + warp_id();
  if (group >= last) return;
  uint4 words = list.chunk(group, 0);
  float term = list.term<kIsL2>(group);
  while (group < last) {
    const float own_term = term;
    const std::uint32_t next = group + kWarps;
    ByteSums<kWords> sums;
    for (std::uint32_t begin = 0; begin < bytes; begin += kCodeChunk) {
      const uint4 own = words;
      if (begin + kCodeChunk < bytes) {
        words = list.chunk(group, begin + kCodeChunk);
      } else if (next < last) {
        words = list.chunk(next, 0);
        term = list.term<kIsL2>(next);
      }
      const std::uint32_t count = min(kCodeChunk, bytes - begin);
      const std::uint8_t* const from =
          tables + std::size_t{begin} * kTableEntries * sizeof(Entry<kWords>);
      if (count == kCodeChunk) {
        add_bytes<0, true, kWords>(own, count, from, sums);
      } else {
        add_bytes<0, false, kWords>(own, count, from, sums);
      }
    }
    keep_within<kIsL2, kWords>(task, shared.rules, sums, own_term,
                               group * kGroupVectors + lane_id());
    group = next;
  }
}

/// Work item: a part of the groups of a task's list (blockIdx.y) and some of its queries, 4 *
/// kWords at a time. Shared memory: kWords KiB a byte of the code. See above for what bounds it.
template <bool kIsL2, std::uint32_t kWords>
__global__ void __launch_bounds__(kThreads, 3)
    match_by_tables(MatchTablesTask task, std::uint32_t turns) {
  extern __shared__ __align__(16) std::uint8_t memory[];
  constexpr std::uint32_t kQueries = Shared<kWords>::kQueries;
  const std::uint32_t number = blockIdx.x / turns;
  if (number >= *task.tasks.count) return;
  const ListTask own = task.tasks.tasks[number];
  const std::uint32_t* const entries = task.tasks.entries + std::size_t{number} * kPanelRows;
  std::uint32_t slot = blockIdx.x % turns * kQueries;
  if (entries[slot] == kNoEntry) return;
  const Shared<kWords> shared(memory, task.codes.bytes);
  const std::uint32_t list = list_of_panel(task.panel_begins, task.codes.lists, own.first_panel);
  const std::uint32_t before = (own.first_panel - task.panel_begins[list]) * kGroupsOfPanel;
  const std::uint32_t first = task.codes.group_begins[list] + before;
  const std::uint32_t groups =
      min(own.panels * kGroupsOfPanel, task.codes.group_begins[list + 1] - first);
  bring_centroid(task.codes.centroids, list, task.queries.stride, shared.centroid);
  for (; slot < kPanelRows && entries[slot] != kNoEntry; slot += turns * kQueries) {
    __syncthreads();  // until all are done with the last queries
    bring_tables<kWords>(task, entries + slot, shared.tables);
    if (warp_id() == kWarps - 1) set_rules<kIsL2, kWords>(task, entries + slot, shared);
    __syncthreads();
    match_groups<kIsL2, kWords>(task, shared, ListCodes(task, list),
                                first + groups * blockIdx.y / gridDim.y,
                                first + groups * (blockIdx.y + 1) / gridDim.y);
  }
}

template <bool kIsL2, std::uint32_t kWords>
void launch_match(const MatchTablesTask& task, const Stream& stream) {
  constexpr std::uint32_t kQueries = Shared<kWords>::kQueries;
  const auto kernel = match_by_tables<kIsL2, kWords>;
  const std::size_t bytes = Shared<kWords>::bytes(task.codes.bytes, task.queries.stride);
  allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
  const std::uint32_t turns =
      std::clamp((task.queries_of_task + kQueries - 1) / kQueries, 1U, kPanelRows / kQueries);
  const std::uint32_t resident = resident_ctas(kernel, kThreads, bytes);
  // Few tasks: several CTAs share the groups of a list.
  const std::uint32_t parts = std::clamp(2 * resident / (task.tasks.max_count * turns), 1U, 16U);
  launch({.name = "match_by_tables",
          .ctas = dim3(task.tasks.max_count * turns, parts),
          .threads = kThreads,
          .shared_memory = bytes,
          .stream = stream.handle()},
         kernel, task, turns);
}

}  // namespace

bool can_match_tables(std::uint32_t code_bytes, std::uint32_t dimension,
                      std::size_t shared_memory) {
  constexpr std::size_t kCtas = 3;  // on a multiprocessor, to hide latencies
  const std::uint32_t stride = (dimension + kWarp - 1) / kWarp * kWarp;
  return kCtas * Shared<2>::bytes(code_bytes, stride) <= shared_memory &&
         byte_tables_bytes(code_bytes) <= shared_memory;
}

void match_tables(const MatchTablesTask& task, const Stream& stream) {
  // Each query's nearest list alone: tables of 8 would be empty for the most part. This takes a
  // fifth less time.
  const bool has_few = task.queries_of_task < Shared<1>::kQueries;
  if (task.codes.is_l2) {
    (has_few ? launch_match<true, 1> : launch_match<true, 2>)(task, stream);
  } else {
    (has_few ? launch_match<false, 1> : launch_match<false, 2>)(task, stream);
  }
}

}  // namespace warpdex::vector
