// Looking documents of a list up in the other lists of their query. Internal to kernels/or/.
#pragma once

#include "gpu/device/emit.cuh"
#include "gpu/device/lookup.cuh"
#include "gpu/device/unit_table.cuh"

namespace warpdex::gpu {
namespace or_lookups {

/// Documents of a list that are looked up together, at most: by one warp.
inline constexpr std::uint32_t kTogether = 128;

/// Where each lane's wanted documents of a block go, so that they ascend: place(i) counts from 0.
struct Places {
  std::uint32_t first;   ///< this lane's
  std::uint32_t count;   ///< of all lanes
  std::uint32_t wanted;  ///< this lane's, a bit each

  /// A whole warp.
  __device__ explicit Places(const bool (&which)[4]) {
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

/// In shared memory, one warp's: documents that are looked up, and what they have so far.
template <Spare kSpare>
struct SearchMemory {
  LookupMemory<kSpare> lookup;
  Candidate documents[kTogether];
};

/// One warp's lookups of documents of a list in the other lists of its query. To spare time, a few
/// documents are looked up in all lists that are left at once, of which none ends early.
template <CodecKind kCodec, int kLevels, ScoreForm kForm, Spare kSpare>
class Searcher {
 public:
  __device__ Searcher(const Batch& batch, const UnitTable<kForm>& table,
                      SearchMemory<kSpare>& memory)
      : batch_(batch), table_(table), memory_(memory) {}

  /// Looks the first `count` documents in SearchMemory up, which are from `list`, with what they
  /// have there: in the lists behind, which add to their sums; then in those before and in
  /// prohibited ones, which drop them: from the former, they are found as well. What is left
  /// becomes candidates. A whole warp.
  __device__ void search(const List& list, std::uint32_t count) {
    const Query& query = batch_.queries[batch_.and_queries + list.owner];
    const Need need(batch_, query);
    keep(count,
         [&](bool has, Candidate& document) { return has && reaches(list, document, need); });
    search(list, count, need);
  }

  /// The same of documents that reach `need` with all that the lists behind may add.
  __device__ void search(const List& list, std::uint32_t count, const Need& need) {
    const Query& query = batch_.queries[batch_.and_queries + list.owner];
    const std::uint32_t behind = query.scoring - 1 - list.place;
    // All lists in one loop: so the code to look documents up is there once, as kernels of much
    // code wait for instructions.
    for (std::uint32_t turn = 0; count > 0; ++turn) {
      const std::uint32_t left = query.lists - 1 - turn;
      if constexpr (kSpare == Spare::kTime) {
        if (turn <= behind && left > 0 && count * left <= kWarp) {
          return search_together(query, list.place, list.place + 1 + turn, left, need, count);
        }
      }
      if (turn == behind) add_static_scores(query, need, count);
      if (left == 0) break;
      looked_up_ += count;
      look_up(query, list_of_turn(query, list.place, turn), turn < behind, need, count);
    }
    hand_over(query, count);
  }

  __device__ void count_work() {
    if (batch_.work == nullptr || lane_id() != 0) return;
    atomicAdd(&batch_.work->lookups, static_cast<unsigned long long>(looked_up_));
  }

 private:
  /// Keeps the documents for which keep_one(whether there is one, it) says so, 32 at a time.
  template <class KeepOne>
  __device__ void keep(std::uint32_t& count, KeepOne keep_one) {
    std::uint32_t kept = 0;
    for (std::uint32_t first = 0; first < count; first += kWarp) {
      const bool has = first + lane_id() < count;
      Candidate document{};
      if (has) document = memory_.documents[first + lane_id()];
      const bool stays = keep_one(has, document);
      __syncwarp();  // all have read theirs
      const std::uint32_t group = __ballot_sync(kWholeWarp, stays);
      if (stays) memory_.documents[kept + __popc(group & ((1U << lane_id()) - 1))] = document;
      kept += __popc(group);
      __syncwarp();
    }
    count = kept;
  }

  /// Where the list is, among the query's, that documents found in its list number `own` are looked
  /// up in at a turn: those behind, those before, prohibited ones.
  static __device__ std::uint32_t list_of_turn(const Query& query, std::uint32_t own,
                                               std::uint32_t turn) {
    const std::uint32_t behind = query.scoring - 1 - own;
    if (turn < behind) return own + 1 + turn;
    const std::uint32_t before = turn - behind;
    return before < own ? before : before + query.scoring - own;
  }

  /// Looks the documents up in the query's list number `place`: either it `adds` to their sums, and
  /// those that miss `need` are dropped, or those that it has are.
  __device__ void look_up(const Query& query, std::uint32_t place, bool adds, const Need& need,
                          std::uint32_t& count) {
    const std::uint32_t other = query.first_list + place;
    const ListWeight weight = table_.weigh(query, batch_.lists[other]);
    std::uint32_t held = kNone;
    keep(count, [&](bool has, Candidate& document) {
      const Spot spot = find_spot<kCodec, kLevels, kSpare>(batch_, other, has, document.document,
                                                           held, memory_.lookup);
      if (!adds) return has && spot.place == kNone;
      const std::uint32_t value =
          value_at<kCodec, kLevels, kSpare>(batch_, other, spot, memory_.lookup);
      if (value != kNone) {
        const std::uint8_t code = table_.code_of(batch_, document.document);
        document.sum += table_.units(weight, value, code);
      }
      return has && reaches(batch_.lists[other], document, need);
    });
  }

  /// Whether it can be in the answer with all that the lists behind may add.
  __device__ bool reaches(const List& list, const Candidate& document, const Need& need) const {
    return document.sum + batch_.rests[list.row + (document.document >> kTileShift)] >=
           need.of(document.document);
  }

  /// search() from the list numbered `next` on, of 32 documents or less: each lane looks one up in
  /// one of the lists that are `left`.
  __device__ void search_together(const Query& query, std::uint32_t own, std::uint32_t next,
                                  std::uint32_t left, const Need& need, std::uint32_t count) {
    looked_up_ += count * left;
    const std::uint32_t behind = query.scoring - next;
    std::uint32_t drops = 0;  // a bit a document
    for (std::uint32_t begin = 0; begin < count * left; begin += kWarp) {
      const std::uint32_t which = (begin + lane_id()) / left;
      const std::uint32_t turn = (begin + lane_id()) % left;  // lists behind, before, prohibited
      const bool has = which < count;
      const bool adds = turn < behind;
      const std::uint32_t other =
          query.first_list + list_of_turn(query, own, next - own - 1 + turn);
      const std::uint32_t document = has ? memory_.documents[which].document : 0;
      std::uint32_t held = kNone;
      Spot spot = find_spot<kCodec, kLevels, kSpare, LanesLists::kOwn>(batch_, other, has, document,
                                                                       held, memory_.lookup);
      const bool drops_it = !adds && spot.place != kNone;
      drops |= __reduce_or_sync(kWholeWarp, drops_it ? 1U << which : 0);
      if (!adds) spot.place = kNone;
      const std::uint32_t value =
          value_at<kCodec, kLevels, kSpare, LanesLists::kOwn>(batch_, other, spot, memory_.lookup);
      if (value != kNone) {
        const ListWeight weight = table_.weigh(query, batch_.lists[other]);
        atomicAdd(&memory_.documents[which].sum,
                  table_.units(weight, value, table_.code_of(batch_, document)));
      }
      __syncwarp();
    }
    const List& last = batch_.lists[query.first_list + query.scoring - 1];
    keep(count, [&](bool has, const Candidate& document) {
      return has && (drops >> lane_id() & 1) == 0 && reaches(last, document, need);
    });
    if (count > 0) add_static_scores(query, need, count);
    hand_over(query, count);
  }

  __device__ void add_static_scores(const Query& query, const Need& need, std::uint32_t& count) {
    if (batch_.static_scores == nullptr) return;  // their sums were compared already
    keep(count, [&](bool has, Candidate& document) {
      if (!has) return false;
      document.sum += static_units(batch_, query, document.document);
      return document.sum >= need.of(document.document);
    });
  }

  __device__ void hand_over(const Query& query, std::uint32_t count) {
    if (count == 0) return;
    std::uint32_t before = kNone;  // candidates, and after; other warps append some in between
    std::uint32_t candidates = 0;
    for (std::uint32_t first = 0; first < count; first += kWarp) {
      const bool has = first + lane_id() < count;
      Candidate document{};
      if (has) document = memory_.documents[first + lane_id()];
      candidates = append_candidate(batch_, query, has, document.document, document.sum);
      if (before == kNone) before = candidates - min(count, kWarp);
    }
    const std::uint32_t step = max(query.k, batch_.raise_every);
    const bool are_enough = candidates >= query.k && before < query.k;
    if (!are_enough && candidates / step == before / step) return;
    __syncwarp();
    raise_threshold(batch_, query);
  }

  const Batch& batch_;
  const UnitTable<kForm>& table_;
  SearchMemory<kSpare>& memory_;
  std::uint32_t looked_up_ = 0;
};

}  // namespace or_lookups
}  // namespace warpdex::gpu
