// Answers queries that are trees, on the CPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/cpu/search_watch.hpp"
#include "warpdex/query/plan/whole_statistics.hpp"
#include "warpdex/query/query.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex {

/// A tree's answer.
struct TreeResult {
  SearchResult result;
  bool was_cut = false;        ///< a clause stands for more terms than are taken
  std::size_t most_terms = 0;  ///< that a prefix, pattern or range stands for
};

/// All documents that a tree matches.
struct TreeMatches {
  std::vector<std::uint32_t> documents;  ///< docIDs, ascending
  bool was_cut = false;                  ///< as TreeResult has it, and the next one
  std::size_t most_terms = 0;
};

/// Searches one commit. For one thread at a time.
class TreeSearcher {
 public:
  explicit TreeSearcher(const Snapshot& snapshot);
  /// Of a part of a whole, whose statistics outlive the searcher and have all terms of its trees.
  /// Near words (kFuzzy) that were not chosen before are those of the part alone.
  TreeSearcher(const Snapshot& snapshot, const WholeStatistics& whole);
  ~TreeSearcher();
  TreeSearcher(TreeSearcher&&) noexcept;
  TreeSearcher& operator=(TreeSearcher&&) noexcept;

  /// The best k documents of a tree of terms (Query::tree). The score of a Boolean clause is the
  /// sum of those of its clauses that match, in their order, of `must` first; its terms score by
  /// `settings.scorer`, which the engines score by, too. `settings.mode` is not read. With a watch
  /// that ends the search, `progress` tells how far it came. Throws UsageError for settings out of
  /// range, and where clauses stand for too many terms together; FormatError for a damaged index.
  /// O(postings of the terms): windows of documents where no score can enter are passed over.
  TreeResult search(const QueryNode& tree, const SearchSettings& settings,
                    SearchWatch* watch = nullptr, SearchProgress* progress = nullptr);

  /// Throws as search() does.
  TreeMatches matches(const QueryNode& tree);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex
