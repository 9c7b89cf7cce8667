// What a search by codes needs on the GPU for a block of queries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "distance/distance_kernels.hpp"
#include "flat/gpu/nearest_search.hpp"
#include "flat/gpu/row_pages.hpp"
#include "ivf/gpu/pq/code_search.hpp"
#include "ivf/gpu/pq/table_scan.hpp"

namespace warpdex::vector {

/// The sizes of a search.
struct CodeBlockSizes {
  std::size_t queries = 0;
  std::size_t k = 0;
  std::size_t probes = 0;            ///< of each query
  std::size_t candidates = 0;        ///< by codes; more than k are refined
  std::optional<ListMatch> match{};  ///< lists are searched one by one; else queries are
  bool refines = false;              ///< on the GPU
  bool collects = false;             ///< ranges
  bool is_filtered = false;
  bool is_from_host = false;  ///< queries come from the host's memory, and answers go there
};

/// Its parts refer to each other, so it stays where it is made.
struct CodeBlock {
  CodeBlock(const GpuCodes& codes, const CodeBlockSizes& given)
      : sizes(given),
        pages(codes.centroids(), nullptr, codes.centroids().count()),
        coarse(codes.centroids(), pages, given.queries, given.probes, false),
        scan(codes, given.queries, given.candidates, given.probes, given.collects) {
    found.k = static_cast<std::uint32_t>(given.candidates);
    answers.k = static_cast<std::uint32_t>(given.k);
    if (given.match) {
      lists.emplace(codes, *given.match, given.queries, given.candidates, given.probes);
    }
  }
  CodeBlock(const CodeBlock&) = delete;
  CodeBlock& operator=(const CodeBlock&) = delete;

  /// Takes its memory, or measures it; returns the bytes.
  std::size_t lay_out(void* memory, const GpuCodes& codes) {
    Arena arena(memory);
    const std::size_t count = sizes.queries;
    const std::size_t dimension = codes.dimension();
    if (sizes.is_from_host) {
      raw = arena.take<float>(count * dimension);
      rows = arena.take<std::int32_t>(count * sizes.candidates);
      distances = arena.take<float>(count * sizes.candidates);
    }
    scaled = arena.take<float>(count * dimension);
    prepared = arena.take<float>(count * padded(dimension));
    moved = arena.take<float>(count * padded(dimension));
    vectors = arena.take<float>(count * padded(dimension));
    probed = arena.take<std::int32_t>(count * sizes.probes);
    probe_distances = arena.take<float>(count * sizes.probes);
    found.values = arena.take<float>(count * sizes.candidates);
    found.ids = arena.take<std::uint32_t>(count * sizes.candidates);
    if (sizes.refines) {
      exact = arena.take<float>(count * sizes.candidates);
      answers.values = arena.take<float>(count * sizes.k);
      answers.ids = arena.take<std::uint32_t>(count * sizes.k);
    }
    if (sizes.is_filtered) {
      allowed = arena.take<std::uint64_t>((std::size_t{codes.count()} + 63) / 64);
    }
    coarse.lay_out(arena);
    scan.lay_out(arena);
    if (lists) lists->lay_out(arena);
    return arena.used();
  }

  CodeBlockSizes sizes;
  RowPages pages;
  NearestSearch coarse;
  TableScan scan;
  std::optional<CodeSearch> lists;
  float* raw = nullptr;
  float* scaled = nullptr;    ///< for cosine: queries of length 1
  float* prepared = nullptr;  ///< padded
  float* moved = nullptr;     ///< less the centre, where they are rotated
  float* vectors = nullptr;   ///< that tables are made of
  std::int32_t* probed = nullptr;
  float* probe_distances = nullptr;
  DeviceAnswers found;     ///< by codes
  float* exact = nullptr;  ///< distances of what was found
  DeviceAnswers answers;   ///< refined
  std::int32_t* rows = nullptr;
  float* distances = nullptr;
  std::uint64_t* allowed = nullptr;  ///< null: all rows are
};

}  // namespace warpdex::vector
