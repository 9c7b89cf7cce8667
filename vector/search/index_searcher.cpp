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

using MakeSearcher = std::function<std::unique_ptr<VectorSearcher>(const SearchedVectors&)>;

/// A searcher of all segments. Candidates that are ranked anew are chosen among all of them.
std::unique_ptr<VectorSearcher> search_segments(const VectorIndex& index, Metric metric,
                                                std::size_t threads, const MakeSearcher& make) {
  std::vector<Shard> shards;
  for (const VectorSegment& segment : index.segments()) {
    const SearchedVectors vectors = with_metric(segment.vectors, metric);
    std::unique_ptr<VectorSearcher> searcher =
        segment.rows == 0 ? search_on_cpu(vectors, 1) : make(vectors);
    shards.push_back({nullptr, std::make_unique<SegmentRowsSearcher>(segment, std::move(searcher)),
                      segment.name});
  }
  auto all = std::make_unique<ShardedSearcher>(std::move(shards), 1);
  const SearchedVectors& first = index.segments().front().vectors;
  if (!has_codes(first) || flat_of(first).vectors.data == nullptr) return all;
  StoredRows rows(index);
  rows.set_metric(metric);
  return std::make_unique<RefiningSearcher>(std::move(all), std::move(rows),
                                            with_metric(first, metric), threads);
}

}  // namespace

std::unique_ptr<VectorSearcher> search_index_on_cpu(const VectorIndex& index, std::size_t threads,
                                                    std::optional<Metric> metric) {
  const Metric used = metric.value_or(index.settings().metric);
  const MakeSearcher make = [threads](const SearchedVectors& vectors) {
    return search_on_cpu(vectors, threads);
  };
  auto all = is_whole(index) ? make(with_metric(index.segments().front().vectors, used))
                             : search_segments(index, used, threads, make);
  return std::make_unique<CheckedSearcher>(std::move(all), index, used, threads);
}

std::unique_ptr<VectorSearcher> search_index_on_gpus(const VectorIndex& index,
                                                     std::span<Resources* const> gpus,
                                                     std::size_t shards,
                                                     const GpuSearchSettings& settings,
                                                     std::optional<Metric> metric) {
  const Metric used = metric.value_or(index.settings().metric);
  GpuSearchSettings own = settings;
  if (!is_whole(index)) own.keeps_vectors = false;  // refining is for all segments together
  const MakeSearcher make = [&](const SearchedVectors& vectors) {
    return search_on_gpus(vectors, gpus, shards, own);
  };
  auto all = is_whole(index) ? make(with_metric(index.segments().front().vectors, used))
                             : search_segments(index, used, 0, make);
  return std::make_unique<CheckedSearcher>(std::move(all), index, used, 0);
}

}  // namespace warpdex::vector
