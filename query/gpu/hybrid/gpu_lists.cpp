// The nearest vectors of segments that have lists or codes, and of others beside them.
#include <algorithm>
#include <string>

#include "gpu/hybrid/hybrid_state.hpp"
#include "nearest_hits.hpp"
#include "warpdex/core/cuda/copies.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/vector/format/row_index.hpp"

namespace warpdex::gpu {

std::vector<std::vector<Hit>> GpuHybrid::State::nearest_of_all(
    const vector::GpuSegmentSearcher& all, std::span<const float> queries, std::uint32_t k) const {
  std::vector<std::vector<Hit>> hits(queries.size() / dimension());
  const std::size_t near = std::min<std::size_t>(k, all.live_rows());
  if (near == 0) return hits;
  all.nearest(queries, near, taker(near, [&](std::size_t query, std::vector<Hit> found) {
                hits[query] = std::move(found);
              }));
  return hits;
}

/// What is found by whole vectors or is not to be refined is an answer; what is found by codes is a
/// candidate, and all candidates are ranked by their vectors together.
std::vector<std::vector<Hit>> GpuHybrid::State::nearest_in_lists(std::span<const float> queries,
                                                                 std::uint32_t k,
                                                                 const vector::SearchOptions& depth,
                                                                 const DocumentFilter* filter) {
  const GpuVectors::State& uploaded = vectors.state();
  std::vector<std::vector<Hit>> hits(queries.size() / dimension());
  if (uploaded.unlisted) {
    hits = filter == nullptr ? nearest_of_all(*uploaded.unlisted, queries, k)
                             : nearest_filtered(queries, k, *filter, true);
  }
  std::vector<std::vector<Hit>> candidates(hits.size());
  for (const GpuVectors::State::Listed& segment : uploaded.listed) {
    const vector::VectorSearcher& searcher = *segment.uploaded->by_lists;
    const vector::SearchedVectors& searched =
        segment.uploaded->index->vector_index(uploaded.set)->vectors();
    std::optional<vector::RowFilter> passing;  // none of them was removed
    if (filter != nullptr) {
      passing = filter->documents.slice(segment.first_document, searcher.rows());
      if (passing->count() == 0) continue;
    }
    const std::optional<vector::RowFilter>& allowed = passing ? passing : segment.live;
    const bool is_refined = depth.refine > 0 && vector::has_codes(searched);
    const std::size_t wanted = is_refined ? std::max<std::size_t>(k, depth.refine) : k;
    vector::SearchOptions options =
        segment_options(depth, list_count(searched), allowed ? &*allowed : nullptr);
    options.refine = 0;
    const vector::Neighbors found =
        searcher.nearest(queries, std::min(wanted, searcher.rows()), options);
    for (std::size_t i = 0; i < hits.size(); ++i) {
      append_hits(found, i, segment.first_document, is_refined ? candidates[i] : hits[i]);
    }
  }
  refine(queries, k, candidates, hits);
  const IsNearer is_nearer{vector::larger_is_nearer(uploaded.settings.metric)};
  threads.for_each(hits.size(), [&](std::size_t i) { keep_nearest_hits(hits[i], k, is_nearer); });
  return hits;
}

void GpuHybrid::State::refine(std::span<const float> queries, std::uint32_t k,
                              std::span<const std::vector<Hit>> candidates,
                              std::vector<std::vector<Hit>>& hits) const {
  std::vector<std::uint32_t> rows;
  std::vector<std::uint32_t> begins{0};
  std::size_t most = 0;
  for (const std::vector<Hit>& some : candidates) {
    for (const Hit& hit : some) rows.push_back(hit.document);
    begins.push_back(static_cast<std::uint32_t>(rows.size()));
    most = std::max(most, some.size());
  }
  most = std::min<std::size_t>(most, k);
  if (most == 0) return;
  searcher().nearest_among(queries, most, rows, begins,
                           taker(most, [&](std::size_t query, const std::vector<Hit>& found) {
                             hits[query].insert(hits[query].end(), found.begin(), found.end());
                           }));
}

AccountedBuffer GpuHybrid::State::upload_rows(std::span<const std::vector<Hit>> found,
                                              std::size_t near, const Stream& stream) const {
  std::vector<std::int32_t> rows(found.size() * near, -1);
  for (std::size_t i = 0; i < found.size(); ++i) {
    std::ranges::transform(found[i], rows.begin() + static_cast<std::ptrdiff_t>(i * near),
                           [](const Hit& hit) { return static_cast<std::int32_t>(hit.document); });
  }
  AccountedBuffer buffer;
  if (!buffer.allocate(rows.size() * sizeof(std::int32_t), resources().memory(),
                       resources().device())) {
    throw Error("there is no GPU memory left for the neighbours of " +
                std::to_string(found.size()) + " queries; give more");
  }
  copy_to_gpu(static_cast<std::int32_t*>(buffer.data()), rows.data(), rows.size(), stream);
  return buffer;
}

}  // namespace warpdex::gpu
