// Which queries probe which list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// The queries of each list, in order.
struct ListProbes {
  std::vector<std::uint64_t> begins;   ///< lists + 1
  std::vector<std::uint32_t> queries;  ///< of list l: [begins[l], begins[l + 1])

  std::span<const std::uint32_t> of(std::size_t list) const {
    return std::span(queries).subspan(begins[list], begins[list + 1] - begins[list]);
  }
};

/// Turns the lists of each query (`nearest.rows`) around.
ListProbes invert_probes(const Neighbors& nearest, std::size_t lists);

/// The lists that are probed and have vectors, those with the most work first. List l has the
/// vectors [begins[l], begins[l + 1]).
std::vector<std::uint32_t> order_by_work(const ListProbes& probes,
                                         std::span<const std::uint64_t> begins);

}  // namespace warpdex::vector
