// Searches an index of vectors, of whichever kind.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "options.hpp"
#include "warpdex/vector/flat/flat_searcher.hpp"
#include "warpdex/vector/format/vector_index.hpp"
#include "warpdex/vector/ivf/ivf_searcher.hpp"

namespace warpdex::tools {

/// The option --probes, and what it comes to.
class VectorSearch {
 public:
  /// `probes` is what --probes says, which `command` may have been given. Throws UsageError for a
  /// number that is not from 1 to the number of lists, and for an index that has none.
  VectorSearch(const vector::VectorIndex& index, const CommandLine& command, std::int64_t probes,
               std::size_t threads);

  vector::Neighbors nearest(std::span<const float> queries, std::size_t k,
                            const vector::RowFilter* filter) const;
  vector::RangeNeighbors within(std::span<const float> queries, float radius,
                                const vector::RowFilter* filter) const;
  /// Lists that a query probes; 0: there are none.
  std::size_t probes() const { return probes_; }

 private:
  std::size_t probes_ = 0;
  std::optional<vector::FlatSearcher> flat_;
  std::optional<vector::IvfSearcher> ivf_;
};

inline constexpr std::int64_t kDefaultProbes = 16;
inline constexpr const char* kProbesHelp =
    "ivf-flat: lists that a query probes, the nearest ones; more find more and take longer. At "
    "most "
    "as many as there are";

}  // namespace warpdex::tools
