// Selection of the k best (score, id) pairs on the host, fed one at a time or in runs.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace warpdex {

/// Keeps the k best of the pairs that it is given: score descending, ties to the smaller id.
/// Scores are finite and not negative; ids below 2^32 - 1. Holds up to about 2k + 64 pairs;
/// amortised O(1) a pair. Deterministic: the answer does not depend on the order of pairs.
class TopK {
 public:
  struct Entry {
    float score;
    std::uint32_t id;
  };

  /// Forgets all; k of 1 or more. `threshold` is a score, 0 or more, that k pairs to come are
  /// known to reach: smaller ones need not be given.
  void reset(std::size_t k, float threshold = 0);
  std::size_t k() const { return k_; }

  /// A pair whose score is below this cannot enter, nor, once full(), one that equals it with a
  /// larger id than all pairs given so far. Never falls.
  float threshold() const { return threshold_; }
  /// Whether threshold() stands for a k-th pair; until then it is what reset() was given.
  bool full() const { return full_; }

  void insert(float score, std::uint32_t id) {
    pairs_[size_++] = key(score, id);
    if (size_ == pairs_.size()) compact();
  }

  /// Raises the threshold to what the pairs given so far allow.
  void compact();

  /// The best k, best first; the object is then empty until reset().
  void take(std::vector<Entry>& entries);

 private:
  static std::uint64_t key(float score, std::uint32_t id) {
    return std::uint64_t{std::bit_cast<std::uint32_t>(score)} << 32 | (0xFFFFFFFFU - id);
  }

  std::vector<std::uint64_t> pairs_;
  std::size_t k_ = 0;
  std::size_t size_ = 0;
  float threshold_ = 0;
  bool full_ = false;
};

}  // namespace warpdex
