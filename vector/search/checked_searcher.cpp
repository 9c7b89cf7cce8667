// Asks for candidates by codes, with a margin for what codes are off, and computes their distances.
#include "search/checked_searcher.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "binary/binary_bound.hpp"
#include "binary/check_depth.hpp"
#include "binary/query_code.hpp"
#include "flat/order_key.hpp"
#include "flat/run_tasks.hpp"
#include "flat/search_input.hpp"
#include "warpdex/core/parallel.hpp"

namespace warpdex::vector {
namespace {

bool has_corrections(const VectorIndex& index) {
  const auto* const codes = std::get_if<BinaryVectors>(&index.segments().front().vectors);
  return codes != nullptr && codes->quantizer.is_corrected;
}

float largest(std::span<const float> values, float least) {
  for (const float value : values) least = std::max(least, value);
  return least;
}

/// limit + margin, rounded up.
float widened(float limit, double margin) {
  const auto sum = static_cast<float>(double{limit} + margin);
  return std::nextafter(sum, std::numeric_limits<float>::infinity());
}

}  // namespace

/// Rows with their distances by codes; rows of -1 are at the end.
struct CheckedSearcher::Candidates {
  std::span<const std::int32_t> rows;
  std::span<const float> distances;
};

CheckedSearcher::CheckedSearcher(std::unique_ptr<VectorSearcher> searcher, const VectorIndex& index,
                                 Metric metric, std::size_t threads)
    : searcher_(std::move(searcher)),
      index_(index),
      metric_(metric),
      threads_(threads == 0 ? default_threads() : threads),
      checks_(index.settings().index.has_codes() && index.settings().pq.keeps_vectors),
      is_bound_(has_corrections(index)) {}

Neighbors CheckedSearcher::nearest(std::span<const float> queries, std::size_t k,
                                   const SearchOptions& given) const {
  const SearchOptions options = of_lists(given);
  if (k <= rows()) return searcher_->nearest(queries, k, options);
  check_filter(options.filter, rows());
  if (rows() == 0) return make_neighbors(metric_, check_queries(dimension(), queries), k);
  return with_places(metric_, searcher_->nearest(queries, rows(), options), k);
}

const CheckedSearcher::Check& CheckedSearcher::check() const {
  std::call_once(once_, [&] {
    StoredRows rows(index_);
    rows.set_metric(metric_);
    for (const VectorSegment& segment : index_.segments()) {
      const auto* const codes = std::get_if<BinaryVectors>(&segment.vectors);
      if (codes == nullptr || !is_bound_) continue;
      check_.size =
          largest(metric_ == Metric::kL2 ? codes->terms : codes->vectors.norms, check_.size);
      check_.residual = largest(codes->residuals, check_.residual);
    }
    check_.rows.emplace(std::move(rows));
  });
  return check_;
}

/// No row's distance by codes is farther from the canonical one.
double CheckedSearcher::certain_margin(const float* prepared, const SearchOptions& options) const {
  const SearchedVectors first = with_metric(index_.segments().front().vectors, metric_);
  const auto& codes = std::get<BinaryVectors>(first);
  const QueryCode code = encode_query(codes, check_depth(codes, options), prepared);
  return largest_code_error(codes, code, prepared, check_.size, check_.residual);
}

/// Adds the canonical keys of candidates. Returns by how much distances by codes differ, at most.
double CheckedSearcher::add_exact(const float* prepared, const Candidates& candidates,
                                  std::vector<std::uint64_t>& keys) const {
  double most = 0;
  for (std::size_t i = 0; i < candidates.rows.size() && candidates.rows[i] >= 0; ++i) {
    keys.push_back(check_.rows->key(prepared, static_cast<std::size_t>(candidates.rows[i])));
    const double by_codes{ascending(metric_, candidates.distances[i])};
    const double off = std::abs(by_codes - double{key_value(keys.back())});
    if (off > most) most = off;
  }
  return most;
}

std::vector<std::uint64_t> CheckedSearcher::check_query(std::span<const float> query,
                                                        const float* prepared, float limit,
                                                        const Candidates& sample,
                                                        const SearchOptions& options) const {
  std::vector<std::uint64_t> keys;
  const auto ask = [&](double margin) {
    keys.clear();
    const float radius = from_ascending(metric_, widened(limit, margin));
    const RangeNeighbors found = searcher_->within(query, radius, options);
    return add_exact(prepared, {found.rows, found.distances}, keys);
  };
  if (is_bound_) {
    ask(certain_margin(prepared, options));
    return keys;
  }
  double margin = add_exact(prepared, sample, keys);
  const bool is_all = sample.rows.back() < 0;  // that can be found
  if (is_all) return keys;
  if (double{ascending(metric_, sample.distances.back())} > double{limit} + margin) return keys;
  std::vector<std::uint64_t> sampled = std::move(keys);
  // Until no candidate is off by more than what was allowed for.
  for (double off = ask(margin); off > margin; off = ask(margin)) margin = off;
  keys.insert(keys.end(), sampled.begin(), sampled.end());
  return keys;
}

RangeNeighbors CheckedSearcher::within(std::span<const float> queries, float radius,
                                       const SearchOptions& given) const {
  const SearchOptions options = of_lists(given);
  check_radius(radius);
  check_filter(options.filter, rows());
  if (!checks_ || rows() == 0) return searcher_->within(queries, radius, options);
  check();
  const PreparedQueries prepared = prepare_queries(metric_, dimension(), queries);
  const std::size_t taken = std::min(std::max(kSample, options.refine), rows());
  Neighbors samples;
  if (!is_bound_) samples = searcher_->nearest(queries, taken, options.by_codes());
  const float limit = ascending(metric_, radius);
  std::vector<std::vector<std::uint64_t>> found(prepared.count);
  run_tasks(threads_, prepared.count, [&](std::size_t q) {
    Candidates sample;
    if (!is_bound_) {
      sample = {std::span(samples.rows).subspan(q * taken, taken),
                std::span(samples.distances).subspan(q * taken, taken)};
    }
    found[q] = check_query(queries.subspan(q * dimension(), dimension()), prepared.query(q), limit,
                           sample, options);
    const std::uint64_t last = order_key(limit, ~std::uint32_t{0});
    std::erase_if(found[q], [last](std::uint64_t key) { return key > last; });
    std::sort(found[q].begin(), found[q].end());
    found[q].erase(std::unique(found[q].begin(), found[q].end()), found[q].end());
  });
  RangeNeighbors result;
  result.offsets.push_back(0);
  for (const std::vector<std::uint64_t>& keys : found) add_answers(metric_, keys, result);
  return result;
}

}  // namespace warpdex::vector
