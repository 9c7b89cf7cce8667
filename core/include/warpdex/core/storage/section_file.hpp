// A section: a file with a header, the section's bytes, slack and a footer; or a part of a packed
// file. docs/format.md, "Section files" and "Packed files".
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "warpdex/core/checksum.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/core/mapped_file.hpp"

namespace warpdex {

class Folder;
class SegmentFiles;

/// Zero bytes that follow a section's own, so that readers may read past its end.
inline constexpr std::size_t kSectionSlack = 64;

/// What the manifest records of a section.
struct SectionInfo {
  std::string name;            ///< of the section; a file of its own bears it too
  std::uint64_t bytes = 0;     ///< without header, slack and footer
  std::uint64_t checksum = 0;  ///< of those bytes: XXH3, 64 bits
};

/// Where sections are written: a folder, and what their names begin with there.
struct SectionFolder {
  // Not explicit: names of most sections begin with nothing.
  SectionFolder(std::filesystem::path folder, std::string name_prefix = {})
      : path(std::move(folder)), prefix(std::move(name_prefix)) {}

  std::filesystem::path path;
  std::string prefix;
};

/// Streams a section to its file. Not finished, the file is left without a footer.
class SectionWriter {
 public:
  /// Creates the file FOLDER/NAME, the name behind the folder's prefix. Throws IoError.
  SectionWriter(const SectionFolder& folder, std::string_view name);
  /// The next section of a segment, which must outlive it. While the segment is small, the bytes
  /// stay in memory. Throws IoError.
  SectionWriter(SegmentFiles& segment, std::string_view name);
  ~SectionWriter();
  SectionWriter(const SectionWriter&) = delete;
  SectionWriter& operator=(const SectionWriter&) = delete;

  /// Adds bytes at the end, through a buffer. Throws IoError.
  void append(std::span<const std::uint8_t> bytes);

  /// Adds a value as it lies in memory, without alignment. Throws IoError.
  template <class T>
  void append_value(const T& value) {
    static_assert(std::is_trivially_copyable_v<T>);
    append({reinterpret_cast<const std::uint8_t*>(&value), sizeof value});
  }

  /// Bytes appended so far.
  std::uint64_t size() const { return size_; }

  /// Writes slack and footer, and waits until the disk has all of it. Nothing may be appended
  /// after it. Throws IoError.
  SectionInfo finish();

 private:
  friend class SegmentFiles;
  void open();
  void flush();
  void write_all(std::span<const std::uint8_t> bytes);

  SegmentFiles* segment_ = nullptr;  ///< of a segment that is still small; then there is no file
  std::filesystem::path path_;
  int descriptor_ = -1;
  std::vector<std::uint8_t> buffer_;
  std::uint64_t size_ = 0;
  RunningChecksum checksum_;
};

/// A mapped section. kSectionSlack zero bytes follow its bytes.
class SectionView {
 public:
  /// No section: no bytes.
  SectionView() = default;
  /// Maps the section's file in `folder` and checks its size, header and footer against `info`, not
  /// its checksum. Throws IoError, FormatError.
  SectionView(const Folder& folder, const SectionInfo& info);
  /// A section within a mapped file. Its first `size` bytes are `padded`; the others, kSectionSlack
  /// or more, are to be zero. `name` is for messages.
  SectionView(std::shared_ptr<const MappedFile> file, std::span<const std::uint8_t> padded,
              std::uint64_t size, std::uint64_t checksum, std::string name);

  /// The section's bytes, from a 64-byte border of the file on; valid while the view lives.
  std::span<const std::uint8_t> bytes() const { return bytes_; }

  /// The section as an array; throws FormatError unless it holds `count` of T exactly.
  template <class T>
  std::span<const T> as(std::uint64_t count) const {
    if (bytes_.size() / sizeof(T) != count || bytes_.size() % sizeof(T) != 0) wrong_size();
    return {reinterpret_cast<const T*>(bytes_.data()), static_cast<std::size_t>(count)};
  }

  /// Whether the bytes have the checksum of the manifest, and those behind them, up to what comes
  /// next in the file, are zero. O(bytes).
  bool intact() const;

 private:
  [[noreturn]] void wrong_size() const;

  std::string name_;                        ///< for messages
  std::shared_ptr<const MappedFile> file_;  ///< sections of one packed file share it
  std::span<const std::uint8_t> bytes_;
  std::span<const std::uint8_t> slack_;
  std::uint64_t checksum_ = 0;
};

}  // namespace warpdex
