// A chunk of AND's driver in shared memory, and the blocks of other lists that may hold its
// documents. Internal to and_chunk.cuh.
#pragma once

#include "gpu/device/candidates.cuh"
#include "warpdex/core/cuda/phase_clock.cuh"

namespace warpdex::gpu {
namespace and_chunk {

/// The sizes of a chunk, which has a block of the driver for each warp of its CTA. Where queries
/// are huge, block_ends are known of a group of kMaxLists lists at a time.
template <std::uint32_t kChunkWarps, bool kHuge = false>
struct ChunkShape {
  static constexpr bool kIsHuge = kHuge;
  static constexpr std::uint32_t kWarps = kChunkWarps;
  static constexpr std::uint32_t kThreads = kWarps * kWarp;
  static constexpr std::uint32_t kChunk = kWarps * kBlockSize;  ///< documents
  static constexpr std::uint32_t kPerThread = kChunk / kThreads;
  /// Room for last docIDs of another list's blocks. If there are more, they are searched in GPU
  /// memory.
  static constexpr std::uint32_t kRange = kChunk;
};

/// A CTA's shared memory.
template <class Shape>
struct Memory {
  device::WarpScratch scratch[Shape::kWarps];
  std::uint32_t block_docids[Shape::kWarps][kBlockSize];  ///< each warp's block of another list
  std::uint32_t docids[Shape::kChunk];                    ///< that may still match, ascending
  std::uint32_t sums[Shape::kChunk];                      ///< in units
  std::uint32_t blocks[Shape::kChunk];            ///< where the document may be in the other list
  std::uint16_t places[Shape::kChunk];            ///< in the chunk as it was read
  std::uint16_t group_starts[Shape::kChunk + 1];  ///< the first document of each block to
                                                  ///< decode
  std::uint8_t matching[Shape::kChunk];           ///< by document: 1 if it still matches; in
                                                  ///< add_driver() by place: 2 if it is left
  std::uint32_t range[Shape::kRange];             ///< last docIDs of another list's blocks
  std::uint32_t warp_sums[Shape::kWarps];
  std::uint32_t group;                     ///< the number of the group whose block_ends are known
  std::uint32_t block_ends[kMaxLists][2];  ///< by list: the first block that may hold one of the
                                           ///< chunk's documents, and the end of these blocks
  std::uint32_t threshold;                 ///< of append_candidates()
  std::uint32_t used[Shape::kWarps];  ///< by block of the driver: whether a document of it is left
};

/// Finds the blocks of other lists that may hold the documents of a chunk. A whole CTA. With
/// `kMeasures`, which is for measurements, it skips nothing if the query is kExhaustive, and counts
/// the cycles of each phase if there are counters.
template <class Shape, bool kMeasures>
class ChunkBlocks {
 public:
  __device__ ChunkBlocks(const Batch& batch, const Query& query, const BlockRange& range,
                         Memory<Shape>& memory)
      : batch_(batch),
        query_(query),
        memory_(memory),
        lists_(batch.lists + query.first_list),
        first_block_(range.first),
        end_block_(range.first + range.blocks),
        warp_(warp_id()) {}

 protected:
  static constexpr std::uint32_t kWarps = Shape::kWarps;
  static constexpr std::uint32_t kThreads = Shape::kThreads;
  static constexpr std::uint32_t kPerThread = Shape::kPerThread;

  /// A barrier for all threads. `phase` is what they did before it.
  __device__ void sync(GpuPhase phase) {
    clock_.end(phase);
    __syncthreads();
    clock_.end(GpuPhase::kWait);
  }

  /// The block_ends of a list.
  __device__ std::uint32_t (&ends_of(std::uint32_t list))[2] {
    return memory_.block_ends[Shape::kIsHuge ? list % kMaxLists : list];
  }

  __device__ bool skips_nothing() const { return kMeasures && (query_.flags & kExhaustive) != 0; }

  /// Finds in each other list, of a huge query in those of a group, the blocks that may hold
  /// documents behind the chunk before this one, up to this one's last. One list a warp. The last
  /// warps come first: if the chunk has few blocks of the driver, these warps have none to decode.
  __device__ void find_block_ranges(std::uint32_t group) {
    if (Shape::kIsHuge && threadIdx.x == 0) memory_.group = group;
    const List& driver = lists_[driver_];
    const std::uint32_t first = first_block_ == 0 ? 0 : driver.last_docids[first_block_ - 1] + 1;
    // If nothing is skipped, the last chunk takes all blocks that follow.
    const bool has_all = skips_nothing() && end_block_ == driver.blocks;
    const std::uint32_t last = has_all ? kNone : driver.last_docids[end_block_ - 1];
    const bool is_high = lane_id() >= kWarp / 2;
    const std::uint32_t begin = Shape::kIsHuge ? group * kMaxLists : 0;
    const std::uint32_t end =
        Shape::kIsHuge ? min(begin + kMaxLists, query_.list_count) : query_.list_count;
    for (std::uint32_t i = begin + kWarps - 1 - warp_; i < end; i += kWarps) {
      if (i == driver_) continue;
      const List& list = lists_[i];
      std::uint32_t place = is_high ? 1 : 0;
      if ((list.flags & kRaw) == 0) {
        place = lower_bound_by_halves(list.last_docids, list.blocks, is_high ? last : first);
        if (is_high) place = min(place + 1, list.blocks);
      }
      if (lane_id() % (kWarp / 2) == 0) ends_of(i)[is_high ? 1 : 0] = place;
    }
  }

  /// Parallel Merge Find: finds the block for each document, within the list's block_ends.
  __device__ void find_blocks(std::uint32_t other) {
    const List& list = lists_[other];
    if (list.flags & kRaw) {
      for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) memory_.blocks[i] = 0;
      sync(GpuPhase::kIntersect);
      return;
    }
    const std::uint32_t low = ends_of(other)[0];
    const std::uint32_t size = ends_of(other)[1] - low;
    const bool is_here = size <= Shape::kRange;
    if (is_here) {
      for (std::uint32_t i = threadIdx.x; i < size; i += kThreads) {
        memory_.range[i] = list.last_docids[low + i];
      }
      sync(GpuPhase::kIntersect);
    }
    const std::uint32_t* const range = is_here ? memory_.range : list.last_docids + low;
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      memory_.blocks[i] = low + lower_bound(range, size, memory_.docids[i]);
    }
    sync(GpuPhase::kIntersect);
  }

  /// For comparison, instead of find_groups(): returns the number of all blocks within the
  /// block_ends, and resets `matching` in the same way.
  __device__ std::uint32_t find_all(std::uint32_t other, std::uint32_t role) {
    for (std::uint32_t i = threadIdx.x; i < count_; i += kThreads) {
      memory_.matching[i] = role == kRequired ? 0 : 1;
    }
    sync(GpuPhase::kIntersect);
    return ends_of(other)[1] - ends_of(other)[0];
  }

  /// Writes to group_starts the first document of each block that must be decoded, and resets
  /// `matching`. Returns the number of blocks.
  __device__ std::uint32_t find_groups(const List& list, std::uint32_t role) {
    std::uint32_t mine = 0;
    bool is_start[kPerThread];
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      const std::uint32_t i = kPerThread * threadIdx.x + j;
      is_start[j] = false;
      if (i >= count_) continue;
      const std::uint32_t block = memory_.blocks[i];
      memory_.matching[i] = role == kRequired ? 0 : 1;
      is_start[j] = block < list.blocks && (i == 0 || memory_.blocks[i - 1] != block);
      mine += is_start[j] ? 1 : 0;
    }
    std::uint32_t total = 0;
    std::uint32_t to = sum_before(mine, total, GpuPhase::kIntersect);
#pragma unroll
    for (std::uint32_t j = 0; j < kPerThread; ++j) {
      if (is_start[j])
        memory_.group_starts[to++] = static_cast<std::uint16_t>(kPerThread * threadIdx.x + j);
    }
    if (threadIdx.x == 0) {
      // Documents behind the list's last one come last and have no block.
      std::uint32_t end = count_;
      if (memory_.blocks[count_ - 1] >= list.blocks) {
        end = lower_bound(memory_.blocks, count_, list.blocks);
      }
      memory_.group_starts[total] = static_cast<std::uint16_t>(end);
    }
    sync(GpuPhase::kIntersect);
    return total;
  }

  /// The sum of `value` over all threads before this one; `total` becomes the sum over all. Two
  /// barriers.
  __device__ std::uint32_t sum_before(std::uint32_t value, std::uint32_t& total, GpuPhase phase) {
    std::uint32_t sum = value;
#pragma unroll
    for (std::uint32_t step = 1; step < kWarp; step *= 2) {
      const std::uint32_t other = __shfl_up_sync(kWholeWarp, sum, step);
      if (lane_id() >= step) sum += other;
    }
    if (lane_id() == kWarp - 1) memory_.warp_sums[warp_] = sum;
    sync(phase);
    std::uint32_t before = 0;
    total = 0;
#pragma unroll
    for (std::uint32_t i = 0; i < kWarps; ++i) {
      if (i < warp_) before += memory_.warp_sums[i];
      total += memory_.warp_sums[i];
    }
    sync(phase);
    return before + sum - value;
  }

  const Batch& batch_;
  const Query& query_;
  Memory<Shape>& memory_;
  const List* lists_;
  std::uint32_t first_block_;
  std::uint32_t end_block_;
  std::uint32_t warp_;
  std::uint32_t driver_ = 0;
  std::uint32_t count_ = 0;
  PhaseClock<GpuPhase, kGpuPhases, kMeasures> clock_;
};

}  // namespace and_chunk
}  // namespace warpdex::gpu
