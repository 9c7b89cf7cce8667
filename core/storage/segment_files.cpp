// Gathers the sections of a segment.
#include "warpdex/core/storage/segment_files.hpp"

#include <string>
#include <utility>

#include "warpdex/core/storage/packed_file.hpp"

namespace warpdex {

SegmentFiles::SegmentFiles(ReplacementFolder& folder, std::uint64_t number,
                           std::uint64_t small_bytes)
    : folder_(folder), number_(number), small_bytes_(small_bytes), has_files_(small_bytes == 0) {
  if (has_files_) folder_.subfolder(segment_folder(number_));
}

void SegmentFiles::add(SectionWriter& section) {
  sections_.push_back(&section);
  if (!has_files_) return;
  section.segment_ = nullptr;
  section.path_ = folder_.path() / segment_folder(number_) / section.path_;
  section.open();
}

bool SegmentFiles::keep_in_memory(std::uint64_t bytes) {
  held_bytes_ += bytes;
  if (held_bytes_ > small_bytes_) open_files();
  return !has_files_;
}

void SegmentFiles::open_files() {
  if (has_files_) return;
  has_files_ = true;
  const std::filesystem::path folder = folder_.subfolder(segment_folder(number_));
  for (SectionWriter* section : sections_) {
    section->segment_ = nullptr;
    section->path_ = folder / section->path_;
    section->open();
  }
}

SegmentInfo SegmentFiles::finish(const std::function<void()>& check) {
  if (!has_files_) return pack();
  SegmentInfo info{segment_folder(number_), {}, false, number_};
  for (SectionWriter* section : sections_) {
    info.sections.push_back(section->finish());
    if (check) check();
  }
  return info;
}

SegmentInfo SegmentFiles::pack() {
  std::vector<NamedBytes> sections;
  for (const SectionWriter* section : sections_) {
    sections.push_back({section->path_.string(), section->buffer_});
  }
  const std::string name = segment_file(number_);
  PackedFile file = pack_sections(name, sections);
  folder_.write(name, file.bytes);
  return {name, std::move(file.sections), true, number_};
}

}  // namespace warpdex
