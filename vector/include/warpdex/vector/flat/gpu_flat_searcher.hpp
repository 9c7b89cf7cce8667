// Exact search for nearest vectors on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

struct GpuFlatSettings {
  /// Bytes of GPU memory that vectors and scratch memory may take; 0: all that the Resources have.
  /// Vectors that do not fit stay in the host's memory and pass through the GPU for each search.
  std::size_t memory = 0;
  /// Keeps a copy of the vectors in half precision on the GPU, if there is room for it: half as
  /// much memory again, for batches that need not make it each time.
  bool keeps_halves = false;
};

/// What has been searched so far, by all threads. Where vectors are paged, a query counts once a
/// page.
struct GpuFlatFigures {
  std::uint64_t queries = 0;  ///< that products of halves were made for
  /// Of these, the queries whose answers the products did not settle, so that all rows were
  /// compared in floats.
  std::uint64_t uncertified = 0;
};

/// Gives the answers of FlatSearcher, to the bit. *Billion-scale similarity search with GPUs*,
/// section 5.1.
///
/// A few queries are compared with all vectors in the canonical order of arithmetic
/// (docs/vector.md). More are multiplied with the vectors on the tensor cores, in half precision.
/// The error of such a product is bounded: rows that may be among the k nearest are computed again
/// in the canonical order, and where there are too many of those, all rows are.
///
/// Any number of threads may search at once; each takes its own stream and scratch memory, all
/// within one budget. If too little is left, a search waits until another ends.
class GpuFlatSearcher {
 public:
  /// Copies the vectors to the GPU of `resources`, or prepares to page. What `vectors` refers to,
  /// and `resources`, must outlive it. Throws UsageError for a dimension or a number of rows past
  /// the limits of vector_view.hpp; CudaError where there is no GPU. Where memory does not suffice
  /// even to page, searches throw Error, which says how much they need.
  explicit GpuFlatSearcher(const FlatVectors& vectors, Resources& resources,
                           const GpuFlatSettings& settings = {});
  ~GpuFlatSearcher();
  GpuFlatSearcher(GpuFlatSearcher&&) noexcept;
  GpuFlatSearcher& operator=(GpuFlatSearcher&&) noexcept;

  /// As FlatSearcher::nearest().
  Neighbors nearest(std::span<const float> queries, std::size_t k,
                    const RowFilter* filter = nullptr) const;

  /// As FlatSearcher::within(): rows are counted, then listed.
  RangeNeighbors within(std::span<const float> queries, float radius,
                        const RowFilter* filter = nullptr) const;

  /// nearest() with queries and answers in GPU memory: `queries` are count * dimension floats,
  /// `rows` and `distances` have room for count * k. Returns when the answers are there. A query
  /// with a component that is not finite has distances that are not finite either. The work that
  /// writes the queries must have ended before the call.
  void nearest_on_gpu(const float* queries, std::size_t count, std::size_t k, std::int32_t* rows,
                      float* distances) const;

  /// Whether all vectors lie in GPU memory.
  bool is_resident() const;
  GpuFlatFigures figures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
