// The intersection of two uncompressed sorted lists in GPU memory, by Parallel Merge Find.
#pragma once

#include <cstdint>

#include "warpdex/core/cuda/buffer.hpp"
#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {

inline constexpr int kMaxMergeLevels = 4;

/// Intersects lists, one after the other, with memory that it keeps. For one stream at a time.
class ListIntersection {
 public:
  /// For shorter lists of up to `max_elements`.
  explicit ListIntersection(std::uint32_t max_elements, int device = 0);

  /// Queues the intersection of two strictly rising lists in GPU memory (the result is the same
  /// whichever is the shorter, the time is not): writes the common elements in order to `out`,
  /// which has room for the first list's size, and their number to `out_size`. `levels` of
  /// recursion, 0 to 4: one is best for lists of like length from a million elements on, none for
  /// shorter ones and for a far longer second list. Throws UsageError for others, and for a first
  /// list longer than the constructor was told.
  void run(const std::uint32_t* shorter, std::uint32_t shorter_size, const std::uint32_t* longer,
           std::uint32_t longer_size, int levels, std::uint32_t* out, std::uint32_t* out_size,
           const Stream& stream);

 private:
  std::uint32_t max_elements_;
  DeviceArray<std::uint32_t> places_;  ///< of the splitters, level after level
  DeviceArray<std::uint32_t> words_;
  DeviceArray<std::uint32_t> counts_;
  DeviceArray<std::uint32_t> starts_;
  DeviceBuffer scan_scratch_;
};

}  // namespace warpdex
