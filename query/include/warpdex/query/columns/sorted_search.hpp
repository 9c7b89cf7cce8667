// Pages of an answer that is sorted by columns.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/columns/column_order.hpp"
#include "warpdex/query/filter/document_filter.hpp"
#include "warpdex/query/search.hpp"

namespace warpdex {

/// Where a document stands in a sorted answer, but for its docID.
struct SortPlace {
  SortValues values{};
  float score = 0;
};

struct SortedPage {
  std::vector<Hit> hits{};  ///< by columns, then by score, then by docID
  /// Of the document behind which the page begins, where it is one of this commit and matches.
  std::optional<float> score{};
  std::uint64_t equal = 0;  ///< documents with the values of that one
};

/// Sorts the documents that match one query. The snapshot outlives it.
class SortedSearch {
 public:
  /// The best of some documents by score, up to k (1 to kMaxK), which all match.
  using BestOf = std::function<std::vector<Hit>(const DocumentFilter& documents, std::uint32_t k)>;

  /// Pages have up to k documents. Throws as ColumnOrder.
  SortedSearch(const Snapshot& snapshot, std::span<const SortKey> keys, std::uint32_t k,
               BestOf best_of);

  const ColumnOrder& order() const { return order_; }

  /// The first page of `matches`.
  SortedPage first(const vector::RowFilter& matches) const;
  /// The page behind a document of the commit; empty where that does not match. Throws UsageError
  /// where more than kMaxK documents have its values.
  SortedPage behind(const vector::RowFilter& matches, std::uint32_t document) const;
  /// The page behind a document of another commit. `with_ties`: with those that have its values and
  /// its score. Throws as the other.
  SortedPage behind(const vector::RowFilter& matches, const SortPlace& place, bool with_ties) const;

 private:
  std::vector<Hit> equal(const vector::RowFilter& matches, const ColumnOrder::Codes& codes) const;
  void fill(const vector::RowFilter& matches, const std::optional<ColumnOrder::Codes>& behind,
            std::vector<Hit>& hits) const;
  std::vector<Hit> best(const std::vector<std::uint32_t>& documents, std::size_t k) const;

  const Snapshot& snapshot_;
  ColumnOrder order_;
  std::uint32_t k_;
  BestOf best_of_;
};

/// Throws UsageError where more than kMaxK documents have the values of a cursor's.
void check_equal(std::uint64_t documents);

}  // namespace warpdex
