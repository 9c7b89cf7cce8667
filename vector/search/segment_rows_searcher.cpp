// Filters of rows become filters of places; places of answers become rows.
#include "search/segment_rows_searcher.hpp"

#include <algorithm>
#include <vector>

#include "flat/search_input.hpp"

namespace warpdex::vector {
namespace {

RowFilter both(const RowFilter& a, const RowFilter& b) {
  std::vector<std::uint64_t> words(a.words().begin(), a.words().end());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] &= b.words()[i];
  return RowFilter::of_bits(words, a.rows());
}

}  // namespace

const RowFilter* SegmentRowsSearcher::filter_of_places(const RowFilter* filter,
                                                       std::optional<RowFilter>& own) const {
  if (filter == nullptr) return segment_.live;
  if (segment_.kept_rows.empty()) {
    if (segment_.live == nullptr) return filter;
    own = both(*filter, *segment_.live);
    return &*own;
  }
  own.emplace(segment_.rows);
  for (std::size_t place = 0; place < segment_.rows; ++place) {
    if (segment_.is_live(place) && filter->contains(segment_.kept_rows[place])) own->add(place);
  }
  return &*own;
}

template <class Answers>
void SegmentRowsSearcher::name_rows(Answers& answers) const {
  if (segment_.kept_rows.empty()) return;
  for (std::int32_t& row : answers.rows) {
    if (row < 0) continue;
    row = static_cast<std::int32_t>(segment_.kept_rows[static_cast<std::size_t>(row)]);
  }
}

Neighbors SegmentRowsSearcher::nearest(std::span<const float> queries, std::size_t k,
                                       const SearchOptions& options) const {
  check_k(k, rows());
  check_filter(options.filter, rows());
  if (segment_.rows == 0) {
    return make_neighbors(metric(), check_queries(dimension(), queries), k);
  }
  std::optional<RowFilter> own;
  const SearchOptions of_places = options.among(filter_of_places(options.filter, own));
  Neighbors found = searcher_->nearest(queries, std::min(k, segment_.rows), of_places);
  name_rows(found);
  return found.k == k ? found : with_places(metric(), found, k);
}

RangeNeighbors SegmentRowsSearcher::within(std::span<const float> queries, float radius,
                                           const SearchOptions& options) const {
  check_radius(radius);
  check_filter(options.filter, rows());
  if (segment_.rows == 0) {
    return {std::vector<std::uint64_t>(check_queries(dimension(), queries) + 1), {}, {}};
  }
  std::optional<RowFilter> own;
  const SearchOptions of_places = options.among(filter_of_places(options.filter, own));
  RangeNeighbors found = searcher_->within(queries, radius, of_places);
  name_rows(found);
  return found;
}

}  // namespace warpdex::vector
