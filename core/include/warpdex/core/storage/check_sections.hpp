// The first half of verifying an index: the checksums of its sections. Internal.
#pragma once

#include <cstdint>
#include <functional>

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

}  // namespace warpdex
