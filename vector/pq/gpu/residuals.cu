// Differences in float, and products in the canonical order of arithmetic.
#include "flat/gpu/canonical.cuh"
#include "pq/gpu/kernels.hpp"
#include "warpdex/core/cuda/launch.cuh"

namespace warpdex::vector {
namespace {

constexpr std::uint32_t kThreads = 256;
constexpr std::uint32_t kGroup = 32;

/// Work item: a component of a row, a thread. Memory bounds it.
__global__ void __launch_bounds__(kThreads) subtract(SubtractTask task) {
  const std::size_t i = std::size_t{blockIdx.x} * kThreads + threadIdx.x;
  const std::size_t row = i / task.stride;
  if (row >= task.count) return;
  const auto column = static_cast<std::uint32_t>(i % task.stride);
  const std::size_t group = row / kGroup;
  const bool exists =
      column < task.dimension && (task.sizes == nullptr || row % kGroup < task.sizes[group]);
  float value = 0;
  if (exists) {
    value = task.rows[row * task.dimension + column];
    if (task.taken != nullptr) {
      const std::size_t taken = task.which == nullptr ? 0 : task.which[group];
      value = __fsub_rn(value, task.taken[taken * task.dimension + column]);
    }
  }
  task.out[i] = value;
}

constexpr int kRotationRows = 8;  ///< of a warp's product
constexpr int kVectors = 4;

/// Work item: four vectors and all rows of the rotation, a warp. Reading the rotation from the L1
/// cache bounds it: a fourth of it for each vector.
__global__ void __launch_bounds__(kThreads)
    rotate(const float* rows, std::uint32_t count, std::uint32_t stride, DeviceRotation rotation,
           float* out) {
  const std::size_t first = (std::size_t{blockIdx.x} * (kThreads / kWarp) + warp_id()) * kVectors;
  if (first >= count) return;
  for (std::uint32_t component = 0; component < rotation.rows; component += kRotationRows) {
    const float* rotation_rows[kRotationRows];
#pragma unroll
    for (int r = 0; r < kRotationRows; ++r) {
      const std::uint32_t row = min(component + r, rotation.rows - 1);
      rotation_rows[r] = rotation.values + std::size_t{row} * rotation.dimension;
    }
    float sums[kRotationRows * kVectors] = {};
    add_terms<false, kRotationRows, kVectors>(rotation_rows, rows + first * stride, stride,
                                              rotation.dimension, sums);
    add_lanes<kRotationRows * kVectors>(sums);
    const int sum = first_sum<kRotationRows * kVectors>();
    const std::size_t vector = first + static_cast<std::size_t>(sum / kRotationRows);
    const std::uint32_t column = component + static_cast<std::uint32_t>(sum % kRotationRows);
    if (column < rotation.rows && vector < count) out[vector * stride + column] = sums[0];
  }
}

}  // namespace

void subtract_rows(const SubtractTask& task, const Stream& stream) {
  launch(launch_over("subtract", std::size_t{task.count} * task.stride, kThreads, stream.handle()),
         subtract, task);
}

void rotate_rows(const float* rows, std::uint32_t count, std::uint32_t stride,
                 const DeviceRotation& rotation, float* out, const Stream& stream) {
  const std::size_t warps = (std::size_t{count} + kVectors - 1) / kVectors;
  launch(launch_over("rotate", warps * kWarp, kThreads, stream.handle()), rotate, rows, count,
         stride, rotation, out);
}

}  // namespace warpdex::vector
