// Copies lists from a mapped index to the GPU beside its other work: by threads to pinned memory,
// from there by a stream of its own. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/gpu/list_image.hpp"

namespace warpdex::gpu {

/// One searcher's. The memory is pinned by the first upload.
class ListUploader {
 public:
  /// `most` bytes are ever worth being staged at once.
  ListUploader(std::size_t most, int device);

  /// Starts on an upload to GPU memory at `target`. May wait for uploads before it.
  void add(const ListImage& image, std::uint8_t* target);
  /// Queues what add() has left; `arrived` is recorded behind it.
  void flush(Event& arrived);
  /// Waits for all that was queued. Never throws.
  void wait_quietly() noexcept;

  /// Bytes that were given to add() so far.
  std::uint64_t bytes() const { return bytes_; }

 private:
  /// Half of the pinned memory: one is filled while the other is read by the GPU.
  struct Half {
    PinnedBuffer memory;
    Event read;  ///< the GPU has read it
  };
  /// From the map to pinned memory.
  struct HostCopy {
    std::uint8_t* to;
    const std::uint8_t* from;
    std::size_t bytes;
  };
  /// From pinned memory to the GPU's.
  struct DeviceCopy {
    std::uint8_t* to;
    std::size_t from;  ///< offset
    std::size_t bytes;
  };

  void stage(const ListImage& image, std::size_t begin, std::size_t bytes);
  void copy_to_pinned() const;
  void send();

  std::size_t half_bytes_;
  int device_;
  Stream stream_;
  std::vector<Half> halves_;
  std::size_t current_ = 0;  ///< half
  std::size_t filled_ = 0;   ///< bytes of it
  std::vector<HostCopy> host_copies_;
  std::vector<DeviceCopy> device_copies_;
  std::uint64_t bytes_ = 0;
};

}  // namespace warpdex::gpu
