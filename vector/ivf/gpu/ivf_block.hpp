// What a search of an inverted file needs on the GPU for a block of queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "distance/distance_kernels.hpp"
#include "flat/gpu/nearest_search.hpp"
#include "flat/gpu/row_pages.hpp"
#include "ivf/gpu/list_scan.hpp"
#include "ivf/gpu/list_search.hpp"

namespace warpdex::vector {

/// The sizes of a search.
struct IvfBlockSizes {
  std::size_t queries = 0;
  std::size_t k = 0;
  std::size_t probes = 0;     ///< of each query
  std::size_t max_rows = 0;   ///< vectors of the lists of a query, at the most
  bool has_products = false;  ///< lists are searched by products
  bool is_filtered = false;
  bool is_from_host = false;  ///< queries come from the host's memory, and answers go there
};

/// Its parts refer to each other, so it stays where it is made.
struct IvfBlock {
  IvfBlock(const GpuLists& lists, const GpuRows& centroids, const IvfBlockSizes& given)
      : sizes(given),
        pages(centroids, nullptr, centroids.count()),
        coarse(centroids, pages, given.queries, given.probes, false),
        scan(lists, given.queries, given.k, given.probes, given.max_rows) {
    answers.k = static_cast<std::uint32_t>(given.k);
    if (given.has_products) products.emplace(lists, given.queries, given.k, given.probes);
  }
  IvfBlock(const IvfBlock&) = delete;
  IvfBlock& operator=(const IvfBlock&) = delete;

  /// Takes its memory, or measures it; returns the bytes.
  std::size_t lay_out(void* memory, const GpuLists& lists) {
    Arena arena(memory);
    const std::size_t dimension = lists.rows().dimension();
    const std::size_t count = sizes.queries;
    if (sizes.is_from_host) {
      raw = arena.take<float>(count * dimension);
      rows = arena.take<std::int32_t>(count * sizes.k);
      distances = arena.take<float>(count * sizes.k);
    }
    scaled = arena.take<float>(count * dimension);
    prepared = arena.take<float>(count * padded(dimension));
    probed = arena.take<std::int32_t>(count * sizes.probes);
    probe_distances = arena.take<float>(count * sizes.probes);
    answers.values = arena.take<float>(count * sizes.k);
    answers.ids = arena.take<std::uint32_t>(count * sizes.k);
    if (sizes.is_filtered) {
      allowed = arena.take<std::uint64_t>((std::size_t{lists.rows().count()} + 63) / 64);
    }
    coarse.lay_out(arena);
    scan.lay_out(arena);
    if (products) products->lay_out(arena);
    return arena.used();
  }

  IvfBlockSizes sizes;
  RowPages pages;
  NearestSearch coarse;
  ListScan scan;
  std::optional<ListSearch> products;
  float* raw = nullptr;
  float* scaled = nullptr;         ///< for cosine: queries of length 1
  float* prepared = nullptr;       ///< padded
  std::int32_t* probed = nullptr;  ///< lists of each query
  float* probe_distances = nullptr;
  DeviceAnswers answers;
  std::int32_t* rows = nullptr;
  float* distances = nullptr;
  std::uint64_t* allowed = nullptr;  ///< null: all rows are
};

}  // namespace warpdex::vector
