// Where a batch lies in a searcher's memory, and how much of it there is room for. Internal.
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

/// Attempts after the first to answer queries that had more candidates, or so, than room.
inline constexpr std::uint32_t kMostAttempts = 2;

/// Makes the buffer hold so much at least, whatever it held; if it must grow, a quarter more.
void grow(PinnedBuffer& buffer, std::size_t bytes);

/// One searcher's memory for its batches, part by part: on the GPU, as much as its share of the
/// index's scratch memory, and page-locked on the host. It grows to what was needed.
class BatchMemory {
 public:
  /// Keeps references. In `stream`, all that uses the memory is queued.
  BatchMemory(const GpuIndex::State& index, const GpuAblation& ablation, const Stream& stream)
      : index_(index), ablation_(ablation), stream_(stream) {}

  /// How many of the queries `slots`, the first ones, are a part: as many as there should be memory
  /// for, one at least. At a second `attempt` (1) each gets more, at the third it is alone.
  std::size_t queries_of_part(std::span<const PlannedQuery> plans,
                              std::span<const std::uint32_t> slots, std::uint32_t k,
                              std::uint32_t attempt) const;

  /// Whether a part of any one of the queries that are the GPU's should find memory, at the first
  /// attempt, if so many bytes were set apart.
  bool has_room_for_each(std::span<const PlannedQuery> plans, std::span<const std::uint32_t> slots,
                         std::uint32_t k, std::size_t apart) const;
  /// Leaves so much of the searcher's share to others, from now on. Nothing is under way.
  void set_apart(std::size_t bytes);

  /// Whether OR can be done at once: in room that is large where blocks are many.
  bool has_room_for_promises(const BatchShape& shape) const;

  /// Lays a part out, of whose image this is the shape; fills in where all that the kernels read
  /// and write lies, but for the answers, and how much it is. `batch` says already how many states
  /// and tiles there are, k, and how large chunks are and how many rounds, at most. Returns for how
  /// many candidates of each query there is room; nothing, and nothing is laid out, if there is no
  /// memory for it. The part before may be under way, which will be done with its memory when this
  /// one's turn in the stream comes; those before it have ended.
  std::optional<std::uint32_t> lay_out(const BatchShape& shape, std::uint32_t attempt,
                                       Batch& batch);
  /// Where the image that was laid out last is to be written, in page-locked memory, and its copy.
  ImageParts host() const { return gpu::lay_out(shape_, staging().data()); }
  ImageParts device() const { return gpu::lay_out(shape_, places_.image); }
  /// Queues copying what was written to the GPU, and clearing what is to be counted; or prepares
  /// what the first kernel is to carry, which does both.
  void upload(const Batch& batch);
  /// For OR's first kernel, or null.
  const Carried* carried() const { return is_carried_ ? &carried_ : nullptr; }
  /// Kernels that were to be launched may not have been.
  void distrust() { is_clear_ = false; }

 private:
  /// What a query takes, by an estimate.
  struct Estimate {
    std::size_t bytes;
    std::uint64_t rows;  ///< entries of the tile tables
  };

  /// Of a part, what is laid out by itself, one behind the other: its bytes, or where they are.
  template <class T>
  struct Pieces {
    T image{};    ///< what was written on the host
    T cleared{};  ///< states, histograms, counters
    T tables{};   ///< of tiles
    T candidates{};
    T accumulators{};  ///< where OR adds up in global memory
  };

  std::uint32_t least_capacity(std::uint32_t k, std::uint32_t attempt) const;
  Estimate estimate(const PlannedQuery& plan, std::uint32_t k, std::uint32_t attempt) const;
  bool make_room(std::size_t queries, const Pieces<std::size_t>& bytes);
  std::size_t lay_out_cleared(void* begin, Batch& batch) const;
  std::size_t lay_out_tables(void* begin, const BatchShape& shape, Batch& batch) const;
  std::size_t lay_out_candidates(void* begin, std::uint32_t capacity, Batch& batch) const;
  void set_round_room(const BatchShape& shape, std::size_t blocks, std::size_t found,
                      Batch& batch) const;
  std::uint32_t share_out(std::size_t needed, const BatchShape& shape, std::uint32_t attempt,
                          Batch& batch) const;
  void set_rounds(const BatchShape& shape, std::uint32_t attempt, Batch& batch) const;
  std::size_t share_out_accumulators(std::size_t needed, const BatchShape& shape,
                                     Batch& batch) const;
  void describe(Batch& batch) const;
  std::size_t carried_bytes() const;
  bool can_carry(const BatchShape& shape, const Batch& batch);
  std::size_t own_share() const;
  const PinnedBuffer& staging() const { return stagings_[turn_of_staging_]; }
  void* counters_of_one(std::uint32_t turn) const;

  const GpuIndex::State& index_;
  GpuAblation ablation_;
  const Stream& stream_;
  std::array<PinnedBuffer, 2> stagings_;  ///< images, of this part and of the one before
  std::size_t turn_of_staging_ = 0;
  AccountedBuffer scratch_;  ///< all pieces: to free and to take memory takes long
  Pieces<void*> places_;     ///< there, of what was laid out last
  std::size_t apart_ = 0;    ///< bytes of the share that others have
  BatchShape shape_;         ///< of what was laid out last
  std::size_t image_bytes_ = 0;
  std::size_t cleared_bytes_ = 0;

  // Of single queries whose first kernel carries their image. They take turns with two sets of
  // counters: each clears the other's.
  AccountedBuffer of_one_;
  std::size_t bytes_of_one_ = 0;  ///< of a set
  std::uint32_t turn_ = 0;
  bool is_clear_ = false;  ///< the set whose turn is next, once all that was launched has run
  bool is_carried_ = false;
  Carried carried_;
};

}  // namespace warpdex::gpu
