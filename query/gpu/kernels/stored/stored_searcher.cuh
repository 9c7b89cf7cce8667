// Searches a tile for the queries of a batch, by lists that were decoded once for all of them.
// MaxScore, document by document. Postings of a query's essential lists are looked up in its other
// lists: the longest are marked in bit sets, where a document counts as much as any posting of the
// list in the tile; all others are added up in a few sums. The few documents that can still reach
// the threshold are queued. 32 of them at a time, of any queries, all their postings are found and
// added up. Internal to kernels/stored/.
#pragma once

#include "gpu/kernels/stored/query_share.cuh"
#include "gpu/kernels/stored/search_memory.cuh"
#include "gpu/kernels/stored/stored_finder.cuh"

namespace warpdex::gpu {

/// Searches one tile for queries, one by one. A warp.
class StoredSearcher {
 public:
  /// `queries`: those of the CTA, by their numbers among those of OR.
  __device__ StoredSearcher(const OrRounds& batch, std::uint32_t tile, const std::uint32_t* queries,
                            const MarkedLists& marked, SearchMemory& memory)
      : batch_(batch),
        tile_(tile),
        queries_(queries),
        marked_(marked),
        memory_(memory),
        found_(batch, tile, queries, marked, memory.found) {
    memory_.sums.clear();
    __syncwarp();
  }

  /// Searches for the warp's queries. A query's data are read in several steps, since each step
  /// reads the addresses for the next. Each step is done while another query is searched for. After
  /// the last query, the last one is read again.
  __device__ void run(const QueryShare& share) {
    const auto id = [&](std::uint32_t number) {
      return __ldg(queries_ + min(number, share.count() - 1));
    };
    NextQueries numbers(share);
    Ready ready = read_starts(read_lists(read_query(id(numbers.get(0)))));
    Placed placed = read_lists(read_query(id(numbers.get(1))));
    Known known = read_query(id(numbers.get(2)));
    std::uint32_t next = id(numbers.get(3));
    for (;;) {
      const Ready next_ready = read_starts(placed);
      const Placed next_placed = read_lists(known);
      const Known next_known = read_query(next);
      const std::uint32_t number = numbers.get(0);
      numbers.move_on(share);
      const std::uint32_t behind = id(numbers.last());
      search(ready, number, number >= share.count());
      if (number >= share.count()) break;
      ready = next_ready;
      placed = next_placed;
      known = next_known;
      next = behind;
    }
    if (batch_.work == nullptr || lane_id() != 0) return;
    atomicAdd(&batch_.work->tiles, static_cast<unsigned long long>(searched_));
  }

 private:
  using Walk = SearchMemory::Walk;
  using Mark = SearchMemory::Mark;

  /// Step 1: members of a StoredQuery.
  struct Known {
    uint4 query;  ///< its first four members
    std::uint32_t cap;
  };

  /// Step 2: a query, and for lane i its list number i. Lanes after the last list have the last
  /// one.
  struct Placed {
    uint4 use;              ///< StoredUse
    std::uint32_t scoring;  ///< lists that score
    std::uint32_t cap;      ///< unit_cap
    std::uint32_t threshold;
    std::uint32_t bound;  ///< of the tile
  };

  /// Step 3: the same, with the list's postings in the tile.
  struct Ready {
    Placed query;
    std::uint32_t begin;  ///< its first posting
    std::uint32_t end;
    std::uint32_t rest;  ///< the most that the lists after it can add
  };

  __device__ Known read_query(std::uint32_t number) const {
    const StoredQuery* const query = batch_.stored_queries + number;
    return {__ldg(reinterpret_cast<const uint4*>(query)), __ldg(&query->unit_cap)};
  }

  __device__ Placed read_lists(const Known& known) const {
    const auto [first_list, lists, tile_row, state] = known.query;
    const auto* const uses = reinterpret_cast<const uint4*>(batch_.stored_uses);
    return {__ldg(uses + (first_list + min(lane_id(), (lists >> 16) - 1))), lists & 0xFFFF,
            known.cap, current_threshold(batch_.states[state]),
            batch_.tile_bounds[tile_row + tile_]};
  }

  __device__ Ready read_starts(const Placed& placed) const {
    const std::uint32_t* const starts = starts_of(batch_, placed.use.y) + tile_;
    return {placed, __ldg(starts), __ldg(starts + 1),
            lane_id() < placed.scoring ? batch_.suffix_bounds[placed.use.w + tile_] : 0};
  }

  static __device__ bool is_in(std::uint32_t lanes) { return (lanes >> lane_id() & 1) != 0; }

  /// A lane's postings of a list: every 32nd one.
  template <std::uint32_t kCount>
  struct Postings {
    StoredPosting at[kCount];
  };

  /// Reads postings from number `begin` on. In place of postings after the list's end it gives ones
  /// that add next to nothing, to sums in different banks.
  template <std::uint32_t kCount>
  __device__ Postings<kCount> load(const Walk& list, std::uint32_t begin) const {
    const std::uint32_t number = begin + lane_id();
    const StoredPosting* const from = batch_.stored + (list.first + number);
    Postings<kCount> postings;
#pragma unroll
    for (std::uint32_t i = 0; i < kCount; ++i) {
      postings.at[i] = lane_id() * 4;
      if (number + i * kWarp < list.count) postings.at[i] = __ldg(from + i * kWarp);
    }
    return postings;
  }
  static __device__ bool is_posting(StoredPosting posting) { return posting >= 1U << kStoredShift; }

  /// Searches for the CTA's query number `number`. `is_last`: there is no query, and the queue is
  /// to be emptied.
  __device__ void search(const Ready& own, std::uint32_t number, bool is_last) {
    need_ = max(own.query.threshold, 1U);
    cap_ = own.query.cap;
    number_ = number;
    const bool scores = !is_last && own.query.bound >= need_ && lane_id() < own.query.scoring;
    const std::uint32_t behind = __shfl_up_sync(kWholeWarp, own.rest, 1);
    const std::uint32_t all = lane_id() == 0 ? own.query.bound : behind;
    const bool has_postings = scores && own.begin != own.end;
    // The first lists are essential: each of them, together with all later lists, reaches the
    // threshold.
    const std::uint32_t essential = __ballot_sync(kWholeWarp, has_postings && all >= need_);
    if (essential == 0 && !is_last) return;
    if (!is_last) ++searched_;
    const bool is_marked = own.query.use.y < marked_.count;
    const std::uint32_t marks = __ballot_sync(kWholeWarp, has_postings && is_marked);
    const std::uint32_t others = __ballot_sync(kWholeWarp, has_postings && !is_marked);
    const std::uint32_t marked_bound = warp_sum(is_in(marks) ? all - own.rest : 0);
    mark_count_ = __popc(marks);
    low_ = max(need_ - min(need_, marked_bound), 1U);
    write_lists(own, all, essential, marks, others);
    // Lists that are not marked, from the last to the first: a posting is looked up with the sums
    // of the lists after its own. If an earlier list has its document, it is looked up again there.
    // Then essential lists that are marked.
    const std::uint32_t rare = __popc(others);
    const std::uint32_t added = __popc(others & ~essential);
    const std::uint32_t count = rare + __popc(marks & essential);
    for (std::uint32_t walk = 0; walk < added; ++walk) add_up(memory_.walks[walk]);
    __syncwarp();
    std::uint32_t walk = added;
    std::uint32_t done = 0;  // postings of the list that is looked up
    for (;;) {
      const bool is_left = walk < count;
      if (found_.size() > (is_last && !is_left ? 0 : kWarp)) {
        found_.settle();
        continue;
      }
      if (!is_left) break;
      const Walk list = memory_.walks[walk];
      done =
          walk < rare ? walk_other(list, done, walk + 1 < count) : walk_marked(list, done, marks);
      if (done >= list.count) {
        done = 0;
        ++walk;
      }
      __syncwarp();
    }
    if (others != 0) memory_.sums.clear();
    __syncwarp();
  }

  /// Writes the marked lists, and the lists to walk: those that are not marked, the last first,
  /// then marked ones that are essential. A whole warp; ends with a barrier.
  __device__ void write_lists(const Ready& own, std::uint32_t all, std::uint32_t essential,
                              std::uint32_t marks, std::uint32_t others) {
    if (is_in(marks)) {
      memory_.marks[__popc(marks & lanes_below())] = {MarkedLists::place_of(own.query.use.y),
                                                      all - own.rest};
    }
    const bool is_other = is_in(others);
    if (is_other || is_in(marks & essential)) {
      const std::uint32_t rare = __popc(others);
      const std::uint32_t place = is_other ? rare - 1 - __popc(others & lanes_below())
                                           : rare + __popc(marks & essential & lanes_below());
      const std::uint32_t floor = need_ - min(need_, own.rest);
      memory_.walks[place] = {own.query.use.x + own.begin, own.end - own.begin, own.query.use.z,
                              lane_id() + floor * kMaxSearchedLists};
    }
    __syncwarp();
  }
  static __device__ std::uint32_t number_of(const Walk& list) {
    return list.list % kMaxSearchedLists;
  }
  static __device__ std::uint32_t floor_of(const Walk& list) {
    return list.list / kMaxSearchedLists;
  }

  __device__ std::uint32_t units_of_posting(StoredPosting posting, const Walk& list) const {
    return Bm25Units::of_stored(posting, list.weight, cap_);
  }

  /// Adds up a list. A whole warp.
  __device__ void add_up(Walk list) {
    for (std::uint32_t begin = 0; begin < list.count; begin += 4 * kWarp) {
      const std::uint32_t left = list.count - begin;
      if (left > 2 * kWarp) {
        add_some<4>(list, begin);
      } else if (left > kWarp) {
        add_some<2>(list, begin);
      } else {
        add_some<1>(list, begin);
      }
    }
  }

  template <std::uint32_t kCount>
  __device__ void add_some(const Walk& list, std::uint32_t begin) {
    const Postings<kCount> own = load<kCount>(list, begin);
#pragma unroll
    for (const StoredPosting posting : own.at) {
      memory_.sums.add(posting, units_of_posting(posting, list));
    }
  }

  /// Looks up the postings of a list that is not marked, from number `begin` on, until many
  /// documents are queued. If it `adds`, it also adds the postings to the sums. Returns the number
  /// of the posting at which it ended. A whole warp.
  __device__ std::uint32_t walk_other(const Walk& list, std::uint32_t begin, bool adds) {
    Postings<2> next = load<2>(list, begin);
    do {
      const Postings<2> now = next;
      const bool are_many = list.count - begin > kWarp;
      begin += 2 * kWarp;
      if (begin < list.count) next = load<2>(list, begin);
      if (are_many) {
        look_up<2>(list, now, adds);
      } else {
        look_up<1>(list, now, adds);
      }
    } while (begin < list.count && found_.size() <= kWarp);
    return begin;
  }

  template <std::uint32_t kCount>
  __device__ void look_up(const Walk& list, const Postings<2>& own, bool adds) {
    std::uint32_t units[kCount];
    std::uint32_t sums[kCount];
    if (may_reach<kCount>(list, own, units, sums)) {
      add_marks<kCount>(own, 0, sums);
#pragma unroll
      for (std::uint32_t i = 0; i < kCount; ++i) {
        found_.add(sums[i] >= need_, own.at[i], number_, number_of(list), units[i]);
      }
    }
    if (!adds) return;
#pragma unroll
    for (std::uint32_t i = 0; i < kCount; ++i) memory_.sums.add(own.at[i], units[i]);
  }

  /// The same for an essential list that is marked. Documents that earlier marked lists have, too,
  /// were looked up there.
  __device__ std::uint32_t walk_marked(const Walk& list, std::uint32_t begin, std::uint32_t marks) {
    Postings<2> next = load<2>(list, begin);
    do {
      const Postings<2> now = next;
      begin += 2 * kWarp;
      if (begin < list.count) next = load<2>(list, begin);
      look_up_marked(list, now, marks);
    } while (begin < list.count && found_.size() <= kWarp);
    return begin;
  }

  __device__ void look_up_marked(const Walk& list, const Postings<2>& own, std::uint32_t marks) {
    std::uint32_t units[2];
    std::uint32_t sums[2];
    if (!may_reach<2>(list, own, units, sums)) return;
    const std::uint32_t itself = __popc(marks & ((1U << number_of(list)) - 1));
    std::uint32_t earlier[2] = {0, 0};
#pragma unroll 1
    for (std::uint32_t mark = 0; mark < itself; ++mark) {
      const std::uint32_t place = memory_.marks[mark].place;
#pragma unroll
      for (std::uint32_t i = 0; i < 2; ++i) earlier[i] |= marked_.bit(place, own.at[i]);
    }
    add_marks<2>(own, itself + 1, sums);
#pragma unroll
    for (std::uint32_t i = 0; i < 2; ++i) {
      found_.add(earlier[i] == 0 && sums[i] >= need_, own.at[i], number_, number_of(list),
                 units[i]);
    }
  }

  /// Computes the units of postings of a list. Also computes an upper bound of each document's sum
  /// in this list and in the lists that were added up; 0 if the document cannot be an answer whose
  /// first list this is. Returns whether one of the lane's documents may be one. A whole warp.
  template <std::uint32_t kCount>
  __device__ bool may_reach(const Walk& list, const Postings<2>& own,
                            std::uint32_t (&units)[kCount], std::uint32_t (&sums)[kCount]) const {
    bool reaches = false;
#pragma unroll
    for (std::uint32_t i = 0; i < kCount; ++i) {
      units[i] = units_of_posting(own.at[i], list);
      sums[i] = 0;
      if (is_posting(own.at[i]) && units[i] >= floor_of(list)) {
        sums[i] = memory_.sums.of(own.at[i]) + units[i];
      }
      reaches |= sums[i] >= low_;
    }
    return __any_sync(kWholeWarp, reaches) != 0;
  }

  /// Adds to the sums of postings an upper bound of what the marked lists from number `begin` on
  /// add to their documents. Sums that cannot reach the threshold are left as they are.
  template <std::uint32_t kCount>
  __device__ void add_marks(const Postings<2>& own, std::uint32_t begin,
                            std::uint32_t (&sums)[kCount]) const {
    bool reaches[kCount];
#pragma unroll
    for (std::uint32_t i = 0; i < kCount; ++i) reaches[i] = sums[i] >= low_;
#pragma unroll 1
    for (std::uint32_t number = begin; number < mark_count_; ++number) {
      const Mark mark = memory_.marks[number];
#pragma unroll
      for (std::uint32_t i = 0; i < kCount; ++i) {
        if (reaches[i]) sums[i] += marked_.bit(mark.place, own.at[i]) * mark.bound;
      }
    }
  }

  const OrRounds& batch_;
  std::uint32_t tile_;
  const std::uint32_t* queries_;
  MarkedLists marked_;
  SearchMemory& memory_;
  FoundQueue found_;
  std::uint32_t searched_ = 0;  ///< queries that were not dropped at once
  // For the query that is searched for:
  std::uint32_t number_ = 0;      ///< among the CTA's
  std::uint32_t need_ = 0;        ///< the sum that a document must reach
  std::uint32_t low_ = 0;         ///< the same without its marked lists; 1 or more
  std::uint32_t cap_ = 0;         ///< its unit_cap
  std::uint32_t mark_count_ = 0;  ///< marked lists
};

}  // namespace warpdex::gpu
