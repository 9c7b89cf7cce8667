// The bytes of an inverted file: of residuals, the vectors less their centroids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "lists/build/encode_lists.hpp"
#include "lists/build/encoded_block.hpp"
#include "lists/build/list_groups.hpp"
#include "lists/build/lists.hpp"
#include "lists/build/steps.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"
#include "warpdex/vector/sq8/sq8_coding.hpp"

namespace warpdex::vector {

using ByteRules = RulesOf<Sq8Quantizer>;

/// Scales that just hold all components of each list's residuals. Lists of fewer than 32 vectors
/// take the scale of all vectors. Throws what listeners throw. O(rows * dimension).
Sq8Training train_scales(const FlatVectors& rows, const IvfLists& lists, std::size_t threads,
                         BuildSteps& steps);

/// One thread's. Encodes vectors of one list after the other.
class ResidualByteEncoder {
 public:
  /// `centre` is that of FlatVectors. Both must outlive it.
  ResidualByteEncoder(const Sq8Quantizer& quantizer, std::span<const float> centre, bool has_terms);

  /// `centroid` must stay until the next one.
  void set_list(std::size_t list, std::span<const float> centroid);
  /// `row` has a vector of the list. Sets code_bytes() bytes.
  RowFacts encode(std::span<const float> row, std::uint8_t* code) const;
  /// |y|^2 + 2 y·(c - m), with y the decoded residual, c the centroid and m the centre: in double
  /// precision, in the order of components, then rounded.
  float term(const std::uint8_t* code) const;

 private:
  const Sq8Quantizer& quantizer_;
  std::span<const float> centre_;
  bool has_terms_;
  ByteScale scale_;
  std::span<const float> centroid_;
};

/// Encodes all groups and hands them on in order, some thousands at a time. Throws what `sink` and
/// listeners throw. The bytes depend neither on the number of threads nor on the processor.
void encode_list_codes(const FlatVectors& rows, const ByteRules& rules, const ListGroups& groups,
                       std::size_t threads, BuildSteps& steps, const BlockSink& sink);

}  // namespace warpdex::vector
