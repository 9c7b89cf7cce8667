// The k nearest of a block of queries in the lists that they probe, by products of decoded codes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "flat/gpu/match.hpp"
#include "flat/gpu/workspace.hpp"
#include "ivf/gpu/pq/gpu_codes.hpp"
#include "ivf/gpu/pq/table_scan.hpp"
#include "ivf/gpu/probe_groups.hpp"
#include "warpdex/core/cuda/arena.hpp"

namespace warpdex::vector {

/// The first vectors of each query's nearest list give a limit; the rest and the other lists follow
/// in rounds that are ever farther.
class CodeSearch {
 public:
  /// For blocks of up to `queries` queries that probe `probes` lists each; k up to
  /// kMaxProductNeighbors.
  CodeSearch(const GpuCodes& codes, std::size_t queries, std::size_t k, std::size_t probes);

  /// Whether products can be made of the codes: their errors are bounded, and tables fit into
  /// shared memory.
  static bool suits(const GpuCodes& codes);

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

  const GpuCodes& codes_;
  std::uint32_t queries_;
  std::uint32_t k_;
  std::uint32_t capacity_;  ///< of a query's candidates
  std::uint32_t first_panels_;
  QueryPanels panels_;
  CandidateLists candidates_;
  ProbeGroups groups_;
};

}  // namespace warpdex::vector
