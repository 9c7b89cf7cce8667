// What an encoder of residuals to binary codes is told, and what it hands on.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>

#include "warpdex/vector/data/matrix.hpp"
#include "warpdex/vector/xfbq/xfbq_quantizer.hpp"

namespace warpdex::vector {

/// How rows are encoded: each as the residual from the centroid of its list.
struct BitRules {
  const XfbqQuantizer& quantizer;  ///< without a centre
  const Matrix<float>& centroids;
  std::span<const float> centre;  ///< of FlatVectors
  bool has_terms = false;
};

/// Some groups, encoded.
struct EncodedBits {
  std::size_t first_group = 0;
  std::size_t groups = 0;
  std::span<const std::uint8_t> codes;  ///< as CodeGroups has them
  std::span<const float> terms;         ///< kGroupVectors a group, or none without terms
  std::span<const float> factors;       ///< likewise without corrections
};

/// Takes blocks in the order of groups; what it throws ends the work.
using BitSink = std::function<void(const EncodedBits&)>;

}  // namespace warpdex::vector
