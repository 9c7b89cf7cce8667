// Finds the best seed that enough live documents reach.
#include "gpu/batch/start_seed.hpp"

#include <algorithm>
#include <functional>
#include <vector>

#include "plan/seed_threshold.hpp"

namespace warpdex::gpu {
namespace {

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
    if (list.bound <= seed) continue;
    for (const LiveSeed& own : list.list->seeds) {
      if (own.documents == 0) continue;
      const bool are_enough = own.documents >= k;
      if (!are_enough && !are_of_several) continue;
      const float score = seed_score(list.scorer, own.seed);
      if (are_enough) {
        seed = std::max(seed, score);
        break;
      }
      shares.push_back({score, list.segment, own.documents});
    }
  }
  return shares.empty() ? seed : seed_of_several(shares, k, seed);
}

}  // namespace warpdex::gpu
