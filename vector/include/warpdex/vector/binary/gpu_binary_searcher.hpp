// Search of XOR-friendly binary codes on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/binary/binary_searcher.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

struct GpuBinarySettings {
  /// Bytes of GPU memory that codes, vectors and scratch memory may take; 0: all that the Resources
  /// have.
  std::size_t memory = 0;
  /// Copies the vectors themselves to the GPU, if there are some and they fit, to refine answers
  /// there. Else the host refines answers: they are the same.
  bool keeps_vectors = true;
};

/// Gives the answers of BinarySearcher, to the bit. *XOR-Friendly Binary Quantization*, section 4.
///
/// Any number of threads may search at once, as with GpuFlatSearcher.
class GpuBinarySearcher {
 public:
  /// Copies the codes to the GPU of `resources`, byte by byte as they are in the index. What
  /// `vectors` refers to, and `resources`, must outlive it. Throws CudaError where there is no GPU;
  /// Error, which says how much is needed, where there is too little memory for the codes.
  GpuBinarySearcher(const BinaryVectors& vectors, Resources& resources,
                    const GpuBinarySettings& settings = {});
  ~GpuBinarySearcher();
  GpuBinarySearcher(GpuBinarySearcher&&) noexcept;
  GpuBinarySearcher& operator=(GpuBinarySearcher&&) noexcept;

  /// As BinarySearcher::nearest(). Beside GPU memory, the host needs a few bytes for each answer.
  Neighbors nearest(std::span<const float> queries, std::size_t k, const BinaryDepth& depth = {},
                    const RowFilter* filter = nullptr) const;

  /// As BinarySearcher::within(); query by query.
  RangeNeighbors within(std::span<const float> queries, float radius, const BinaryDepth& depth = {},
                        const RowFilter* filter = nullptr) const;

  /// Whether answers are refined on the GPU.
  bool has_vectors() const;
  GpuFlatFigures figures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
