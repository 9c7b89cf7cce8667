// Search of an inverted file of codes on a GPU.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include "warpdex/core/cuda/resources.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/ivf/ivf_pq_searcher.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// How queries are compared with codes. All ways give the same answers.
enum class CodeWay : std::uint8_t {
  kAuto,      ///< whichever is the fastest for so many queries
  kQueries,   ///< query by query, by tables of floats
  kTables,    ///< list by list, by tables of bytes for 8 queries at a time
  kProducts,  ///< list by list, decoded and multiplied
};

struct GpuIvfPqSettings {
  /// Bytes of GPU memory that codes, vectors and scratch memory may take; 0: all that the Resources
  /// have. Centroids count only against the Resources' budget.
  std::size_t memory = 0;
  /// Copies the vectors themselves to the GPU, if there are some and they fit, to refine answers
  /// there. Else the host refines answers: they are the same.
  bool keeps_vectors = true;
  /// Ways other than kAuto are for measurements and tests. If a way cannot be used, kQueries is
  /// used.
  CodeWay way = CodeWay::kAuto;
};

/// Gives the answers of IvfPqSearcher, to the bit. *Billion-scale similarity search with GPUs*,
/// section 5.
///
/// Lists are chosen on the GPU. Few queries are compared with all codes of their lists by tables in
/// shared memory, and the scan keeps the k nearest as it goes. Many queries are grouped by the
/// lists that they probe: a list is compared with 8 queries at a time by tables rounded to bytes,
/// or it is decoded once for up to 128 queries and multiplied on the tensor cores. The nearest list
/// of each query comes first and gives it a limit. What may be within it is computed again by
/// tables of floats.
///
/// Any number of threads may search at once, as with GpuFlatSearcher.
class GpuIvfPqSearcher {
 public:
  /// Copies the codes to the GPU of `resources`, byte by byte as they are in the index. What
  /// `vectors` refers to, and `resources`, must outlive it. Throws CudaError where there is no GPU;
  /// Error, which says how much is needed, where there is too little memory for the codes.
  GpuIvfPqSearcher(const IvfPqVectors& vectors, Resources& resources,
                   const GpuIvfPqSettings& settings = {});
  ~GpuIvfPqSearcher();
  GpuIvfPqSearcher(GpuIvfPqSearcher&&) noexcept;
  GpuIvfPqSearcher& operator=(GpuIvfPqSearcher&&) noexcept;

  /// As IvfPqSearcher::nearest(). Beside GPU memory, the host needs a few bytes for each answer.
  Neighbors nearest(std::span<const float> queries, std::size_t k, std::size_t probes,
                    std::size_t refine = 0, const RowFilter* filter = nullptr) const;

  /// nearest() by codes alone, with queries and answers in GPU memory, as
  /// GpuFlatSearcher::nearest_on_gpu().
  void nearest_on_gpu(const float* queries, std::size_t count, std::size_t k, std::size_t probes,
                      std::int32_t* rows, float* distances) const;

  /// As IvfPqSearcher::within(); query by query.
  RangeNeighbors within(std::span<const float> queries, float radius, std::size_t probes,
                        const RowFilter* filter = nullptr) const;

  /// Whether answers are refined on the GPU.
  bool has_vectors() const;
  GpuFlatFigures figures() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace warpdex::vector
