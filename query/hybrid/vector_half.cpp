// Searches the vectors of each segment, and merges the answers.
#include "warpdex/query/hybrid/vector_half.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>

#include "nearest_hits.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/query/index_vectors.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/row_index.hpp"
#include "warpdex/vector/search/make_searcher.hpp"

namespace warpdex {
namespace {

struct SearchedVectorsOfSegment {
  std::unique_ptr<vector::VectorSearcher> together;  ///< for many queries, on all threads
  vector::FlatSearcher alone;                        ///< for one, on the calling thread
  std::size_t lists = 1;
  std::uint32_t first_document = 0;
  std::uint32_t documents = 0;
  std::optional<vector::RowFilter> live;  ///< if some were removed
};

/// The live rows of a segment among `documents`.
vector::RowFilter allowed_rows(const SearchedVectorsOfSegment& segment,
                               const vector::RowFilter& documents) {
  vector::RowFilter wanted = documents.slice(segment.first_document, segment.documents);
  if (!segment.live) return wanted;
  std::vector<std::uint64_t> words(wanted.words().begin(), wanted.words().end());
  for (std::size_t i = 0; i < words.size(); ++i) words[i] &= segment.live->words()[i];
  return vector::RowFilter::of_bits(words, segment.documents);
}

}  // namespace

struct VectorHalf::State {
  Snapshot snapshot;
  std::size_t dimension;
  IsNearer is_nearer;
  std::vector<SearchedVectorsOfSegment> segments;

  void check(bool fits) const {
    if (fits) return;
    throw UsageError(
        "the vectors of the queries have another number of components than those of the index, "
        "which have " +
        std::to_string(dimension));
  }
};

VectorHalf::VectorHalf(const Snapshot& snapshot, std::size_t threads, std::size_t set) {
  const vector::RowSettings vectors = vector_settings(snapshot, set);
  state_ = std::make_unique<State>(
      State{snapshot, vectors.dimension, {vector::larger_is_nearer(vectors.metric)}, {}});
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    const Index& index = *segment.index;
    const auto documents = static_cast<std::uint32_t>(index.counts().documents);
    if (documents == 0) continue;
    const vector::SearchedVectors searched = index.vector_index(set) != nullptr
                                                 ? index.vector_index(set)->vectors()
                                                 : index.vectors(set);
    state_->segments.push_back({vector::search_on_cpu(searched, threads),
                                vector::FlatSearcher(index.vectors(set), 1), list_count(searched),
                                segment.first_document, documents, std::nullopt});
    if (!index.removed().none()) state_->segments.back().live = live_rows(index);
  }
}

VectorHalf::~VectorHalf() = default;
VectorHalf::VectorHalf(VectorHalf&&) noexcept = default;
VectorHalf& VectorHalf::operator=(VectorHalf&&) noexcept = default;

std::vector<std::vector<Hit>> VectorHalf::nearest(std::span<const float> queries, std::uint32_t k,
                                                  const vector::SearchOptions& depth,
                                                  const vector::RowFilter* documents) const {
  state_->check(queries.size() % state_->dimension == 0);
  std::vector<std::vector<Hit>> hits(queries.size() / state_->dimension);
  if (hits.empty()) return hits;
  for (const SearchedVectorsOfSegment& segment : state_->segments) {
    std::optional<vector::RowFilter> allowed;
    if (documents != nullptr) allowed = allowed_rows(segment, *documents);
    if (allowed && allowed->count() == 0) continue;
    const vector::RowFilter* const live = segment.live ? &*segment.live : nullptr;
    const vector::Neighbors found = segment.together->nearest(
        queries, std::min(k, segment.documents),
        segment_options(depth, segment.lists, allowed ? &*allowed : live));
    for (std::size_t i = 0; i < hits.size(); ++i) {
      append_hits(found, i, segment.first_document, hits[i]);
    }
  }
  for (std::vector<Hit>& of_query : hits) keep_nearest_hits(of_query, k, state_->is_nearer);
  return hits;
}

std::vector<Hit> VectorHalf::nearest_within(std::span<const float> query, std::uint32_t k,
                                            const vector::RowFilter& documents) const {
  state_->check(query.size() == state_->dimension);
  std::vector<Hit> hits;
  for (const SearchedVectorsOfSegment& segment : state_->segments) {
    const vector::RowFilter allowed = allowed_rows(segment, documents);
    const auto count = static_cast<std::uint32_t>(allowed.count());
    if (count == 0) continue;
    append_hits(segment.alone.nearest(query, std::min(k, count), {.filter = &allowed}), 0,
                segment.first_document, hits);
  }
  keep_nearest_hits(hits, k, state_->is_nearer);
  return hits;
}

}  // namespace warpdex
