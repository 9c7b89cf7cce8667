#include "column_search.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

#include "warpdex/core/error.hpp"
#include "warpdex/query/columns/facets.hpp"
#include "warpdex/query/columns/matches.hpp"
#include "warpdex/query/columns/sorted_search.hpp"

namespace warpdex {
namespace {

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

SortedPage sorted_page(const OpenIndex& index, const Query& query, const SearchSettings& wanted,
                       const SearchOptions& options, const SearchLimits& limits,
                       const vector::RowFilter& matches) {
  const SearchLimits own{.stop = limits.stop, .threads = limits.threads};
  const auto best_of = [&](const DocumentFilter& documents, std::uint32_t k) {
    SearchSettings settings = wanted;
    settings.count = false;
    settings.documents = &documents;
    settings.k = k;
    return std::move(index.search({&query, 1}, settings, own).front().result.hits);
  };
  const SortedSearch sorted(index.snapshot(), options.sort, wanted.k, best_of);
  if (options.search_after.empty()) return sorted.first(matches);
  const std::uint32_t document = document_of_cursor(options.search_after, index.snapshot());
  SortedPage page = sorted.behind(matches, document);
  if (!page.score) throw UsageError("the document of the cursor does not match");
  return page;
}

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
  const Matches found = all_matches(index.snapshot(), query, settings);
  const vector::RowFilter& matches = found.documents;
  TextAnswer answer;
  if (options.sort.empty()) {
    SearchSettings uncounted = wanted;
    uncounted.count = false;
    answer = std::move(index.search({&query, 1}, uncounted, limits).front());
  } else {
    answer.result.hits = sorted_page(index, query, settings, options, limits, matches).hits;
    answer.result.fell_back_to_or =
        wanted.mode == QueryMode::kAndOr && settings.mode == QueryMode::kOr && !query.tree;
  }
  answer.result.matches = matches.count();
  answer.terms_cut = found.was_cut;
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
