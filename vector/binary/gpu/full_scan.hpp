// A query against all codes without lists of bounded length: for ranges, for large k, and for
// queries that rounds leave open.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "binary/gpu/gpu_binary_codes.hpp"
#include "binary/gpu/query_image.hpp"
#include "flat/gpu/workspace.hpp"

namespace warpdex::vector {

/// One query at a time.
class FullScan {
 public:
  /// For up to `candidates` nearest.
  FullScan(const GpuBinaryCodes& codes, std::size_t candidates, std::size_t query_bits,
           bool is_filtered);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// The filter of the queries that follow.
  void set_filter(const RowFilter* filter, const Stream& stream);
  /// The next query: number `index` of the prepared ones.
  void set_query(const PreparedQueries& queries, std::size_t index, Workspace& workspace);

  /// The order_key()s of the `count` nearest, and of what is within `margin` of the last of these,
  /// in any order. Waits.
  std::vector<std::uint64_t> nearest(std::size_t count, float margin, Workspace& workspace);
  /// Those of all within a limit, in any order. Waits.
  std::vector<std::uint64_t> within(float limit, Workspace& workspace);

 private:
  std::uint32_t collect(bool takes_all, float limit, Workspace& workspace);
  std::vector<std::uint64_t> fetch(const float* values, const std::uint32_t* ids,
                                   std::uint32_t count, const Stream& stream) const;

  const GpuBinaryCodes& codes_;
  std::size_t candidates_;
  bool is_filtered_;
  QueryImage query_;
  std::uint64_t* filter_ = nullptr;
  const std::uint64_t* used_filter_ = nullptr;
  float* values_ = nullptr;
  std::uint32_t* ids_ = nullptr;
  std::uint32_t* count_ = nullptr;
  float* best_values_ = nullptr;
  std::uint32_t* best_ids_ = nullptr;
};

}  // namespace warpdex::vector
