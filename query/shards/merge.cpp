// Keeps the parts sorted by the best document of each that was not taken yet.
#include "warpdex/query/shards/merge.hpp"

#include <algorithm>
#include <cmath>

namespace warpdex::shards {
namespace {

struct NextOfPart {
  float score;
  std::uint32_t part;
  std::size_t place;  ///< among its hits
};

bool is_better(const NextOfPart& a, const NextOfPart& b) {
  return a.score > b.score || (a.score == b.score && a.part < b.part);
}

}  // namespace

std::vector<GlobalHit> merge_hits(std::span<const PartAnswer> parts, std::size_t k) {
  std::vector<NextOfPart> next;  // the best one last
  std::size_t all = 0;
  for (std::uint32_t part = 0; part < parts.size(); ++part) {
    all += parts[part].hits.size();
    if (!parts[part].hits.empty()) next.push_back({parts[part].hits[0].score, part, 0});
  }
  std::sort(next.rbegin(), next.rend(), is_better);
  std::vector<GlobalHit> merged;
  merged.reserve(std::min(k, all));
  while (merged.size() < k && !next.empty()) {
    NextOfPart best = next.back();
    const std::vector<Hit>& hits = parts[best.part].hits;
    merged.push_back({best.part, hits[best.place].document, best.score});
    if (++best.place == hits.size()) {
      next.pop_back();
      continue;
    }
    best.score = hits[best.place].score;
    std::size_t place = next.size() - 1;
    for (; place > 0 && is_better(next[place - 1], best); --place) next[place] = next[place - 1];
    next[place] = best;
  }
  return merged;
}

bool may_lack(const PartAnswer& answer, std::uint32_t part, std::span<const GlobalHit> merged,
              std::size_t k) {
  if (answer.left_out < 0) return false;
  if (merged.size() < k) return true;
  // What a part left out comes behind what it sent.
  const GlobalHit& last = merged.back();
  return answer.left_out > last.score || (answer.left_out == last.score && part < last.part);
}

std::uint32_t first_k(std::uint32_t k, double share) {
  constexpr double kDeviations = 4;
  const double mean = k * share;
  const double spare = kDeviations * std::sqrt(mean * std::max(0.0, 1 - share));
  return static_cast<std::uint32_t>(
      std::clamp(std::ceil(mean + spare), 1.0, static_cast<double>(k)));
}

}  // namespace warpdex::shards
