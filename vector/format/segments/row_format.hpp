// Whole vectors in the format: all of them in the order of rows, or list after list.
#pragma once

#include <string_view>

#include "format/coding_format.hpp"
#include "pq/lists/list_codes.hpp"

namespace warpdex::vector {

template <>
struct CodingFormat<RowCoding> {
  static constexpr std::string_view kAll = "flat";
  static constexpr std::string_view kLists = "ivf-flat";

  static void check(VectorIndexSettings& settings) {
    check_codes(settings.dimension, {.bits = settings.pq.bits});
  }
  static void write(const VectorIndexSettings& /*settings*/, ManifestWriter& /*manifest*/) {}
  static void read(const ManifestObject& /*manifest*/, VectorIndexSettings& /*settings*/) {}
  static void set_rotated(VectorIndexSettings& /*settings*/) {}
};

}  // namespace warpdex::vector
