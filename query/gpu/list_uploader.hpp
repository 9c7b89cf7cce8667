// Copies lists from a mapped index to the GPU beside its other work: by threads to pinned memory,
// from there by a stream of its own. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/gpu/list_image.hpp"
#include "warpdex/query/gpu/pinned_lists.hpp"

namespace warpdex::gpu {

/// One searcher's. The memory is pinned by the first upload.
class ListUploader {
 public:
  /// `most` bytes are ever worth being staged at once. `store`, which outlives this, keeps what it
  /// has room for.
  ListUploader(std::size_t most, PinnedListStore& store, int device);

  /// Starts on an upload to GPU memory at `target`. May wait for uploads before it.
  void add(ListSpace::Id list, const ListImage& image, std::uint8_t* target);
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
    const std::uint8_t* from;
    std::size_t bytes;
  };

  void add_by_halves(const ListImage& image, std::uint8_t* target);
  void stage(const ListImage& image, std::size_t begin, std::size_t bytes, std::uint8_t* memory);
  void copy_to_pinned() const;
  void send();
  void clear();

  std::size_t half_bytes_;
  PinnedListStore& store_;
  int device_;
  Stream stream_;
  std::vector<Half> halves_;
  std::size_t current_ = 0;            ///< half
  std::size_t filled_ = 0;             ///< bytes of it
  std::size_t staged_ = 0;             ///< bytes that host_copies_ fill in the store
  std::vector<ListSpace::Id> stored_;  ///< lists that they fill there
  std::vector<HostCopy> host_copies_;
  std::vector<DeviceCopy> device_copies_;
  std::uint64_t bytes_ = 0;
};

}  // namespace warpdex::gpu
