// The sections that every inverted file has.
#pragma once

#include <span>
#include <vector>

#include "format/row_writer.hpp"
#include "lists/build/lists.hpp"
#include "warpdex/core/storage/section_file.hpp"

namespace warpdex::vector {

/// The sections row_numbers, list_begins, centroids and centroid_norms. Throws IoError.
void write_list_sections(const IvfLists& lists, Metric metric, const SectionFolder& folder,
                         std::vector<SectionInfo>& sections);
/// The first two.
void write_members(const ClusterMembers& members, const SectionFolder& folder,
                   std::vector<SectionInfo>& sections);

template <class T>
SectionInfo write_section(const SectionFolder& folder, std::string_view name,
                          std::span<const T> values) {
  SectionWriter writer(folder, name);
  append_all(writer, values);
  return writer.finish();
}

}  // namespace warpdex::vector
