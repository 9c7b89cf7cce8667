// Checksums of an index's sections: the first half of verifying it, and what comes before an upload
// to a GPU or before another file is written from it. Internal.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "warpdex/core/error.hpp"
#include "warpdex/core/parallel.hpp"
#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

/// Adds a sentence to report.problems for each section without its checksum, and counts all of them
/// in report.sections. `progress`, if there is one, is called with shares up to a half. O(bytes).
template <class Index, class Report>
void check_sections(const Index& index, Report& report,
                    const std::function<void(double)>& progress) {
  std::uint64_t total = 1;
  std::uint64_t done = 0;
  for (const SectionInfo& info : index.section_infos()) total += info.bytes;
  for (std::size_t i = 0; i < index.section_infos().size(); ++i) {
    const SectionInfo& info = index.section_infos()[i];
    if (!index.section_intact(i)) {
      report.problems.push_back("section '" + info.name +
                                "' does not have its checksum: its bytes are damaged");
    }
    ++report.sections;
    done += info.bytes;
    if (progress) progress(0.5 * static_cast<double>(done) / static_cast<double>(total));
  }
}

/// Throws FormatError, which names a section, where one of those that `is_uploaded(name)` holds for
/// does not have its checksum. O(bytes), sections beside each other.
template <class Index, class IsUploaded>
void check_before_upload(const Index& index, const IsUploaded& is_uploaded) {
  const auto& infos = index.section_infos();
  std::atomic<std::size_t> damaged = infos.size();
  parallel_for(0, infos.size(), [&](std::size_t /*thread*/, std::size_t i) {
    if (is_uploaded(infos[i].name) && !index.section_intact(i)) damaged = i;
  });
  if (damaged == infos.size()) return;
  throw FormatError("the index '" + index.folder().string() + "' is damaged (section '" +
                    infos[damaged].name +
                    "' does not have its checksum) and was not uploaded; restore it or build it "
                    "again");
}

/// Throws FormatError, which names a section, where one does not have its checksum: what is written
/// from damaged bytes would look whole. `progress` is called with the share done, before each
/// section. O(bytes).
template <class Index>
void check_before_copy(const Index& index, const std::function<void(double)>& progress) {
  std::uint64_t total = 1;
  std::uint64_t done = 0;
  for (const SectionInfo& info : index.section_infos()) total += info.bytes;
  for (std::size_t i = 0; i < index.section_infos().size(); ++i) {
    const SectionInfo& info = index.section_infos()[i];
    progress(static_cast<double>(done) / static_cast<double>(total));
    if (!index.section_intact(i)) {
      throw FormatError("the index '" + index.folder().string() + "' is damaged (section '" +
                        info.name + "'); restore it or build it again");
    }
    done += info.bytes;
  }
}

}  // namespace warpdex
