// A segment's sections, mapped and found by their names.
#pragma once

#include <filesystem>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

/// Move-only. Moving it keeps what it gave out valid.
class SegmentView {
 public:
  /// Maps all sections of a segment in the stored folder `index`. Throws FormatError where a file
  /// or the segment's folder is missing or damaged, IoError.
  SegmentView(const Folder& index, const SegmentInfo& segment);

  /// The section of that name. Throws FormatError if the manifest does not list it.
  const SectionView& section(std::string_view name) const;

  /// In the order of the manifest, both.
  const std::vector<SectionInfo>& infos() const { return infos_; }
  const std::vector<SectionView>& sections() const { return sections_; }

 private:
  std::filesystem::path index_;  ///< for messages
  std::vector<SectionInfo> infos_;
  std::vector<SectionView> sections_;
};

}  // namespace warpdex
