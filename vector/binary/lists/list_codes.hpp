// The binary codes of an inverted file: of residuals, the vectors less their centroids.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "binary/train.hpp"
#include "distance/distance_kernels.hpp"
#include "lists/build/encode_lists.hpp"
#include "lists/build/encoded_block.hpp"
#include "lists/build/list_groups.hpp"
#include "lists/build/lists.hpp"
#include "lists/build/steps.hpp"
#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/flat/flat_vectors.hpp"

namespace warpdex::vector {

/// What binary codes of residuals need: the scale is such that the share `settings.clip` of the
/// components of a sample of them lies outside. The centre, which is one of queries, is that of
/// train_binary() for products; for kL2 there is none beside that of the rows. Throws what
/// listeners throw.
BinaryTraining train_binary_codes(const FlatVectors& rows, const IvfLists& lists,
                                  const BinarySettings& settings, BuildSteps& steps);

/// One thread's. Encodes vectors of one list after the other.
class ResidualBitEncoder {
 public:
  /// `centre` is centre_of_terms(); it and what the quantizer refers to must outlive this.
  ResidualBitEncoder(const BinaryQuantizer& quantizer, std::span<const float> centre,
                     bool has_terms, Metric metric);

  /// `centroid` must stay until the next one.
  void set_centroid(std::span<const float> centroid) { centroid_ = centroid; }
  /// `row` has a vector of the list. Sets code_bytes() bytes. The term is |y|^2 + 2 y·(c - m), with
  /// y the residual, c the centroid and m the centre; for products it is -(m·y).
  RowFacts encode(std::span<const float> row, std::uint8_t* code);

 private:
  double term_of_residual() const;

  BinaryQuantizer quantizer_;  ///< without a centre
  std::span<const float> centre_;
  bool has_terms_;
  bool is_l2_;
  std::span<const float> centroid_;
  std::vector<float> residual_;
  std::vector<float> rotated_;
  std::vector<std::uint32_t> words_;
};

/// Encodes all groups and hands them on in order, some thousands at a time. Throws what `sink` and
/// listeners throw. The bytes depend neither on the number of threads nor on the processor that
/// encodes.
void encode_list_codes(const FlatVectors& rows, const BitRules& rules, const ListGroups& groups,
                       std::size_t threads, BuildSteps& steps, const BlockSink& sink);

}  // namespace warpdex::vector
