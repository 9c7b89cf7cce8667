// The input and output of an encoder of residuals.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "lists/build/list_groups.hpp"
#include "warpdex/vector/binary/binary_quantizer.hpp"
#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/metric.hpp"
#include "warpdex/vector/pq/product_quantizer.hpp"

namespace warpdex::vector {

/// How rows are encoded: each as the residual from the centroid of its list.
template <class Quantizer>
struct RulesOf {
  const Quantizer& quantizer;  ///< of binary codes: its centre is not taken from residuals
  const Matrix<float>& centroids;
  std::span<const float> centre;  ///< centre_of_terms()
  bool has_terms = false;
  Metric metric = Metric::kL2;  ///< that terms are for
};

/// The point that terms refer to: the quantizer's centre or, where it has none, that of the rows
/// (FlatVectors).
template <class Quantizer>
std::span<const float> centre_of_terms(const Quantizer& quantizer, std::span<const float> rows) {
  if constexpr (requires { quantizer.centre; }) {
    if (!quantizer.centre.empty()) return quantizer.centre;
  }
  return rows;
}

using EncodingRules = RulesOf<ProductQuantizer>;
using BitRules = RulesOf<BinaryQuantizer>;

/// The list whose vectors an encoder gets from now on.
template <class Encoder>
void set_list(Encoder& encoder, std::size_t list, std::span<const float> centroid) {
  if constexpr (requires { encoder.set_list(list, centroid); }) {
    encoder.set_list(list, centroid);
  } else {
    encoder.set_centroid(centroid);
  }
}

/// Some groups, encoded.
struct EncodedBlock {
  std::size_t first_group = 0;
  std::size_t groups = 0;
  std::span<const std::uint8_t> codes;  ///< as CodeGroups has them
  std::span<const float> terms;         ///< kGroupVectors a group, or none without terms
  std::span<const float> factors;       ///< likewise without corrections
};

/// Takes blocks in the order of groups; what it throws ends the work.
using BlockSink = std::function<void(const EncodedBlock&)>;

/// Calls work(numbers) for each group of a block, in order, with those of its vectors, of `all`
/// terms or factors.
template <class Work>
void for_each_piece(const ListGroups& groups, const EncodedBlock& block, std::span<const float> all,
                    const Work& work) {
  if (all.empty()) return;
  groups.for_each(block.first_group, block.first_group + block.groups,
                  [&](std::size_t group, std::size_t /*list*/, auto members) {
                    work(all.subspan((group - block.first_group) * kGroupVectors, members.size()));
                  });
}

}  // namespace warpdex::vector
