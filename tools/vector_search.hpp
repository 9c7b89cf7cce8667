// Searches an index of vectors, of whichever kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "options.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/ivf/ivf_pq_searcher.hpp"
#include "warpdex/vector/ivf/ivf_searcher.hpp"

namespace warpdex::tools {

/// How thoroughly lists are searched: the options --probes and --refine.
struct SearchDepth {
  std::int64_t probes = 16;
  std::int64_t refine = 0;
};

void add_depth_options(po::options_description& group, SearchDepth& depth);

class VectorSearch {
 public:
  /// `depth` is what the options say, which `command` may have been given. Throws UsageError for
  /// numbers out of range, and for options that suit no index of that kind.
  VectorSearch(const vector::VectorIndex& index, const CommandLine& command, SearchDepth depth,
               std::size_t threads);

  vector::Neighbors nearest(std::span<const float> queries, std::size_t k,
                            const vector::RowFilter* filter) const;
  vector::RangeNeighbors within(std::span<const float> queries, float radius,
                                const vector::RowFilter* filter) const;
  /// Lists that a query probes; 0: there are none.
  std::size_t probes() const { return probes_; }
  /// Answers by codes that are ranked anew; 0: none.
  std::size_t refine() const { return refine_; }

 private:
  std::size_t probes_ = 0;
  std::size_t refine_ = 0;
  std::optional<vector::FlatSearcher> flat_;
  std::optional<vector::IvfSearcher> ivf_;
  std::optional<vector::IvfPqSearcher> ivf_pq_;
};

}  // namespace warpdex::tools
