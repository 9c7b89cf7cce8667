// The 128 x 128 sums of two panels, in the registers of a CTA's 8 warps, and the instructions of
// the tensor cores that add a chunk's products to them. There are two forms: wgmma, of an H100 and
// an H200 (compute capability 9.0 alone), whose operands stay in shared memory; and mma, of all
// GPUs from an A100 on. k-means of 8.1 million points of 784 components into 4,096 clusters takes
// 3.5 s by wgmma and 5.0 s by mma. Device code must be optimised: where add() is not inlined, sums
// leave their registers while wgmma still adds to them, and come out wrong.
//
// What is multiplied is halves, with sums of floats, or signed bytes, with sums of whole numbers: a
// row of a chunk has 64 bytes either way.
#pragma once

#include <cstdint>

#include "flat/gpu/panel_layout.cuh"
#include "flat/gpu/tensor_core.cuh"
#include "warpdex/core/cuda/warp.cuh"

namespace warpdex::vector {

inline constexpr std::uint32_t kProductThreads = 256;

static_assert(kChunkColumns == 32);  // two steps of 16

#if defined(__CUDA_ARCH_FEAT_SM90_ALL)

/// A thread's sums: 1 x 16 blocks of 16 x 8 of its warp, which has 16 rows and all columns.
inline constexpr std::uint32_t kRowBlocks = 1;
inline constexpr std::uint32_t kColumnBlocks = 16;
template <class Sum>
using SumsOf = Sum[kRowBlocks][kColumnBlocks][4];

/// The row within the left panel of sums[m][..][0 and 1] (half 0) and [2 and 3] (half 1).
__device__ __forceinline__ std::uint32_t row_of_sum(std::uint32_t /*m*/, std::uint32_t half) {
  return threadIdx.x / kWarp * 16 + half * 8 + lane_id() / 4;
}
/// The row within the right panel of sums[..][n][0 and 2] (odd 0) and [1 and 3] (odd 1).
__device__ __forceinline__ std::uint32_t column_of_sum(std::uint32_t n, std::uint32_t odd) {
  return n * 8 + lane_id() % 4 * 2 + odd;
}

/// Adds chunks to sums. A warpgroup has 64 rows.
template <class Sum>
class TileProductOf {
 public:
  using Sums = SumsOf<Sum>;
  /// Steps whose operands may still be read after add().
  static constexpr std::uint32_t kUnfinished = 1;

  /// Between the end of copies to shared memory and the barrier: the tensor cores read what was
  /// copied.
  static __device__ void see_copies() {
    asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  }

  /// `left` and `right` are the addresses of chunks, aligned to 512 bytes.
  __device__ void add(std::uint32_t left, std::uint32_t right, Sums& sums) const {
    constexpr std::uint32_t kStepBytes = 32;  // 16 halves, 32 bytes
    const std::uint32_t rows = left + threadIdx.x / 128 * (64 * 64);
    keep(sums);
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
    multiply(describe(rows), describe(right), sums);
    multiply(describe(rows + kStepBytes), describe(right + kStepBytes), sums);
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
    wait<kUnfinished>();
  }

  /// Waits for all products.
  __device__ void finish(Sums& sums) const {
    wait<0>();
    keep(sums);
  }

 private:
  template <int kGroups>
  static __device__ void wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(kGroups) : "memory");
  }

  static __device__ void keep(float& sum) { asm volatile("" : "+f"(sum)::"memory"); }
  static __device__ void keep(std::int32_t& sum) { asm volatile("" : "+r"(sum)::"memory"); }
  /// The compiler must have the sums in their registers here.
  static __device__ void keep(Sums& sums) {
#pragma unroll
    for (std::uint32_t n = 0; n < kColumnBlocks; ++n) {
#pragma unroll
      for (std::uint32_t i = 0; i < 4; ++i) keep(sums[0][n][i]);
    }
  }

  /// What wgmma takes for a matrix in shared memory: rows of 64 bytes whose units are swapped as
  /// unit_offset() has it ("64-byte swizzle"), and 512 bytes from 8 rows to the next 8.
  static __device__ std::uint64_t describe(std::uint32_t address) {
    constexpr std::uint64_t kSwizzleOf64 = std::uint64_t{2} << 62;
    constexpr std::uint64_t kRowGroup = std::uint64_t{512 / 16} << 32;
    constexpr std::uint64_t kUnused = std::uint64_t{1} << 16;
    return kSwizzleOf64 | kRowGroup | kUnused | (address & 0x3FFFF) / 16;
  }

  /// sums += left * right, 64 x 16 times 16 x 128 halves.
  static __device__ void multiply(std::uint64_t left, std::uint64_t right, SumsOf<float>& sums) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k16.f32.f16.f16 {%0, %1, %2, %3, %4, %5, %6, %7, %8, "
        "%9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, "
        "%27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, "
        "%45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, "
        "%63}, %64, %65, 1, 1, 1, 0, 0;"
        : "+f"(sums[0][0][0]), "+f"(sums[0][0][1]), "+f"(sums[0][0][2]), "+f"(sums[0][0][3]),
          "+f"(sums[0][1][0]), "+f"(sums[0][1][1]), "+f"(sums[0][1][2]), "+f"(sums[0][1][3]),
          "+f"(sums[0][2][0]), "+f"(sums[0][2][1]), "+f"(sums[0][2][2]), "+f"(sums[0][2][3]),
          "+f"(sums[0][3][0]), "+f"(sums[0][3][1]), "+f"(sums[0][3][2]), "+f"(sums[0][3][3]),
          "+f"(sums[0][4][0]), "+f"(sums[0][4][1]), "+f"(sums[0][4][2]), "+f"(sums[0][4][3]),
          "+f"(sums[0][5][0]), "+f"(sums[0][5][1]), "+f"(sums[0][5][2]), "+f"(sums[0][5][3]),
          "+f"(sums[0][6][0]), "+f"(sums[0][6][1]), "+f"(sums[0][6][2]), "+f"(sums[0][6][3]),
          "+f"(sums[0][7][0]), "+f"(sums[0][7][1]), "+f"(sums[0][7][2]), "+f"(sums[0][7][3]),
          "+f"(sums[0][8][0]), "+f"(sums[0][8][1]), "+f"(sums[0][8][2]), "+f"(sums[0][8][3]),
          "+f"(sums[0][9][0]), "+f"(sums[0][9][1]), "+f"(sums[0][9][2]), "+f"(sums[0][9][3]),
          "+f"(sums[0][10][0]), "+f"(sums[0][10][1]), "+f"(sums[0][10][2]), "+f"(sums[0][10][3]),
          "+f"(sums[0][11][0]), "+f"(sums[0][11][1]), "+f"(sums[0][11][2]), "+f"(sums[0][11][3]),
          "+f"(sums[0][12][0]), "+f"(sums[0][12][1]), "+f"(sums[0][12][2]), "+f"(sums[0][12][3]),
          "+f"(sums[0][13][0]), "+f"(sums[0][13][1]), "+f"(sums[0][13][2]), "+f"(sums[0][13][3]),
          "+f"(sums[0][14][0]), "+f"(sums[0][14][1]), "+f"(sums[0][14][2]), "+f"(sums[0][14][3]),
          "+f"(sums[0][15][0]), "+f"(sums[0][15][1]), "+f"(sums[0][15][2]), "+f"(sums[0][15][3])
        : "l"(left), "l"(right));
  }

  /// sums += left * right, 64 x 32 times 32 x 128 signed bytes.
  static __device__ void multiply(std::uint64_t left, std::uint64_t right,
                                  SumsOf<std::int32_t>& sums) {
    asm volatile(
        "wgmma.mma_async.sync.aligned.m64n128k32.s32.s8.s8 {%0, %1, %2, %3, %4, %5, %6, %7, %8, "
        "%9, %10, %11, %12, %13, %14, %15, %16, %17, %18, %19, %20, %21, %22, %23, %24, %25, %26, "
        "%27, %28, %29, %30, %31, %32, %33, %34, %35, %36, %37, %38, %39, %40, %41, %42, %43, %44, "
        "%45, %46, %47, %48, %49, %50, %51, %52, %53, %54, %55, %56, %57, %58, %59, %60, %61, %62, "
        "%63}, %64, %65, 1;"
        : "+r"(sums[0][0][0]), "+r"(sums[0][0][1]), "+r"(sums[0][0][2]), "+r"(sums[0][0][3]),
          "+r"(sums[0][1][0]), "+r"(sums[0][1][1]), "+r"(sums[0][1][2]), "+r"(sums[0][1][3]),
          "+r"(sums[0][2][0]), "+r"(sums[0][2][1]), "+r"(sums[0][2][2]), "+r"(sums[0][2][3]),
          "+r"(sums[0][3][0]), "+r"(sums[0][3][1]), "+r"(sums[0][3][2]), "+r"(sums[0][3][3]),
          "+r"(sums[0][4][0]), "+r"(sums[0][4][1]), "+r"(sums[0][4][2]), "+r"(sums[0][4][3]),
          "+r"(sums[0][5][0]), "+r"(sums[0][5][1]), "+r"(sums[0][5][2]), "+r"(sums[0][5][3]),
          "+r"(sums[0][6][0]), "+r"(sums[0][6][1]), "+r"(sums[0][6][2]), "+r"(sums[0][6][3]),
          "+r"(sums[0][7][0]), "+r"(sums[0][7][1]), "+r"(sums[0][7][2]), "+r"(sums[0][7][3]),
          "+r"(sums[0][8][0]), "+r"(sums[0][8][1]), "+r"(sums[0][8][2]), "+r"(sums[0][8][3]),
          "+r"(sums[0][9][0]), "+r"(sums[0][9][1]), "+r"(sums[0][9][2]), "+r"(sums[0][9][3]),
          "+r"(sums[0][10][0]), "+r"(sums[0][10][1]), "+r"(sums[0][10][2]), "+r"(sums[0][10][3]),
          "+r"(sums[0][11][0]), "+r"(sums[0][11][1]), "+r"(sums[0][11][2]), "+r"(sums[0][11][3]),
          "+r"(sums[0][12][0]), "+r"(sums[0][12][1]), "+r"(sums[0][12][2]), "+r"(sums[0][12][3]),
          "+r"(sums[0][13][0]), "+r"(sums[0][13][1]), "+r"(sums[0][13][2]), "+r"(sums[0][13][3]),
          "+r"(sums[0][14][0]), "+r"(sums[0][14][1]), "+r"(sums[0][14][2]), "+r"(sums[0][14][3]),
          "+r"(sums[0][15][0]), "+r"(sums[0][15][1]), "+r"(sums[0][15][2]), "+r"(sums[0][15][3])
        : "l"(left), "l"(right));
  }
};

#else

/// A thread's sums: 4 x 4 blocks of 16 x 8 of its warp, which has 64 rows and 32 columns.
inline constexpr std::uint32_t kRowBlocks = 4;
inline constexpr std::uint32_t kColumnBlocks = 4;
template <class Sum>
using SumsOf = Sum[kRowBlocks][kColumnBlocks][4];

/// The row within the left panel of sums[m][..][0 and 1] (half 0) and [2 and 3] (half 1).
__device__ __forceinline__ std::uint32_t row_of_sum(std::uint32_t m, std::uint32_t half) {
  return threadIdx.x / kWarp / 4 * 64 + m * 16 + half * 8 + lane_id() / 4;
}
/// The row within the right panel of sums[..][n][0 and 2] (odd 0) and [1 and 3] (odd 1).
__device__ __forceinline__ std::uint32_t column_of_sum(std::uint32_t n, std::uint32_t odd) {
  return threadIdx.x / kWarp % 4 * 32 + n * 8 + lane_id() % 4 * 2 + odd;
}

/// Adds chunks to sums.
template <class Sum>
class TileProductOf {
 public:
  using Sums = SumsOf<Sum>;
  /// Steps whose operands may still be read after add().
  static constexpr std::uint32_t kUnfinished = 0;

  __device__ TileProductOf() {
    const std::uint32_t lane = lane_id();
    const std::uint32_t left_row = threadIdx.x / kWarp / 4 * 64 + lane % 16;
    const std::uint32_t right_row = threadIdx.x / kWarp % 4 * 32 + lane % 8 + lane / 16 * 8;
#pragma unroll
    for (std::uint32_t k = 0; k < 2; ++k) {
      left_offsets_[k] = unit_offset(left_row, k * 2 + lane / 16);
      right_offsets_[k] = unit_offset(right_row, k * 2 + lane / 8 % 2);
    }
  }

  /// Between the end of copies to shared memory and the barrier.
  static __device__ void see_copies() {}

  /// `left` and `right` are the addresses of chunks.
  __device__ void add(std::uint32_t left, std::uint32_t right, Sums& sums) const {
#pragma unroll
    for (std::uint32_t k = 0; k < 2; ++k) {
      multiply(left + left_offsets_[k], right + right_offsets_[k], sums);
    }
  }

  __device__ void finish(Sums& /*sums*/) const {}

 private:
  /// Adds the products of half a chunk.
  static __device__ void multiply(std::uint32_t left, std::uint32_t right, Sums& sums) {
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

  std::uint32_t left_offsets_[2];
  std::uint32_t right_offsets_[2];
};

#endif

using TileSums = SumsOf<float>;
using TileProduct = TileProductOf<float>;
using ByteSums = SumsOf<std::int32_t>;
using ByteProduct = TileProductOf<std::int32_t>;

}  // namespace warpdex::vector
