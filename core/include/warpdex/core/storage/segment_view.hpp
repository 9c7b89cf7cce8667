// A segment's sections, mapped and found by their names, and which of its rows were removed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/removed_rows.hpp"
#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

/// Move-only. Moving it keeps what it gave out valid.
class SegmentView {
 public:
  /// Maps all sections of a segment in the stored folder `index`, and those of its removals. Throws
  /// FormatError where a file or the segment's folder is missing or damaged, IoError.
  SegmentView(const Folder& index, const SegmentInfo& segment);

  /// The section of that name. Throws FormatError if the manifest does not list it.
  const SectionView& section(std::string_view name) const;
  /// Whether the manifest lists a section of that name.
  bool has_section(std::string_view name) const;

  /// The sections whose names begin so, by what follows in their names; without removals. It keeps
  /// the mapped files.
  SegmentView part(std::string_view prefix) const;

  /// Likewise a section of the removals' file. Throws FormatError, also where nothing was removed.
  const SectionView& removals_section(std::string_view name) const;
  /// The removed ones of `rows` rows. Throws FormatError where the bit set is of another size.
  RemovedRows removed_rows(std::uint64_t rows) const;

  /// In the order of the manifest, both; sections of the removals come last.
  const std::vector<SectionInfo>& infos() const { return infos_; }
  const std::vector<SectionView>& sections() const { return sections_; }

 private:
  SegmentView() = default;
  const SectionView& find(std::string_view name, std::size_t begin, std::size_t end) const;

  std::filesystem::path index_;  ///< for messages
  std::string prefix_;           ///< likewise, of a part()
  std::vector<SectionInfo> infos_;
  std::vector<SectionView> sections_;
  std::size_t own_sections_ = 0;  ///< the others are of the removals
};

}  // namespace warpdex
