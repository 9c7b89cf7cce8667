// Products of codes on the tensor cores, of which only distances within each query's limit are
// kept.
#pragma once

#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "binary/gpu/unpack_codes.hpp"
#include "flat/gpu/match.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// The largest product of codes for which all sums of the tensor cores are exact: they cut off what
/// is below 2^-23 of the largest addend (half_bound.hpp), and all addends are whole numbers. Sums
/// of bytes are always exact; up to this they are kept as floats.
inline constexpr std::int64_t kMaxExactProduct = std::int64_t{1} << 22;

/// A part of the rows against all queries. Panels are those of unpack_codes() and unpack_queries().
struct MatchBitsTask {
  /// Halves or bytes, offsets and, as slacks, the factors of corrections (null: all are 1), from
  /// the first panel of the part on.
  RowPanels rows;
  const float* columns;       ///< UnpackedPanels::columns, likewise
  std::uint32_t row_panels;   ///< of the part, 1 or more
  std::uint32_t first_place;  ///< of the part
  const std::uint8_t* query_panels;
  DeviceQueryCodes queries;
  std::uint32_t chunks;  ///< of a panel
  PanelNumber number;    ///< of both kinds of panels
  bool is_l2;
  float max_term;    ///< no finite offset is larger
  float max_factor;  ///< no factor is larger
  const float* limits;
  CandidateLists lists;
  /// All distances are wanted: row i of the part becomes candidate i of each list, whose count is
  /// not changed.
  bool takes_all;
};

/// Queues the products: O(rows * queries * dimension). The distances are those of code_value().
void match_bits(const MatchBitsTask& task, const Stream& stream);

}  // namespace warpdex::vector
