// manifest.json: what an index says of itself. docs/format.md, "Manifest".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

struct Manifest {
  IndexSettings settings;
  StoredSegments stored;
};

/// What a segment holds, as its manifest's counts say, and back.
IndexCounts counts_of(const SegmentInfo& segment);
NamedCounts named_counts(const IndexCounts& counts);
/// The counts of text fields among those of a segment or of its removals; none of one text.
std::vector<TextCounts> texts_of(const NamedCounts& counts);
void append_texts(const std::vector<TextCounts>& texts, NamedCounts& counts);

/// The manifest's text, which ends with a checksum of all before it.
std::string manifest_to_json(const Manifest& manifest);

/// Reads it back. Throws FormatError: not a manifest, damaged, or of another version.
Manifest manifest_from_json(std::string_view text);

}  // namespace warpdex
