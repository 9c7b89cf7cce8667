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

/// The nearest list of each query is scanned, and gives a limit; the others follow in rounds of
/// lists that are ever farther.
class CodeSearch {
 public:
  /// For blocks of up to `queries` queries that probe `probes` lists each, 2 or more; k up to
  /// kMaxProductNeighbors.
  CodeSearch(const GpuCodes& codes, std::size_t queries, std::size_t k, std::size_t probes);

  /// Whether products can be made of the codes: their errors are bounded, and tables fit into
  /// shared memory.
  static bool suits(const GpuCodes& codes);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Searches the lists that the queries probe. Sets their answers, but of those that are left
  /// open, which it returns.
  std::vector<std::uint32_t> run(const CodeQueries& search, TableScan& scan,
                                 const DeviceAnswers& answers, Workspace& workspace);

 private:
  void match_round(const CodeQueries& search, std::uint32_t first_probe, std::uint32_t last_probe,
                   const Stream& stream);

  const GpuCodes& codes_;
  std::uint32_t queries_;
  std::uint32_t k_;
  QueryPanels panels_;
  CandidateLists candidates_;
  ProbeGroups groups_;
};

}  // namespace warpdex::vector
