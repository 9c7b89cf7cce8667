#include "shards/sorted_search_of_part.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/query/columns/matches.hpp"
#include "warpdex/query/plan/query_planner.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex::shards {
namespace {

/// Scores documents of the part by the statistics of the whole.
class PartScores {
 public:
  PartScores(const Snapshot& snapshot, CpuEngine& engine, const WholeStatistics& whole)
      : snapshot_(snapshot), engine_(engine), whole_(whole), planner_(snapshot, whole) {}

  std::vector<Hit> best(const Query& query, const SearchSettings& settings) {
    if (query.tree) {
      if (!trees_) trees_.emplace(snapshot_, whole_);
      return std::move(trees_->search(*query.tree, settings).result.hits);
    }
    const PlannedQuery plan = planner_.plan(query);
    return engine_.run({&plan, 1}, {&settings, 1}).result(0).hits;
  }

 private:
  const Snapshot& snapshot_;
  CpuEngine& engine_;
  const WholeStatistics& whole_;
  QueryPlanner planner_;
  std::optional<TreeSearcher> trees_;
};

SortedPage page_of(const SortedSearch& sorted, const SortedRequest& request, std::size_t query,
                   const vector::RowFilter& matches) {
  if (request.behind_document) return sorted.behind(matches, *request.behind_document);
  if (request.behind.empty()) return sorted.first(matches);
  return sorted.behind(matches, request.behind[query], request.with_ties);
}

}  // namespace

SortedAnswer search_sorted(const Snapshot& snapshot, CpuEngine& engine,
                           const SortedRequest& request, const DocumentFilter* filter) {
  if (request.behind_document && *request.behind_document >= snapshot.docid_end()) {
    throw UsageError("the cursor is of a document that is not there");
  }
  PartScores scores(snapshot, engine, request.search.whole);
  SortedAnswer answer;
  for (std::size_t i = 0; i < request.search.queries.size(); ++i) {
    const Query& query = request.search.queries[i];
    if (query.tree) check_query_tree(*query.tree);
    SearchSettings settings = request.search.settings[i];
    settings.validate();
    settings.count = false;
    settings.known_threshold = 0;
    settings.documents = filter;
    const Matches matches = all_matches(snapshot, query, settings);
    const auto best_of = [&](const DocumentFilter& documents, std::uint32_t k) {
      SearchSettings own = settings;
      own.documents = &documents;
      own.k = k;
      return scores.best(query, own);
    };
    const SortedSearch sorted(snapshot, request.keys, settings.k, best_of);
    SortedPart& part = answer.queries.emplace_back();
    part.page = page_of(sorted, request, i, matches.documents);
    part.matches = matches.documents.count();
    part.most_terms = static_cast<std::uint32_t>(matches.most_terms);
    for (const Hit& hit : part.page.hits)
      part.values.push_back(sorted.order().values(hit.document));
    if (request.behind_document) {
      part.values_of_start = sorted.order().values(*request.behind_document);
    }
  }
  return answer;
}

}  // namespace warpdex::shards
