// A merge on a thread of its own, while the writer of the index goes on. Internal.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <thread>
#include <vector>

#include "living/merge_segments.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"

namespace warpdex {

/// It reads segments as they were when it began, which commits do not change, and writes to a
/// folder of its own beside the index. Documents that are removed meanwhile are still in the
/// segment that it writes; the writer then removes them from it.
class BackgroundMerge {
 public:
  /// A segment as the merge began.
  struct Source {
    std::uint64_t number;
    std::shared_ptr<const Index> index;
    std::vector<std::uint64_t> removed;  ///< the words of RemovedRows
  };

  /// Begins. Neighbours, in order; `merged` is the number of the new segment. Throws
  /// std::system_error where the system gives no thread.
  BackgroundMerge(std::vector<Source> sources, std::uint64_t merged, std::uint64_t memory,
                  std::size_t threads, std::unique_ptr<ReplacementFolder> folder);
  /// Gives up what is not done yet, and waits until the thread has ended.
  ~BackgroundMerge() = default;
  BackgroundMerge(const BackgroundMerge&) = delete;
  BackgroundMerge& operator=(const BackgroundMerge&) = delete;

  std::span<const Source> sources() const { return sources_; }
  /// Waits for the end, but not longer than `longest`. Returns whether the merge is done.
  bool wait(std::chrono::milliseconds longest) const;
  /// Waits for the end. The new segment is in folder() then; none where no document was left.
  /// Throws what the merge threw, with words before it that say where it came from. Once.
  std::optional<SegmentInfo> finish();
  ReplacementFolder& folder() { return *folder_; }

  /// Calls visit(docID) for the documents of the new segment that were removed since the merge
  /// began, in ascending order. `now` has, for each source, what is removed of it; none: all of
  /// its documents are. O(documents / 64).
  void for_each_removed_since(std::span<const std::optional<RemovedRows>> now,
                              const std::function<void(std::uint32_t)>& visit) const;

 private:
  std::optional<SegmentInfo> run(const std::stop_token& stop, std::uint64_t merged,
                                 std::uint64_t memory, std::size_t threads);

  std::vector<Source> sources_;
  std::unique_ptr<ReplacementFolder> folder_;
  std::future<std::optional<SegmentInfo>> outcome_;
  std::jthread thread_;  ///< last: it ends before the rest goes
};

}  // namespace warpdex
