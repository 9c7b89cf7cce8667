// Where a batch lies in a lane's memory, and how much there is room for. Internal.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "gpu/batch/batch_image.hpp"
#include "gpu/index/gpu_index_state.hpp"
#include "gpu/kernels/kernels.cuh"
#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::gpu {

/// Further attempts to answer a query that had more candidates or documents than room.
inline constexpr std::uint32_t kMaxRetries = 2;

/// Makes the buffer hold so many bytes. Its content is lost if it must grow; then it gets a quarter
/// more.
void grow(PinnedBuffer& buffer, std::size_t bytes);

/// The memory of one lane for its batches, part by part: its share of the index's scratch
/// memory on the GPU, and page-locked memory on the host. It grows to what batches need.
class BatchMemory {
 public:
  /// Keeps references. All work that uses the memory is queued in `stream`.
  BatchMemory(const GpuIndex::State& index, const GpuAblation& ablation, const Stream& stream)
      : index_(index), ablation_(ablation), stream_(stream) {}

  /// How many of the queries `slots`, from the first on, make a part: as many as there should be
  /// memory for, at least one. At the second `attempt` (1) each query gets more room, at the third
  /// it is alone.
  std::size_t queries_of_part(std::span<const PlannedQuery> plans,
                              std::span<const std::uint32_t> slots, std::uint32_t k,
                              std::uint32_t attempt) const;

  /// Whether each query that the GPU can answer would find memory alone, at the first attempt, if
  /// so many bytes were reserved.
  bool has_room_for_each(std::span<const PlannedQuery> plans, std::span<const std::uint32_t> slots,
                         std::uint32_t k, std::size_t apart) const;
  /// Leaves so many bytes of the lane's share to the list stage. Nothing is under way.
  void reserve(std::size_t bytes);

  /// Whether there is memory for OR by bound, which needs much where blocks are many.
  bool has_room_for_competitive_blocks(const BatchShape& shape) const;

  /// Lays out a part of this shape. Fills in the pointers to all that kernels read and write,
  /// except the answers, and how much there is room for. `batch` already has state_count, tiles, k,
  /// the largest chunk_blocks and round_count, and so on. Returns the room for candidates of each
  /// query; nothing if there is not enough memory, and then nothing is laid out. The part before
  /// may be under way: the stream orders its use of the memory before this one's. Earlier parts
  /// must have ended.
  std::optional<std::uint32_t> lay_out(const BatchShape& shape, std::uint32_t attempt,
                                       Batch& batch);
  /// The image that was laid out last: where to write it in page-locked memory, and its copy on the
  /// GPU.
  ImageParts host() const { return gpu::lay_out(shape_, staging().data()); }
  ImageParts device() const { return gpu::lay_out(shape_, places_.image); }
  /// Queues the upload of the written image and the clearing of the counters; or prepares
  /// inline_query(), which does both.
  void upload(const Batch& batch);
  /// The argument of OR's first kernel, or null.
  const InlineQuery* inline_query() const { return is_inline_ ? &inline_query_ : nullptr; }
  /// Call this if kernels that should clear counters may not have been launched.
  void invalidate_counters() { is_clear_ = false; }

 private:
  /// What a query needs, estimated.
  struct Estimate {
    std::size_t bytes;
    std::uint64_t rows;  ///< entries of the tables by list and tile
  };

  /// The pieces of a part's memory: their bytes, or their addresses.
  template <class T>
  struct Pieces {
    T image{};    ///< written on the host
    T cleared{};  ///< states, histograms and counters
    T tables{};   ///< by tile
    T candidates{};
  };

  std::uint32_t min_capacity(std::uint32_t k, std::uint32_t attempt) const;
  Estimate estimate(const PlannedQuery& plan, std::uint32_t k, std::uint32_t attempt) const;
  bool make_room(std::size_t queries, const Pieces<std::size_t>& bytes);
  std::size_t lay_out_cleared(void* begin, Batch& batch) const;
  std::size_t lay_out_tables(void* begin, const BatchShape& shape, Batch& batch) const;
  std::size_t lay_out_candidates(void* begin, std::uint32_t capacity, Batch& batch) const;
  void set_round_room(const BatchShape& shape, std::size_t blocks, std::size_t found,
                      Batch& batch) const;
  std::uint32_t divide_memory(std::size_t needed, const BatchShape& shape, std::uint32_t attempt,
                              Batch& batch) const;
  void set_rounds(const BatchShape& shape, std::uint32_t attempt, Batch& batch) const;
  void describe(Batch& batch) const;
  std::size_t inline_bytes() const;
  bool can_inline(const BatchShape& shape, const Batch& batch);
  std::size_t own_share() const;
  const PinnedBuffer& staging() const { return stagings_[turn_of_staging_]; }
  void* inline_counters(std::uint32_t turn) const;

  const GpuIndex::State& index_;
  GpuAblation ablation_;
  const Stream& stream_;
  std::array<PinnedBuffer, 2> stagings_;  ///< images of this part and of the one before
  std::size_t turn_of_staging_ = 0;
  AccountedBuffer scratch_;   ///< all pieces in one, since allocating takes long
  Pieces<void*> places_;      ///< of what was laid out last
  std::size_t reserved_ = 0;  ///< bytes of the share for the list stage
  BatchShape shape_;          ///< of what was laid out last
  std::size_t image_bytes_ = 0;
  std::size_t cleared_bytes_ = 0;

  // For single queries that are passed as an argument. There are two sets of counters: each such
  // query uses one and clears the other.
  AccountedBuffer inline_counters_;
  std::size_t inline_counter_bytes_ = 0;  ///< bytes of one set
  std::uint32_t turn_ = 0;
  bool is_clear_ = false;  ///< whether the next set will be clear when the launched kernels have
                           ///< run
  bool is_inline_ = false;
  InlineQuery inline_query_;
};

}  // namespace warpdex::gpu
