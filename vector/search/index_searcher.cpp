// One searcher a segment, and what stands above them.
#include "warpdex/vector/search/index_searcher.hpp"

#include <functional>
#include <utility>
#include <vector>

#include "search/checked_searcher.hpp"
#include "search/segment_rows_searcher.hpp"
#include "warpdex/vector/search/make_searcher.hpp"
#include "warpdex/vector/search/refining_searcher.hpp"
#include "warpdex/vector/search/sharded_searcher.hpp"
#include "warpdex/vector/search/stored_rows.hpp"

namespace warpdex::vector {
namespace {

bool is_whole(const VectorIndex& index) {
  return index.segments().size() == 1 && index.segments().front().is_whole();
}

/// make(vectors, settings) is a searcher of what one segment has.
using MakeSearcher =
    std::function<std::unique_ptr<VectorSearcher>(const SearchedVectors&, const ProbeSettings&)>;

/// A searcher of all segments. Candidates that are ranked anew are chosen among all of them.
std::unique_ptr<VectorSearcher> search_segments(const VectorIndex& index,
                                                const ProbeSettings& settings, Metric metric,
                                                std::size_t threads, const MakeSearcher& make) {
  if (is_whole(index)) return make(with_metric(index.segments().front().vectors, metric), settings);
  std::vector<Shard> shards;
  for (const VectorSegment& segment : index.segments()) {
    const SearchedVectors vectors = with_metric(segment.vectors, metric);
    std::unique_ptr<VectorSearcher> searcher = segment.rows == 0
                                                   ? search_on_cpu(vectors, settings.by_codes(), 1)
                                                   : make(vectors, settings.by_codes());
    shards.push_back({nullptr, std::make_unique<SegmentRowsSearcher>(segment, std::move(searcher)),
                      segment.name});
  }
  auto all = std::make_unique<ShardedSearcher>(std::move(shards), 1);
  if (settings.refine == 0 || !has_codes(index.settings().index)) return all;
  StoredRows rows(index);
  rows.set_metric(metric);
  const SearchedVectors first = with_metric(index.segments().front().vectors, metric);
  return std::make_unique<RefiningSearcher>(std::move(all), std::move(rows), settings.refine,
                                            candidate_margin(first, settings), threads);
}

}  // namespace

std::unique_ptr<VectorSearcher> search_index_on_cpu(const VectorIndex& index,
                                                    const ProbeSettings& settings,
                                                    std::size_t threads,
                                                    std::optional<Metric> metric) {
  const Metric used = metric.value_or(index.settings().metric);
  const MakeSearcher make = [threads](const SearchedVectors& vectors, const ProbeSettings& own) {
    return search_on_cpu(vectors, own, threads);
  };
  return std::make_unique<CheckedSearcher>(search_segments(index, settings, used, threads, make),
                                           index, settings, used, threads);
}

std::unique_ptr<VectorSearcher> search_index_on_gpus(const VectorIndex& index,
                                                     const ProbeSettings& settings,
                                                     std::span<Resources* const> gpus,
                                                     std::size_t shards,
                                                     std::optional<Metric> metric) {
  const Metric used = metric.value_or(index.settings().metric);
  const MakeSearcher make = [&](const SearchedVectors& vectors, const ProbeSettings& own) {
    return search_on_gpus(vectors, own, gpus, shards);
  };
  return std::make_unique<CheckedSearcher>(search_segments(index, settings, used, 0, make), index,
                                           settings, used, 0);
}

}  // namespace warpdex::vector
