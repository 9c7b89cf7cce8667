// All codings in the format.
#pragma once

#include <cstddef>
#include <string_view>
#include <tuple>
#include <utility>

#include "binary/format/binary_format.hpp"
#include "format/coding_format.hpp"
#include "pq/format/pq_format.hpp"
#include "pq/lists/list_codes.hpp"
#include "sq8/format/sq8_format.hpp"

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

/// Calls work(Coding()) with the coding of that kind.
template <class Work>
void with_coding(CodingKind kind, const Work& work) {
  const auto number = static_cast<std::size_t>(kind);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    ((i == number ? work(std::tuple_element_t<i, Codings>()) : void()), ...);
  }
  (std::make_index_sequence<std::tuple_size_v<Codings>>());
}

}  // namespace warpdex::vector
