// Searches of many queries among lists of binary codes, list by list.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/lists/gpu_list_codes.hpp"
#include "binary/gpu/lists/list_queries.hpp"
#include "flat/gpu/match.hpp"
#include "lists/gpu/list_block.hpp"
#include "lists/gpu/probe_groups.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// The first vectors of each query's nearest list give a limit; the rest and the other lists follow
/// in rounds, from near to far. Distances are exact.
class ListCodeSearch {
 public:
  /// For blocks of up to `queries` queries that probe `probes` lists each.
  ListCodeSearch(const GpuListCodes& lists, std::size_t queries, std::size_t k, std::size_t probes);

  /// Whether lists can be searched so, and for so many queries it is worth it.
  static bool suits(const GpuListCodes& lists, std::size_t queries, std::size_t k,
                    std::size_t probes, std::size_t query_bits);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the search. `nearest` gets the k nearest, but of queries that are left open
  /// (ListQueries::panels()).
  void run(const BlockQueries& block, const ListQueries& queries, const DeviceAnswers& nearest,
           const Stream& stream);

 private:
  std::uint32_t round_end(std::uint32_t taken, std::size_t probes) const;
  std::uint32_t max_round(std::size_t probes) const;

  const GpuListCodes& lists_;
  std::uint32_t queries_;
  std::uint32_t k_;
  std::uint32_t first_panels_;
  CandidateLists candidates_;
  std::uint8_t* query_panels_ = nullptr;
  ProbeGroups groups_;
};

}  // namespace warpdex::vector
