// Which lists a query probes, and which queries probe a list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flat/search_input.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/neighbors.hpp"

namespace warpdex::vector {

/// Throws UsageError unless there are from 1 to `lists` probes.
void check_probes(std::size_t probes, std::size_t lists);

/// Throws UsageError for refining (not 0) where the vectors were not kept.
void check_refine(bool keeps_vectors, std::size_t refine);

/// The lists that each query probes (`rows`), nearest first. The queries were scaled already, if
/// they had to be.
Neighbors choose_lists(const FlatSearcher& coarse, const PreparedQueries& prepared,
                       std::size_t dimension, std::size_t probes);

/// The queries of each list, in order.
struct ListProbes {
  std::vector<std::uint64_t> begins;   ///< lists + 1
  std::vector<std::uint32_t> queries;  ///< of list l: [begins[l], begins[l + 1])

  std::span<const std::uint32_t> of(std::size_t list) const {
    return std::span(queries).subspan(begins[list], begins[list + 1] - begins[list]);
  }
};

/// Finds the queries of each list from the lists of each query (`nearest.rows`).
ListProbes invert_probes(const Neighbors& nearest, std::size_t lists);

/// The lists that are probed and have vectors, those with the most work first. List l has the
/// vectors [begins[l], begins[l + 1]).
std::vector<std::uint32_t> order_by_work(const ListProbes& probes,
                                         std::span<const std::uint64_t> begins);

}  // namespace warpdex::vector
