// Maps a segment's sections.
#include "warpdex/core/storage/segment_view.hpp"

#include <algorithm>
#include <iterator>

#include "warpdex/core/error.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/packed_file.hpp"

namespace warpdex {
namespace {

std::vector<SectionView> map_folder(const Folder& index, const SegmentInfo& segment) {
  const std::optional<Folder> files = index.subfolder(segment.place);
  if (!files) {
    throw FormatError("the index at '" + index.path().string() + "' lacks its folder '" +
                      segment.place + "'; restore it or build it again");
  }
  std::vector<SectionView> views;
  for (const SectionInfo& info : segment.sections) views.emplace_back(*files, info);
  return views;
}

}  // namespace

SegmentView::SegmentView(const Folder& index, const SegmentInfo& segment)
    : index_(index.path()),
      infos_(segment.sections),
      sections_(segment.is_packed ? map_packed(index, segment.place, segment.sections)
                                  : map_folder(index, segment)),
      own_sections_(segment.sections.size()) {
  if (!segment.removals) return;
  const RemovalsInfo& removals = *segment.removals;
  std::vector<SectionView> views = map_packed(index, removals.file, removals.sections);
  infos_.insert(infos_.end(), removals.sections.begin(), removals.sections.end());
  std::move(views.begin(), views.end(), std::back_inserter(sections_));
}

SegmentView SegmentView::part(std::string_view prefix) const {
  SegmentView view;
  view.index_ = index_;
  view.prefix_ = prefix;
  for (std::size_t i = 0; i < own_sections_; ++i) {
    if (!infos_[i].name.starts_with(prefix)) continue;
    view.infos_.push_back(infos_[i]);
    view.infos_.back().name.erase(0, prefix.size());
    view.sections_.push_back(sections_[i]);
  }
  view.own_sections_ = view.infos_.size();
  return view;
}

const SectionView& SegmentView::find(std::string_view name, std::size_t begin,
                                     std::size_t end) const {
  for (std::size_t i = begin; i < end; ++i) {
    if (infos_[i].name == name) return sections_[i];
  }
  throw FormatError("the manifest of the index at '" + index_.string() +
                    "' does not list the section '" + prefix_ + std::string(name) +
                    "'; build it again");
}

const SectionView& SegmentView::section(std::string_view name) const {
  return find(name, 0, own_sections_);
}

bool SegmentView::has_section(std::string_view name) const {
  return std::any_of(infos_.begin(), infos_.begin() + static_cast<std::ptrdiff_t>(own_sections_),
                     [&](const SectionInfo& info) { return info.name == name; });
}

const SectionView& SegmentView::removals_section(std::string_view name) const {
  return find(name, own_sections_, infos_.size());
}

RemovedRows SegmentView::removed_rows(std::uint64_t rows) const {
  if (own_sections_ == infos_.size()) return {};
  return RemovedRows(removals_section(kRemovedRows).as<std::uint64_t>(removed_words(rows)));
}

}  // namespace warpdex
