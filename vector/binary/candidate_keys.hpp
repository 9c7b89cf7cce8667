// The nearest by codes, and those that are nearly as near.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "flat/canonical_distances.hpp"

namespace warpdex::vector {

/// Of the order_key()s that it is given, keeps the `count` smallest and those whose distance is
/// at most `margin` above that of the last of these.
class CandidateKeys {
 public:
  CandidateKeys(std::size_t count, float margin) : count_(count), margin_(margin) {}

  /// Larger keys are not needed. Never rises.
  std::uint64_t limit() const { return limit_; }

  void add(std::uint64_t key) {
    keys_.push_back(key);
    if (keys_.size() >= capacity_) compact();
  }

  /// What is kept, in no order.
  std::vector<std::uint64_t> take() {
    compact();
    return std::move(keys_);
  }

 private:
  void compact() {
    if (keys_.size() > count_) {
      const auto last = keys_.begin() + static_cast<std::ptrdiff_t>(count_ - 1);
      std::nth_element(keys_.begin(), last, keys_.end());
      limit_ = std::min(limit_, limit_from(*last));
      std::erase_if(keys_, [this](std::uint64_t key) { return key > limit_; });
    }
    capacity_ = 2 * std::max(keys_.size(), count_) + 64;
  }

  std::uint64_t limit_from(std::uint64_t last) const {
    if (margin_ == 0) return last;
    return order_key(key_value(last) + margin_, ~std::uint32_t{0});
  }

  std::size_t count_;
  float margin_;
  std::size_t capacity_ = 64;
  std::uint64_t limit_ = std::numeric_limits<std::uint64_t>::max();
  std::vector<std::uint64_t> keys_;
};

}  // namespace warpdex::vector
