// A folder that is written beside its target and takes the target's place in one step.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/target_lock.hpp"

namespace warpdex {

/// A hidden folder beside the target, locked against other builds; only commit() touches the
/// target. First, clear_leftovers() removes or puts back what killed builds left beside it.
/// docs/format.md, "How an index is replaced", says what holds when.
class ReplacementFolder {
 public:
  /// For a new index, of this kind (see kind_of()). Throws UsageError if something is at the target
  /// that is not to be replaced (see check_replaceable()), IoError if another build of it is under
  /// way, nothing can be written beside it, or the system will not let it be replaced.
  ReplacementFolder(const std::filesystem::path& target, std::string_view kind);
  /// For a change of the index at the target, of any kind. Throws likewise.
  explicit ReplacementFolder(const std::filesystem::path& target);
  /// For a caller that commits to one target more than once, and holds its lock in between.
  /// `target` as resolve_target() gives it. Nothing is cleared while another folder of the same
  /// holder is beside the target (`is_alone` is false). Throws likewise.
  ReplacementFolder(const std::filesystem::path& target, std::shared_ptr<TargetLock> lock,
                    bool is_alone = true);
  /// Removes what was written, unless it was committed.
  ~ReplacementFolder();
  ReplacementFolder(const ReplacementFolder&) = delete;
  ReplacementFolder& operator=(const ReplacementFolder&) = delete;

  /// Creates FOLDER/NAME and returns its path. Throws IoError.
  std::filesystem::path subfolder(const std::string& name) const;

  /// Where its files go.
  const std::filesystem::path& path() const { return folder_.path(); }

  /// Takes a segment of the target over, with its removals: links its files, or copies them where
  /// the file system refuses to link. Throws IoError.
  void keep(const SegmentInfo& segment);

  /// Moves the files of a new segment here from another folder beside the same target. Throws
  /// IoError.
  void take(ReplacementFolder& from, const SegmentInfo& segment);

  /// Writes FOLDER/NAME. The bytes are on their way to the disk then; commit() waits for them.
  /// Throws IoError.
  void write(const std::string& name, std::span<const std::uint8_t> bytes);

  /// Removes what was written of a new segment that will not be committed after all. What cannot be
  /// removed now is removed by commit().
  void discard(std::uint64_t segment_number) noexcept;

  /// Another hidden folder, for files that nobody needs after commit(), which removes it.
  const std::filesystem::path& scratch() const { return scratch_.path(); }

  /// Writes the manifest, flushes to the disk and puts the folder in the place of the target; what
  /// was there is then removed, and others may build. Once, at the end. Throws as the constructor
  /// does, and what `last_check` throws, which is called right before the target is touched, when
  /// path() holds all that the new index will; then the target is as it was. Once the new folder is
  /// in its place nothing throws any more. Returns a sentence for each thing beside the target that
  /// could not be cleared away, and where the folder around it could not be flushed.
  std::vector<std::string> commit(const std::string& manifest,
                                  const std::function<void()>& last_check = {});

 private:
  /// A folder that is removed with all in it.
  class Hidden {
   public:
    explicit Hidden(std::filesystem::path path) : path_(std::move(path)) {}
    ~Hidden() { remove(); }
    Hidden(const Hidden&) = delete;
    Hidden& operator=(const Hidden&) = delete;
    const std::filesystem::path& path() const { return path_; }
    void set_path(std::filesystem::path&& path) noexcept { path_ = std::move(path); }
    void release() noexcept { path_ = std::filesystem::path(); }
    /// Removes it; if something of it stays, that is not tried again, but told in a note.
    void remove(std::vector<std::string>* notes = nullptr) noexcept;

   private:
    std::filesystem::path path_;  ///< empty: there is none any more
  };

  /// Without a lock it takes one.
  ReplacementFolder(const std::filesystem::path& target, std::shared_ptr<TargetLock> lock,
                    bool is_alone, std::optional<std::string> kind);

  std::filesystem::path prepare(bool is_alone);
  void check_movable();
  void drop_unlisted(const std::string& manifest);
  void keep_file(const std::string& name);
  void flush() const;
  void remove_old(const std::filesystem::path& around) noexcept;
  void take_place();
  bool trade_back() noexcept;
  void trade_places();

  std::filesystem::path target_;
  std::shared_ptr<TargetLock> lock_;
  std::vector<std::string> notes_;   ///< for the caller of commit()
  std::optional<std::string> kind_;  ///< only an index of this kind is replaced; none: of any
  Hidden folder_;
  Hidden scratch_;
  std::vector<std::string> written_;  ///< files of write(), which are not known to be on the disk
};

}  // namespace warpdex
