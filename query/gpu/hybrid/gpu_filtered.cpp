// The nearest vectors among the documents that a filter lets through: the same set of rows for all
// queries.
#include <algorithm>

#include "gpu/hybrid/hybrid_kernels.hpp"
#include "gpu/hybrid/hybrid_state.hpp"
#include "warpdex/query/filter/document_filter.hpp"

namespace warpdex::gpu {

SetGroups GpuHybrid::State::group(std::span<const double> shares, std::uint32_t k) const {
  const vector::RowSettings& rows = vectors.state().settings;
  return group_sets(shares, k, static_cast<double>(snapshot().documents()),
                    static_cast<double>(rows.dimension * vector::store_bytes(rows.store)));
}

std::vector<std::vector<Hit>> GpuHybrid::State::nearest_filtered(std::span<const float> queries,
                                                                 std::uint32_t k,
                                                                 const DocumentFilter& filter,
                                                                 bool only_unlisted) {
  std::vector<std::vector<Hit>> hits(queries.size() / dimension());
  std::uint64_t passing = this->passing(filter);
  for (const GpuVectors::State::Listed& segment : vectors.state().listed) {
    if (!only_unlisted) break;
    passing -=
        filter.documents.slice(segment.first_document, segment.uploaded->index->counts().documents)
            .count();
  }
  const auto near = static_cast<std::uint32_t>(std::min<std::uint64_t>(k, passing));
  if (near == 0) return hits;
  const FilteredSegments filtered = leave_out_of(&filter, only_unlisted);
  const auto fill = [&](std::size_t, std::size_t count, const vector::GpuRowSets& sets,
                        const Stream& stream) {
    MatchBatch batch{};
    batch.segments = filtered.upload(stream);
    batch.segment_count = static_cast<std::uint32_t>(segments.size());
    batch.query_count = static_cast<std::uint32_t>(count);
    batch.sets = sets.words;
    batch.set_words = static_cast<std::uint32_t>(sets.stride);
    launch_fill_live(batch, stream);
  };
  const auto take = taker(
      near, [&](std::size_t query, std::vector<Hit> found) { hits[query] = std::move(found); });
  const double share = static_cast<double>(passing) / static_cast<double>(snapshot().documents());
  const SetGroups groups = group(std::vector<double>(hits.size(), share), near);
  if (groups.many.empty()) {
    searcher().nearest_within(queries, near, fill, take);
  } else {
    searcher().nearest_passing(queries, near, std::max<std::size_t>(near, groups.wide_k), fill,
                               take);
  }
  return hits;
}

}  // namespace warpdex::gpu
