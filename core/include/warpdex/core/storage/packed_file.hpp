// Several sections in one file, so that a small segment costs one flush to the disk.
// docs/format.md, "Packed files".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

/// A section that is still in memory.
struct NamedBytes {
  std::string name;  ///< below 48 bytes
  std::span<const std::uint8_t> bytes;
};

/// The bytes of a packed file, and what the manifest records of its sections.
struct PackedFile {
  std::vector<std::uint8_t> bytes;
  std::vector<SectionInfo> sections;
};

/// Lays sections out one after the other, each from a 64-byte border on and with slack behind it.
/// `file_name` goes to the header. Throws UsageError for a name that is too long. O(bytes).
PackedFile pack_sections(std::string_view file_name, std::span<const NamedBytes> sections);

/// Maps a packed file of `folder` and checks its size, header, table and footer against the
/// manifest's `sections`, not their checksums. Throws FormatError where it is missing or differs,
/// IoError.
std::vector<SectionView> map_packed(const Folder& folder, const std::string& file_name,
                                    const std::vector<SectionInfo>& sections);

}  // namespace warpdex
