// What a block of queries needs on the GPU to be searched among lists of binary codes.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "flat/gpu/nearest_search.hpp"
#include "flat/gpu/row_pages.hpp"
#include "ivf/gpu/binary/gpu_list_codes.hpp"
#include "ivf/gpu/binary/list_code_search.hpp"
#include "ivf/gpu/binary/list_queries.hpp"
#include "warpdex/vector/rows/row_filter.hpp"

namespace warpdex::vector {

/// What a search asks for.
struct WantedLists {
  std::size_t k;
  std::size_t probes;
  std::size_t query_bits;
  std::size_t candidates;  ///< by codes
  const RowFilter* filter;
  bool refines_on_gpu;
  bool by_lists;  ///< list by list; else query by query
};

/// Its parts refer to each other, so it stays where it is made.
struct ListBlock {
  ListBlock(const GpuListCodes& lists, const WantedLists& wanted, std::size_t count)
      : queries(lists, count, wanted.query_bits),
        pages(lists.centroids(), nullptr, lists.centroids().count()),
        coarse(lists.centroids(), pages, count, wanted.probes, false),
        most(count),
        stride(places_of(lists, wanted)) {
    if (wanted.by_lists) list_search.emplace(lists, count, wanted.candidates, wanted.probes);
    found.k = static_cast<std::uint32_t>(wanted.candidates);
    answers.k = static_cast<std::uint32_t>(wanted.k);
  }
  ListBlock(const ListBlock&) = delete;
  ListBlock& operator=(const ListBlock&) = delete;

  /// Of a query: no fewer than its candidates.
  static std::size_t places_of(const GpuListCodes& lists, const WantedLists& wanted) {
    const std::size_t groups =
        std::max(lists.max_groups(wanted.probes), (wanted.candidates + 31) / 32);
    return std::max<std::size_t>(groups, 1) * 32;
  }

  /// Takes its memory, or measures it; returns the bytes.
  std::size_t lay_out(void* memory, const GpuListCodes& lists, const WantedLists& wanted) {
    Arena arena(memory);
    queries.lay_out(arena);
    coarse.lay_out(arena);
    probed = arena.take<std::int32_t>(most * wanted.probes);
    probe_distances = arena.take<float>(most * wanted.probes);
    if (list_search) {
      list_search->lay_out(arena);
    } else {
      ends = arena.take<std::uint32_t>(most * wanted.probes);
      bases = arena.take<float>(most * wanted.probes);
      values = arena.take<float>(most * stride);
      ids = arena.take<std::uint32_t>(most * stride);
    }
    found.values = arena.take<float>(most * found.k);
    found.ids = arena.take<std::uint32_t>(most * found.k);
    if (wanted.refines_on_gpu) {
      exact = arena.take<float>(most * found.k);
      answers.values = arena.take<float>(most * answers.k);
      answers.ids = arena.take<std::uint32_t>(most * answers.k);
    }
    rows = arena.take<std::int32_t>(most * found.k);
    distances = arena.take<float>(most * found.k);
    if (wanted.filter != nullptr) {
      filter = arena.take<std::uint64_t>((lists.count() + 63) / 64);
    }
    return arena.used();
  }

  ListQueries queries;
  RowPages pages;
  NearestSearch coarse;
  std::optional<ListCodeSearch> list_search;  ///< else there are `ends` to `ids`
  std::size_t most;                           ///< queries
  std::size_t stride;                         ///< places of a query
  std::int32_t* probed = nullptr;
  float* probe_distances = nullptr;
  std::uint32_t* ends = nullptr;
  float* bases = nullptr;
  float* values = nullptr;
  std::uint32_t* ids = nullptr;
  DeviceAnswers found;     ///< by codes
  float* exact = nullptr;  ///< distances of what was found
  DeviceAnswers answers;   ///< refined
  std::int32_t* rows = nullptr;
  float* distances = nullptr;
  std::uint64_t* filter = nullptr;  ///< null: all rows are allowed
};

}  // namespace warpdex::vector
