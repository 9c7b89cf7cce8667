// Looks documents of a list up in the other lists of their query. Internal to kernels/or/.
#pragma once

#include "gpu/device/candidates.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/device/unit_table.cuh"

namespace warpdex::gpu {
namespace or_lookups {

/// Documents of a list that one warp looks up together, at most.
inline constexpr std::uint32_t kTogether = 128;

/// Drops removed documents from a block's wanted ones, of which each lane has four. The constructor
/// starts reading their bits. Other work should come before drop(), since the latency is long.
struct RemovedBits {
  std::uint32_t words[4] = {};

  __device__ RemovedBits(const Batch& batch, const std::uint32_t (&documents)[4],
                         const bool (&wanted)[4]) {
    if (batch.removed == nullptr) return;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
      if (wanted[i]) words[i] = __ldg(batch.removed + documents[i] / 32);
    }
  }
  /// Makes removed documents unwanted.
  __device__ void drop(const std::uint32_t (&documents)[4], bool (&wanted)[4]) const {
#pragma unroll
    for (int i = 0; i < 4; ++i) wanted[i] = wanted[i] && (words[i] >> documents[i] % 32 & 1) == 0;
  }
};

/// Places for the wanted documents of a block, of which each lane has four, side by side and in
/// ascending order. place(i) is that of the lane's document i.
struct LanePlaces {
  std::uint32_t first;   ///< place of the lane's first wanted document
  std::uint32_t count;   ///< wanted documents of all lanes
  std::uint32_t wanted;  ///< the lane's, a bit each

  /// A whole warp.
  __device__ explicit LanePlaces(const bool (&which)[4]) {
    first = count = wanted = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < 4; ++i) {
      const std::uint32_t group = __ballot_sync(kWholeWarp, which[i]);
      first += __popc(group & ((1U << lane_id()) - 1));
      count += __popc(group);
      wanted |= which[i] ? 1U << i : 0;
    }
  }
  __device__ std::uint32_t place(std::uint32_t i) const {
    return first + __popc(wanted & ((1U << i) - 1));
  }
};

/// A warp's shared memory: the documents that it looks up, with their sums so far.
struct SearchMemory {
  LookupMemory lookup;
  Candidate documents[kTogether];
};

/// One warp's lookups of documents of a list in the other lists of their query. With kLatency, a
/// few documents are looked up in all further lists at once, and none is dropped early.
template <CodecKind kCodec, class Units, LookupGoal kGoal>
class Searcher {
 public:
  __device__ Searcher(const OrTables& batch, const UnitTable<Units>& table, SearchMemory& memory)
      : batch_(batch), table_(table), memory_(memory) {}

  /// Looks up the first `count` documents of SearchMemory, which are from `list`, with their sums
  /// so far. None of them was removed. Lists after `list` add to the sums. Lists before it drop
  /// the documents that they have, since these are found from there as well; so do prohibited
  /// lists. Documents that are left become candidates. A whole warp.
  __device__ void search(const List& list, std::uint32_t count) {
    const Query& query = batch_.queries[batch_.and_queries + list.or_query];
    const Threshold need(batch_, query);
    keep(count,
         [&](bool has, Candidate& document) { return has && reaches(list, document, need); });
    search(list, count, need);
  }

  /// The same for documents that are known to reach `need` with their suffix bounds.
  __device__ void search(const List& list, std::uint32_t count, const Threshold& need) {
    const Query& query = batch_.queries[batch_.and_queries + list.or_query];
    const std::uint32_t behind = query.scoring_lists - 1 - list.rank;
    // One loop over all kinds of lists, so that the code of lookups is there only once: large
    // kernels wait for instructions.
    for (std::uint32_t turn = 0; count > 0; ++turn) {
      const std::uint32_t left = query.list_count - 1 - turn;
      if constexpr (kGoal == LookupGoal::kLatency) {
        if (turn <= behind && left > 0 && count * left <= kWarp) {
          return search_together(query, list.rank, list.rank + 1 + turn, left, need, count);
        }
      }
      if (turn == behind) add_static_scores(query, need, count);
      if (left == 0) break;
      looked_up_ += count;
      look_up(query, list_of_turn(query, list.rank, turn), turn < behind, need, count);
    }
    append_candidates(query, count);
  }

  __device__ void count_work() {
    if (batch_.work == nullptr || lane_id() != 0) return;
    atomicAdd(&batch_.work->lookups, static_cast<unsigned long long>(looked_up_));
  }

 private:
  /// Keeps the documents for which keep_one(has, document) is true, 32 at a time.
  template <class KeepOne>
  __device__ void keep(std::uint32_t& count, KeepOne keep_one) {
    std::uint32_t kept = 0;
    for (std::uint32_t first = 0; first < count; first += kWarp) {
      const bool has = first + lane_id() < count;
      Candidate document{};
      if (has) document = memory_.documents[first + lane_id()];
      const bool stays = keep_one(has, document);
      __syncwarp();  // all have read their documents
      const std::uint32_t group = __ballot_sync(kWholeWarp, stays);
      if (stays) memory_.documents[kept + __popc(group & ((1U << lane_id()) - 1))] = document;
      kept += __popc(group);
      __syncwarp();
    }
    count = kept;
  }

  /// The query's list in which documents of its list number `own` are looked up at a turn: first
  /// the lists after it, then those before it, then prohibited ones.
  static __device__ std::uint32_t list_of_turn(const Query& query, std::uint32_t own,
                                               std::uint32_t turn) {
    const std::uint32_t behind = query.scoring_lists - 1 - own;
    if (turn < behind) return own + 1 + turn;
    const std::uint32_t before = turn - behind;
    return before < own ? before : before + query.scoring_lists - own;
  }

  /// Looks the documents up in the query's list number `place`. If the list `adds`, it adds to the
  /// sums, and documents below `need` are dropped. Else the documents that it has are dropped.
  __device__ void look_up(const Query& query, std::uint32_t place, bool adds, const Threshold& need,
                          std::uint32_t& count) {
    const std::uint32_t other = query.first_list + place;
    const ListWeight weight = table_.weigh(batch_, query, batch_.lists[other]);
    std::uint32_t held = kNone;
    keep(count, [&](bool has, Candidate& document) {
      const PostingPlace posting =
          find_document<kCodec, kGoal>(batch_, other, has, document.document, held, memory_.lookup);
      if (!adds) return has && posting.place == kNone;
      const std::uint32_t value = value_at<kCodec>(batch_, other, posting, memory_.lookup);
      if (value != kNone) {
        const std::uint8_t code = table_.code_of(batch_, weight, document.document);
        document.sum += table_.units(weight, value, code);
      }
      return has && reaches(batch_.lists[other], document, need);
    });
  }

  /// Whether the document's sum and its suffix bound together reach the threshold.
  __device__ bool reaches(const List& list, const Candidate& document,
                          const Threshold& need) const {
    return document.sum + batch_.suffix_bounds[list.tile_row + (document.document >> kTileShift)] >=
           need.at(document.document);
  }

  /// The rest of search(), from list number `next` on, in the last `left` lists. Each lane
  /// looks up one document in one of these lists, 32 lookups at a time.
  __device__ void search_together(const Query& query, std::uint32_t own, std::uint32_t next,
                                  std::uint32_t left, const Threshold& need, std::uint32_t count) {
    looked_up_ += count * left;
    const std::uint32_t behind = query.scoring_lists - next;
    std::uint32_t drops = 0;  // a bit for each document
    for (std::uint32_t begin = 0; begin < count * left; begin += kWarp) {
      const std::uint32_t which = (begin + lane_id()) / left;
      const std::uint32_t turn = (begin + lane_id()) % left;  // first lists after, then before,
                                                              // then prohibited ones
      const bool has = which < count;
      const bool adds = turn < behind;
      const std::uint32_t other =
          query.first_list + list_of_turn(query, own, next - own - 1 + turn);
      const std::uint32_t document = has ? memory_.documents[which].document : 0;
      std::uint32_t held = kNone;
      PostingPlace posting = find_document<kCodec, kGoal, LaneLists::kOwn>(
          batch_, other, has, document, held, memory_.lookup);
      const bool drops_it = !adds && posting.place != kNone;
      drops |= warp_or(drops_it ? 1U << which : 0);
      if (!adds) posting.place = kNone;
      const std::uint32_t value =
          value_at<kCodec, LaneLists::kOwn>(batch_, other, posting, memory_.lookup);
      if (value != kNone) {
        const ListWeight weight = table_.weigh(batch_, query, batch_.lists[other]);
        atomicAdd(&memory_.documents[which].sum,
                  table_.units(weight, value, table_.code_of(batch_, weight, document)));
      }
      __syncwarp();
    }
    const List& last = batch_.lists[query.first_list + query.scoring_lists - 1];
    keep(count, [&](bool has, const Candidate& document) {
      return has && (drops >> lane_id() & 1) == 0 && reaches(last, document, need);
    });
    if (count > 0) add_static_scores(query, need, count);
    append_candidates(query, count);
  }

  __device__ void add_static_scores(const Query& query, const Threshold& need,
                                    std::uint32_t& count) {
    if (batch_.static_scores == nullptr)
      return;  // without static scores, the sums have been
               // compared already
    keep(count, [&](bool has, Candidate& document) {
      if (!has) return false;
      document.sum += static_units(batch_, query, document.document);
      return document.sum >= need.at(document.document);
    });
  }

  __device__ void append_candidates(const Query& query, std::uint32_t count) {
    if (count == 0) return;
    std::uint32_t before = kNone;  // the number of candidates before and after; other warps append
                                   // some in between
    std::uint32_t candidates = 0;
    for (std::uint32_t first = 0; first < count; first += kWarp) {
      const bool has = first + lane_id() < count;
      Candidate document{};
      if (has) document = memory_.documents[first + lane_id()];
      candidates = append_candidate<Units>(batch_, query, has, document.document, document.sum);
      if (before == kNone) before = candidates - min(count, kWarp);
    }
    const std::uint32_t step = max(query.k, batch_.raise_every);
    const bool are_enough = candidates >= query.k && before < query.k;
    if (!are_enough && candidates / step == before / step) return;
    __syncwarp();
    raise_threshold(batch_, query);
  }

  const OrTables& batch_;
  const UnitTable<Units>& table_;
  SearchMemory& memory_;
  std::uint32_t looked_up_ = 0;
};

}  // namespace or_lookups
}  // namespace warpdex::gpu
