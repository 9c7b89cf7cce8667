#include "generate/list_positions.hpp"

#include <algorithm>

#include "generate/counter_random.hpp"

namespace warpdex::generate {
namespace {

/// Makes `positions` as many distinct ones below `length`, which is at least `count`, as `count`
/// says; those that are there stay.
void fill_up(std::uint64_t key, std::uint32_t length, std::size_t count,
             std::vector<std::uint32_t>& positions) {
  CounterRandom random(key);
  while (positions.size() < count) {
    while (positions.size() < count) positions.push_back(random.next_below(length));
    std::ranges::sort(positions);
    const auto [end, last] = std::ranges::unique(positions);
    positions.erase(end, last);
  }
  std::ranges::sort(positions);
}

}  // namespace

ListPositions::ListPositions(std::uint64_t seed, std::span<const RankQuery> queries,
                             std::span<const std::uint32_t> lengths)
    : seed_(seed), lengths_(lengths) {
  for (std::size_t query = 0; query < queries.size(); ++query) {
    const RankQuery& ranks = queries[query];
    if (ranks.size() < 2) continue;
    const std::uint64_t key = stream_key(seed, Purpose::kPhrase, query);
    for (std::size_t place = 0; place < ranks.size(); ++place) {
      uses_[ranks[place]].push_back(
          {key, static_cast<std::uint32_t>(place), static_cast<std::uint32_t>(ranks.size())});
    }
  }
}

/// All terms of a query draw the same numbers for a document, so they agree on where the phrase is,
/// and on which phrases come first where not all have room.
void ListPositions::plant(const std::vector<Use>& uses, std::uint32_t document,
                          std::uint32_t length, std::vector<Planted>& planted) const {
  planted.clear();
  for (const Use& use : uses) {
    const std::uint64_t number = number_at(use.key, document);
    // Where a word is too rare in the document for all of its queries, fewer become phrases.
    if ((number & 7) == 0 || length < use.terms) continue;
    const std::uint32_t begin = below(mixed(number), length - use.terms + 1);
    planted.push_back({number, begin + use.place});
  }
  std::ranges::sort(planted, {}, &Planted::priority);
}

void ListPositions::draw(std::uint32_t rank, const GeneratedList& list,
                         std::vector<std::uint32_t>& steps) const {
  static const std::vector<Use> kNone;
  const auto found = uses_.find(rank);
  const std::vector<Use>& uses = found == uses_.end() ? kNone : found->second;
  const std::uint64_t key = stream_key(seed_, Purpose::kPosition, rank);
  std::vector<Planted> planted;
  std::vector<std::uint32_t> positions;
  steps.clear();
  for (std::size_t i = 0; i < list.docids.size(); ++i) {
    const std::uint32_t document = list.docids[i];
    const std::uint32_t count = list.frequencies[i];
    const std::uint32_t length = std::max(lengths_[document], count);
    positions.clear();
    plant(uses, document, length, planted);
    for (const Planted& one : planted) {
      if (positions.size() == count) break;
      if (std::ranges::find(positions, one.position) == positions.end()) {
        positions.push_back(one.position);
      }
    }
    fill_up(number_at(key, document), length, count, positions);
    std::uint32_t last = 0;
    for (const std::uint32_t position : positions) {
      steps.push_back(position - last);
      last = position;
    }
  }
}

}  // namespace warpdex::generate
