// What a logarithm of query likelihood counts for, for the CPU and the GPU: by the same operations,
// each rounded as IEEE says, so their results are the same to the bit. Internal.
#pragma once

#include "warpdex/core/cuda/host_device.hpp"

namespace warpdex {

/// The number that a term's weight is multiplied by. Logarithms above 0 count as they are. The
/// others, which Dirichlet smoothing gives long documents with few of the term, would lower a
/// score. They count 2^-90 * g(logarithm), where g is above 0 and rises with the logarithm. Such
/// numbers rank documents that have no logarithm above 0. Beside one they are lost to rounding,
/// unless its weight is smaller by many orders of magnitude.
///
/// From -8 on, g is 16 + logarithm, so documents with the same terms are ranked by the sum of their
/// logarithms, and more terms count more. Below, g is 64 / -logarithm, which has the same value and
/// slope at -8; it is 0 for minus infinity alone. With weights from 1e-9 to 1e9, no result but 0 is
/// too small to be a normal float.
WARPDEX_HOST_DEVICE inline float likelihood_part(float logarithm) {
  constexpr float kTiny = 0x1p-90F;
  if (logarithm > 0.F) return logarithm;
  if (logarithm >= -8.F) return kTiny * (16.F + logarithm);
#ifdef __CUDA_ARCH__
  return kTiny * __fdiv_rn(64.F, -logarithm);
#else
  return kTiny * (64.F / -logarithm);
#endif
}

}  // namespace warpdex
