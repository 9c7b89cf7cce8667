// The product of a panel of rows with panels of queries, tile by tile: what match and k-means
// share.
#pragma once

#include <cstdint>

#include "flat/gpu/panel_layout.cuh"
#include "flat/gpu/tensor_core.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kProductThreads = 128;  ///< 2 x 2 warps, 64 x 64 sums each
inline constexpr std::uint32_t kStages = 4;            ///< chunks of shared memory under way
/// Panels of rows up to so many chunks stay in shared memory while all queries pass by.
inline constexpr std::uint32_t kMaxResidentChunks = 8;
inline constexpr std::uint32_t kColumnBytes = kPanelRows * sizeof(float);
inline constexpr std::uint32_t kStageBytes = kChunkBytes + kColumnBytes;

/// Shared memory of a CTA.
constexpr std::uint32_t product_shared_bytes(std::uint32_t chunks) {
  return chunks <= kMaxResidentChunks ? chunks * kChunkBytes + kStages * kStageBytes
                                      : kStages * (kChunkBytes + kStageBytes);
}

/// What a CTA multiplies: one panel on the left with panels [first, last) on the right. A value for
/// each right row comes with each panel: of row r of panel p, columns[p * 128 + r].
struct ProductTask {
  /// Null: the CTA has put it into shared memory, at the beginning; up to kMaxResidentChunks
  /// chunks.
  const std::uint8_t* left;
  const std::uint8_t* right;
  const float* columns;
  std::uint32_t chunks;
  std::uint32_t first;
  std::uint32_t last;
};

/// The 64 x 64 sums of a warp: 4 x 8 blocks of 16 x 8.
using TileSums = float[4][8][4];

/// The row within the left panel of sums[m][..][0 and 1] (half 0) and [2 and 3] (half 1).
__device__ __forceinline__ std::uint32_t row_of_sum(std::uint32_t m, std::uint32_t half) {
  return threadIdx.x / kWarp / 2 * 64 + m * 16 + half * 8 + lane_id() / 4;
}
/// The row within the right panel of sums[..][n][0 and 2] (odd 0) and [1 and 3] (odd 1).
__device__ __forceinline__ std::uint32_t column_of_sum(std::uint32_t n, std::uint32_t odd) {
  return threadIdx.x / kWarp % 2 * 64 + n * 8 + lane_id() % 4 * 2 + odd;
}

/// Runs the pipeline: copies to shared memory kStages - 1 chunks ahead, across tiles.
class PanelProduct {
 public:
  __device__ PanelProduct(const ProductTask& task, std::uint8_t* shared)
      : task_(task),
        is_resident_(task.chunks <= kMaxResidentChunks),
        left_(shared_address(shared)),
        stages_(shared + (is_resident_ ? task.chunks : kStages) * kChunkBytes),
        steps_((task.last - task.first) * task.chunks),
        next_panel_(task.first) {
    const std::uint32_t lane = lane_id();
    const std::uint32_t left_row = threadIdx.x / kWarp / 2 * 64 + lane % 16;
    const std::uint32_t right_row = threadIdx.x / kWarp % 2 * 64 + lane % 8 + lane / 16 * 8;
#pragma unroll
    for (std::uint32_t k = 0; k < kSteps; ++k) {
      left_offsets_[k] = unit_offset(left_row, k * 2 + lane / 16);
      right_offsets_[k] = unit_offset(right_row, k * 2 + lane / 8 % 2);
    }
  }

  /// For each tile: begin(sums) sets them, then products are added, then end(panel, sums, columns).
  /// `columns` are the panel's values in shared memory. All threads.
  template <class Begin, class End>
  __device__ void run(const Begin& begin, const End& end) {
    for (std::uint32_t step = 0; step + 1 < kStages; ++step) copy(step);
    std::uint32_t chunk = 0;
    std::uint32_t panel = task_.first;
    TileSums sums;
    for (std::uint32_t step = 0; step < steps_; ++step) {
      wait_for_copies<kStages - 2>();
      __syncthreads();
      copy(step + kStages - 1);
      if (chunk == 0) begin(sums);
      const std::uint32_t stage = step % kStages;
      multiply(left_ + (is_resident_ ? chunk : stage) * kChunkBytes,
               shared_address(stages_ + stage * kStageBytes), sums);
      if (++chunk == task_.chunks) {
        end(panel, sums,
            reinterpret_cast<const float*>(stages_ + stage * kStageBytes + kChunkBytes));
        chunk = 0;
        ++panel;
      }
    }
  }

 private:
  static constexpr std::uint32_t kSteps = kChunkColumns / 16;  ///< of the instruction's depth

  __device__ void copy_bytes(std::uint32_t to, const std::uint8_t* from, std::uint32_t bytes) {
    for (std::uint32_t i = threadIdx.x * 16; i < bytes; i += kProductThreads * 16) {
      copy_16_bytes(to + i, from + i);
    }
  }

  /// Starts the copy of the next step's chunk.
  __device__ void copy(std::uint32_t step) {
    if (step < steps_) {
      const std::uint32_t stage = step % kStages;
      const std::uint32_t to = shared_address(stages_ + stage * kStageBytes);
      copy_bytes(
          to, task_.right + (std::size_t{next_panel_} * task_.chunks + next_chunk_) * kChunkBytes,
          kChunkBytes);
      if (task_.left != nullptr && (!is_resident_ || step < task_.chunks)) {
        copy_bytes(left_ + (is_resident_ ? next_chunk_ : stage) * kChunkBytes,
                   task_.left + next_chunk_ * kChunkBytes, kChunkBytes);
      }
      if (++next_chunk_ == task_.chunks) {
        copy_bytes(to + kChunkBytes,
                   reinterpret_cast<const std::uint8_t*>(task_.columns + next_panel_ * kPanelRows),
                   kColumnBytes);
        next_chunk_ = 0;
        ++next_panel_;
      }
    }
    end_copies();
  }

  /// Adds the products of one chunk. All of it is loaded before the first instruction multiplies,
  /// so that loads and products overlap.
  __device__ void multiply(std::uint32_t left, std::uint32_t right, TileSums& sums) {
    std::uint32_t a[kSteps][4][4];
    std::uint32_t b[kSteps][4][4];
#pragma unroll
    for (std::uint32_t k = 0; k < kSteps; ++k) {
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) {
        load_matrices(left + left_offsets_[k] + i * 16 * 64, a[k][i]);
        load_matrices(right + right_offsets_[k] + i * 16 * 64, b[k][i]);
      }
    }
#pragma unroll
    for (std::uint32_t k = 0; k < kSteps; ++k) {
#pragma unroll
      for (std::uint32_t m = 0; m < 4; ++m) {
#pragma unroll
        for (std::uint32_t n = 0; n < 4; ++n) {
          multiply_add(sums[m][2 * n], a[k][m], b[k][n][0], b[k][n][1]);
          multiply_add(sums[m][2 * n + 1], a[k][m], b[k][n][2], b[k][n][3]);
        }
      }
    }
  }

  const ProductTask& task_;
  bool is_resident_;
  std::uint32_t left_;
  std::uint8_t* stages_;
  std::uint32_t steps_;
  std::uint32_t next_panel_;  ///< to be copied
  std::uint32_t next_chunk_ = 0;
  std::uint32_t left_offsets_[kSteps];
  std::uint32_t right_offsets_[kSteps];
};

}  // namespace warpdex::vector
