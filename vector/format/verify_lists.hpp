// What checks of the codes of lists have in common.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "kmeans/parallel_parts.hpp"
#include "lists/build/encoded_block.hpp"
#include "pq/code_groups.hpp"
#include "warpdex/core/error.hpp"
#include "warpdex/vector/format/vector_segment.hpp"

namespace warpdex::vector {

inline bool all_finite(std::span<const float> values) {
  return std::all_of(values.begin(), values.end(),
                     [](float value) { return std::isfinite(value); });
}

/// " of row R", of the vector at position `p`.
inline std::string of_row(const VectorSegment& segment, const CodeLists& codes, std::uint64_t p) {
  return " of row " + std::to_string(segment.row(codes.row_numbers[p]));
}

/// The code at position `p`, which is in the list.
inline void read_code(const CodeLists& codes, std::size_t list, std::uint64_t p,
                      std::vector<std::uint8_t>& code) {
  const CodeGroups layout{code.size()};
  const std::uint64_t place = p - codes.begins[list];
  const std::uint64_t group = codes.group_begins[list] + place / kGroupVectors;
  layout.read(codes.codes.data() + group * layout.group_bytes(), place % kGroupVectors,
              code.data());
}

/// Throws FormatError where a row is in two lists.
void check_row_numbers(const VectorSegment& segment);

/// Throws FormatError where a centroid is not finite, or its norm is another's.
void check_centroids(const FlatVectors& centroids);

/// Throws FormatError where codes, or what belongs to them, are damaged; of whole vectors nothing
/// is checked.
void check_codes(const VectorSegment& segment);

/// Calls check(encoder, list, p, code) for all vectors of all lists, with the encoder that
/// make_encoder() gave the thread, set to the list's centroid.
template <class MakeEncoder, class Check>
void check_list_codes(const CodeLists& codes, std::size_t code_bytes,
                      const MakeEncoder& make_encoder, const Check& check) {
  constexpr std::size_t kPartLists = 16;
  for_each_part(codes.lists(), kPartLists, 0, [&](std::size_t first, std::size_t last) {
    auto encoder = make_encoder();
    std::vector<float> centroid(codes.centroids.vectors.dimension);
    std::vector<std::uint8_t> code(code_bytes);
    for (std::size_t list = first; list < last; ++list) {
      copy_row(codes.centroids.vectors, list, centroid.data());
      set_list(encoder, list, centroid);
      for (std::uint64_t p = codes.begins[list]; p < codes.begins[list + 1]; ++p) {
        read_code(codes, list, p, code);
        check(encoder, p, code);
      }
    }
  });
}

}  // namespace warpdex::vector
