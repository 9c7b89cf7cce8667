// Sorts a query's terms, looks each up once, and orders them as scores are added.
#include "warpdex/query/plan/plan.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <string_view>

#include "plan/excluded_words.hpp"
#include "plan/find_term.hpp"
#include "plan/term_uses.hpp"
#include "warpdex/indexer/format/impacts.hpp"

namespace warpdex {
namespace {

/// A term with the statistics of a whole; zeros where the index is all.
PlannedTerm in_whole(PlannedTerm term, const TermFrequencies& whole) {
  term.document_frequency = whole.documents;
  term.collection_frequency = whole.occurrences;
  return term;
}

}  // namespace

PlannedQuery plan_query(const Index& index, const Query& query) {
  return plan_query(
      index, query,
      [](std::size_t, const Index& of, std::string_view term) { return of.find(term); }, nullptr);
}

PlannedQuery plan_query(const Index& index, const Query& query, const FindTerm& find,
                        const WholeStatistics* whole) {
  if (has_excluded_words(query)) {
    const QueryAndWords parts = part_excluded_words(query);
    PlannedQuery plan = plan_query(index, parts.query, find, whole);
    plan.excluded_words = plan_words(index, parts.words);
    return plan;
  }
  PlannedQuery plan;
  for (const TextCounts& text : index.counts().texts) {
    plan.text_statistics.push_back({text.documents, text.tokens});
  }
  if (whole != nullptr) {
    plan.statistics = whole->collection;
    plan.text_statistics = whole->texts;
  }
  for_each_term(sorted_uses(query), [&](std::string_view term, std::span<const TermUse> uses) {
    const auto entry = find(0, index, term);
    const TermFrequencies all = whole != nullptr ? whole->of(term) : TermFrequencies{};
    if (!entry || (whole != nullptr && all.documents == 0)) {
      note_missing(plan, uses);
    } else {
      plan.terms.push_back(in_whole(planned(*entry, uses), all));
    }
  });
  sort_canonically(plan.terms);
  return plan;
}

bool excludes_words(const PlannedQuery& plan) {
  return !plan.excluded_words.empty() ||
         std::any_of(plan.segments.begin(), plan.segments.end(), excludes_words);
}

bool has_whole_weights(const PlannedQuery& plan) {
  return std::all_of(plan.terms.begin(), plan.terms.end(), [](const PlannedTerm& term) {
    return std::trunc(term.weight) == term.weight;
  });
}

bool sums_are_exact(const IndexSettings& index, const PlannedQuery& plan) {
  if (!index.impacts || !has_whole_weights(plan)) return false;
  constexpr double kMax = 1U << 24;  // larger ones a float rounds
  double sum = index.has_static_scores ? kMaxStaticImpact : 0;
  for (const PlannedTerm& term : plan.terms) sum += kMaxImpact * static_cast<double>(term.weight);
  return sum <= kMax;
}

}  // namespace warpdex
