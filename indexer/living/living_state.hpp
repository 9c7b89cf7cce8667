// What a LivingIndex holds: the segments as they are with all changes since the last commit, and
// the folder of the next one. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "build/segment_build.hpp"
#include "format/manifest.hpp"
#include "living/background_merge.hpp"
#include "living/merge_policy.hpp"
#include "living/open_segment.hpp"
#include "warpdex/core/storage/folder.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/core/storage/target_lock.hpp"
#include "warpdex/indexer/living/living_index.hpp"

namespace warpdex {

struct LivingIndex::State {
  /// Locks and opens the index. Throws as LivingIndex().
  explicit State(const std::filesystem::path& given);

  /// An index as a commit left it.
  struct Committed {
    IndexSettings settings;
    std::uint64_t number = 0;        ///< of the commit
    std::uint64_t next_segment = 0;  ///< the number of the next new segment
    std::string manifest{};          ///< its text, by which the index is known again
    std::vector<OpenSegment> segments;
  };

  /// Opens the index in a folder. Throws as Snapshot::open() does.
  Committed read(const Folder& opened) const;
  /// Throws IoError if the object is lost.
  void check_known() const;
  /// Throws IoError if what is at the target is not what the last commit left.
  void check_target() const;
  /// Puts the segments back, with what was removed of them, and drops the last one if it is not
  /// among these.
  void go_back_to(std::vector<OpenSegment>&& before) noexcept;
  /// Drops all changes since the last commit. Where there is no memory for it, the object is lost.
  void forget() noexcept;
  /// Writes what the manifest of the next commit is to say, and its files.
  Manifest write_changes(ReplacementFolder& to) const;
  /// Makes the changes visible. Throws only if they are not. Adds to the notes.
  void put_in_place(const std::function<void()>& check, CommitReport& report);
  /// What a journal of the last commit follows.
  JournalBase journal_base() const;
  ReplacementFolder& change();
  BuildReport build(DocumentReader& reader, const BuildOptions& options,
                    const build::Admission& admission);
  bool has(std::string_view id) const;
  std::uint64_t documents() const;  ///< removed ones too
  /// Removes a document from one of the first `segments_end` segments.
  bool remove(std::string_view id, std::size_t segments_end);

  std::vector<SegmentSize> sizes() const;
  /// Opens a segment that was written to the folder of the next commit.
  OpenSegment open_new(SegmentInfo info) const;
  /// Replaces neighbouring segments by the one that they were merged into, or by nothing.
  void replace(SegmentRange range, std::optional<OpenSegment> by);
  void merge(SegmentRange range, const MergeOptions& options);

  // Merging in the background: state_background.cpp.
  /// Takes in a merge that is done. Keeps its error.
  void collect() noexcept;
  /// Begins a merge if merging in the background was asked for, segments are to be merged and no
  /// merge is under way. Keeps an error.
  void start_merge() noexcept;
  /// Waits for the merge under way, and takes it in. Keeps an error: all is as before then, and
  /// nothing is merged in the background any more.
  void take_merge() noexcept;
  /// Throws an error that was kept, once.
  void rethrow_failure();
  /// Adds a sentence about an error that was kept.
  void note_failure(std::vector<std::string>& to) const;
  void take(BackgroundMerge& merge);

  std::filesystem::path folder;  ///< as it was given
  std::filesystem::path target;
  std::vector<std::string> notes;  ///< for the next commit
  std::shared_ptr<TargetLock> lock;
  Committed last;                     ///< as the last commit left it
  std::uint64_t next_segment = 0;     ///< never one that was given before, also by a failed commit
  std::vector<OpenSegment> segments;  ///< with all changes since then
  bool is_lost = false;               ///< what `segments` hold is not known any more
  std::unique_ptr<ReplacementFolder> next;  ///< of the next commit, if something was done
  bool is_changed = false;
  bool has_read_journal = false;
  std::optional<BackgroundMergeOptions> background;  ///< if merges are asked for
  std::exception_ptr failure;                        ///< of the last one, until it is told
  std::unique_ptr<BackgroundMerge> under_way;        ///< last: it ends before the rest goes
};

}  // namespace warpdex
