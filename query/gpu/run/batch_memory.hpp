// A lane's memory, and the places of a batch in it. Internal.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "gpu/batch/batch_image.hpp"
#include "gpu/index/searched_index.hpp"
#include "gpu/run/batch_places.hpp"
#include "gpu/run/batch_plan.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::gpu {

/// Makes the buffer hold `bytes`. If it must grow, it gets a quarter more, and its content is lost.
void grow(PinnedBuffer& buffer, std::size_t bytes);

/// The memory of one lane for its batches, part by part: its share of the index's scratch
/// memory on the GPU, and page-locked memory on the host. It grows to what batches need.
class BatchMemory {
 public:
  /// Keeps references. All work that uses the memory is queued in `stream`.
  BatchMemory(const SearchedIndex& index, const Stream& stream) : index_(index), stream_(stream) {}

  /// Bytes of GPU memory that a part may take.
  std::size_t share() const;
  /// The same if `reserved` bytes were reserved.
  std::size_t share_beside(std::size_t reserved) const;
  /// Leaves `bytes` of the lane's share to the list stage. No part may be under way.
  void reserve(std::size_t bytes);

  /// To be called before the first part of a batch, while none is under way. Batches of one part
  /// then all use the same image, which is in the CPU's cache.
  void begin() { turn_of_staging_ = 1; }
  /// Gives memory back where the lane has more than its share.
  void give_back();
  /// Lays out a part. False if there is not enough memory, and then nothing is laid out. The part
  /// before may be under way: the stream orders its use of the memory before this one's. Earlier
  /// parts must have ended.
  bool lay_out(const BatchPlan& plan);
  /// The places of the part that was laid out last: the pointers that place_*() fill in.
  const BatchStages& places() const { return places_; }
  /// The image that was laid out last, in page-locked memory, where it is to be written.
  ImageParts host() const { return gpu::lay_out(shape_, staging().data()); }
  /// Its copy on the GPU, with the lists and queries that kernels read, which are part of the image
  /// or made from it.
  ImageParts device() const;
  /// Queues the upload of the written image, the clearing of the counters, and the making of
  /// entries. A kernel that does the first two may `overlap` the one before.
  void upload(bool overlaps);

 private:
  /// The regions of a part's memory: their bytes, or their addresses.
  template <class T>
  struct Regions {
    T image{};    ///< written on the host
    T cleared{};  ///< states, histograms and counters
    T tables{};   ///< by tile
    T documents{};
    T made{};  ///< lists and queries that are made on the GPU
  };

  void send(bool overlaps);
  bool make_room(std::size_t queries, const Regions<std::size_t>& bytes);
  const PinnedBuffer& staging() const { return stagings_[turn_of_staging_]; }

  const SearchedIndex& index_;
  const Stream& stream_;
  std::array<PinnedBuffer, 2> stagings_;  ///< images of this part and of the one before
  std::size_t turn_of_staging_ = 0;
  AccountedBuffer scratch_;   ///< all regions in one, since allocating takes long
  Regions<void*> regions_;    ///< of what was laid out last
  BatchStages places_{};      ///< likewise
  std::size_t reserved_ = 0;  ///< bytes of the share for the list stage
  BatchShape shape_;          ///< of what was laid out last
  std::size_t image_bytes_ = 0;
  std::size_t cleared_bytes_ = 0;
};

}  // namespace warpdex::gpu
