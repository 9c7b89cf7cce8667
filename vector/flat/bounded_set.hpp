// The vectors that may be among the k nearest of one query, as far as bounds on their distances can
// tell.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "flat/canonical_distances.hpp"
#include "flat/query_block.hpp"

namespace warpdex::vector {

/// Memory that all sets of a thread share.
struct BoundedSetScratch {
  std::vector<float> highs;
  std::vector<std::uint64_t> keys;
};

/// A vector is dropped only when k others are certainly nearer. If the bounds do not decide enough,
/// canonical distances are computed.
class BoundedSet {
 public:
  /// k of 1 or more, and the most vectors that can come: both size the set.
  BoundedSet(std::size_t k, std::size_t rows);

  /// Bytes that a set takes.
  static std::size_t bytes(std::size_t k, std::size_t rows) {
    return capacity(k, rows) * sizeof(Entry);
  }

  /// No vector with a larger sum is needed. Never rises.
  float limit() const { return limit_; }

  /// A vector whose distance lies between `sum` and `sum` + `slack` (query's and vector's).
  /// Returns whether the set is full: then call compact() before the next.
  bool add(float sum, float slack, std::uint32_t position) {
    constexpr float kInfinity = std::numeric_limits<float>::infinity();
    const float high = sum + slack;
    entries_.push_back(
        {std::isnan(sum) ? -kInfinity : sum, std::isnan(high) ? kInfinity : high, position});
    return entries_.size() == capacity_;
  }

  /// Drops vectors that are certainly not needed, and lowers the limit. The query is number `index`
  /// of `block`, `query` its canonical form.
  void compact(const QueryBlock& block, std::size_t index, const float* query,
               const CanonicalDistances& canonical, BoundedSetScratch& scratch);

  /// The k nearest, sorted, as order_key(); all if there are fewer. The set is of no use after it.
  std::vector<std::uint64_t> take(const float* query, const CanonicalDistances& canonical,
                                  BoundedSetScratch& scratch);

 private:
  struct Entry {
    float low;
    float high;
    std::uint32_t position;
  };

  static std::size_t capacity(std::size_t k, std::size_t rows);
  void lower_limit(BoundedSetScratch& scratch);
  void compute(const float* query, const CanonicalDistances& canonical, BoundedSetScratch& scratch);

  std::size_t k_;
  std::size_t capacity_;
  float limit_ = std::numeric_limits<float>::infinity();
  std::vector<Entry> entries_;
};

}  // namespace warpdex::vector
