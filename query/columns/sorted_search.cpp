// Puts hits in the order of columns.
#include "warpdex/query/columns/sorted_search.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "warpdex/core/error.hpp"

namespace warpdex {

std::strong_ordering compare_values(const SortValues& a, const SortValues& b,
                                    std::span<const SortKey> keys) {
  for (std::size_t i = 0; i < keys.size(); ++i) {
    if (a[i].is_missing != b[i].is_missing) return a[i].is_missing <=> b[i].is_missing;
    const std::strong_ordering by_number = a[i].number <=> b[i].number;
    const std::strong_ordering order =
        by_number != std::strong_ordering::equal ? by_number : a[i].text <=> b[i].text;
    if (order == std::strong_ordering::equal) continue;
    return keys[i].descending ? 0 <=> order : order;
  }
  return std::strong_ordering::equal;
}

void check_equal(std::uint64_t documents) {
  if (documents <= kMaxK) return;
  throw UsageError("more than " + std::to_string(kMaxK) +
                   " documents have the values of the cursor's; sort by one more column");
}

SortedSearch::SortedSearch(const Snapshot& snapshot, std::span<const SortKey> keys, std::uint32_t k,
                           BestOf best_of)
    : snapshot_(snapshot), order_(snapshot, keys), k_(k), best_of_(std::move(best_of)) {}

SortedPage SortedSearch::first(const vector::RowFilter& matches) const {
  SortedPage page;
  fill(matches, std::nullopt, page.hits);
  return page;
}

SortedPage SortedSearch::behind(const vector::RowFilter& matches, std::uint32_t document) const {
  SortedPage page;
  const ColumnOrder::Codes codes = order_.codes(document);
  page.hits = equal(matches, codes);
  page.equal = page.hits.size();
  const auto after = std::ranges::find(page.hits, document, &Hit::document);
  if (after == page.hits.end()) {
    page.hits.clear();
    return page;
  }
  page.score = after->score;
  page.hits.erase(page.hits.begin(), after + 1);
  fill(matches, codes, page.hits);
  return page;
}

SortedPage SortedSearch::behind(const vector::RowFilter& matches, const SortPlace& place,
                                bool with_ties) const {
  SortedPage page;
  const ColumnOrder::Codes codes = order_.codes_of(place.values);
  page.hits = equal(matches, codes);
  page.equal = page.hits.size();
  std::erase_if(page.hits, [&](const Hit& hit) {
    return hit.score > place.score || (hit.score == place.score && !with_ties);
  });
  fill(matches, codes, page.hits);
  return page;
}

/// All of `matches` with these codes, by score.
std::vector<Hit> SortedSearch::equal(const vector::RowFilter& matches,
                                     const ColumnOrder::Codes& codes) const {
  const std::vector<std::uint32_t> documents = order_.equal(codes, matches);
  check_equal(documents.size());
  return best(documents, documents.size());
}

/// Appends to the first hits of a page those whose codes are larger.
void SortedSearch::fill(const vector::RowFilter& matches,
                        const std::optional<ColumnOrder::Codes>& behind,
                        std::vector<Hit>& hits) const {
  const std::size_t left = k_ - std::min<std::size_t>(k_, hits.size());
  const ColumnOrder::First first = order_.first(left, matches, behind);
  const std::vector<Hit> before = best(first.documents, left);
  std::vector<std::pair<ColumnOrder::Codes, Hit>> coded;
  for (const Hit& hit : before) coded.emplace_back(order_.codes(hit.document), hit);
  // By score within one place in the order, as best() has them.
  std::ranges::stable_sort(coded, {}, &std::pair<ColumnOrder::Codes, Hit>::first);
  for (const auto& [codes, hit] : coded) hits.push_back(hit);
  for (const Hit& hit : best(first.ties, left - before.size())) hits.push_back(hit);
  hits.resize(std::min<std::size_t>(hits.size(), k_));
}

std::vector<Hit> SortedSearch::best(const std::vector<std::uint32_t>& documents,
                                    std::size_t k) const {
  if (documents.empty() || k == 0) return {};
  const DocumentFilter filter =
      filter_of(snapshot_, vector::RowFilter::of_rows(documents, snapshot_.docid_end()));
  return best_of_(filter,
                  static_cast<std::uint32_t>(std::min({k, documents.size(), std::size_t{kMaxK}})));
}

}  // namespace warpdex
