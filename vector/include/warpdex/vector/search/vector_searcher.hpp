// One interface for all searches of vectors: of any kind of index, on any processor, of a part of
// an index or of all its parts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "warpdex/vector/binary/binary_settings.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// How thoroughly inverted files and codes are searched. Ignored for a flat index.
struct ProbeSettings {
  std::size_t probes = 1;  ///< lists of a query, 1 to as many as there are
  /// For codes: how many of the nearest by codes are ranked again by their vectors; 0: none.
  std::size_t refine = 0;
  /// Of binary codes, as in BinaryDepth.
  std::size_t query_bits = 0;
  std::size_t extra = 0;

  BinaryDepth binary() const { return {query_bits, refine, extra}; }
  /// The search of a part, whose answers are refined with those of other parts.
  ProbeSettings by_codes() const { return {probes, 0, query_bits, 0}; }
};

/// Whether the nearest by codes are refined, as the searcher is set, or answered as they are.
enum class Refining { kAsSet, kNone };

/// A search of rows 0 to rows() - 1. Any number of threads may search at once.
class VectorSearcher {
 public:
  virtual ~VectorSearcher() = default;

  virtual Metric metric() const = 0;
  virtual std::size_t dimension() const = 0;
  virtual std::size_t rows() const = 0;

  /// As FlatSearcher::nearest(), with what the searcher is set to probe and to refine.
  virtual Neighbors nearest(std::span<const float> queries, std::size_t k,
                            const RowFilter* filter = nullptr,
                            Refining refining = Refining::kAsSet) const = 0;
  /// As FlatSearcher::within(), likewise. Codes are not refined: their distances are estimates, but
  /// for those of search_index_on_cpu() and search_index_on_gpus().
  virtual RangeNeighbors within(std::span<const float> queries, float radius,
                                const RowFilter* filter = nullptr) const = 0;

  /// nearest() with `count` queries and answers in the memory of the GPU that searches, as
  /// GpuFlatSearcher::nearest_on_gpu(). False, and nothing is done, where the searcher cannot.
  virtual bool nearest_on_gpu(const float* /*queries*/, std::size_t /*count*/, std::size_t /*k*/,
                              std::int32_t* /*rows*/, float* /*distances*/) const {
    return false;
  }

  /// The figures of all GPU searches so far. A query counts once for each part (shard, page) for
  /// which products were made.
  virtual GpuFlatFigures figures() const { return {}; }
  /// Whether all that is searched lies in the memory of the processor that searches it.
  virtual bool is_resident() const { return true; }
};

}  // namespace warpdex::vector
