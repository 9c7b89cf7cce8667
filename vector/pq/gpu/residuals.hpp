// Residuals, that is vectors less their centroids, rotated.
#pragma once

#include <cstddef>
#include <cstdint>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex::vector {

/// Rows less others. Groups of 32 rows share the one that is taken from them.
struct SubtractTask {
  const float* rows;  ///< `dimension` floats each, without gaps
  std::uint32_t count;
  std::uint32_t dimension;
  /// Rows of `dimension` floats; null: nothing is taken away.
  const float* taken;
  const std::uint32_t* which;  ///< row of `taken` for each group; null: the first for all
  const std::uint32_t* sizes;  ///< rows of each group that are there; null: all
  float* out;                  ///< `count` rows, zeros where there is none
  std::uint32_t stride;        ///< of `out`: `dimension` or more, with zeros behind
};

/// Queues the subtraction.
void subtract_rows(const SubtractTask& task, const Stream& stream);

/// Queues the rotation of `count` rows, `stride` floats apart with zeros behind `dimension`, a
/// multiple of 32: out[row][i] is the canonical product of row i of `rotation` and the row, as
/// rotate() has it. `out` has the same stride and must not be `rows`; floats behind `dimension` are
/// not written. `rows` has memory for `count` rounded up to a multiple of 4.
void rotate_rows(const float* rows, std::uint32_t count, std::uint32_t dimension,
                 std::uint32_t stride, const float* rotation, float* out, const Stream& stream);

}  // namespace warpdex::vector
