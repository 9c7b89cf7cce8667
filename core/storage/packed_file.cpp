// Lays out and maps packed files.
#include "warpdex/core/storage/packed_file.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <memory>
#include <optional>
#include <utility>

#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"

namespace warpdex {
namespace {

constexpr std::array<char, 8> kPackedMagic{'W', 'A', 'R', 'P', 'D', 'E', 'X', 'P'};
constexpr std::size_t kNameBytes = 48;
constexpr std::uint64_t kBorder = 64;
static_assert(kSectionSlack == kBorder, "a section's slack ends at the next border or behind it");

struct PackedHeader {
  std::array<char, 8> magic = kPackedMagic;
  std::array<char, kNameBytes> name{};
  std::uint64_t sections = 0;
};
static_assert(sizeof(PackedHeader) == kBorder);

/// An entry of the table.
struct Entry {
  std::array<char, kNameBytes> name{};
  std::uint64_t offset = 0;  ///< in the file
  std::uint64_t bytes = 0;
  std::uint64_t checksum = 0;
};
static_assert(sizeof(Entry) == 72);

struct PackedFooter {
  std::uint64_t table_offset = 0;
  std::uint64_t table_checksum = 0;
  std::uint64_t sections = 0;
  std::array<char, 8> magic = kPackedMagic;
};
static_assert(sizeof(PackedFooter) == 32);

std::array<char, kNameBytes> padded(std::string_view name) {
  std::array<char, kNameBytes> result{};
  std::copy_n(name.begin(), std::min(name.size(), kNameBytes), result.begin());
  return result;
}

std::uint64_t end_of_section(std::uint64_t offset, std::uint64_t bytes) {
  return (offset + bytes + kSectionSlack + kBorder - 1) / kBorder * kBorder;
}

/// What lies where in a packed file of these sections. O(sections).
struct Layout {
  explicit Layout(const std::vector<SectionInfo>& sections) {
    std::uint64_t offset = sizeof(PackedHeader);
    for (const SectionInfo& section : sections) {
      table.push_back({padded(section.name), offset, section.bytes, section.checksum});
      offset = end_of_section(offset, section.bytes);
    }
    footer.table_offset = offset;
    footer.sections = sections.size();
    footer.table_checksum = checksum(table_bytes());
  }

  std::span<const std::uint8_t> table_bytes() const {
    return {reinterpret_cast<const std::uint8_t*>(table.data()), table.size() * sizeof(Entry)};
  }
  std::uint64_t file_bytes() const {
    return footer.table_offset + table_bytes().size() + sizeof(PackedFooter);
  }

  std::vector<Entry> table;
  PackedFooter footer;
};

PackedHeader header_of(std::string_view file_name, std::size_t sections) {
  return {.name = padded(file_name), .sections = sections};
}

template <class T>
void put(std::vector<std::uint8_t>& bytes, std::uint64_t offset, const T& value) {
  std::memcpy(bytes.data() + offset, &value, sizeof value);
}

}  // namespace

PackedFile pack_sections(std::string_view file_name, std::span<const NamedBytes> sections) {
  PackedFile file;
  for (const NamedBytes& section : sections) {
    if (section.name.size() >= kNameBytes) {
      throw UsageError("the section name '" + section.name + "' is too long; take a shorter one");
    }
    file.sections.push_back({section.name, section.bytes.size(), checksum(section.bytes)});
  }
  const Layout layout(file.sections);
  file.bytes.resize(layout.file_bytes());
  put(file.bytes, 0, header_of(file_name, sections.size()));
  for (std::size_t i = 0; i < sections.size(); ++i) {
    std::copy(sections[i].bytes.begin(), sections[i].bytes.end(),
              file.bytes.begin() + static_cast<std::ptrdiff_t>(layout.table[i].offset));
  }
  const auto table = layout.table_bytes();
  std::copy(table.begin(), table.end(),
            file.bytes.begin() + static_cast<std::ptrdiff_t>(layout.footer.table_offset));
  put(file.bytes, layout.footer.table_offset + table.size(), layout.footer);
  return file;
}

std::vector<SectionView> map_packed(const Folder& folder, const std::string& file_name,
                                    const std::vector<SectionInfo>& sections) {
  const std::string path = (folder.path() / file_name).string();
  const auto damaged = [&](const char* what) {
    return FormatError("the index file '" + path + "' " + what +
                       "; restore it or build the index again");
  };
  std::optional<MappedFile> found = folder.map(file_name);
  if (!found) throw damaged("is missing");
  const auto file = std::make_shared<const MappedFile>(std::move(*found));
  // Sizes that no file has must not wrap around in the layout.
  for (const SectionInfo& section : sections) {
    if (section.bytes > file->size()) throw damaged("is cut short");
  }
  const Layout layout(sections);
  if (file->size() != layout.file_bytes()) {
    throw damaged("is cut short or of another size than the manifest says");
  }
  const std::span<const std::uint8_t> bytes = file->bytes();
  const PackedHeader header = header_of(file_name, sections.size());
  const auto table = layout.table_bytes();
  if (std::memcmp(bytes.data(), &header, sizeof header) != 0) throw damaged("has a damaged header");
  if (!std::equal(table.begin(), table.end(),
                  bytes.begin() + static_cast<std::ptrdiff_t>(layout.footer.table_offset))) {
    throw damaged("has a damaged table");
  }
  if (std::memcmp(bytes.data() + bytes.size() - sizeof(PackedFooter), &layout.footer,
                  sizeof(PackedFooter)) != 0) {
    throw damaged("has a damaged footer");
  }
  std::vector<SectionView> views;
  for (const Entry& entry : layout.table) {
    const std::uint64_t end = end_of_section(entry.offset, entry.bytes);
    views.emplace_back(file, bytes.subspan(entry.offset, end - entry.offset), entry.bytes,
                       entry.checksum, path + "', section '" + sections[views.size()].name);
  }
  return views;
}

}  // namespace warpdex
