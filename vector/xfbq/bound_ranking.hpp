// Finds the nearest of a query among rows with lower bounds of their distances.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "flat/order_key.hpp"

namespace warpdex::vector {

/// Starts with the candidates by codes, whose distances are known. Then others are offered by their
/// lower bounds, the lowest first, until no other may be among the k nearest. All keys are
/// order_key()s.
class BoundRanking {
 public:
  /// `nearest` has the k nearest of the candidates or, if there are fewer, all, sorted; `known` the
  /// rows of all of them.
  BoundRanking(std::size_t k, std::vector<std::uint64_t> nearest, std::vector<std::uint32_t> known)
      : k_(k), nearest_(std::move(nearest)), known_(std::move(known)), refined_(known_.size()) {
    std::sort(known_.begin(), known_.end());
  }

  /// No row with a lower bound above this need be offered.
  float limit() const {
    return nearest_.size() == k_ ? key_value(nearest_.back())
                                 : std::numeric_limits<float>::infinity();
  }

  /// `bound` is the key of a lower bound, no smaller than those before; exact() gives the row's
  /// canonical key. Returns whether others with larger bounds may still be among the nearest.
  template <class Exact>
  bool offer(std::uint64_t bound, const Exact& exact) {
    if (nearest_.size() == k_ && key_value(bound) > key_value(nearest_.back())) return false;
    if (std::binary_search(known_.begin(), known_.end(), key_row(bound))) return true;
    const std::uint64_t key = exact();
    ++refined_;
    if (nearest_.size() == k_ && key >= nearest_.back()) return true;
    nearest_.insert(std::lower_bound(nearest_.begin(), nearest_.end(), key), key);
    if (nearest_.size() > k_) nearest_.pop_back();
    return true;
  }

  const std::vector<std::uint64_t>& nearest() const { return nearest_; }
  /// How many canonical distances were looked at.
  std::uint32_t refined() const { return static_cast<std::uint32_t>(refined_); }

 private:
  std::size_t k_;
  std::vector<std::uint64_t> nearest_;
  std::vector<std::uint32_t> known_;
  std::size_t refined_;
};

}  // namespace warpdex::vector
