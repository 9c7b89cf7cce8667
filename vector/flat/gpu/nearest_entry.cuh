// A value and an id as selection compares them: smaller values first, then smaller ids.
#pragma once

#include <cstdint>

#include "warpdex/core/select/packed.cuh"

namespace warpdex::vector {

__device__ __forceinline__ Packed32 nearest_entry(float value, std::uint32_t id) {
  return pack<Packed32>(code_of_key(value, KeyRules<float>::flip(SelectOrder::kSmallest)), id);
}

}  // namespace warpdex::vector
