// All codings in the format.
#pragma once

#include <cstddef>
#include <tuple>
#include <utility>

#include "binary/format/binary_format.hpp"
#include "format/coding_format.hpp"
#include "format/segments/row_format.hpp"
#include "pq/format/pq_format.hpp"
#include "sq8/format/sq8_format.hpp"

namespace warpdex::vector {

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
