#include "column_search.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/query/columns/column_order.hpp"
#include "warpdex/query/columns/facets.hpp"
#include "warpdex/query/hybrid/matching.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/tree/tree_searcher.hpp"

namespace warpdex {
namespace {

vector::RowFilter set_of(std::span<const std::uint32_t> documents, const Snapshot& snapshot) {
  return vector::RowFilter::of_rows(documents, snapshot.docid_end());
}

vector::RowFilter matches_of(const Snapshot& snapshot, const Query& query,
                             const SearchSettings& settings) {
  if (!query.tree) return matching_documents(snapshot, plan_query(snapshot, query), settings);
  std::vector<std::uint32_t> documents = TreeSearcher(snapshot).matches(*query.tree);
  if (settings.documents != nullptr) {
    std::erase_if(documents, [&](std::uint32_t document) {
      return !settings.documents->documents.contains(document);
    });
  }
  return set_of(documents, snapshot);
}

/// All documents that match; and-or becomes the mode that answers.
vector::RowFilter all_matches(const Snapshot& snapshot, const Query& query,
                              SearchSettings& settings) {
  if (settings.mode != QueryMode::kAndOr || query.tree) {
    return matches_of(snapshot, query, settings);
  }
  const std::uint32_t least = settings.and_or_min_matches();
  settings.mode = QueryMode::kAnd;
  vector::RowFilter matches = matches_of(snapshot, query, settings);
  if (matches.count() >= least) return matches;
  settings.mode = QueryMode::kOr;
  return matches_of(snapshot, query, settings);
}

std::uint32_t document_of_cursor(const std::string& cursor, const Snapshot& snapshot) {
  const std::size_t dash = std::min(cursor.find('-'), cursor.size());
  std::uint64_t commit = 0;
  std::uint32_t document = 0;
  const char* const end = cursor.data() + cursor.size();
  const auto first = std::from_chars(cursor.data(), cursor.data() + dash, commit);
  const auto second =
      dash < cursor.size() ? std::from_chars(cursor.data() + dash + 1, end, document) : first;
  if (first.ec != std::errc() || second.ec != std::errc() || second.ptr != end ||
      document >= snapshot.docid_end()) {
    throw UsageError("'" + cursor + "' is no cursor of an answer");
  }
  if (commit == snapshot.commit()) return document;
  throw UsageError("the cursor is of commit " + std::to_string(commit) + ", and " +
                   std::to_string(snapshot.commit()) +
                   " is searched; begin with the first page again");
}

/// Puts hits in the order of columns.
class SortedSearch {
 public:
  SortedSearch(const OpenIndex& index, const Query& query, const SearchSettings& settings,
               const SearchOptions& options, const SearchLimits& limits)
      : index_(index),
        snapshot_(index.snapshot()),
        query_(query),
        settings_(settings),
        limits_{.stop = limits.stop, .threads = limits.threads},
        order_(snapshot_, options.sort) {
    settings_.count = false;
    if (!options.search_after.empty()) after_ = document_of_cursor(options.search_after, snapshot_);
  }

  std::vector<Hit> find(const vector::RowFilter& matches) const {
    std::vector<Hit> hits;
    std::optional<ColumnOrder::Codes> behind;
    if (after_) {
      behind = order_.codes(*after_);
      hits = best_of(order_.equal(*behind, matches), kMaxK + 1, true);
      const auto after = std::ranges::find(hits, *after_, &Hit::document);
      if (after == hits.end()) throw UsageError("the document of the cursor does not match");
      hits.erase(hits.begin(), after + 1);
    }
    const std::size_t left = settings_.k - std::min<std::size_t>(settings_.k, hits.size());
    const ColumnOrder::First first = order_.first(left, matches, behind);
    std::vector<Hit> before = best_of(first.documents, left, true);
    std::vector<std::pair<ColumnOrder::Codes, Hit>> coded;
    for (const Hit& hit : before) coded.emplace_back(order_.codes(hit.document), hit);
    // By score within one place in the order, as best_of() has them.
    std::ranges::stable_sort(coded, {}, &std::pair<ColumnOrder::Codes, Hit>::first);
    for (const auto& [codes, hit] : coded) hits.push_back(hit);
    for (const Hit& hit : best_of(first.ties, left - before.size(), false)) hits.push_back(hit);
    hits.resize(std::min<std::size_t>(hits.size(), settings_.k));
    return hits;
  }

 private:
  /// The best by score of some that match; all of them, or not more than k.
  std::vector<Hit> best_of(const std::vector<std::uint32_t>& documents, std::size_t k,
                           bool wants_all) const {
    if (documents.empty() || k == 0) return {};
    if (wants_all && documents.size() > kMaxK) {
      throw UsageError("more than " + std::to_string(kMaxK) +
                       " documents have the values of the cursor's; sort by one more column");
    }
    const DocumentFilter filter = filter_of(snapshot_, set_of(documents, snapshot_));
    SearchSettings settings = settings_;
    settings.documents = &filter;
    settings.k = static_cast<std::uint32_t>(std::min({k, documents.size(), std::size_t{kMaxK}}));
    return std::move(index_.search({&query_, 1}, settings, limits_).front().result.hits);
  }

  const OpenIndex& index_;
  const Snapshot& snapshot_;
  const Query& query_;
  SearchSettings settings_;
  const SearchLimits limits_;
  ColumnOrder order_;
  std::optional<std::uint32_t> after_;
};

/// Facets by the GPU, which counts while the best are searched for; none where it cannot.
std::optional<TextAnswer> search_on_gpu(const OpenIndex& index, const Query& query,
                                        const SearchSettings& settings,
                                        const SearchOptions& options, const SearchLimits& limits) {
  if (query.tree) return std::nullopt;
  const PlannedQuery plan = index.plan(query);
  std::optional<GpuFacets::Counting> counting = index.start_facets(plan, settings, options.facets);
  if (!counting) return std::nullopt;
  SearchSettings uncounted = settings;
  uncounted.count = false;
  TextAnswer answer = std::move(index.search({&plan, 1}, uncounted, limits).front());
  GpuFacets::Found found = counting->finish();
  answer.result.matches = found.matches;
  answer.facets = std::move(found.facets);
  return answer;
}

}  // namespace

TextAnswer search_columns(const OpenIndex& index, const Query& query, const SearchSettings& wanted,
                          const SearchOptions& options, const SearchLimits& limits) {
  limits.check_stop();
  if (query.or_else) {
    const OpenIndex::Decided decided = index.decide({&query, 1}, wanted, limits);
    TextAnswer answer = search_columns(index, decided.queries[0], wanted, options, limits);
    answer.result.fell_back_to_or = decided.fell_back[0];
    return answer;
  }
  if (options.sort.empty()) {
    std::optional<TextAnswer> by_gpu = search_on_gpu(index, query, wanted, options, limits);
    if (by_gpu) return std::move(*by_gpu);
  }
  SearchSettings settings = wanted;
  const vector::RowFilter matches = all_matches(index.snapshot(), query, settings);
  TextAnswer answer;
  if (options.sort.empty()) {
    SearchSettings uncounted = wanted;
    uncounted.count = false;
    answer = std::move(index.search({&query, 1}, uncounted, limits).front());
  } else {
    answer.result.hits = SortedSearch(index, query, settings, options, limits).find(matches);
    answer.result.fell_back_to_or =
        wanted.mode == QueryMode::kAndOr && settings.mode == QueryMode::kOr && !query.tree;
  }
  answer.result.matches = matches.count();
  for (const FacetRequest& facet : options.facets) {
    limits.check_stop();
    answer.facets.push_back(count_facet(index.snapshot(), facet, matches));
  }
  return answer;
}

std::string cursor_of(std::uint64_t commit, std::uint32_t document) {
  return std::to_string(commit) + "-" + std::to_string(document);
}

}  // namespace warpdex
