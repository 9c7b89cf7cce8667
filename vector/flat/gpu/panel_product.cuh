// The product of a panel of rows with panels of queries, tile by tile: what match and k-means
// share.
#pragma once

#include <algorithm>
#include <cfloat>
#include <cstdint>

#include "flat/gpu/panel_layout.cuh"
#include "flat/gpu/tile_product.cuh"
#include "warpdex/core/cuda/chip.hpp"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kStages = 4;  ///< chunks of shared memory under way, at most
inline constexpr std::uint32_t kFewStages = 2;
/// Left panels of up to this many chunks stay in shared memory for all panels on the right, where
/// the GPU has the room.
inline constexpr std::uint32_t kMaxResidentChunks = 8;
inline constexpr std::uint32_t kColumnBytes = kPanelRows * sizeof(float);  ///< a value for each
/// Panels whose `columns` have room in shared memory: more than can be under way at once.
inline constexpr std::uint32_t kColumnSlots = 2 * kStages;

/// What of the panels is in shared memory at a time. Smaller GPUs have room for less.
struct ProductShape {
  std::uint32_t stages = kStages;               ///< or kFewStages
  std::uint32_t resident = kMaxResidentChunks;  ///< chunks of a left panel that stays

  WARPDEX_HOST_DEVICE constexpr bool keeps_left(std::uint32_t chunks) const {
    return chunks <= resident;
  }
  /// Bytes of a CTA for panels of `chunks` chunks, with `values` values for each right row.
  WARPDEX_HOST_DEVICE constexpr std::uint32_t bytes(std::uint32_t chunks,
                                                    std::uint32_t values = 1) const {
    const std::uint32_t left = keeps_left(chunks) ? chunks : stages;
    return (left + stages) * kChunkBytes + kColumnSlots * values * kColumnBytes;
  }
};

/// The largest shape with which the current GPU has room for `other` bytes of a CTA beside the
/// panels, dynamic and static ones. Throws CudaError.
inline ProductShape product_shape(std::uint32_t values, std::size_t other) {
  constexpr std::size_t kReserved = 1 << 10;
  const std::size_t taken = other + kReserved + kColumnSlots * values * kColumnBytes;
  const std::size_t limit = current_chip().shared_memory_of_block;
  const std::size_t left = limit - std::min(limit, taken);
  const auto chunks = static_cast<std::uint32_t>(left / kChunkBytes);
  if (chunks < 2 * kStages) return {kFewStages, chunks - std::min(chunks, kFewStages)};
  return {kStages, std::min(kMaxResidentChunks, chunks - kStages)};
}

/// What a CTA multiplies: one panel on the left with panels [first, last) on the right. kValues
/// values for each right row come with each panel: value v of row r of panel p is
/// columns[(p * kValues + v) * 128 + r].
template <std::uint32_t kValues>
struct ProductTaskOf {
  static constexpr std::uint32_t kValuesOfRow = kValues;
  const std::uint8_t* left;
  const std::uint8_t* right;
  const float* columns;
  std::uint32_t chunks;
  std::uint32_t first;
  std::uint32_t last;

  /// Start to copy chunks, and a panel's `columns`, to shared memory. All threads of the CTA.
  __device__ void bring_left(std::uint32_t to, std::uint32_t chunk) const {
    copy_bytes(to, left + chunk * kChunkBytes, kChunkBytes);
  }
  __device__ void bring_right(std::uint32_t to, std::uint32_t panel, std::uint32_t chunk) const {
    copy_bytes(to, right + (std::size_t{panel} * chunks + chunk) * kChunkBytes, kChunkBytes);
  }
  __device__ void bring_columns(std::uint32_t to, std::uint32_t panel) const {
    copy_bytes(to, reinterpret_cast<const std::uint8_t*>(columns + panel * kValues * kPanelRows),
               kValues * kColumnBytes);
  }

 private:
  static __device__ void copy_bytes(std::uint32_t to, const std::uint8_t* from,
                                    std::uint32_t bytes) {
    for (std::uint32_t i = threadIdx.x * 16; i < bytes; i += kProductThreads * 16) {
      copy_16_bytes(to + i, from + i);
    }
  }
};

using ProductTask = ProductTaskOf<1>;

/// The smallest sum of each of a thread's rows, over its own columns of the tile.
__device__ __forceinline__ void find_lowest(const TileSums& sums, const float* offsets,
                                            float (&lowest)[kRowBlocks][2]) {
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

/// Runs the pipeline: chunks are brought to shared memory some steps ahead of the products, across
/// tiles.
///
/// A Task says, as ProductTask does, what there is to multiply, and brings it to shared memory: by
/// copies that may still be under way when it returns, or by writes of its own. A Product is a
/// TileProductOf.
template <class Task, class Product = TileProduct>
class PanelProduct {
 public:
  __device__ PanelProduct(const Task& task, const ProductShape& shape, std::uint8_t* shared)
      : task_(task),
        is_resident_(shape.keeps_left(task.chunks)),
        stages_(shape.stages),
        left_(shared_address(shared)),
        right_(left_ + (is_resident_ ? task.chunks : stages_) * kChunkBytes),
        columns_(shared + (right_ - left_) + stages_ * kChunkBytes),
        steps_((task.last - task.first) * task.chunks),
        next_panel_(task.first) {}

  /// For each tile: begin(sums) sets them, then products are added, then end(panel, sums, columns).
  /// `columns` are the panel's values in shared memory. All threads.
  template <class Begin, class End>
  __device__ void run(const Begin& begin, const End& end) {
    const std::uint32_t ahead = stages_ == kStages ? kAhead : kFewAhead;
    for (std::uint32_t step = 0; step < ahead; ++step) copy(step);
    std::uint32_t step = 0;
    for (std::uint32_t panel = task_.first; panel < task_.last; ++panel) {
      typename Product::Sums sums;
      begin(sums);
      Product product;
      for (std::uint32_t chunk = 0; chunk < task_.chunks; ++chunk, ++step) {
        if (stages_ == kStages) {
          wait_for_copies<kAhead - 1>();
        } else {
          wait_for_copies<kFewAhead - 1>();
          product.finish(sums);
        }
        Product::see_copies();
        __syncthreads();
        copy(step + ahead);
        const std::uint32_t stage = step & (stages_ - 1);
        product.add(left_ + (is_resident_ ? chunk : stage) * kChunkBytes,
                    right_ + stage * kChunkBytes, sums);
      }
      product.finish(sums);
      end(panel, sums, reinterpret_cast<const float*>(column_slot(panel)));
    }
  }

 private:
  /// How many chunks are copied ahead: as many as never overwrite a chunk that is still read.
  static constexpr std::uint32_t kAhead = kStages - 1 - Product::kUnfinished;
  static constexpr std::uint32_t kFewAhead = kFewStages - 1;  // each product is finished first

  __device__ std::uint8_t* column_slot(std::uint32_t panel) const {
    return columns_ + panel % kColumnSlots * (Task::kValuesOfRow * kColumnBytes);
  }

  /// Starts to bring a step's chunk; all steps in turn.
  __device__ void copy(std::uint32_t step) {
    if (step < steps_) {
      const std::uint32_t stage = step & (stages_ - 1);
      task_.bring_right(right_ + stage * kChunkBytes, next_panel_, next_chunk_);
      if (!is_resident_ || step < task_.chunks) {
        task_.bring_left(left_ + (is_resident_ ? next_chunk_ : stage) * kChunkBytes, next_chunk_);
      }
      if (++next_chunk_ == task_.chunks) {
        task_.bring_columns(shared_address(column_slot(next_panel_)), next_panel_);
        next_chunk_ = 0;
        ++next_panel_;
      }
    }
    end_copies();
  }

  const Task& task_;
  bool is_resident_;
  std::uint32_t stages_;  ///< a power of two
  std::uint32_t left_;
  std::uint32_t right_;
  std::uint8_t* columns_;
  std::uint32_t steps_;
  std::uint32_t next_panel_;  ///< to be copied
  std::uint32_t next_chunk_ = 0;
};

}  // namespace warpdex::vector
