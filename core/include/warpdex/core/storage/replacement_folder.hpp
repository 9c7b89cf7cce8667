// A folder that is written beside its target and takes the target's place in one step.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "warpdex/core/storage/target_lock.hpp"

namespace warpdex {

/// A hidden folder beside the target, locked against other builds; only commit() touches the
/// target. What builds that died left beside the target is cleared on the way. docs/format.md,
/// "How an index is replaced", says what holds when.
class ReplacementFolder {
 public:
  /// Throws UsageError if something is at the target that is not to be replaced (see
  /// check_replaceable()), IoError if another build of it is under way, nothing can be written
  /// beside it, or the system will not let it be replaced.
  explicit ReplacementFolder(const std::filesystem::path& target);
  /// Removes what was written, unless it was committed.
  ~ReplacementFolder();
  ReplacementFolder(const ReplacementFolder&) = delete;
  ReplacementFolder& operator=(const ReplacementFolder&) = delete;

  /// Creates FOLDER/NAME and returns its path. Throws IoError.
  std::filesystem::path subfolder(const std::string& name) const;

  /// Another hidden folder, for files that nobody needs after commit(), which removes it.
  const std::filesystem::path& scratch() const { return scratch_.path(); }

  /// Writes the manifest, flushes to the disk and puts the folder in the place of the target; what
  /// was there is then removed, and others may build. Once, at the end. Throws as the constructor
  /// does, and what `last_check` throws, which is called right before the target is touched; then
  /// the target is as it was.
  void commit(const std::string& manifest, const std::function<void()>& last_check = {});

 private:
  /// A folder that is removed with all in it.
  class Hidden {
   public:
    explicit Hidden(std::filesystem::path path) : path_(std::move(path)) {}
    ~Hidden() { remove(); }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;
    const std::filesystem::path& path() const { return path_; }
    void set_path(const std::filesystem::path& path) { path_ = path; }
    void release() { path_.clear(); }
    void remove();

   private:
    std::filesystem::path path_;  ///< empty: there is none any more
  };

  void check_movable();
  void flush() const;
  void take_place();
  void trade_places();

  std::filesystem::path target_;
  std::optional<TargetLock> lock_;
  Hidden folder_;
  Hidden scratch_;
};

}  // namespace warpdex
