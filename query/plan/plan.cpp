// Sorts a query's terms, looks each up once, and orders them as scores are added.
#include "warpdex/query/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string>
#include <string_view>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex {
namespace {

/// What the query says of one of its terms.
struct Use {
  std::string_view term;
  Occur occur;
  float weight;
};

void check_weight(const QueryTerm& term) {
  // Written so that NaN fails it.
  if (term.weight >= kMinQueryWeight && term.weight <= kMaxQueryWeight) return;
  throw UsageError("the weight of the query's term '" + term.term + "' is " +
                   std::to_string(term.weight) + "; give a number from 1e-9 to 1e9");
}

/// Reads the uses of one term, which are in the order of the query.
PlannedTerm planned(const PostingsEntry& entry, std::span<const Use> uses) {
  PlannedTerm term{.entry = entry};
  double weight = 0;
  for (const Use& use : uses) {
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

void note_missing(PlannedQuery& plan, Occur occur) {
  if (occur == Occur::kMust) plan.misses_must = true;
  if (occur == Occur::kUnsigned) plan.misses_unsigned = true;
}

}  // namespace

PlannedQuery plan_query(const Index& index, const Query& query) {
  std::vector<Use> uses;
  uses.reserve(query.terms.size());
  for (const QueryTerm& term : query.terms) {
    if (term.occur != Occur::kMustNot) check_weight(term);
    uses.push_back({term.term, term.occur, term.weight});
  }
  std::stable_sort(uses.begin(), uses.end(),
                   [](const Use& a, const Use& b) { return a.term < b.term; });

  PlannedQuery plan;
  for (auto use = uses.begin(); use != uses.end();) {
    const auto end =
        std::find_if(use, uses.end(), [&](const Use& u) { return u.term != use->term; });
    if (const auto entry = index.find(use->term)) {
      plan.terms.push_back(planned(*entry, {use, end}));
    } else {
      for (auto missing = use; missing != end; ++missing) note_missing(plan, missing->occur);
    }
    use = end;
  }
  std::stable_sort(plan.terms.begin(), plan.terms.end(),
                   [](const PlannedTerm& a, const PlannedTerm& b) {
                     return a.entry.document_frequency < b.entry.document_frequency;
                   });
  return plan;
}

bool has_whole_weights(const PlannedQuery& plan) {
  return std::all_of(plan.terms.begin(), plan.terms.end(), [](const PlannedTerm& term) {
    return std::trunc(term.weight) == term.weight;
  });
}

bool sums_are_exact(const Index& index, const PlannedQuery& plan) {
  if (!index.settings().impacts || !has_whole_weights(plan)) return false;
  constexpr double kMax = 1U << 24;  // larger ones a float rounds
  double sum = index.settings().has_static_scores ? kMaxStaticImpact : 0;
  for (const PlannedTerm& term : plan.terms) sum += kMaxImpact * static_cast<double>(term.weight);
  return sum <= kMax;
}

}  // namespace warpdex
