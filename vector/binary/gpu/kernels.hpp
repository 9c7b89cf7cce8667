// The kernels of binary codes: rows to codes, codes to panels, scans and products.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/corrected_code.hpp"
#include "binary/gpu/binary_data.hpp"
#include "flat/gpu/products.hpp"
#include "integer_codes/gpu/code_panels.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

struct QuantizeTask {
  const float* rows;     ///< less the centre, rotated
  std::uint32_t stride;  ///< floats from one to the next
  std::uint32_t count;
  std::uint32_t dimension;
  std::uint32_t bits;
  float factor;                ///< cell_factor()
  const std::uint32_t* sizes;  ///< rows of each 32 places that are there; null: all
  /// Groups for `count` rows, aligned to 4 bytes; codes of zeros where there is no row.
  std::uint32_t* groups;
};

/// Queues the encoding, to the bits of encode(). O(count * dimension).
void quantize_rows(const QuantizeTask& task, const Stream& stream);

struct CorrectTask {
  const float* rows;     ///< less the centre, rotated
  std::uint32_t stride;  ///< floats from one to the next
  std::uint32_t count;
  std::uint32_t dimension;
  std::uint32_t bits;
  float scale;                 ///< BinaryQuantizer::scale
  const std::uint32_t* sizes;  ///< rows of each 32 that are there; null: all
  /// Scratch memory: `dimension` columns of pitch() numbers each.
  float* columns;
  std::int16_t* numbers;
  /// Groups for `count` rows, aligned to 4 bytes; codes of zeros where there is no row.
  std::uint32_t* groups;
  float* factors;    ///< `count` of them
  float* residuals;  ///< likewise

  WARPDEX_HOST_DEVICE static constexpr std::size_t pitch(std::size_t rows) {
    return (rows + 31) / 32 * 32;
  }
};

/// Queues the encoding, to the bits of encode(). O(count * dimension).
void correct_rows(const CorrectTask& task, const Stream& stream);

/// Panels of rows by their codes.
struct UnpackedPanels : RowPanels {
  /// What comparisons read of each panel, 128 values at a time: of each row t/h, then with
  /// corrections 1/h, for the term t and the factor h. Where that is not defined (h of a vector of
  /// zeros is 0), minus infinity and FLT_MIN: the row may be within any limit. Without corrections
  /// these are the offsets.
  float* columns = nullptr;
};

/// The panels [first, first + count) of the rows, in `order`.
struct UnpackTask {
  DeviceBinaryCodes codes;
  const std::uint64_t* filter;  ///< a bit for each row that is allowed; null: all are
  TileOrder order;
  std::uint32_t first;
  std::uint32_t count;
  PanelNumber number;
};

/// Queues the writing of panels.halves: the whole numbers 2u + 1 - 2^bits that codes stand for; and
/// of panels.offsets: each row's term, or 0; infinite where there is no row, or none that is
/// allowed; and, if there are corrections, of panels.slacks: each row's factor; and of the columns.
/// Halves of components 32 c to 32 c + 31 lie in chunk c, with i + 16 behind i. Bytes of components
/// 64 c to 64 c + 63 do, of either half of them i, i + 8, i + 16 and i + 24 behind each other;
/// zeros past the last half.
void unpack_codes(const UnpackTask& task, const UnpackedPanels& panels, const Stream& stream);

/// Likewise of queries, whose numbers are negated, so that a product is that of their codes
/// negated. Components past the dimension are 0.
void unpack_queries(const DeviceQueryCodes& queries, const DeviceBinaryCodes& codes,
                    PanelNumber number, std::uint8_t* panels, const Stream& stream);

/// The panels [first_panel, first_panel + panels) of the rows, in `order`, against all queries.
struct ScanBitsTask {
  DeviceBinaryCodes codes;
  DeviceQueryCodes queries;
  const std::uint64_t* filter;  ///< a bit for each row that is allowed; null: all are
  TileOrder order;
  std::uint32_t first_panel;
  std::uint32_t panels;
  bool overlaps = false;  ///< Launch::overlaps
};

/// Queues the scan; what is within a query's limit is added to its list, with its place in the
/// panels. `takes_all`: place p of the part becomes candidate p of each list, whose count is not
/// changed; its sum is infinite where there is no row, or none that is allowed.
void scan_to_lists(const ScanBitsTask& task, const CandidateLists& lists, const float* limits,
                   bool takes_all, const Stream& stream);

/// What a scan for one query collects, in any order.
struct CollectedRows {
  bool takes_all;  ///< else distances up to the limit
  float limit;
  float* values;
  std::uint32_t* ids;
  std::uint32_t* count;  ///< 0 at first
};

/// Queues the scan for a single query. There is room for all rows.
void scan_to_collect(const ScanBitsTask& task, const CollectedRows& collected,
                     const Stream& stream);

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
