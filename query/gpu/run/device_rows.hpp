// The GPU memory of the rows of an engine's terms, and how new rows get there. Internal.
#pragma once

#include "gpu/batch/term_rows.hpp"
#include "gpu/index/searched_index.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// An engine's, over the segments of a snapshot. Its lanes share it; one thread at a time.
class DeviceRows {
 public:
  /// Takes a share of the scratch memory, or none if there is not so much left. Keeps a reference.
  explicit DeviceRows(const SearchedIndex& index);
  ~DeviceRows() { index_.row_memory -= memory_.size(); }
  DeviceRows(const DeviceRows&) = delete;
  DeviceRows& operator=(const DeviceRows&) = delete;

  RowMemory memory() const { return {static_cast<std::uint8_t*>(memory_.data()), memory_.size()}; }
  /// Queues the upload of rows that are not there yet. What is queued in `stream` from now on finds
  /// all rows, also those that other lanes have uploaded. Where rows start over, waits for the GPU.
  void upload(TermRows& rows, const Stream& stream);

 private:
  const SearchedIndex& index_;
  AccountedBuffer memory_;
  Event uploaded_;  ///< the last upload, which follows all before it
};

}  // namespace warpdex::gpu
