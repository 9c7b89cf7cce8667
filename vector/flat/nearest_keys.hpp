// The k nearest of one query.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "flat/canonical_distances.hpp"

namespace warpdex::vector {

/// Keeps the k smallest of the order_key()s that it is given. Holds up to 2k + 64 of them.
class NearestKeys {
 public:
  /// Keys above `limit` are not needed; no more than `count` will come.
  NearestKeys(std::size_t k, std::size_t count,
              std::uint64_t limit = std::numeric_limits<std::uint64_t>::max())
      : k_(k), capacity_(std::min(std::max(2 * k, k + 64), count + 1)), limit_(limit) {}

  /// Larger keys are not needed. Never rises.
  std::uint64_t limit() const { return limit_; }

  void add(std::uint64_t key) {
    keys_.push_back(key);
    if (keys_.size() >= capacity_) compact();
  }

  /// The k smallest, sorted.
  std::vector<std::uint64_t> take() {
    keep_nearest(keys_, k_);
    return std::move(keys_);
  }

 private:
  void compact() {
    if (keys_.size() <= k_) return;
    const auto kth = keys_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
    std::nth_element(keys_.begin(), kth, keys_.end());
    limit_ = std::min(limit_, *kth);
    keys_.resize(k_);
  }

  std::size_t k_;
  std::size_t capacity_;
  std::uint64_t limit_;
  std::vector<std::uint64_t> keys_;
};

}  // namespace warpdex::vector
