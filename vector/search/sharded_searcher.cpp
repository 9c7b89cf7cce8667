// Asks the shards, each for as many answers as it may have to give, and merges what they found.
#include "warpdex/vector/search/sharded_searcher.hpp"

#include <algorithm>
#include <optional>

#include "flat/search_input.hpp"
#include "search/parts.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex::vector {

Metric JointSearcher::metric() const { return parts_.front().searcher->metric(); }
std::size_t JointSearcher::dimension() const { return parts_.front().searcher->dimension(); }

GpuFigures JointSearcher::figures() const {
  GpuFigures all;
  for (const Shard& shard : parts_) {
    const GpuFigures own = shard.searcher->figures();
    all.queries += own.queries;
    all.uncertified += own.uncertified;
  }
  return all;
}

bool JointSearcher::is_resident() const {
  return std::all_of(parts_.begin(), parts_.end(),
                     [](const Shard& shard) { return shard.searcher->is_resident(); });
}

ShardedSearcher::ShardedSearcher(std::vector<Shard> shards, std::size_t at_once)
    : JointSearcher(std::move(shards)),
      begins_{0},
      at_once_(at_once == 0 ? parts_.size() : at_once) {
  if (parts_.empty()) throw UsageError("there is no shard to search; give one or more");
  for (const Shard& shard : parts_) {
    if (shard.searcher->metric() != metric() || shard.searcher->dimension() != dimension()) {
      throw UsageError("shards are of one metric and one dimension; '" + shard.name +
                       "' is not of those of '" + parts_.front().name + "'");
    }
    begins_.push_back(begins_.back() + shard.searcher->rows());
  }
}

/// Calls search(searcher, options) for each shard that has rows. Rows of the answers are turned
/// into those of the whole.
template <class Answers, class Search>
std::vector<Answers> ShardedSearcher::ask_shards(const SearchOptions& options,
                                                 const Search& search) const {
  std::vector<std::optional<Answers>> found(parts_.size());
  threads_.parallel_for(at_once_, parts_.size(), [&](std::size_t /*thread*/, std::size_t i) {
    const std::size_t first = begins_[i];
    const std::size_t count = begins_[i + 1] - first;
    if (count == 0) return;
    with_name(parts_[i].name, [&] {
      std::optional<RowFilter> own;
      if (options.filter != nullptr) own = options.filter->slice(first, count);
      Answers answers = search(*parts_[i].searcher, options.among(own ? &*own : nullptr));
      for (std::int32_t& row : answers.rows) {
        if (row >= 0) row += static_cast<std::int32_t>(first);
      }
      found[i] = std::move(answers);
    });
  });
  std::vector<Answers> parts;
  for (std::optional<Answers>& one : found) {
    if (one) parts.push_back(std::move(*one));
  }
  return parts;
}

Neighbors ShardedSearcher::nearest(std::span<const float> queries, std::size_t k,
                                   const SearchOptions& options) const {
  check_k(k, rows());
  check_filter(options.filter, rows());
  std::vector<Neighbors> parts =
      ask_shards<Neighbors>(options, [&](const VectorSearcher& shard, const SearchOptions& own) {
        return shard.nearest(queries, std::min(k, shard.rows()), own);
      });
  if (parts.size() == 1 && parts.front().k == k) return std::move(parts.front());
  return merge_nearest(metric(), parts, k);
}

RangeNeighbors ShardedSearcher::within(std::span<const float> queries, float radius,
                                       const SearchOptions& options) const {
  check_radius(radius);
  check_filter(options.filter, rows());
  std::vector<RangeNeighbors> parts = ask_shards<RangeNeighbors>(
      options, [&](const VectorSearcher& shard, const SearchOptions& own) {
        return shard.within(queries, radius, own);
      });
  if (parts.size() == 1) return std::move(parts.front());
  return merge_within(metric(), parts, check_queries(dimension(), queries));
}

}  // namespace warpdex::vector
