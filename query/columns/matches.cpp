#include "warpdex/query/columns/matches.hpp"

#include <cstdint>
#include <vector>

#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/hybrid/matching.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {
namespace {

Matches matches_of(const Snapshot& snapshot, const Query& query, const SearchSettings& settings) {
  if (!query.tree) return {matching_documents(snapshot, plan_query(snapshot, query), settings)};
  TreeMatches found = TreeSearcher(snapshot).matches(*query.tree);
  if (settings.documents != nullptr) {
    std::erase_if(found.documents, [&](std::uint32_t document) {
      return !settings.documents->documents.contains(document);
    });
  }
  return {vector::RowFilter::of_rows(found.documents, snapshot.docid_end()), found.was_cut,
          found.most_terms};
}

}  // namespace

Matches all_matches(const Snapshot& snapshot, const Query& query, SearchSettings& settings) {
  if (settings.mode != QueryMode::kAndOr || query.tree) {
    return matches_of(snapshot, query, settings);
  }
  const std::uint32_t least = settings.and_or_min_matches();
  settings.mode = QueryMode::kAnd;
  Matches matches = matches_of(snapshot, query, settings);
  if (matches.documents.count() >= least) return matches;
  settings.mode = QueryMode::kOr;
  return matches_of(snapshot, query, settings);
}

}  // namespace warpdex
