// Opens the segments of a stored index, for Index and Snapshot. Internal.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>

#include "format/manifest.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// Throws UsageError, which says what to do, unless it is one segment without removed documents.
void require_one_segment(const std::filesystem::path& folder, std::size_t segments,
                         bool has_removed);

class SegmentOpener {
 public:
  /// Throws FormatError, IoError.
  static Manifest read_manifest(const Folder& opened);
  /// The text of the manifest. Throws IoError.
  static std::string manifest_text(const Folder& opened);
  /// `path` is the index's folder, for messages. Throws FormatError, IoError.
  static Index open(const std::filesystem::path& path, const Folder& opened,
                    const IndexSettings& settings, const SegmentInfo& segment);
  /// What the manifest says of an open segment.
  static const SegmentInfo& info(const Index& index);
};

}  // namespace warpdex
