// Keeps the k best by cutting a buffer down whenever it is full.
#include "warpdex/core/select/top_k.hpp"

#include <algorithm>
#include <functional>

namespace warpdex {

void TopK::reset(std::size_t k, float threshold) {
  k_ = k;
  size_ = 0;
  threshold_ = threshold;
  full_ = false;
  pairs_.resize(k + std::max<std::size_t>(k, 32));
}

void TopK::compact() {
  if (size_ < k_ || (full_ && size_ == k_)) return;
  const auto kth = pairs_.begin() + static_cast<std::ptrdiff_t>(k_ - 1);
  std::nth_element(pairs_.begin(), kth, pairs_.begin() + static_cast<std::ptrdiff_t>(size_),
                   std::greater<>());
  size_ = k_;
  threshold_ = std::bit_cast<float>(static_cast<std::uint32_t>(*kth >> 32));
  full_ = true;
}

void TopK::take(std::vector<Entry>& entries) {
  compact();
  std::sort(pairs_.begin(), pairs_.begin() + static_cast<std::ptrdiff_t>(size_), std::greater<>());
  entries.clear();
  for (std::size_t i = 0; i < size_; ++i) {
    entries.push_back({std::bit_cast<float>(static_cast<std::uint32_t>(pairs_[i] >> 32)),
                       0xFFFFFFFFU - static_cast<std::uint32_t>(pairs_[i])});
  }
  size_ = 0;
}

}  // namespace warpdex
