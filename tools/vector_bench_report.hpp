// What vector bench says: a table, JSON, a plot.
#pragma once

#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "vector_search.hpp"
#include "warpdex/vector/flat/gpu_flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"

namespace warpdex::tools {

/// What one number of queries and one k took.
struct MeasuredSearch {
  std::size_t queries;
  std::size_t k;
  double milliseconds;  ///< median
  double floor;         ///< milliseconds; 0: not known
  /// Of the timed searches; none: the CPU's.
  std::optional<vector::GpuFlatFigures> on_gpu;
};

/// What all searches have in common.
struct VectorBenchSettings {
  std::string gpu;           ///< their names; empty: the CPU was asked
  bool is_resident = false;  ///< all vectors lie in GPU memory
  std::size_t shards = 0;    ///< of the GPUs, as are replicas; 0: the CPU was asked
  std::size_t replicas = 0;
  std::size_t threads = 0;  ///< of the CPU
  std::size_t probes = 0;   ///< 0: there are no lists
  std::size_t refine = 0;   ///< 0: answers are not refined
};

void print_searches(const std::vector<MeasuredSearch>& all, std::ostream& out);

std::string searches_to_json(const vector::VectorIndex& index, const VectorBenchSettings& settings,
                             const std::vector<MeasuredSearch>& all);

/// A line for each of `ks` over `batches`, the numbers of queries.
std::string searches_to_svg(const std::vector<MeasuredSearch>& all,
                            const std::vector<std::size_t>& batches,
                            const std::vector<std::size_t>& ks);

}  // namespace warpdex::tools
