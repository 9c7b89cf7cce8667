// What a search of lists needs on the GPU for a block of queries, whatever the coding.
#pragma once

#include <cstddef>
#include <cstdint>

#include "distance/distance_kernels.hpp"
#include "flat/gpu/nearest_search.hpp"
#include "flat/gpu/row_pages.hpp"
#include "flat/search_input.hpp"
#include "lists/gpu/kernels.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

/// What a search asks for.
struct ListSearchSizes {
  std::size_t queries = 0;  ///< of a block, at most
  std::size_t k = 0;
  std::size_t candidates = 0;  ///< by codes; more than k are refined
  SearchOptions options = {};
  std::uint8_t way = 0;       ///< 0: query by query; else list by list, as the coding says
  bool refines = false;       ///< on the GPU
  bool collects = false;      ///< ranges
  bool is_from_host = false;  ///< queries come from the host's memory, and answers go there
};

/// A block's queries on their way. `host` has all queries of the search if the coding reads them.
struct BlockQueries {
  DeviceQueries queries;  ///< padded
  DeviceProbes probed;
  const std::uint64_t* allowed = nullptr;  ///< a bit for each row; null: all are
  const PreparedQueries* host = nullptr;
  std::size_t first = 0;  ///< of the block
};

/// Its parts refer to each other, so it stays where it is made.
template <class Search>
struct ListBlock {
  ListBlock(const typename Search::GpuLists& lists, const ListSearchSizes& given)
      : sizes(given),
        pages(lists.centroids(), nullptr, lists.centroids().count()),
        coarse(lists.centroids(), pages, given.queries, given.options.probes, false),
        search(lists, given) {
    found.k = static_cast<std::uint32_t>(given.candidates);
    answers.k = static_cast<std::uint32_t>(given.k);
  }
  ListBlock(const ListBlock&) = delete;
  ListBlock& operator=(const ListBlock&) = delete;

  /// Takes its memory, or measures it; returns the bytes.
  std::size_t lay_out(void* memory, const typename Search::GpuLists& lists) {
    Arena arena(memory);
    const std::size_t count = sizes.queries;
    const std::size_t dimension = lists.centroids().dimension();
    const std::size_t probes = sizes.options.probes;
    if (sizes.is_from_host) {
      raw = arena.take<float>(count * dimension);
      rows = arena.take<std::int32_t>(count * found.k);
      distances = arena.take<float>(count * found.k);
    }
    scaled = arena.take<float>(count * dimension);
    prepared = arena.take<float>(count * padded(dimension));
    probed = arena.take<std::int32_t>(count * probes);
    probe_distances = arena.take<float>(count * probes);
    found.values = arena.take<float>(count * found.k);
    found.ids = arena.take<std::uint32_t>(count * found.k);
    if (sizes.refines) {
      exact = arena.take<float>(count * found.k);
      answers.values = arena.take<float>(count * answers.k);
      answers.ids = arena.take<std::uint32_t>(count * answers.k);
    }
    if (sizes.options.filter != nullptr) {
      allowed = arena.take<std::uint64_t>((std::size_t{lists.count()} + 63) / 64);
    }
    coarse.lay_out(arena);
    search.lay_out(arena);
    return arena.used();
  }

  ListSearchSizes sizes;
  RowPages pages;
  NearestSearch coarse;
  Search search;
  float* raw = nullptr;
  float* scaled = nullptr;         ///< for cosine: queries of length 1
  float* prepared = nullptr;       ///< padded
  std::int32_t* probed = nullptr;  ///< lists of each query
  float* probe_distances = nullptr;
  DeviceAnswers found;     ///< by codes, where there are codes
  float* exact = nullptr;  ///< distances of what was found
  DeviceAnswers answers;   ///< refined
  std::int32_t* rows = nullptr;
  float* distances = nullptr;
  std::uint64_t* allowed = nullptr;
};

}  // namespace warpdex::vector
