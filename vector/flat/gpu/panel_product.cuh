// The product of a panel of rows with panels of queries, tile by tile: what match and k-means
// share.
#pragma once

#include <cfloat>
#include <cstdint>

#include "flat/gpu/panel_layout.cuh"
#include "flat/gpu/tensor_core.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kProductThreads = 256;  ///< 2 x 4 warps, 64 x 32 sums each
inline constexpr std::uint32_t kStages = 4;            ///< chunks of shared memory under way
/// Panels of rows up to so many chunks stay in shared memory while all queries pass by.
inline constexpr std::uint32_t kMaxResidentChunks = 8;
inline constexpr std::uint32_t kColumnBytes = kPanelRows * sizeof(float);
/// Panels whose values of columns are in shared memory: more than there can be under way.
inline constexpr std::uint32_t kColumnSlots = 2 * kStages;

/// Shared memory of a CTA.
WARPDEX_HOST_DEVICE constexpr std::uint32_t product_shared_bytes(std::uint32_t chunks) {
  const std::uint32_t left = chunks <= kMaxResidentChunks ? chunks : kStages;
  return (left + kStages) * kChunkBytes + kColumnSlots * kColumnBytes;
}

/// What a CTA multiplies: one panel on the left with panels [first, last) on the right. A value for
/// each right row comes with each panel: of row r of panel p, columns[p * 128 + r].
struct ProductTask {
  const std::uint8_t* left;
  const std::uint8_t* right;
  const float* columns;
  std::uint32_t chunks;
  std::uint32_t first;
  std::uint32_t last;
};

/// The 64 x 32 sums of a warp: 4 x 4 blocks of 16 x 8.
inline constexpr std::uint32_t kRowBlocks = 4;
inline constexpr std::uint32_t kColumnBlocks = 4;
using TileSums = float[kRowBlocks][kColumnBlocks][4];

/// The row within the left panel of sums[m][..][0 and 1] (half 0) and [2 and 3] (half 1).
__device__ __forceinline__ std::uint32_t row_of_sum(std::uint32_t m, std::uint32_t half) {
  return threadIdx.x / kWarp / 4 * 64 + m * 16 + half * 8 + lane_id() / 4;
}
/// The row within the right panel of sums[..][n][0 and 2] (odd 0) and [1 and 3] (odd 1).
__device__ __forceinline__ std::uint32_t column_of_sum(std::uint32_t n, std::uint32_t odd) {
  return threadIdx.x / kWarp % 4 * 32 + n * 8 + lane_id() % 4 * 2 + odd;
}

/// The smallest sum of each of a thread's 8 rows, over its own columns of the tile.
__device__ __forceinline__ void find_lowest(const TileSums& sums, const float* offsets,
                                            float (&lowest)[4][2]) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) lowest[m][0] = lowest[m][1] = FLT_MAX;
#pragma unroll
  for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
    for (std::uint32_t odd = 0; odd < 2; ++odd) {
      const float offset = offsets[column_of_sum(n, odd)];
#pragma unroll
      for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
        lowest[m][0] = fminf(lowest[m][0], sums[m][n][odd] + offset);
        lowest[m][1] = fminf(lowest[m][1], sums[m][n][2 + odd] + offset);
      }
    }
  }
}

__device__ __forceinline__ void clear_sums(TileSums& sums) {
#pragma unroll
  for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
    for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) sums[m][n][i] = 0;
    }
  }
}

/// Runs the pipeline: chunks are copied to shared memory kStages - 1 ahead, and a step's operands
/// are loaded into registers before the step in front of it multiplies, across chunks and tiles.
class PanelProduct {
 public:
  __device__ PanelProduct(const ProductTask& task, std::uint8_t* shared)
      : task_(task),
        is_resident_(task.chunks <= kMaxResidentChunks),
        left_(shared_address(shared)),
        right_(left_ + (is_resident_ ? task.chunks : kStages) * kChunkBytes),
        columns_(shared + (right_ - left_) + kStages * kChunkBytes),
        steps_((task.last - task.first) * task.chunks),
        next_panel_(task.first) {
    const std::uint32_t lane = lane_id();
    const std::uint32_t left_row = threadIdx.x / kWarp / 4 * 64 + lane % 16;
    const std::uint32_t right_row = threadIdx.x / kWarp % 4 * 32 + lane % 8 + lane / 16 * 8;
#pragma unroll
    for (std::uint32_t k = 0; k < 2; ++k) {
      left_offsets_[k] = unit_offset(left_row, k * 2 + lane / 16);
      right_offsets_[k] = unit_offset(right_row, k * 2 + lane / 8 % 2);
    }
  }

  /// For each tile: begin(sums) sets them, then products are added, then end(panel, sums, columns).
  /// `columns` are the panel's values in shared memory. All threads.
  template <class Begin, class End>
  __device__ void run(const Begin& begin, const End& end) {
    if (steps_ == 0) return;
    for (std::uint32_t step = 0; step + 1 < kStages; ++step) copy(step);
    std::uint32_t chunk = 0;
    std::uint32_t panel = task_.first;
    TileSums sums;
    for (std::uint32_t step = 0; step < steps_; ++step) {
      wait_for_copies<kStages - 2>();
      __syncthreads();
      copy(step + kStages - 1);
      if (chunk == 0) begin(sums);
      multiply(chunk, step, 0, sums);
      multiply(chunk, step, 1, sums);
      if (++chunk != task_.chunks) continue;
      end(panel, sums, reinterpret_cast<const float*>(column_slot(panel)));
      chunk = 0;
      ++panel;
    }
  }

 private:
  static_assert(kChunkColumns == 32);  // two steps of 16

  __device__ std::uint8_t* column_slot(std::uint32_t panel) const {
    return columns_ + panel % kColumnSlots * kColumnBytes;
  }

  __device__ void copy_bytes(std::uint32_t to, const std::uint8_t* from, std::uint32_t bytes) {
    for (std::uint32_t i = threadIdx.x * 16; i < bytes; i += kProductThreads * 16) {
      copy_16_bytes(to + i, from + i);
    }
  }

  /// Starts the copy of the next step's chunk.
  __device__ void copy(std::uint32_t step) {
    if (step < steps_) {
      const std::uint32_t stage = step % kStages;
      copy_bytes(
          right_ + stage * kChunkBytes,
          task_.right + (std::size_t{next_panel_} * task_.chunks + next_chunk_) * kChunkBytes,
          kChunkBytes);
      if (!is_resident_ || step < task_.chunks) {
        copy_bytes(left_ + (is_resident_ ? next_chunk_ : stage) * kChunkBytes,
                   task_.left + next_chunk_ * kChunkBytes, kChunkBytes);
      }
      if (++next_chunk_ == task_.chunks) {
        copy_bytes(shared_address(column_slot(next_panel_)),
                   reinterpret_cast<const std::uint8_t*>(task_.columns + next_panel_ * kPanelRows),
                   kColumnBytes);
        next_chunk_ = 0;
        ++next_panel_;
      }
    }
    end_copies();
  }

  /// Adds the products of half a chunk.
  __device__ void multiply(std::uint32_t chunk, std::uint32_t step, std::uint32_t half,
                           TileSums& sums) const {
    const std::uint32_t stage = step % kStages;
    const std::uint32_t left =
        left_ + (is_resident_ ? chunk : stage) * kChunkBytes + left_offsets_[half];
    const std::uint32_t right = right_ + stage * kChunkBytes + right_offsets_[half];
    std::uint32_t a[kRowBlocks][4];
    std::uint32_t b[kColumnBlocks / 2][4];
#pragma unroll
    for (std::uint32_t n = 0; n < kColumnBlocks / 2; ++n) load_matrices(right + n * 16 * 64, b[n]);
#pragma unroll
    for (std::uint32_t m = 0; m < kRowBlocks; ++m) load_matrices(left + m * 16 * 64, a[m]);
#pragma unroll
    for (std::uint32_t m = 0; m < kRowBlocks; ++m) {
#pragma unroll
      for (std::uint32_t n = 0; n < kColumnBlocks / 2; ++n) {
        multiply_add(sums[m][2 * n], a[m], b[n][0], b[n][1]);
        multiply_add(sums[m][2 * n + 1], a[m], b[n][2], b[n][3]);
      }
    }
  }

  const ProductTask& task_;
  bool is_resident_;
  std::uint32_t left_;
  std::uint32_t right_;
  std::uint8_t* columns_;
  std::uint32_t steps_;
  std::uint32_t next_panel_;  ///< to be copied
  std::uint32_t next_chunk_ = 0;
  std::uint32_t left_offsets_[2];
  std::uint32_t right_offsets_[2];
};

}  // namespace warpdex::vector
