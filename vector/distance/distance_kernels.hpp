// Distances in the canonical order of arithmetic, which the CPU and the GPU share, so that both
// give the same bits.
//
// The vectors are padded with zeros to a multiple of kLanes components. Lane l adds up components
// l, l + kLanes, l + 2 * kLanes and so on, in this order, each by one fused multiply-add in float:
// fma(x, y, sum) for the inner product, fma(x - y, x - y, sum) for the squared distance. Then the
// lanes are added in halves: lane l and lane l + 16, then l + 8, l + 4, l + 2, l + 1.
#pragma once

#include <cstddef>
#include <cstdint>

namespace warpdex::vector {

/// Components that are added up side by side.
inline constexpr std::size_t kLanes = 32;

/// `dimension` rounded up to a multiple of kLanes.
constexpr std::size_t padded(std::size_t dimension) {
  return (dimension + kLanes - 1) / kLanes * kLanes;
}

/// One form for each of core's instruction sets; all give the same bits. In all of them `query` has
/// padded(dimension) floats, of which those past `dimension` are 0, and out[i] is about the vector
/// at `rows` + i * `stride` components, for i < count.
struct DistanceKernels {
  void (*l2_float)(const float* query, std::size_t dimension, const float* rows, std::size_t stride,
                   std::size_t count, float* out);
  void (*product_float)(const float* query, std::size_t dimension, const float* rows,
                        std::size_t stride, std::size_t count, float* out);
  /// The same of halves, which become floats without loss.
  void (*l2_half)(const float* query, std::size_t dimension, const std::uint16_t* rows,
                  std::size_t stride, std::size_t count, float* out);
  void (*product_half)(const float* query, std::size_t dimension, const std::uint16_t* rows,
                       std::size_t stride, std::size_t count, float* out);
};

/// The form for this processor.
const DistanceKernels& distance_kernels();

/// One form each, for distance_kernels() and for tests; those that this processor lacks must not be
/// called.
extern const DistanceKernels kBaselineDistances;
#if defined(__x86_64__)
extern const DistanceKernels kAvx2Distances;
extern const DistanceKernels kAvx512Distances;
#endif

}  // namespace warpdex::vector
