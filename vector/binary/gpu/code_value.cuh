// The distance of a vector by its code, to the bit of the host's code_distance().
#pragma once

#include <cstdint>

namespace warpdex::vector {

/// Smaller when nearer. `weight` is the query's times the vector's factor; `product` is a whole
/// number that a float holds as the host rounds it.
template <bool kIsL2>
__device__ __forceinline__ float code_value(float weight, float base, float product, float term) {
  const float sum = __fadd_rn(__fmul_rn(weight, product), __fadd_rn(base, term));
  if (kIsL2 && sum < 0) return 0;
  return __fadd_rn(sum, 0.0F);
}

}  // namespace warpdex::vector
