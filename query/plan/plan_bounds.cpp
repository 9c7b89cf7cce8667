// Adds up bounds of terms in the canonical order.
#include "warpdex/query/plan/plan_bounds.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <memory_resource>
#include <utility>
#include <vector>

#include "plan/roles.hpp"
#include "plan/seed_threshold.hpp"
#include "scorers/scorers.hpp"
#include "warpdex/indexer/format/postings.hpp"

namespace warpdex {
namespace {

/// For the rounding of sums of bounds and of scores.
constexpr float kSlack = 1.0F + 1e-4F;
/// A list's best score is about so much above its tenth best.
constexpr float kBestOverTenth = 1.15F;

std::uint64_t occurrences_of(const Index& index, const PostingsEntry& entry) {
  if (!entry.is_short()) return entry.collection_frequency;
  std::array<std::uint32_t, 2 * kBlockSize> docids{};
  std::array<std::uint32_t, 2 * kBlockSize> frequencies{};
  read_short_list(index.settings().codec, index.sections(), entry, index.counts().documents,
                  docids.data(), frequencies.data());
  std::uint64_t occurrences = 0;
  for (std::uint32_t i = 0; i < entry.document_frequency; ++i) occurrences += frequencies[i];
  return occurrences;
}

}  // namespace

float max_static_score(const Index& index) {
  float largest = 0;
  for (const float bound : index.sections().static_bounds) largest = std::max(largest, bound);
  return largest;
}

PlanBounds plan_bounds(const Index& index, const PlannedQuery& plan,
                       const SearchSettings& settings) {
  const ScorerSettings wanted = effective_scorer(index.settings(), settings.scorer);
  const bool reads_occurrences = facts_of(wanted.kind).reads_occurrences;
  bool is_plain_or = settings.mode == QueryMode::kOr && plan.excluded_words.empty();
  for (const PlannedTerm& term : plan.terms) is_plain_or &= !term.is_must && !term.is_prohibited;
  const auto scorer_of = [&](const PlannedTerm& term) {
    const bool is_whole = term.document_frequency == 0;  // else it is one segment of several
    std::uint64_t occurrences =
        is_whole ? term.entry.collection_frequency : term.collection_frequency;
    if (is_whole && reads_occurrences) occurrences = occurrences_of(index, term.entry);
    const TermScorer scorer =
        make_term_scorer(wanted, plan.statistics_for(term, index.counts()),
                         is_whole ? term.entry.document_frequency : term.document_frequency,
                         occurrences, term.weight);
    return std::pair(scorer, largest_score(scorer, occurrences));
  };
  std::array<std::byte, 512> room;
  std::pmr::monotonic_buffer_resource memory(room.data(), room.size());
  std::pmr::vector<float> likely(&memory);  // of a plain OR, by term: its likely best score
  likely.reserve(plan.terms.size());
  PlanBounds bounds;
  for (const PlannedTerm& term : plan.terms) {
    if (term.is_prohibited) continue;
    const auto [scorer, most] = scorer_of(term);
    bounds.max_score += most;
    if (!is_plain_or) {
      bounds.essential_postings += term.entry.document_frequency;
      continue;
    }
    const auto seed = [&, &used = scorer](std::uint32_t rank) {
      return seed_score(index.sections(), term.entry, used, rank);
    };
    bounds.seed = std::max(bounds.seed, seed(settings.k));
    const float tenth = seed(kSeedRanks.front());
    likely.push_back(tenth > 0 ? std::min(most, tenth * kBestOverTenth) : most);
  }
  bounds.max_score *= kSlack;
  float rest = 0;  // the sum of the likely best scores from term i to the last
  for (std::size_t i = likely.size(); i-- > 0;) {
    rest += likely[i];
    if (rest >= bounds.seed) bounds.essential_postings += plan.terms[i].entry.document_frequency;
  }
  return bounds;
}

}  // namespace warpdex
