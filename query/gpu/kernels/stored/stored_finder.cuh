// Completes documents that may reach their queries' thresholds. All their postings are found and
// added up, 32 documents at a time, of any queries of a CTA. Internal to kernels/stored/.
#pragma once

#include "gpu/kernels/stored/marked_lists.cuh"
#include "gpu/kernels/stored/stored_units.cuh"

namespace warpdex::gpu {

/// A queue of such documents of one tile. Used by a warp.
class FoundQueue {
 public:
  /// The most queries of a CTA.
  static constexpr std::uint32_t kMaxQueries = 1U << (32 - kTileShift - 5);

  /// `queries`: those of the CTA, by their numbers among those of OR. `room`: for three documents a
  /// lane.
  __device__ FoundQueue(const OrRounds& batch, std::uint32_t tile, const std::uint32_t* queries,
                        const MarkedLists& marked, uint2* room)
      : batch_(batch), tile_(tile), queries_(queries), marked_(marked), room_(room) {}

  __device__ std::uint32_t size() const { return size_; }

  /// Queues a document for each lane whose posting `reaches`, found in list number `list` of the
  /// CTA's query number `query`, where it has `units`. There must be room. A whole warp; a barrier
  /// must follow.
  __device__ void add(bool reaches, StoredPosting posting, std::uint32_t query, std::uint32_t list,
                      std::uint32_t units) {
    const std::uint32_t reaching = __ballot_sync(kWholeWarp, reaches);
    if (reaching == 0) return;
    if (reaches) {
      room_[size_ + __popc(reaching & lanes_below())] = {
          slot_of(posting) | list << kTileShift | query << kQueryShift, units};
    }
    size_ += __popc(reaching);
  }

  /// Takes 32 documents, or all if there are fewer. Those that reach their thresholds become
  /// candidates. A document that several essential lists have may be queued several times; only the
  /// entry of its first list counts. A whole warp.
  __device__ void settle() {
    const std::uint32_t count = min(size_, kWarp);
    size_ -= count;
    bool reaches = lane_id() < count;
    const uint2 found = reaches ? room_[size_ + lane_id()] : uint2{0, 0};
    const std::uint32_t own = queries_[found.x >> kQueryShift];
    const std::uint32_t slot = found.x % kTileDocuments;
    const std::uint32_t document = tile_ * kTileDocuments + slot;
    std::uint32_t sum = found.y;
    reaches = reaches && add_up(own, found.x >> kTileShift & (kMaxSearchedLists - 1), slot, sum) &&
              !is_removed(batch_, document);
    __syncwarp();
    std::uint32_t reaching = __ballot_sync(kWholeWarp, reaches);
    while (reaching != 0) {
      const int lane = __ffs(static_cast<int>(reaching)) - 1;
      const std::uint32_t one = __shfl_sync(kWholeWarp, own, lane);
      const bool is_one = reaches && own == one;
      append(batch_.queries[batch_.and_queries + one], is_one, document, sum);
      reaching &= ~__ballot_sync(kWholeWarp, is_one);
    }
  }

 private:
  /// A document in one number: its number in the tile, above the list, above the query.
  static constexpr std::uint32_t kQueryShift = kTileShift + 5;
  static_assert(kMaxSearchedLists == 1U << (kQueryShift - kTileShift));

  /// Completes the sum of a document that was found in list number `first`. Returns whether it
  /// reaches the threshold, is in no earlier list, and in no prohibited one. Most do not reach it,
  /// since their sums may have been too high. So the lists after `first` are read first. One lane.
  __device__ bool add_up(std::uint32_t or_query, std::uint32_t first, std::uint32_t slot,
                         std::uint32_t& sum) const {
    const StoredQuery query = batch_.stored_queries[or_query];
    const std::uint32_t scoring = query.lists & 0xFFFF;
    const std::uint32_t lists = query.lists >> 16;
    const std::uint32_t need =
        max(query.seed_threshold, current_threshold(batch_.states[query.state]));
    for (std::uint32_t i = 0; i < lists; ++i) {
      const std::uint32_t list = first + i < lists ? first + i : first + i - lists;
      const bool adds = list >= first && list < scoring;
      const StoredUse use = batch_.stored_uses[query.first_list + list];
      const std::uint32_t rest = adds ? batch_.suffix_bounds[use.tile_row + tile_] : 0;
      const StoredPosting posting = i == 0 ? 0 : find(use, slot);
      if (posting != 0) {
        if (!adds) return false;
        sum += Bm25Units::of_stored(posting, use.weight, query.unit_cap);
      }
      if (adds && sum + rest < need) return false;
    }
    return true;
  }

  /// A document's posting in a list; 0 if there is none.
  __device__ StoredPosting find(const StoredUse& use, std::uint32_t slot) const {
    const std::uint32_t* const starts = starts_of(batch_, use.row) + tile_;
    if (use.row < marked_.count) {
      if (marked_.bit(MarkedLists::place_of(use.row), slot * 2) == 0) return 0;
      return __ldg(batch_.stored + (use.first + __ldg(starts) + marked_.rank(use.row, slot)));
    }
    const std::uint32_t begin = __ldg(starts);
    return find(batch_.stored + (use.first + begin), __ldg(starts + 1) - begin, slot);
  }

  /// The same among `left` postings, by bisection. Three are read at a time, since reads that wait
  /// for each other take most of the time.
  static __device__ StoredPosting find(const StoredPosting* from, std::uint32_t left,
                                       std::uint32_t slot) {
    constexpr std::uint32_t kProbes = 3;
    if (left == 0) return 0;
    StoredPosting found = __ldg(from);
    while (left > 1) {
      const std::uint32_t step = (left + kProbes) / (kProbes + 1);
      StoredPosting probes[kProbes];
#pragma unroll
      for (std::uint32_t i = 0; i < kProbes; ++i) {
        probes[i] = (i + 1) * step < left ? __ldg(from + (i + 1) * step) : kNone;
      }
      std::uint32_t steps = 0;
#pragma unroll
      for (std::uint32_t i = 0; i < kProbes; ++i) {
        if ((i + 1) * step >= left || slot_of(probes[i]) > slot) continue;
        steps = i + 1;
        found = probes[i];
      }
      from += steps * step;
      left = min(step, left - steps * step);
    }
    return slot_of(found) == slot ? found : 0;
  }

  /// Documents that reach the threshold become candidates of a query, and raise it. A whole warp.
  __device__ void append(const Query& query, bool reaches, std::uint32_t document,
                         std::uint32_t sum) const {
    constexpr std::uint32_t kRaises = 16;  // for k candidates
    const std::uint32_t added = __popc(__ballot_sync(kWholeWarp, reaches));
    const std::uint32_t candidates =
        append_candidate<BatchUnits>(batch_, query, reaches, document, sum);
    const std::uint32_t step = max(query.k / kRaises, 1U);
    if (candidates / step != (candidates - added) / step) raise_threshold(batch_, query);
  }

  const OrRounds& batch_;
  std::uint32_t tile_;
  const std::uint32_t* queries_;
  MarkedLists marked_;
  uint2* room_;
  std::uint32_t size_ = 0;
};

}  // namespace warpdex::gpu
