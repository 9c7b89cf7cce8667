// Accumulators for the documents of a window.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "cpu/kernels.hpp"

namespace warpdex {

/// DocIDs in the widest window.
inline constexpr std::uint32_t kMaxWindow = 32'768;

/// An accumulator for each document of a window, and a mark for each line of 16 accumulators, which
/// says whether one of them was added to. Only marked lines are read in the end, so the cost of a
/// window depends on its postings and not on its width.
class WindowSums {
 public:
  WindowSums();

  /// Makes all accumulators untouched; needed only if a window was not drained.
  void clear();

  /// Begins a window of the `width` documents (up to kMaxWindow) from `begin` on.
  void start(std::uint32_t begin, std::uint32_t width);

  /// Adds the scores of `count` documents of the window.
  void add(const std::uint32_t* docids, const float* scores, std::uint32_t count);

  /// The sum of a document of the window; kUntouched if nothing was added to it.
  float at(std::uint32_t document) const { return sums()[document - begin_]; }

  /// Appends the documents that were added to and whose sum is at least `need` (0 or more), in
  /// order, and makes all accumulators untouched. Returns how many; there must be room for 16 more.
  std::size_t drain(float need, const Candidates& candidates);

 private:
  struct alignas(64) Line {
    float values[kLineSums];
  };

  const float* sums() const { return lines_.front().values; }
  float* sums() { return lines_.front().values; }
  /// The window's lines, rounded up to a multiple of 64 for the kernels.
  std::size_t used_lines() const { return (width_ + 64 * kLineSums - 1) / (64 * kLineSums) * 64; }

  const Kernels& kernels_;
  std::vector<Line> lines_;          ///< kUntouched between windows
  std::vector<std::uint8_t> marks_;  ///< by line: 1 if it may be touched; 0 between windows
  std::uint32_t begin_ = 0;
  std::uint32_t width_ = 0;
};

}  // namespace warpdex
