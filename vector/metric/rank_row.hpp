// One object's ranks of the permutants, from its distances to them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <span>
#include <vector>

#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

/// Used again for one object after the other.
class RankRow {
 public:
  explicit RankRow(std::size_t permutants)
      : order_(permutants), bytes_(rank_stride(permutants) * rank_bytes(permutants)) {}

  /// The distances to all permutants. Equal ones rank in the order of permutants.
  void set(std::span<const float> distances) {
    for (std::size_t i = 0; i < order_.size(); ++i) order_[i] = static_cast<std::uint32_t>(i);
    std::sort(order_.begin(), order_.end(), [&](std::uint32_t a, std::uint32_t b) {
      return distances[a] != distances[b] ? distances[a] < distances[b] : a < b;
    });
    for (std::size_t i = 0; i < order_.size(); ++i) {
      if (rank_bytes(order_.size()) == 1) {
        bytes_[order_[i]] = static_cast<std::uint8_t>(i);
      } else {
        const auto rank = static_cast<std::uint16_t>(i);
        std::memcpy(bytes_.data() + order_[i] * sizeof rank, &rank, sizeof rank);
      }
    }
  }

  /// The permutants, nearest first.
  const std::vector<std::uint32_t>& order() const { return order_; }
  /// The row as it is stored.
  const std::vector<std::uint8_t>& bytes() const { return bytes_; }

 private:
  std::vector<std::uint32_t> order_;
  std::vector<std::uint8_t> bytes_;
};

}  // namespace warpdex::metric
