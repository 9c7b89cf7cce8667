// Where a new segment's sections go: into one packed file while they are small together, else into
// files of their own.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/core/storage/section_file.hpp"

namespace warpdex {

/// Up to so many bytes of sections, a segment that a commit adds is one packed file.
inline constexpr std::uint64_t kSmallSegmentBytes = std::uint64_t{4} << 20;

/// SectionWriters take it as an argument; make them in the order of the manifest. Their bytes stay
/// in memory until they are more than `small_bytes` together.
class SegmentFiles {
 public:
  /// The segment of that number in the new folder, which must outlive it. `small_bytes` of 0: each
  /// section has a file at once.
  SegmentFiles(ReplacementFolder& folder, std::uint64_t number, std::uint64_t small_bytes);
  SegmentFiles(const SegmentFiles&) = delete;
  SegmentFiles& operator=(const SegmentFiles&) = delete;

  /// Gives each section a file of its own, in segment_folder() of its number, however small they
  /// are together, so that others can lie beside them. Throws IoError.
  void open_files();

  /// Finishes all writers, which must still be alive. Sections with files of their own are then on
  /// the disk; a packed file is once the folder has been committed. `check` is called between
  /// sections; what it throws ends this. Once. Throws IoError.
  SegmentInfo finish(const std::function<void()>& check = {});

 private:
  friend class SectionWriter;
  void add(SectionWriter& section);
  /// Counts bytes that come, and opens the files when they are too many. Returns whether there is
  /// no file yet.
  bool keep_in_memory(std::uint64_t bytes);
  SegmentInfo pack();

  ReplacementFolder& folder_;
  std::uint64_t number_;
  std::uint64_t small_bytes_;
  std::uint64_t held_bytes_ = 0;
  bool has_files_ = false;
  std::vector<SectionWriter*> sections_;
};

}  // namespace warpdex
