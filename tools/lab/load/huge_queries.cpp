// Makes one query of the most frequent terms of many.
#include "load/huge_queries.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace warpdex::tools {
namespace {

/// The 64 most frequent terms of the queries.
Query huge_query(const Snapshot& snapshot, const std::vector<Query>& queries) {
  std::map<std::string, std::uint32_t> frequencies;
  for (const Query& query : queries) {
    for (const QueryTerm& term : query.terms) {
      const PlannedQuery plan = plan_query(snapshot, {"", {{term.term}}});
      if (!plan.terms.empty()) {
        frequencies[term.term] = plan.terms[0].entry.document_frequency;
      }
    }
  }
  std::vector<std::pair<std::uint32_t, std::string>> terms;
  for (const auto& [term, frequency] : frequencies) terms.emplace_back(frequency, term);
  std::sort(terms.rbegin(), terms.rend());
  Query huge;
  for (std::size_t i = 0; i < std::min(kHugeTerms, terms.size()); ++i) {
    huge.terms.push_back({terms[i].second});
  }
  return huge;
}

}  // namespace

std::size_t planned_with_huge(std::size_t count, std::size_t every) {
  return (count + every - 1) / every * every;
}

void add_huge_queries(const Snapshot& snapshot, const std::vector<Query>& queries,
                      std::size_t every, LoadPlan& plan) {
  PlannedSearch huge{plan_query(snapshot, huge_query(snapshot, queries)), plan.classes[0].settings};
  huge.settings.mode = QueryMode::kOr;
  huge.settings.k = kMaxK;
  const std::size_t count = plan.queries.size();
  // Whole rounds of `every` queries, so that the load has them at even distances.
  const std::size_t wanted = planned_with_huge(count, every);
  for (std::size_t i = count; i < wanted; ++i) {
    plan.queries.push_back(plan.queries[i - count]);
    plan.class_of.push_back(plan.class_of[i - count]);
  }
  plan.classes.push_back({"huge", huge.settings});
  for (std::size_t i = every - 1; i < wanted; i += every) {
    plan.queries[i] = huge;
    plan.class_of[i] = plan.classes.size() - 1;
  }
}

}  // namespace warpdex::tools
