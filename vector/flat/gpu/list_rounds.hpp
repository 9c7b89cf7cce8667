// How a search is divided into rounds. In the first round all rows of a part become candidates.
// Each later round takes as many rows as give about as many candidates, within the limit of the
// rounds before, as lists have room for.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>

#include "flat/gpu/products.hpp"

namespace warpdex::vector {

class ListRounds {
 public:
  /// For the k nearest of so many queries at a time. A round has at most `max_growth` times the
  /// rows of all before it: the more, the fewer rounds and the more candidates. But for the fewest
  /// queries.
  ListRounds(std::size_t queries, std::size_t k, std::uint32_t max_growth)
      : queries_(queries), k_(static_cast<std::uint32_t>(k)), max_growth_(max_growth) {
    capacity_ = std::clamp(8 * std::bit_ceil(k_), kMinCapacity, kMaxListCapacity);
    first_panels_ = std::clamp(4 * std::bit_ceil(k_), kMinFirstRows, capacity_ / 2) / kPanelRows;
    if (queries <= kFewQueries) {
      capacity_ = kMaxListCapacity;
      first_panels_ = kMaxListCapacity / kPanelRows;
    }
    if (queries < kFewestQueries) {
      first_panels_ =
          std::clamp(16 * std::bit_ceil(k_), kMinFirstOfFewest, kMaxListCapacity) / kPanelRows;
    }
  }

  /// Places of a query's list.
  std::uint32_t capacity() const { return capacity_; }
  /// Panels of the first round, at the most.
  std::uint32_t first_panels() const { return first_panels_; }

  /// How many times the panels of all rounds before it a round has, of `panels` in all. Rounds let
  /// the fewest candidates through where their growth is even.
  double growth(std::uint32_t panels) const {
    const double largest = queries_ <= kFewestQueries
                               ? std::clamp(capacity_ / (2 * k_), 1U, kMaxGrowthOfFewest)
                               : std::clamp(capacity_ / (8 * k_), 1U, max_growth_);
    const double first = first_panels_;
    if (panels <= first_panels_) return largest;
    const double rounds =
        std::max(1.0, std::ceil(std::log(panels / first) / std::log(1 + largest)));
    return std::pow(panels / first, 1 / rounds) - 1;
  }

 private:
  static constexpr std::uint32_t kMinCapacity = 4096;
  static constexpr std::uint32_t kMinFirstRows = 1024;
  /// With so few queries, rounds cost more than candidates: there are few, of many rows.
  static constexpr std::size_t kFewQueries = 256;
  static constexpr std::size_t kFewestQueries = 16;
  /// Their first round takes the time of finding a limit in one CTA for each query.
  static constexpr std::uint32_t kMinFirstOfFewest = 4096;
  static constexpr std::uint32_t kMaxGrowthOfFewest = 64;

  std::size_t queries_;
  std::uint32_t k_;
  std::uint32_t max_growth_;
  std::uint32_t capacity_;
  std::uint32_t first_panels_;
};

}  // namespace warpdex::vector
