// manifest.json: what an index says of itself. docs/format.md, "Manifest".
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

inline constexpr int kFormatVersion = 2;

struct Manifest {
  IndexSettings settings;
  IndexCounts counts;
  std::vector<SegmentInfo> segments;  ///< one today
};

/// The manifest's text, which ends with a checksum of all before it.
std::string manifest_to_json(const Manifest& manifest);

/// Reads it back. Throws FormatError: not a manifest, damaged, or of another version.
Manifest manifest_from_json(std::string_view text);

}  // namespace warpdex
