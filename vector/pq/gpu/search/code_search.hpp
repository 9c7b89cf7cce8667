// The k nearest of a block of queries in the lists that they probe, list by list.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat/gpu/products.hpp"
#include "flat/gpu/workspace.hpp"
#include "lists/gpu/kernels.hpp"
#include "pq/gpu/search/byte_tables.hpp"
#include "pq/gpu/search/gpu_codes.hpp"
#include "pq/gpu/search/table_scan.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// How a list is compared with the queries that probe it.
enum class ListMatch : std::uint8_t {
  kTables,    ///< each code by tables of bytes, for 8 queries at a time
  kProducts,  ///< decoded once, for up to 128 queries, and multiplied on the tensor cores
};

/// The first vectors of each query's nearest list give a limit; the rest and the other lists follow
/// in rounds, from near to far.
class CodeSearch {
 public:
  /// For blocks of up to `queries` queries that probe `probes` lists each; k up to
  /// kMaxProductNeighbors.
  CodeSearch(const GpuCodes& codes, ListMatch match, std::size_t queries, std::size_t k,
             std::size_t probes);

  /// Whether codes can be matched that way: errors of sums are bounded, and a CTA has shared memory
  /// enough.
  static bool suits(const GpuCodes& codes, ListMatch match);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Searches the lists that the queries probe. Sets their answers, but of those that are left
  /// open, which it returns.
  std::vector<std::uint32_t> run(const CodeQueries& search, const DeviceAnswers& answers,
                                 Workspace& workspace);

 private:
  /// Lists that a query has by the end of the round behind the first `taken` ones.
  std::uint32_t round_end(std::uint32_t taken, std::size_t probes) const;
  /// Lists that a query has in one round, at the most.
  std::uint32_t max_round(std::size_t probes) const;
  /// A part of the lists, and what it tells of limits.
  void match_part(const CodeQueries& search, const ProbePart& part, const Stream& stream);
  /// Queues the comparison of the last grouped tasks, of about so many queries each.
  void match(const CodeQueries& search, std::size_t queries_of_task, const Stream& stream);

  const GpuCodes& codes_;
  ListMatch match_;
  std::uint32_t queries_;
  std::uint32_t k_;
  std::uint32_t capacity_;  ///< of a query's candidates
  std::uint32_t first_panels_;
  QueryPanels panels_;  ///< without halves and scales, where tables match
  ByteTables tables_;
  CandidateLists candidates_;
  ProbeGroups groups_;
};

}  // namespace warpdex::vector
