// Maps a segment's sections.
#include "warpdex/core/storage/segment_view.hpp"

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"

namespace warpdex {

SegmentView::SegmentView(const Folder& index, const SegmentInfo& segment)
    : index_(index.path()), infos_(segment.sections) {
  const std::optional<Folder> files = index.subfolder(segment.folder);
  if (!files) {
    throw FormatError("the index at '" + index_.string() + "' lacks its folder '" + segment.folder +
                      "'; restore it or build it again");
  }
  for (const SectionInfo& info : infos_) sections_.emplace_back(*files, info);
}

const SectionView& SegmentView::section(std::string_view name) const {
  for (std::size_t i = 0; i < infos_.size(); ++i) {
    if (infos_[i].name == name) return sections_[i];
  }
  throw FormatError("the manifest of the index at '" + index_.string() +
                    "' does not list the section '" + std::string(name) + "'; build it again");
}

}  // namespace warpdex
