// What a LivingIndex holds: the segments as they are with all changes since the last commit, and
// the folder of the next one. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "build/segment_build.hpp"
#include "living/background_merge.hpp"
#include "living/merge_policy.hpp"
#include "living/open_segment.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/core/storage/target_lock.hpp"
#include "warpdex/indexer/living/living_index.hpp"

namespace warpdex {

struct LivingIndex::State {
  /// Locks and opens the index. Throws as LivingIndex().
  explicit State(const std::filesystem::path& given);

  /// Opens the index as the last commit left it.
  void load();
  /// Drops all changes since the last commit.
  void forget();
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
  /// Throws the error of a merge that failed, and takes in one that is done.
  void collect();
  /// Begins a merge if merging in the background was asked for, segments are to be merged and no
  /// merge is under way. Keeps an error for collect().
  void start_merge();
  /// Waits for the merge under way, and takes it in. After an exception all is as before, and
  /// nothing is merged in the background any more.
  void take_merge();
  void take(BackgroundMerge& merge);

  std::filesystem::path folder;  ///< as it was given
  std::filesystem::path target;
  std::shared_ptr<TargetLock> lock;
  IndexSettings settings;
  std::uint64_t commits = 0;
  std::uint64_t next_segment = 0;  ///< never one that was given before, also by a failed commit
  std::vector<OpenSegment> segments;
  std::unique_ptr<ReplacementFolder> next;  ///< of the next commit, if something was done
  bool is_changed = false;
  std::optional<BackgroundMergeOptions> background;  ///< if merges are asked for
  std::exception_ptr failure;                        ///< of one that did not begin
  std::unique_ptr<BackgroundMerge> under_way;        ///< last: it ends before the rest goes
};

}  // namespace warpdex
