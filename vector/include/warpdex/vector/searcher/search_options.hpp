// What every search of vectors takes beside its queries, whatever is searched, and where.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// Among which rows, and how thoroughly lists and codes are searched. What a kind of vectors does
/// not have is ignored: depths of an exact search, probes where there are no lists.
struct SearchOptions {
  const RowFilter* filter = nullptr;  ///< the rows that may be answers; null: all
  std::size_t probes = 1;             ///< lists of a query, 1 to as many as there are
  /// For codes: how many of the nearest by codes are ranked again by their vectors; 0: none.
  std::size_t refine = 0;
  /// Of a query's component, for binary codes: 1 to kMaxBinaryBits; 0: those of the codes, or 4 if
  /// that is more.
  std::size_t query_bits = 0;
  /// For binary codes without lists, if answers are refined: by how many steps of the codes'
  /// distance a candidate may be farther than the last of the `refine` nearest.
  std::size_t extra = 0;

  /// The search of a part, whose answers are refined with those of other parts.
  SearchOptions by_codes() const { return {filter, probes, 0, query_bits, 0}; }
  /// The same search among other rows.
  SearchOptions among(const RowFilter* rows) const {
    return {rows, probes, refine, query_bits, extra};
  }
};

/// How queries are compared with product codes on a GPU. All ways give the same answers.
enum class CodeWay : std::uint8_t {
  kAuto,      ///< whichever is the fastest for so many queries
  kQueries,   ///< query by query, by tables of floats
  kTables,    ///< list by list, by tables of bytes for 8 queries at a time
  kProducts,  ///< list by list, decoded and multiplied
};

/// How a searcher uses a GPU.
struct GpuSearchSettings {
  /// Bytes of GPU memory that vectors, codes and scratch memory may take; 0: all that the Resources
  /// have. Centroids count only against the Resources' budget.
  std::size_t memory = 0;
  /// Of codes, copies the vectors themselves to the GPU, if there are some and they fit, to refine
  /// answers there. Else the host refines answers: they are the same.
  bool keeps_vectors = true;
  /// Of vectors without lists and codes, keeps a copy in half precision on the GPU, if there is
  /// room for it: half as much memory again, for batches that need not make it each time.
  bool keeps_halves = false;
  /// Ways other than kAuto are for measurements and tests. If a way cannot be used, kQueries is
  /// used.
  CodeWay way = CodeWay::kAuto;
};

}  // namespace warpdex::vector
