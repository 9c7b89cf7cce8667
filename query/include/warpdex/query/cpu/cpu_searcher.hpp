// The CPU engine: AND driven by the rarest list, OR by windowed block-max MaxScore, both over the
// compressed lists.
#pragma once

#include <memory>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/blocks/document_blocks.hpp"
#include "warpdex/query/cpu/search_watch.hpp"
#include "warpdex/query/plan/plan.hpp"
#include "warpdex/query/search.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// Answers queries on one thread. Keeps scratch memory between queries: about 400 KiB, and 2 KiB
/// for each term of the longest query. Keeps no results of earlier queries.
class CpuSearcher {
 public:
  /// Keeps a reference: the index must outlive the searcher and must not be moved meanwhile.
  /// Allocates scratch memory; reads no lists.
  explicit CpuSearcher(const Index& index);
  /// Likewise over all segments of a snapshot, which the searcher shares. Answers have the
  /// snapshot's docIDs. `blocks`, if there are any, are the snapshot's.
  explicit CpuSearcher(const Snapshot& snapshot,
                       std::shared_ptr<const SnapshotBlocks> blocks = nullptr);
  ~CpuSearcher();
  CpuSearcher(CpuSearcher&&) noexcept;
  CpuSearcher& operator=(CpuSearcher&&) noexcept;

  /// plan() and run(). Throws UsageError for settings or weights out of range, FormatError for
  /// damage that the query meets.
  SearchResult search(const Query& query, const SearchSettings& settings);

  /// Looks the terms up. Throws FormatError if the lexicon is damaged.
  PlannedQuery plan(const Query& query) const;

  /// Answers a query that was planned over this index or snapshot. Throws as search() does.
  SearchResult run(const PlannedQuery& plan, const SearchSettings& settings);

  /// The same among `documents` only, a set of docIDs: others do not match. Statistics stay those
  /// of the whole. Can skip less than run().
  SearchResult run_within(const PlannedQuery& plan, const SearchSettings& settings,
                          const vector::RowFilter& documents);

  /// The same as run(), unless `watch` stops it. Then it returns the best of the documents that
  /// were looked at, with exact scores, and `progress` has an upper bound of all other scores.
  SearchResult run(const PlannedQuery& plan, const SearchSettings& settings, SearchWatch& watch,
                   SearchProgress& progress);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
