// Blocks of rows on their way to GPU memory, through two page-locked buffers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Of the two buffers in which blocks travel, even blocks use one, odd ones the other. So the host
/// fills one block while another is copied, and a third one is worked on.
class RowStream {
 public:
  explicit RowStream(int device);
  /// Waits for what is under way.
  ~RowStream();
  RowStream(const RowStream&) = delete;
  RowStream& operator=(const RowStream&) = delete;

  /// Makes both buffers hold so many bytes or more. Not while blocks are under way.
  void reserve(std::size_t bytes);

  /// Waits until the block before the last one has left its buffer. The buffer of a block, for the
  /// host to fill.
  void* buffer(std::size_t block);
  /// Queues the copy of the block's buffer to GPU memory, for when release() says that its memory
  /// is free.
  void send(std::size_t block, void* to, std::size_t bytes);
  /// Makes work that is queued in `stream` from now on wait for the block.
  void await(std::size_t block, const Stream& stream) const;
  /// The memory that the block was sent to may be written once `stream` has come to this point.
  void release(std::size_t block, const Stream& stream);

 private:
  std::array<PinnedBuffer, 2> buffers_;
  Stream copies_;
  std::array<Event, 2> sent_;
  std::array<Event, 2> released_;
};

/// Two page-locked buffers in which results come back.
class ResultStream {
 public:
  explicit ResultStream(int device);

  /// As RowStream has it.
  void reserve(std::size_t bytes);
  void* buffer(std::size_t block) const { return buffers_[block % 2].data(); }
  /// The results of the block are in its buffer once `stream` has come to this point.
  void record(std::size_t block, const Stream& stream) { done_[block % 2].record(stream); }
  /// Waits for them.
  void await(std::size_t block) const { done_[block % 2].synchronize(); }

 private:
  std::array<PinnedBuffer, 2> buffers_;
  std::array<Event, 2> done_;
};

/// Calls start(block), process(block) and collect(block) for each of `blocks` blocks, in an order
/// that lets the host start one while the GPU processes the one before: collect(i) comes before
/// process(i + 2).
template <class Start, class Process, class Collect>
void run_blocks(std::size_t blocks, const Start& start, const Process& process,
                const Collect& collect) {
  if (blocks > 0) start(0);
  for (std::size_t block = 0; block < blocks; ++block) {
    if (block + 1 < blocks) start(block + 1);
    process(block);
    if (block > 0) collect(block - 1);
  }
  if (blocks > 0) collect(blocks - 1);
}

}  // namespace warpdex::vector
