// Writes all of an index again: other docIDs, another codec, impacts in the place of frequencies,
// or several segments in one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/index_writer.hpp"

namespace warpdex::rewrite {

/// What a posting costs in memory on its way: the list as it was, sorted by its new docIDs, and
/// encoded.
inline constexpr std::uint64_t kBytesPerPosting = 36;

/// Likewise an occurrence, where the index has positions.
inline constexpr std::uint64_t kBytesPerPosition = 16;

struct RewriteSettings {
  IndexSettings index;                   ///< of the new index, as its writer has them
  std::span<const std::uint32_t> order;  ///< the old docID of each new one; empty: as they are
  std::uint64_t memory = 0;              ///< bytes for lists in the making; one list may take more
  std::size_t threads = 1;               ///< 1 or more
};

/// An index, and which of its documents are left out.
struct RewriteSource {
  const Index* index = nullptr;
  RemovedRows removed{};
};

/// Adds all documents and lists of `from` (one index or more, with the same settings; with an
/// order, one without removed documents) to `to`, which is empty; commit() is left to the caller.
/// Documents of a later source come behind those of an earlier one; terms that no document has any
/// more are left out. The same bytes for any number of threads. Where both hold impacts, these and
/// static scores stay as they are. `progress` is called with the postings read so far, one call at
/// a time, from any thread; what it throws ends the work. Throws FormatError for a damaged index,
/// InputError for a static score too large for impacts, IoError.
void rewrite_index(std::span<const RewriteSource> from, const RewriteSettings& settings,
                   IndexWriter& to, const std::function<void(std::uint64_t)>& progress);

}  // namespace warpdex::rewrite
