// Permutations turned into bits: the rank of each permutant becomes a number of a few bits, and
// codes of these numbers are compared by the scan of binary codes. All permutations have the same
// numbers in another order, so the distance of codes ranks objects as the sum of the squared
// differences of these numbers does: a coarse form of Spearman's rho.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "binary/code_kernels.hpp"
#include "warpdex/core/cuda/host_device.hpp"
#include "warpdex/vector/metric/permutation_index.hpp"

namespace warpdex::metric {

/// Bits of a rank.
inline constexpr std::uint32_t kRankBits = 3;

/// The number that stands for a rank; of damaged ranks, too, one of kRankBits bits.
WARPDEX_HOST_DEVICE constexpr std::uint32_t rank_cell(std::uint32_t rank,
                                                      std::uint32_t permutants) {
  constexpr std::uint32_t kCells = 1U << kRankBits;
  const std::uint32_t cell = rank * kCells / permutants;
  return cell < kCells ? cell : kCells - 1;
}

constexpr vector::CodeShape rank_code_shape(std::size_t permutants) {
  return {(permutants + 31) / 32, kRankBits, kRankBits};
}

/// The codes of all objects, in groups as those of vectors (CodeGroups). Immutable.
class RankCodes {
 public:
  /// Reads all ranks, by all threads.
  explicit RankCodes(const Permutations& permutations);

  /// The words of a query, as the scan reads them, from its row of ranks.
  std::vector<std::uint32_t> query_words(const void* row) const;
  /// out[i] = the distance of object i from the query, for all objects.
  void compare(const std::vector<std::uint32_t>& query, std::uint32_t* out) const;

 private:
  std::size_t objects_;
  std::size_t permutants_;
  vector::CodeShape shape_;
  std::vector<std::uint8_t> groups_;
};

}  // namespace warpdex::metric
