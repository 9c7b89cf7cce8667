// Exact scores of survivors: documents whose sums in units reach a query's last threshold.
// Internal.
#pragma once

#include "gpu/device/find_alone.cuh"
#include "gpu/device/score.cuh"

namespace warpdex::gpu {

inline constexpr std::uint32_t kRescoreThreads = 512;  ///< of a CTA
inline constexpr std::uint32_t kRescoreWarps = kRescoreThreads / kWarp;
/// Rows of scores: 32 survivors and one term each.
inline constexpr std::uint32_t kScoreRows = kMaxLists;

/// A score's bits above, an inverted docID below: better documents have larger keys.
using Key = unsigned long long;

/// In shared memory.
struct RescoreMemory {
  LookupMemory lookups[kRescoreWarps];
  float scores[kScoreRows][kWarp];
};

/// Whether sums in units are the scores themselves.
__device__ inline bool sums_are_scores(const FinishBatch& batch, const Query& query) {
  return query.rounding_slack == 0;
}

/// Where the keys of a query's survivors lie if rescore_survivors made them: in the memory of its
/// candidates.
__device__ inline Key* keys_beside(const FinishBatch& batch, const Query& query) {
  static_assert(sizeof(Key) == sizeof(Candidate) && alignof(Key) <= 2 * alignof(Candidate));
  return reinterpret_cast<Key*>(batch.candidates + query.first_candidate);
}

/// Whether survivors lie so far apart that each is in a block of its own. Then each lane looks its
/// own one up, if the codec is `bitpack`.
enum class Spread { kNear, kApart };

/// Looks up the documents of a warp's lanes in a list, or each in its own. Returns each posting's
/// exact score; 0 where there is none.
template <CodecKind kCodec, LookupGoal kGoal, LaneLists kLists, Spread kSpread>
__device__ inline float score_of_term(const FinishBatch& batch, std::uint32_t list_index, bool has,
                                      std::uint32_t document, LookupMemory& memory) {
  const List& list = batch.lists[list_index];
  if (has) {
    const std::size_t place = batch.lengths.place(document, list.field);
    prefetch(batch.lengths.codes + place);
    prefetch(batch.lengths.remainders + place);
  }
  std::uint32_t value = kNone;
  if constexpr (kSpread == Spread::kApart && kCodec == CodecKind::kBitpack) {
    if (has) value = find_value_alone(batch, list, document);
  } else {
    std::uint32_t held = kNone;
    const PostingPlace posting =
        find_document<kCodec, kGoal, kLists>(batch, list_index, has, document, held, memory);
    value = value_at<kCodec, kLists>(batch, list_index, posting, memory);
  }
  if (value == kNone) return 0;
  return exact_score(batch, list, value + 1, length_of(batch, list, document));
}

/// The number among all lists of a query's scoring list number `term` in a document's segment;
/// kNone if the segment has fewer. Lists of a segment are in canonical order, and lists that it
/// lacks add nothing, so scores are added in that order.
__device__ inline std::uint32_t list_of(const FinishBatch& batch, const Query& query,
                                        std::uint32_t term, std::uint32_t document) {
  const std::uint32_t segment = batch.space[document >> kSpaceShift].segment;
  const ListSpan lists = batch.list_spans[std::size_t{query.state} * batch.segments + segment];
  return term < lists.count ? lists.first + term : kNone;
}

/// The scores of a query's term number `term` in the documents of a warp's lanes: 0 where a lane
/// `has` none, and where there is no posting.
template <CodecKind kCodec, LookupGoal kGoal, LaneLists kLists, Spread kSpread>
__device__ inline float scores_of_lanes(const FinishBatch& batch, const Query& query,
                                        std::uint32_t term, bool has, std::uint32_t document,
                                        LookupMemory& memory) {
  std::uint32_t list = query.first_list + term;
  if constexpr (kLists == LaneLists::kOwn) {
    const std::uint32_t own = has ? list_of(batch, query, term, document) : kNone;
    has = own != kNone;
    list = has ? own : query.first_list;
  }
  return score_of_term<kCodec, kGoal, kLists, kSpread>(batch, list, has, document, memory);
}

/// Survivors that a warp looks up together in a list: fewer than 32 if there are enough warps,
/// since a warp decodes their blocks one after the other.
__device__ inline std::uint32_t group_size(std::uint32_t survivors, std::uint32_t lists) {
  std::uint32_t size = kWarp;
  while (size > 1 && (survivors + size / 2 - 1) / (size / 2) * lists <= kRescoreWarps) size /= 2;
  return size;
}

/// Computes keys of exact scores. Warps find each term's scores for a group of documents. Then the
/// scores of a document are added in the canonical order, by the operations of the CPU engine. A
/// whole CTA.
template <CodecKind kCodec, LookupGoal kGoal, LaneLists kLists, Spread kSpread = Spread::kNear>
__device__ inline void rescore(const FinishBatch& batch, const Query& query,
                               const std::uint32_t* documents, std::uint32_t count, Key* keys,
                               RescoreMemory& memory) {
  const std::uint32_t warp = warp_id();
  const std::uint32_t size = group_size(count, query.scoring_lists);
  const std::uint32_t groups_at_once = kScoreRows / query.scoring_lists;
  const std::uint32_t groups = (count + size - 1) / size;
  for (std::uint32_t begin = 0; begin < groups; begin += groups_at_once) {
    const std::uint32_t here = min(groups_at_once, groups - begin);
    const auto place_of = [&](std::uint32_t group) { return (begin + group) * size + lane_id(); };
    const auto is_taken = [&](std::uint32_t place) { return lane_id() < size && place < count; };
    // Term by term, so that the long lists, whose blocks take longest, are shared by the warps.
    for (std::uint32_t row = warp; row < here * query.scoring_lists; row += kRescoreWarps) {
      const std::uint32_t place = place_of(row % here);
      const bool has = is_taken(place);
      memory.scores[row][lane_id()] = scores_of_lanes<kCodec, kGoal, kLists, kSpread>(
          batch, query, row / here, has, has ? documents[place] : 0, memory.lookups[warp]);
    }
    __syncthreads();
    for (std::uint32_t group = warp; group < here; group += kRescoreWarps) {
      const std::uint32_t place = place_of(group);
      if (!is_taken(place)) continue;
      const std::uint32_t document = documents[place];
      float score = 0;
      for (std::uint32_t term = 0; term < query.scoring_lists; ++term) {
        score += memory.scores[term * here + group][lane_id()];
      }
      if (batch.static_scores != nullptr) score += batch.static_scores[document];
      keys[place] = make_key(score, document);
    }
    __syncthreads();
  }
}

}  // namespace warpdex::gpu
