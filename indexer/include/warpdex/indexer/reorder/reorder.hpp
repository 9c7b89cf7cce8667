// An index with its documents in another order, by recursive graph bisection (Dhulipala et al.,
// KDD 2016): those with terms in common get docIDs near each other, so lists are smaller.
#pragma once

#include <cstdint>
#include <functional>

#include "warpdex/indexer/build/index_builder.hpp"
#include "warpdex/indexer/rewrite/convert.hpp"

namespace warpdex {

/// How an order is found.
struct OrderSettings {
  /// Lists of fewer postings do not count for the order; 2 or more.
  std::uint32_t min_list = 2;
  std::uint32_t leaf = 16;  ///< parts of so many documents are not divided any more; 1 or more
  std::uint32_t iterations = 20;  ///< maximum rounds of exchanges between two halves; 1 or more
};

/// What was reordered, and how long it took.
struct ReorderReport {
  std::uint64_t documents = 0;
  std::uint64_t terms = 0;
  std::uint64_t postings = 0;
  std::uint32_t min_list = 0;       ///< of the lists that counted
  std::uint64_t lists_used = 0;     ///< their number
  std::uint64_t postings_used = 0;  ///< their postings
  /// The budget, in bytes, with which all lists of OrderSettings::min_list postings count. With
  /// less, the rarest are left out, and `min_list` is larger than was asked for.
  std::uint64_t memory_for_all = 0;
  double order_seconds = 0;  ///< of wall-clock time, to find the order
  double seconds = 0;        ///< all in all
  /// A sentence for each thing beside the index that could not be cleared away.
  std::vector<std::string> notes{};
};

/// Writes the index of `options.input` to `options.output` with other docIDs: names, lengths,
/// static scores and postings follow their documents. A document's score for a query stays the same
/// to the bit; documents of one score rank by their new docIDs. Documents without terms come last,
/// in the order in which they were. The bytes do not depend on the number of threads; they depend
/// on the memory where that is too little for all lists (ReorderReport::memory_for_all). Checks
/// every section's checksum first. Throws as convert_index() does, and UsageError where the memory
/// does not hold even the tables of documents (about 37 bytes each). O(postings · log documents).
ReorderReport reorder_index(const RewriteOptions& options, const OrderSettings& settings);

/// Builds as build_index() does, then reorders the index as reorder_index() does; `reordering` gets
/// the progress of the second step. For a while, the index is on the disk twice, beside the target.
BuildReport build_reordered_index(DocumentReader& reader, const BuildOptions& options,
                                  const OrderSettings& settings,
                                  const std::function<void(const RewriteProgress&)>& reordering,
                                  ReorderReport& report);

}  // namespace warpdex
