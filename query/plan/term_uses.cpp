// Sorts, adds up and checks the uses of terms.
#include "plan/term_uses.hpp"

#include <algorithm>

#include "warpdex/core/error.hpp"
#include "warpdex/core/number_text.hpp"

namespace warpdex {
namespace {

void check_weight(const QueryTerm& term) {
  // Written so that NaN fails it.
  if (term.weight >= kMinQueryWeight && term.weight <= kMaxQueryWeight) return;
  throw UsageError("the weight of the query's term '" + term.term + "' is " +
                   shortest(term.weight) + "; give a number from 1e-9 to 1e9");
}

}  // namespace

std::vector<TermUse> sorted_uses(const Query& query) {
  std::vector<TermUse> uses;
  uses.reserve(query.terms.size());
  for (const QueryTerm& term : query.terms) {
    if (term.occur != Occur::kMustNot) check_weight(term);
    uses.push_back({term.term, term.occur, term.weight});
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const TermUse& a, const TermUse& b) { return a.term < b.term; });
  return uses;
}

PlannedTerm planned(const PostingsEntry& entry, std::span<const TermUse> uses) {
  PlannedTerm term{.entry = entry};
  double weight = 0;
  for (const TermUse& use : uses) {
    if (use.occur == Occur::kMustNot) {
      term.is_prohibited = true;
      continue;
    }
    weight += static_cast<double>(use.weight);
    if (use.occur == Occur::kMust) term.is_must = true;
  }
  term.weight = static_cast<float>(weight);
  return term;
}

void note_missing(PlannedQuery& plan, std::span<const TermUse> uses) {
  for (const TermUse& use : uses) {
    if (use.occur == Occur::kMust) plan.misses_must = true;
    if (use.occur == Occur::kUnsigned) plan.misses_unsigned = true;
  }
}

void sort_canonically(std::vector<PlannedTerm>& terms) {
  const auto frequency = [](const PlannedTerm& term) {
    return term.document_frequency != 0 ? term.document_frequency
                                        : std::uint64_t{term.entry.document_frequency};
  };
  std::stable_sort(terms.begin(), terms.end(), [&](const PlannedTerm& a, const PlannedTerm& b) {
    return frequency(a) < frequency(b);
  });
}

}  // namespace warpdex
