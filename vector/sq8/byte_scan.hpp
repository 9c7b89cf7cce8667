// One query against the bytes of lists.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "flat/canonical_distances.hpp"
#include "lists/code_list_search.hpp"
#include "pq/code_groups.hpp"
#include "sq8/byte_kernels.hpp"
#include "sq8/query_bytes.hpp"
#include "warpdex/vector/searcher/search_options.hpp"
#include "warpdex/vector/sq8/sq8_coding.hpp"

namespace warpdex::vector {

/// The query's bytes, and the distances that they give.
class Sq8Coding::ListScan {
 public:
  static void check(const Lists<Sq8Coding>& /*lists*/, const SearchOptions& /*options*/) {}

  /// `query` is prepared and padded as DistanceKernels says. All must outlive it.
  ListScan(const Lists<Sq8Coding>& vectors, const SearchOptions& options, const float* query)
      : vectors_(vectors),
        query_(query),
        filter_(options.filter),
        bytes_(encode_query_bytes(vectors.metric, vectors.centre, query,
                                  vectors.quantizer.dimension)) {}

  /// Only groups [first, last) of each list.
  void take_groups(std::uint64_t first, std::uint64_t last) {
    first_group_ = first;
    last_group_ = last;
  }

  /// As CodeListSearch says.
  template <class Limit, class Add>
  void scan(std::span<const std::int32_t> lists, const Limit& limit, const Add& add) const {
    for (const std::int32_t list : lists) {
      if (list >= 0) scan_list(static_cast<std::size_t>(list), limit, add);
    }
  }

 private:
  /// Groups whose products are computed at a time.
  static constexpr std::size_t kAtOnce = 16;

  template <class Limit, class Add>
  void scan_list(std::size_t list, const Limit& limit, const Add& add) const {
    const CodeGroups layout{vectors_.quantizer.code_bytes()};
    const ByteScale& scale = vectors_.quantizer.scales[list];
    const float weight = bytes_.list_weight(scale);
    const float base = bytes_.list_base(
        centroid_distance(vectors_.centroids, vectors_.metric, query_, list), scale);
    const bool is_l2 = vectors_.metric == Metric::kL2;
    const std::uint64_t begin = vectors_.group_begins[list];
    const std::uint64_t first = std::min(begin + first_group_, vectors_.group_begins[list + 1]);
    const std::uint64_t last =
        first + std::min(last_group_ - first_group_, vectors_.group_begins[list + 1] - first);
    std::uint64_t position = vectors_.begins[list] + (first - begin) * kGroupVectors;
    std::array<std::int32_t, kAtOnce * kGroupVectors> products;
    for (std::uint64_t group = first; group < last; group += kAtOnce) {
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(kAtOnce, last - group));
      byte_products(vectors_.codes.data() + group * layout.group_bytes(), some, layout,
                    bytes_.bytes.data(), products.data());
      const std::uint64_t end =
          std::min<std::uint64_t>(position + some * kGroupVectors, vectors_.begins[list + 1]);
      for (std::size_t i = 0; position < end; ++position, ++i) {
        const float term = is_l2 ? vectors_.terms[position] : 0.0F;
        const std::uint32_t row = vectors_.row_numbers[position];
        const std::uint64_t key =
            order_key(byte_distance(is_l2, weight, products[i], base, term), row);
        if (key <= limit() && (filter_ == nullptr || filter_->contains(row))) add(key);
      }
    }
  }

  const Lists<Sq8Coding>& vectors_;
  const float* query_;
  const RowFilter* filter_;
  QueryBytes bytes_;
  std::uint64_t first_group_ = 0;
  std::uint64_t last_group_ = ~std::uint64_t{0};
};

}  // namespace warpdex::vector
