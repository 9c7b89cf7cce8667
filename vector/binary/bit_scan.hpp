// One query against the binary codes of lists.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "binary/check_depth.hpp"
#include "binary/query_code.hpp"
#include "flat/canonical_distances.hpp"
#include "lists/code_list_search.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/vector/binary/binary_vectors.hpp"

namespace warpdex::vector {

/// The query's code, and the distances that it gives.
class BinaryCoding::ListScan {
 public:
  static void check(const Lists<BinaryCoding>& lists, const SearchOptions& options) {
    check_list_depth(lists.quantizer, options);
  }

  /// `query` is prepared and padded as DistanceKernels says. All must outlive it.
  ListScan(const Lists<BinaryCoding>& vectors, const SearchOptions& options, const float* query)
      : vectors_(vectors),
        query_(query),
        filter_(options.filter),
        query_bits_(settled_query_bits(options.query_bits, vectors.quantizer.bits)),
        shape_(code_shape(vectors.quantizer, query_bits_)),
        code_(encode_query(vectors.metric, vectors.quantizer, query_bits_, query)) {}

  /// As CodeListSearch says.
  template <class Limit, class Add>
  void scan(std::span<const std::int32_t> lists, const Limit& limit, const Add& add) const {
    for (const std::int32_t list : lists) {
      if (list >= 0) scan_list(static_cast<std::size_t>(list), limit, add);
    }
  }

 private:
  /// Groups whose distances are computed at a time.
  static constexpr std::size_t kAtOnce = 32;

  template <class Limit, class Add>
  void scan_list(std::size_t list, const Limit& limit, const Add& add) const {
    const std::size_t group_bytes = CodeGroups{vectors_.quantizer.code_bytes()}.group_bytes();
    const float base = centroid_distance(vectors_.centroids, vectors_.metric, query_, list);
    const std::uint64_t last = vectors_.group_begins[list + 1];
    std::uint64_t position = vectors_.begins[list];
    std::array<std::uint32_t, kAtOnce * kGroupVectors> distances;
    for (std::uint64_t group = vectors_.group_begins[list]; group < last; group += kAtOnce) {
      const auto some = static_cast<std::size_t>(std::min<std::uint64_t>(kAtOnce, last - group));
      code_kernels().xor_distances(vectors_.codes.data() + group * group_bytes, some, shape_,
                                   code_.words.data(), distances.data());
      const std::uint64_t end =
          std::min<std::uint64_t>(position + some * kGroupVectors, vectors_.begins[list + 1]);
      for (std::size_t i = 0; position < end; ++position, ++i) {
        const std::uint64_t key =
            order_key(value_of(base, distances[i], position), vectors_.row_numbers[position]);
        if (key > limit()) continue;
        if (filter_ == nullptr || filter_->contains(vectors_.row_numbers[position])) add(key);
      }
    }
  }

  float value_of(float base, std::uint32_t distance, std::uint64_t position) const {
    const bool is_l2 = vectors_.metric == Metric::kL2;
    const float term = is_l2                    ? vectors_.terms[position]
                       : vectors_.terms.empty() ? 0.0F
                                                : code_.share * vectors_.terms[position];
    const float factor = vectors_.factors.empty() ? 1.0F : vectors_.factors[position];
    return code_distance(code_, base, is_l2, distance, term, factor);
  }

  const Lists<BinaryCoding>& vectors_;
  const float* query_;
  const RowFilter* filter_;
  std::size_t query_bits_;
  CodeShape shape_;
  QueryCode code_;
};

}  // namespace warpdex::vector
