// Search of the vectors of an index's documents on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/rows/row_filter.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex {

/// Finds the live documents whose vectors are nearest: all are compared, or, in segments that have
/// lists or codes (Index::vector_index()), what these say is nearest. Distances, unless they are by
/// codes, are those of an exact search (docs/vector.md), so they do not depend on segments.
/// Immutable: any number of threads may search at once.
class VectorHalf {
 public:
  /// Of one of vector_sets(). `threads` of 0: default_threads(). Throws UsageError if the index
  /// holds no vectors.
  explicit VectorHalf(const Snapshot& snapshot, std::size_t threads = 0, std::size_t set = 0);
  ~VectorHalf();
  VectorHalf(VectorHalf&&) noexcept;
  VectorHalf& operator=(VectorHalf&&) noexcept;

  /// For each query, its k nearest documents, or all that are found if these are fewer: nearest
  /// first, equal ones by docID. `depth` says how thoroughly each segment is searched, without a
  /// filter; `documents`, if it is not null, which may be found, by docIDs below
  /// Snapshot::docid_end(). Scores are the metric's: inner products (larger is nearer) or squared
  /// distances. `queries` are rows of the index's dimension, one after the other. Throws UsageError
  /// for another size, and for components that are not finite.
  std::vector<std::vector<Hit>> nearest(std::span<const float> queries, std::uint32_t k,
                                        const vector::SearchOptions& depth = {},
                                        const vector::RowFilter* documents = nullptr) const;

  /// The k nearest of one query among `documents` only, all of which are compared: a set of docIDs
  /// below Snapshot::docid_end(). Runs on the calling thread.
  std::vector<Hit> nearest_within(std::span<const float> query, std::uint32_t k,
                                  const vector::RowFilter& documents) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
