// Whether two lists of sections are of the same bytes.
#pragma once

#include <algorithm>
#include <span>

#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

/// Whether both have the same sections in the same order, by names, sizes and checksums.
inline bool are_same_sections(std::span<const SectionInfo> one,
                              std::span<const SectionInfo> other) {
  return std::ranges::equal(one, other, [](const SectionInfo& a, const SectionInfo& b) {
    return a.name == b.name && a.bytes == b.bytes && a.checksum == b.checksum;
  });
}

}  // namespace warpdex
