// The segments of a snapshot as one index. Tables that kernels read by docID are copied into one,
// by spaced docID. Lists stay in their segments. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "gpu/index/gpu_index_state.hpp"
#include "gpu/index/searched_index.hpp"
#include "warpdex/core/cuda/resources.hpp"

namespace warpdex::gpu {

/// A segment to be joined. Its spaced docIDs start at PlacedIndex::first_document.
struct JoinedSegment {
  const GpuIndex::State* placed;
  Removals removals;             ///< bits by its own docIDs
  std::uint32_t first_document;  ///< the docID of its first document in the snapshot
};

/// Immutable. Refers to its segments, which must outlive it.
class JoinedSegments final : public SearchedIndex {
 public:
  /// Joins two segments or more, whose spaced docIDs ascend. Copies their tables by docID on the
  /// GPU. O(documents). Null if not all lists are in GPU memory, if segments differ in their codec
  /// or in whether they have static scores or impacts, if there are too many spaced docIDs, or if
  /// too little memory is left. Throws CudaError.
  static std::shared_ptr<const JoinedSegments> join(std::span<const JoinedSegment> segments,
                                                    Resources& resources);
  JoinedSegments(const JoinedSegments&) = delete;
  JoinedSegments& operator=(const JoinedSegments&) = delete;

  /// Bytes of GPU memory that the copies take.
  std::size_t memory() const { return bytes_.size(); }

 private:
  /// A segment with the bits of one snapshot.
  struct View final : PlacedIndex {
    explicit View(const JoinedSegment& segment);
    void place(const PostingsEntry& entry, ListSource& list) const override {
      placed.place(entry, list);
    }
    RawList find_raw(const PostingsEntry& entry) const override { return placed.find_raw(entry); }
    void prefetch(const PostingsEntry& entry) const override { placed.prefetch(entry); }
    const GpuIndex::State& placed;
  };
  /// The copies, mutable while they are made.
  struct Arrays {
    std::uint8_t* codes;
    std::uint8_t* remainders;
    std::uint32_t* long_bases;
    std::uint32_t* long_lengths;
    std::uint32_t field_stride;
    float* static_scores;
    float* static_bounds;
    std::uint32_t* removed;
    SpaceEntry* space;
    std::size_t bytes;
  };

  JoinedSegments() = default;
  bool take_memory(std::span<const JoinedSegment> all, Resources& resources);
  Arrays lay_out(std::span<const JoinedSegment> all, void* begin) const;
  void copy(std::span<const JoinedSegment> all);
  static void copy_lengths(const GpuIndex::State& segment, std::size_t long_documents,
                           const Arrays& to, const Stream& stream);
  void copy_space(std::span<const JoinedSegment> all, SpaceEntry* to, const Stream& stream);

  AccountedBuffer bytes_;
  std::vector<std::unique_ptr<const View>> views_;
};

}  // namespace warpdex::gpu
