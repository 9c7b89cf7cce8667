// A folder that is written beside its target and takes the target's place in one step.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace warpdex {

/// Writes to a hidden folder beside the target, which only commit() touches. Folders that builds
/// which died left beside the same target are removed on the way.
class ReplacementFolder {
 public:
  /// `marker` is the file that tells a folder of ours from another, by having `signature` in its
  /// first 4 KiB. Throws UsageError if the target exists and is neither empty nor ours; IoError if
  /// nothing can be created.
  ReplacementFolder(const std::filesystem::path& target, std::string_view marker,
                    std::string_view signature);
  /// Removes what was written, unless it was committed.
  ~ReplacementFolder();
  ReplacementFolder(const ReplacementFolder&) = delete;
  ReplacementFolder& operator=(const ReplacementFolder&) = delete;

  /// Creates FOLDER/NAME and returns its path.
  std::filesystem::path subfolder(const std::string& name) const;

  /// Removes `leftovers`, writes the marker with this content, flushes to the disk, and exchanges
  /// the folder with the target atomically, where the system can; the old target is then removed.
  /// Throws UsageError if what is at the target by now is not ours.
  void commit(const std::string& marker_content,
              const std::vector<std::filesystem::path>& leftovers);

 private:
  void check_target() const;
  void remove_abandoned() const;
  void step_aside();

  std::filesystem::path target_;
  std::string marker_;
  std::string signature_;
  std::filesystem::path folder_;
  int lock_ = -1;
};

}  // namespace warpdex
