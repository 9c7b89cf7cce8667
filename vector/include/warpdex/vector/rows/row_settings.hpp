// Settings of vectors that are stored beside other data, one a row.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/rows/vector_view.hpp"

namespace warpdex::vector {

/// How the vectors of a segment are found. A segment of fewer than kMinIndexedRows is searched as
/// if the kind were "flat".
struct RowIndexSettings {
  /// "flat": all vectors are compared. "ivf-flat", "ivf-pq", "xfbq", "ivf-xfbq", "sq8", "ivf-sq8":
  /// lists, codes or both lie beside the vectors.
  std::string kind = "flat";
  /// Of a segment; 0: 4 times the root of the number of its vectors. Where these are fewer than 32
  /// a list, there are fewer lists.
  std::size_t lists = 0;
  std::size_t train = 0;        ///< vectors that lists are trained on; 0: 256 a list
  std::size_t pq_bytes = 0;     ///< ivf-pq: of a code; 0: a byte for each 4 components
  std::size_t pq_bits = 8;      ///< ivf-pq: of a codeword's number, 8 or 4
  std::size_t binary_bits = 4;  ///< xfbq, ivf-xfbq: of a component's code, 1 to 8
  bool is_rotated = false;      ///< ivf-pq, xfbq, ivf-xfbq: rotate first, so that codes lose less
  bool is_corrected = false;  ///< xfbq, ivf-xfbq: 8 bytes a vector make distances right on average
  /// xfbq, ivf-xfbq: the share of components that may lie outside of the range that codes stand
  /// for, from 0 to below 1; negative: what suits the bits.
  double clip = -1;
  std::uint64_t seed = 1;  ///< of the training

  bool is_flat() const { return kind == "flat"; }
  bool operator==(const RowIndexSettings&) const = default;
};

/// A segment has lists or codes from so many vectors on.
inline constexpr std::size_t kMinIndexedRows = 4096;

struct RowSettings {
  Metric metric = Metric::kInnerProduct;
  Store store = Store::kFloat;
  std::size_t dimension = 0;  ///< 1 to kMaxDimension
  RowIndexSettings index{};
  bool operator==(const RowSettings&) const = default;
};

}  // namespace warpdex::vector
