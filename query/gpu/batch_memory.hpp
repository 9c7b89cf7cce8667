// Where a batch lies in a searcher's memory, and how much of it there is room for. Internal.
#pragma once

#include <cuda_runtime_api.h>

#include "warpdex/core/cuda/memory_budget.hpp"
#include "warpdex/core/cuda/pinned.hpp"
#include "warpdex/query/gpu/batch_image.hpp"
#include "warpdex/query/gpu/gpu_index_state.hpp"

namespace warpdex::gpu {

/// What a part of a batch may take.
struct PartLimits {
  std::size_t queries = 1;
  std::uint64_t terms = 0;  ///< of all queries together; a first one may have more
};

/// Makes the buffer hold so much at least, whatever it held; if it must grow, a quarter more.
void grow(PinnedBuffer& buffer, std::size_t bytes);

/// One searcher's memory for its batches, part by part: on the GPU, as much as its share of the
/// index's scratch memory, and page-locked on the host. It grows to what was needed.
class BatchMemory {
 public:
  /// Keeps a reference.
  BatchMemory(const GpuIndex::State& index, const GpuAblation& ablation)
      : index_(index), ablation_(ablation) {}

  /// What a part of a batch may take. Parts of queries that `lost` candidates before are smaller,
  /// so that there is more room for each.
  PartLimits limits(std::uint32_t k, bool lost) const;
  /// Candidates of a query that there is room for in a part of so many.
  std::uint32_t capacity_for(std::size_t queries, std::uint32_t k, bool lost) const;

  /// Whether OR can be done at once: in room that is large where blocks are many.
  bool has_room_for_promises(const BatchImage& image) const;

  /// Lays a part's image out and writes it to page-locked memory; fills in where all that the
  /// kernels read and write lies, but for the answers, and how much it is. `batch` says already
  /// how many states and tiles there are, and how large chunks are. False, and nothing is laid out,
  /// if there is no memory for it.
  bool lay_out(const BatchImage& image, std::uint32_t capacity, bool lost, Batch& batch);
  /// Queues copying what was laid out to the GPU, and clearing what is to be counted.
  void upload(const Batch& batch, cudaStream_t stream) const;

 private:
  std::uint64_t most_candidates() const;
  bool make_room(std::size_t queries, std::size_t for_uploads, std::size_t for_cleared,
                 std::size_t for_tables, std::size_t for_candidates, std::size_t for_accumulators);
  std::size_t lay_out_cleared(void* begin, Batch& batch) const;
  std::size_t lay_out_tables(void* begin, const BatchImage& image, Batch& batch) const;
  std::size_t lay_out_candidates(void* begin, const BatchImage& image, std::uint32_t capacity,
                                 bool lost, Batch& batch) const;
  std::size_t share_out_accumulators(std::size_t needed, const BatchImage& image,
                                     Batch& batch) const;
  void describe(const BatchImage& image, const ImageParts& device, Batch& batch) const;

  const GpuIndex::State& index_;
  GpuAblation ablation_;
  PinnedBuffer staging_;     ///< the image
  AccountedBuffer uploads_;  ///< its copy
  AccountedBuffer cleared_;  ///< states, histograms, counters
  AccountedBuffer tables_;   ///< of tiles
  AccountedBuffer candidates_;
  AccountedBuffer accumulators_;  ///< where OR adds up in global memory
  std::size_t image_bytes_ = 0;   ///< of what was laid out last
  std::size_t cleared_bytes_ = 0;
};

}  // namespace warpdex::gpu
