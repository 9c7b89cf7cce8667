// Finds the best seed that enough live documents reach.
#include "gpu/batch/start_seed.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "gpu/batch/live_seeds.hpp"
#include "plan/seed_threshold.hpp"

namespace warpdex::gpu {
namespace {

/// Live documents that reach a list's seed of kSeedRanks[place], at least.
std::uint32_t live(const SeededList& list, std::size_t place) {
  if (list.placed->removals.live_seeds != nullptr)
    return list.placed->removals.live_seeds->live(list.term->entry, place);
  const std::uint32_t rank = kSeedRanks[place];
  return rank - std::min(rank, list.term->removed);
}

/// So many documents of a segment, fewer than k, reach the score.
struct Share {
  float score;
  std::size_t segment;
  std::uint32_t documents;
};

/// The best score that k documents of several segments together reach; `seed` if none is better.
float seed_of_several(std::vector<Share>& shares, std::uint32_t k, float seed) {
  std::ranges::sort(shares, std::greater{}, &Share::score);
  std::vector<std::uint32_t> documents;  // by segment
  std::uint64_t all = 0;
  for (const Share& share : shares) {
    if (share.score <= seed) break;
    if (documents.size() <= share.segment) documents.resize(share.segment + 1);
    std::uint32_t& own = documents[share.segment];
    all += std::max(own, share.documents) - own;
    own = std::max(own, share.documents);
    if (all >= k) return share.score;
  }
  return seed;
}

}  // namespace

float start_seed(std::span<const SeededList> lists, std::uint32_t k) {
  float seed = 0;
  std::vector<Share> shares;
  const bool are_of_several = !lists.empty() && lists.front().segment != lists.back().segment;
  for (const SeededList& list : lists) {
    if (list.term->entry.is_short() || list.bound <= seed) continue;
    const std::span<const ListSeed> seeds =
        list_seeds(list.placed->index.sections(), list.term->entry);
    for (std::size_t place = 0; place < seeds.size(); ++place) {
      const std::uint32_t documents = live(list, place);
      if (documents >= k) {
        seed = std::max(seed, seed_score(list.scorer, seeds[place]));
        break;
      }
      if (are_of_several && documents > 0) {
        shares.push_back({seed_score(list.scorer, seeds[place]), list.segment, documents});
      }
    }
  }
  return shares.empty() ? seed : seed_of_several(shares, k, seed);
}

}  // namespace warpdex::gpu
