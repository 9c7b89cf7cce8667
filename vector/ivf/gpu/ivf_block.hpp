// What a search of an inverted file needs on the GPU for a block of queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "distance/distance_kernels.hpp"
#include "ivf/gpu/list_search.hpp"
#include "ivf/gpu/query_scan.hpp"

namespace warpdex::vector {

struct IvfBlock {
  IvfBlock(const GpuLists& lists, std::size_t queries, std::size_t k, std::size_t max_rows,
           bool has_products)
      : count(queries), places(k), scan(lists, k, max_rows) {
    answers.k = static_cast<std::uint32_t>(k);
    if (has_products) products.emplace(lists, queries, k);
  }

  std::size_t lay_out(void* memory, const GpuLists& lists) {
    Arena arena(memory);
    const std::size_t dimension = lists.rows().dimension();
    raw = arena.take<float>(count * dimension);
    prepared = arena.take<float>(count * padded(dimension));
    answers.values = arena.take<float>(count * places);
    answers.ids = arena.take<std::uint32_t>(count * places);
    rows = arena.take<std::int32_t>(count * places);
    distances = arena.take<float>(count * places);
    allowed = arena.take<std::uint64_t>((std::size_t{lists.rows().count()} + 63) / 64);
    scan.lay_out(arena);
    if (products) products->lay_out(arena);
    return arena.used();
  }

  std::size_t count;
  std::size_t places;
  QueryScan scan;
  std::optional<ListSearch> products;
  float* raw = nullptr;
  float* prepared = nullptr;
  DeviceAnswers answers;
  std::int32_t* rows = nullptr;
  float* distances = nullptr;
  std::uint64_t* allowed = nullptr;
};

}  // namespace warpdex::vector
