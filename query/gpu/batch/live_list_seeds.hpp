// Finds the seeds of one list, once documents were removed. Plain C++. Internal.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "warpdex/indexer/format/index.hpp"
#include "warpdex/indexer/format/score_bound.hpp"

namespace warpdex::gpu {

/// Counts postings by frequency and length, and finds pairs of these that enough postings reach.
/// Lengths are rounded up to 4 significant bits, so a pair's score is about a percent lower than it
/// could be.
class SeedTable {
 public:
  SeedTable() : counts_(kFrequencies * kLengths) {}

  /// Adds `count` postings. An impact counts as a frequency, with length 0.
  void add(std::uint32_t frequency, std::uint32_t length, std::uint32_t count) {
    const std::uint32_t row = std::min(frequency, kFrequencies - 1);
    counts_[row * kLengths + encode_rounded_up(length)] += count;
    has_row_[row] = true;
  }

  /// For each rank, the best pair that this many postings reach; frequency 0 if there are fewer.
  /// `ranks` ascend. Pairs are compared by BM25 (k1 0.9, b 0.4) with this average length. Leaves
  /// the table empty. O(frequencies).
  std::vector<ListSeed> take(std::span<const std::uint32_t> ranks, double average_length);

 private:
  /// Larger frequencies count as the last one.
  static constexpr std::uint32_t kFrequencies = 256;
  static constexpr std::uint32_t kLengths = 256;  ///< codes of lengths

  std::vector<std::uint32_t> counts_;         ///< by frequency, then by length
  std::array<bool, kFrequencies> has_row_{};  ///< whether the frequency was added
};

/// Adds the live documents of a long list. O(postings). Throws FormatError for damage.
void add_live_postings(const Index& index, const PostingsEntry& entry, SeedTable& table);

}  // namespace warpdex::gpu
