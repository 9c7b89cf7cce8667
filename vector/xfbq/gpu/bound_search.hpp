// Searches by a bound, after the nearest by codes are known.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flat/gpu/gpu_rows.hpp"
#include "flat/gpu/workspace.hpp"
#include "flat/search_input.hpp"
#include "xfbq/bound_ranking.hpp"
#include "xfbq/gpu/gpu_binary_codes.hpp"
#include "xfbq/gpu/query_image.hpp"
#include "xfbq/gpu/scan_bounds.hpp"

namespace warpdex::vector {

/// What bounds need beside the codes: 4 bytes a row more of GPU memory, or 8 where products are
/// compared.
class GpuBoundRows {
 public:
  /// Copies them. Throws Error, which says how much is needed, where there is too little memory.
  GpuBoundRows(const GpuBinaryCodes& codes, MemoryBudget& memory);
  const DeviceBoundRows& on_gpu() const { return rows_; }

 private:
  AccountedBuffer buffer_;
  DeviceBoundRows rows_;
};

/// How queries are encoded, and which bound is used.
struct BoundForm {
  std::size_t query_bits;
  XfbqBound bound;
};

/// One query at a time. The codes are scanned, and what is possible is sorted by its lower bound;
/// canonical distances of the first of these are computed, of more and more together, until no
/// other may be among the nearest.
class BoundSearch {
 public:
  /// `vectors` is null where they are not in GPU memory; then the host computes distances.
  BoundSearch(const GpuBinaryCodes& codes, const DeviceBoundRows& rows, const GpuRows* vectors,
              const BoundForm& form, bool is_filtered);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);
  /// The filter of all queries; may be null.
  void set_filter(const RowFilter* filter, const Stream& stream);

  /// The k nearest of query `index` of the prepared ones. `by_codes` has the rows of the nearest by
  /// codes, k or more of them; -1: none. Waits.
  BoundRanking rank(const PreparedQueries& queries, std::size_t index,
                    std::span<const std::int32_t> by_codes, std::size_t k, Workspace& workspace);

 private:
  /// Sets sorted_; returns how many keys it has.
  std::uint32_t collect(const QueryBound& bound, float limit, const Stream& stream);
  /// The canonical keys of sorted_[first, first + count).
  void compute(std::uint32_t first, std::uint32_t count, const float* query, Workspace& workspace);

  const GpuBinaryCodes& codes_;
  DeviceBoundRows rows_;
  const GpuRows* vectors_;
  BoundForm form_;
  bool is_filtered_;
  QueryImage query_;
  std::size_t sort_bytes_;
  std::vector<std::uint64_t> bounds_;  ///< of a part, on the host
  std::vector<std::uint64_t> exact_;   ///< likewise, if the GPU computes them
  std::uint64_t* filter_ = nullptr;
  const std::uint64_t* used_filter_ = nullptr;
  std::uint64_t* keys_ = nullptr;
  std::uint64_t* sorted_ = nullptr;
  std::uint8_t* sort_scratch_ = nullptr;
  std::uint32_t* count_ = nullptr;
  Candidate* candidates_ = nullptr;
  std::uint64_t* begins_ = nullptr;
};

}  // namespace warpdex::vector
