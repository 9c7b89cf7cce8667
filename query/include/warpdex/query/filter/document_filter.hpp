// The documents of one commit that a filter lets through, and a cache of such sets.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "warpdex/indexer/format/snapshot.hpp"
#include "warpdex/query/filter/filter.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex {

/// Immutable. Two bits a document.
struct DocumentFilter {
  vector::RowFilter documents;  ///< live ones that fit, by their docIDs in the snapshot
  /// By segment: bit d mod 64 of word d / 64 is set where document d was removed or does not fit.
  std::vector<std::vector<std::uint64_t>> excluded{};
  std::uint64_t count = 0;   ///< of `documents`
  std::uint64_t number = 0;  ///< of this set in the process; its copies have the same
};

/// That of a set of live documents.
DocumentFilter filter_of(const Snapshot& snapshot, const vector::RowFilter& documents);

/// Evaluates a filter that check_filter() passes. O(documents) for each clause, some thousand
/// million a second; ids O(segments log documents) each. Throws FormatError for a damaged index.
DocumentFilter evaluate_filter(const Snapshot& snapshot, const FilterNode& filter);

/// Keeps the sets that were used last. Any thread.
class FilterCache {
 public:
  /// `max_bytes` of sets are kept at most.
  explicit FilterCache(std::uint64_t max_bytes = std::uint64_t{64} << 20) : max_bytes_(max_bytes) {}

  /// Of parse_filter(text). Throws InputError for a bad text, FormatError.
  std::shared_ptr<const DocumentFilter> get(const Snapshot& snapshot, std::string_view text);

 private:
  struct Entry {
    std::string text;
    std::shared_ptr<const DocumentFilter> filter;
    std::uint64_t bytes = 0;
  };

  std::uint64_t max_bytes_;
  std::mutex mutex_;
  std::list<Entry> entries_;  ///< the last used one first
  std::unordered_map<std::string_view, std::list<Entry>::iterator> places_;
  std::uint64_t bytes_ = 0;
};

}  // namespace warpdex
