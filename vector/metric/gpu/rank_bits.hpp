// Permutations turned into bits on the GPU, and the scan of binary codes over them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "binary/gpu/binary_data.hpp"
#include "metric/gpu/rank_scan.hpp"
#include "warpdex/core/cuda/arena.hpp"
#include "warpdex/core/cuda/memory_budget.hpp"

namespace warpdex::metric {

/// RankCodes in GPU memory. Immutable.
class DeviceRankCodes {
 public:
  /// Makes them of ranks that are there. Throws Error, which says how much is needed, where there
  /// is too little memory.
  DeviceRankCodes(const DeviceRanks& ranks, MemoryBudget& memory, int device);

  const vector::DeviceBinaryCodes& on_gpu() const { return codes_; }

 private:
  AccountedBuffer buffer_;
  vector::DeviceBinaryCodes codes_;
};

/// The codes of a block of queries.
class RankCodeQueries {
 public:
  /// For up to `queries` queries.
  RankCodeQueries(std::uint32_t permutants, std::size_t queries);

  /// Takes its memory, or measures it.
  void lay_out(Arena& arena);

  /// Queues the comparison of all codes with those of the queries' ranks: apart[q * stride + i] is
  /// how far object i is from query q, as RankCodes::compare() has it.
  void compare(const vector::DeviceBinaryCodes& codes, const DeviceQueryRanks& queries,
               std::uint32_t* apart, std::uint64_t stride, const Stream& stream) const;

 private:
  std::uint32_t permutants_;
  std::size_t queries_;
  std::uint32_t* words_ = nullptr;
  float* weights_ = nullptr;
  float* bases_ = nullptr;
};

}  // namespace warpdex::metric
