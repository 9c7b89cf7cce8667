// Search of an inverted file on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/ivf/ivf_searcher.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// Gives the answers of IvfSearcher, to the bit.
///
/// Lists are taken one by one, each with all queries that probe it, as products of halves on the
/// tensor cores; what may be among the k nearest is computed again in the canonical order of
/// arithmetic. The lists of a query are taken in rounds, the nearest one first, so that later
/// rounds keep few candidates. Few queries, large k, and queries that products do not settle are
/// compared with all vectors of their lists. Vectors, and halves of them, must fit into GPU memory.
///
/// Any number of threads may search at once, as with GpuFlatSearcher.
class GpuIvfSearcher {
 public:
  /// Copies the vectors to the GPU of `resources`. What `vectors` refers to, and `resources`, must
  /// outlive it. `memory` bounds vectors and scratch memory, but not the centroids; 0: what the
  /// Resources have. Throws CudaError where there is no GPU; Error, which says how much is needed,
  /// where there is too little memory.
  GpuIvfSearcher(const IvfVectors& vectors, Resources& resources, std::size_t memory = 0);
  ~GpuIvfSearcher();
  GpuIvfSearcher(GpuIvfSearcher&&) noexcept;
  GpuIvfSearcher& operator=(GpuIvfSearcher&&) noexcept;

  /// As IvfSearcher::nearest().
  Neighbors nearest(std::span<const float> queries, std::size_t k, std::size_t probes,
                    const RowFilter* filter = nullptr) const;

  /// nearest() with queries and answers in GPU memory, as GpuFlatSearcher::nearest_on_gpu().
  void nearest_on_gpu(const float* queries, std::size_t count, std::size_t k, std::size_t probes,
                      std::int32_t* rows, float* distances) const;

  /// As IvfSearcher::within(); query by query.
  RangeNeighbors within(std::span<const float> queries, float radius, std::size_t probes,
                        const RowFilter* filter = nullptr) const;

  GpuFlatFigures figures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
