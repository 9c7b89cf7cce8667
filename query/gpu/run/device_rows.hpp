// The GPU memory for an engine's rows of terms, and the upload of new ones. Internal.
#pragma once

#include <vector>

#include "gpu/batch/term_rows.hpp"
#include "gpu/index/searched_index.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// Belongs to an engine over the segments of a snapshot. Its lanes share it, one thread at a time.
/// Batches read rows in the streams of their lanes.
class DeviceRows {
 public:
  /// Takes the memory for rows that earlier engines have left, up to a limit. The index must
  /// outlive this.
  explicit DeviceRows(const SearchedIndex& index);
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  RowMemory memory() const { return {static_cast<std::uint8_t*>(memory_.data()), memory_.size()}; }
  /// Adds the stream of a lane, until remove(). Keeps a reference.
  void add(const Stream& stream) { streams_.push_back(&stream); }
  void remove(const Stream& stream) { std::erase(streams_, &stream); }
  /// Queues the upload of rows that are not on the GPU yet. Work that is queued in `stream` from
  /// now on finds all rows, also those that other lanes have uploaded. If rows start over, the
  /// upload waits, on the GPU, for the work that is queued in the streams of all lanes.
  void upload(TermRows& rows, const Stream& stream);

 private:
  AccountedBuffer memory_;
  Event uploaded_;                      ///< the last upload, which follows all before it
  Event read_;                          ///< the end of a lane's work so far
  std::vector<const Stream*> streams_;  ///< of the lanes
};

}  // namespace warpdex::gpu
