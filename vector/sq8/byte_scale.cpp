// Components to bytes.
#include <algorithm>
#include <cmath>

#include "warpdex/vector/sq8/sq8_coding.hpp"

namespace warpdex::vector {

std::int8_t ByteScale::encode(float component) const {
  const float steps = (component - offset) / scale;
  return static_cast<std::int8_t>(std::lrintf(std::clamp(steps, -128.0F, 127.0F)));
}

}  // namespace warpdex::vector
