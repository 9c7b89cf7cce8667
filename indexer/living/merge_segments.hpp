// Writes neighbouring segments of an index as one. Internal.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>

#include "warpdex/core/storage/manifest.hpp"
#include "warpdex/core/storage/removed_rows.hpp"
#include "warpdex/core/storage/replacement_folder.hpp"
#include "warpdex/indexer/format/index.hpp"

namespace warpdex {

/// A segment, and which of its documents are left out.
struct MergeSource {
  std::shared_ptr<const Index> index;
  RemovedRows removed{};
};

/// The memory and threads of a merge, and its callback.
struct MergeMeans {
  std::uint64_t memory = 0;  ///< bytes, kMinBuildMemory or more
  std::size_t threads = 0;   ///< 0: one for each processor that the process may use
  /// Called with the share done, 0 to 1, from any thread, one call at a time; what it throws ends
  /// the merge.
  std::function<void(double)> on_progress;
};

/// Writes the documents that are left of neighbours as the segment of that number, in the same
/// order; returns what the manifest is to say. None if no document is left; nothing is written
/// then. After an exception nothing of it is in the folder. Throws FormatError for a damaged
/// segment, IoError. O(their bytes).
std::optional<SegmentInfo> merge_segments(std::span<const MergeSource> sources,
                                          std::uint64_t number, const MergeMeans& means,
                                          ReplacementFolder& to);

}  // namespace warpdex
