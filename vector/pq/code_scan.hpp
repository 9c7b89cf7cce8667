// One query against the codes of lists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "flat/canonical_distances.hpp"
#include "lists/code_list_search.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/vector/pq/pq_coding.hpp"
#include "warpdex/vector/searcher/search_options.hpp"

namespace warpdex::vector {

/// The query's tables, and the distances that they give.
class PqCoding::ListScan {
 public:
  static void check(const Lists<PqCoding>& /*lists*/, const SearchOptions& /*options*/) {}

  /// `query` is prepared and padded as DistanceKernels says. All must outlive it.
  ListScan(const Lists<PqCoding>& vectors, const SearchOptions& options, const float* query);

  /// As CodeListSearch says.
  template <class Limit, class Add>
  void scan(std::span<const std::int32_t> lists, const Limit& limit, const Add& add) const {
    for (const std::int32_t list : lists) {
      if (list >= 0) scan_list(static_cast<std::size_t>(list), limit, add);
    }
  }

 private:
  using Values = std::array<float, kGroupVectors>;

  template <class Limit, class Add>
  void scan_list(std::size_t list, const Limit& limit, const Add& add) const {
    const float base = centroid_distance(vectors_.centroids, vectors_.metric, query_, list);
    const std::uint64_t end = vectors_.begins[list + 1];
    std::uint64_t group = vectors_.group_begins[list];
    Values values;
    for (std::uint64_t p = vectors_.begins[list]; p < end; p += kGroupVectors, ++group) {
      const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(kGroupVectors, end - p));
      const std::span<const std::uint32_t> rows = vectors_.row_numbers.subspan(p, count);
      if (!allows_any(rows)) continue;
      distances(base, p, group, count, values);
      for (std::size_t i = 0; i < count; ++i) {
        const std::uint64_t key = order_key(values[i], rows[i]);
        if (key <= limit() && (filter_ == nullptr || filter_->contains(rows[i]))) add(key);
      }
    }
  }

  bool allows_any(std::span<const std::uint32_t> rows) const;
  /// The ascending() distances of the vectors of a group, whose first is at position `first`.
  void distances(float base, std::uint64_t first, std::uint64_t group, std::size_t count,
                 Values& values) const;

  const Lists<PqCoding>& vectors_;
  const float* query_;
  const RowFilter* filter_;
  CodeGroups layout_;
  std::vector<float> tables_;
};

}  // namespace warpdex::vector
