// The memory that selections on the GPU reuse.
#include <algorithm>
#include <limits>
#include <string>

#include "warpdex/core/error.hpp"
#include "warpdex/core/select/select_k.hpp"

namespace warpdex {

std::uint32_t* SelectScratch::counters(std::size_t count, const Stream& stream) {
  if (counters_.size() < count * sizeof(std::uint32_t)) {
    counters_ = DeviceBuffer(std::max<std::size_t>(count, 1024) * sizeof(std::uint32_t), device_);
    counters_.fill(0, stream);
  }
  return static_cast<std::uint32_t*>(counters_.data());
}

std::size_t SelectScratch::limit() const {
  if (budget_ == nullptr) return std::numeric_limits<std::size_t>::max();
  return budget_->left() + memory_.size();
}

void SelectScratch::reset() {
  counters_ = DeviceBuffer();
  memory_ = DeviceBuffer();
  reserved_ = Reservation();
}

void* SelectScratch::memory(std::size_t bytes, const Stream&) {
  if (memory_.size() >= bytes) return memory_.data();
  memory_ = DeviceBuffer();  // give the old one back first
  reserved_ = Reservation();
  if (budget_ != nullptr) {
    reserved_ = Reservation(*budget_, bytes);
    if (reserved_.bytes() < bytes) {
      throw Error("this selection needs " + std::to_string((bytes >> 20) + 1) +
                  " MiB of GPU memory, and " + std::to_string(budget_->left() >> 20) +
                  " MiB are left; give more, or ask for a smaller k");
    }
  }
  memory_ = DeviceBuffer(bytes, device_);
  return memory_.data();
}

}  // namespace warpdex
