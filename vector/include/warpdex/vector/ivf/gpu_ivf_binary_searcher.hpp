// Search of an inverted file of binary codes on a GPU.
#pragma once

#include <cstddef>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/ivf/ivf_binary_searcher.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

struct GpuIvfBinarySettings {
  /// Bytes of GPU memory that codes, vectors and scratch memory may take; 0: all that the Resources
  /// have. Centroids count only against the Resources' budget.
  std::size_t memory = 0;
  /// Copies the vectors themselves to the GPU, if there are some and they fit, to refine answers
  /// there. Else the host refines answers: they are the same.
  bool keeps_vectors = true;
};

/// Gives the answers of IvfBinarySearcher, to the bit. Lists are chosen on the GPU. Few queries are
/// compared with all codes of their lists by XOR and counts of bits; a selection follows. Many are
/// grouped by the lists that they probe: a list's codes become bytes for up to 128 queries at a
/// time, and are multiplied on the tensor cores.
///
/// Any number of threads may search at once, as with GpuFlatSearcher.
class GpuIvfBinarySearcher {
 public:
  /// Copies the codes to the GPU of `resources`, byte by byte as they are in the index. What
  /// `vectors` refers to, and `resources`, must outlive it. Throws CudaError where there is no GPU;
  /// Error, which says how much is needed, where there is too little memory for the codes.
  GpuIvfBinarySearcher(const IvfBinaryVectors& vectors, Resources& resources,
                       const GpuIvfBinarySettings& settings = {});
  ~GpuIvfBinarySearcher();
  GpuIvfBinarySearcher(GpuIvfBinarySearcher&&) noexcept;
  GpuIvfBinarySearcher& operator=(GpuIvfBinarySearcher&&) noexcept;

  /// As IvfBinarySearcher::nearest(). For few queries it takes 8 bytes of GPU memory for each
  /// vector of their lists, for many 32 to 128 KiB a query, for some queries at a time; the host
  /// needs a few bytes for each answer.
  Neighbors nearest(std::span<const float> queries, std::size_t k, std::size_t probes,
                    const BinaryDepth& depth = {}, const RowFilter* filter = nullptr) const;

  /// As IvfBinarySearcher::within(); query by query.
  RangeNeighbors within(std::span<const float> queries, float radius, std::size_t probes,
                        const BinaryDepth& depth = {}, const RowFilter* filter = nullptr) const;

  /// Whether answers are refined on the GPU.
  bool has_vectors() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
