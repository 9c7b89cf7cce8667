// The memory that selections on the GPU reuse.
#include <algorithm>

#include "warpdex/core/select/select_k.hpp"

namespace warpdex {

std::uint32_t* SelectScratch::counters(std::size_t count, const Stream& stream) {
  if (counters_.size() < count * sizeof(std::uint32_t)) {
    counters_ = DeviceBuffer(std::max<std::size_t>(count, 1024) * sizeof(std::uint32_t), device_);
    counters_.fill(0, stream);
  }
  return static_cast<std::uint32_t*>(counters_.data());
}

void* SelectScratch::memory(std::size_t bytes, const Stream&) {
  if (memory_.size() < bytes) {
    memory_ = DeviceBuffer();  // give the old one back first
    memory_ = DeviceBuffer(bytes, device_);
  }
  return memory_.data();
}

}  // namespace warpdex
