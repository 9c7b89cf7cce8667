// The search of whole vectors in lists on the CPU.
#pragma once

#include <cstddef>

#include "flat/search_input.hpp"
#include "warpdex/vector/lists/lists.hpp"
#include "warpdex/vector/neighbors.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

/// Lists are taken one by one, each with all queries that probe it, so that a list is read once in
/// a batch.
class RowListSearch {
 public:
  static void check(const Lists<RowCoding>& /*lists*/, const SearchOptions& /*options*/) {}

  /// All must outlive it.
  RowListSearch(const Lists<RowCoding>& lists, const PreparedQueries& prepared,
                const Neighbors& probed, const SearchOptions& options, std::size_t threads)
      : lists_(lists), prepared_(prepared), probed_(probed), options_(options), threads_(threads) {}

  Neighbors nearest(std::size_t k) const;
  RangeNeighbors within(float radius) const;

 private:
  const Lists<RowCoding>& lists_;
  const PreparedQueries& prepared_;
  const Neighbors& probed_;
  const SearchOptions& options_;
  std::size_t threads_;
};

}  // namespace warpdex::vector
