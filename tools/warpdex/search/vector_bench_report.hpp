// The report of vector bench: a table, JSON, a plot.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <string>
#include <vector>

#include "search/vector_bench.hpp"
#include "warpdex/vector_index.hpp"

namespace warpdex::tools {

/// All that was measured.
struct VectorBenchResult {
  std::string gpu;         ///< their names; empty: the CPU was asked
  std::size_t shards = 0;  ///< of the GPUs, as are replicas; 0: the CPU was asked
  std::size_t replicas = 0;
  std::size_t threads = 0;         ///< of the CPU
  std::vector<std::string> names;  ///< of the indexes
  std::vector<std::size_t> batches;
  std::vector<MeasuredSearch> searches;
};

void print_searches(const VectorBenchResult& result, std::ostream& out);

/// `indexes` are those of result.names.
std::string searches_to_json(const VectorBenchResult& result,
                             const std::vector<VectorIndex>& indexes);

/// Time over numbers of queries, a line for each index, depth and k. If answers were judged, that
/// of the first depth only; and beside it queries a second over k@k for the largest batch, a line
/// over the probes for each index, k and number of refined answers.
std::string searches_to_svg(const VectorBenchResult& result);

}  // namespace warpdex::tools
