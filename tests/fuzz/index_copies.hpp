// Small indexes of every codec, to be damaged: their files in a folder, and as they were.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "format/manifest.hpp"

namespace warpdex::fuzz {

/// An index that the target may damage; restore() undoes it.
class IndexCopy {
 public:
  /// The `number`-th index, below kIndexes, is written to `folder`.
  IndexCopy(const std::filesystem::path& folder, std::size_t number);

  /// Files of an index: its sections in their order, then its manifest.
  std::size_t files() const { return files_.size(); }
  bool is_manifest(std::size_t file) const { return file + 1 == files(); }
  /// All bytes of a file, undamaged.
  const std::string& bytes(std::size_t file) const { return files_[file].bytes; }
  /// The bytes between a section's header and its slack, undamaged.
  std::string_view section(std::size_t file) const;

  /// Writes a file as it is given.
  void write(std::size_t file, std::string_view bytes);
  /// Writes a section with a header and footer that fit it, and notes them for write_manifest().
  void write_section(std::size_t file, std::string_view bytes);
  /// The manifest with the sizes and checksums of the sections that write_section() wrote.
  std::string manifest() const { return manifest_to_json(manifest_); }

  /// Writes all files that were written as they were before.
  void restore();

  const std::filesystem::path& folder() const { return folder_; }

 private:
  struct File {
    std::filesystem::path path;
    std::string bytes;
    bool is_changed = false;
  };

  std::filesystem::path folder_;
  std::vector<File> files_;
  Manifest undamaged_;
  Manifest manifest_;
};

/// As many indexes as there are codecs.
inline constexpr std::size_t kIndexes = 8;

/// The manifest's text with the checksum that fits it, if it has one.
std::string with_checksum(std::string manifest);

}  // namespace warpdex::fuzz
