// Sorts a query's terms, looks each up once, and orders them as scores are added.
#include "warpdex/query/plan/plan.hpp"

#include <algorithm>
#include <string_view>

#include "warpdex/core/error.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex {
namespace {

struct Use {
  std::string_view term;
  Occur occur;
};

void add(PlannedTerm& term, Occur occur) {
  if (occur == Occur::kMustNot) {
    term.is_prohibited = true;
    return;
  }
  ++term.multiplicity;
  if (occur == Occur::kMust) term.is_must = true;
}

void note_missing(PlannedQuery& plan, Occur occur) {
  if (occur == Occur::kMust) plan.misses_must = true;
  if (occur == Occur::kUnsigned) plan.misses_unsigned = true;
}

}  // namespace

PlannedQuery plan_query(const Index& index, const Query& query) {
  std::vector<Use> uses;
  uses.reserve(query.terms.size());
  for (const QueryTerm& term : query.terms) uses.push_back({term.term, term.occur});
  std::sort(uses.begin(), uses.end(), [](const Use& a, const Use& b) { return a.term < b.term; });

  PlannedQuery plan;
  for (auto use = uses.begin(); use != uses.end();) {
    const auto end =
        std::find_if(use, uses.end(), [&](const Use& u) { return u.term != use->term; });
    const auto entry = index.find(use->term);
    if (entry) plan.terms.push_back({*entry, 0, false, false});
    for (; use != end; ++use) {
      if (entry) {
        add(plan.terms.back(), use->occur);
      } else {
        note_missing(plan, use->occur);
      }
    }
  }
  std::stable_sort(plan.terms.begin(), plan.terms.end(),
                   [](const PlannedTerm& a, const PlannedTerm& b) {
                     return a.entry.document_frequency < b.entry.document_frequency;
                   });
  return plan;
}

void check_impact_sum(const Index& index, const PlannedQuery& plan) {
  if (!index.settings().impacts) return;
  constexpr std::uint64_t kMost = 1U << 24;
  std::uint64_t sum = index.settings().has_static_scores ? kMaxStaticImpact : 0;
  for (const PlannedTerm& term : plan.terms) {
    sum += std::uint64_t{kMaxImpact} * term.multiplicity;
  }
  if (sum > kMost) {
    throw UsageError(
        "the query has too many terms for an index of impacts, whose scores are exact "
        "up to 65,793 terms; leave some out, or search an index of frequencies");
  }
}

}  // namespace warpdex
