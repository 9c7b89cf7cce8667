// A term in one segment, without what removed documents take from its statistics. Internal.
#pragma once

#include <cstdint>
#include <optional>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/query/plan/whole_statistics.hpp"

namespace warpdex {

/// A term that live documents of a segment have.
struct LiveEntry {
  PostingsEntry entry;
  FrequencyChange removed;  ///< with what was removed; zeros where that is not known
};

/// None for a term without an entry, and for one that no live document has: an index built of what
/// is live would not know it.
std::optional<LiveEntry> live_entry(const Index& index, const std::optional<PostingsEntry>& entry);

/// How frequent it is there. O(1); of a short list O(postings).
TermFrequencies frequencies_of(const Index& index, const LiveEntry& found);

/// An upper bound of its postings of removed documents.
std::uint32_t removed_postings(const Index& index, const LiveEntry& found);

}  // namespace warpdex
