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
  return memory_.size() > 0 ? memory_.size() : budget_->left();
}

void SelectScratch::reset() {
  counters_ = DeviceBuffer();
  memory_ = DeviceBuffer();
  reserved_ = Reservation();
}

bool SelectScratch::reserve(std::size_t bytes) {
  if (memory_.size() >= bytes) return true;
  memory_ = DeviceBuffer();  // give the old one back first
  reserved_ = Reservation();
  if (budget_ != nullptr) {
    reserved_ = Reservation(*budget_, bytes);
    if (reserved_.bytes() < bytes) return false;
  }
  memory_ = DeviceBuffer(bytes, device_);
  return true;
}

void* SelectScratch::memory(std::size_t bytes, const Stream&) {
  if (!reserve(bytes)) {
    throw Error("this selection needs " + std::to_string((bytes >> 20) + 1) +
                " MiB of GPU memory, and " + std::to_string(budget_->left() >> 20) +
                " MiB are left; give more, or ask for a smaller k");
  }
  return memory_.data();
}

}  // namespace warpdex
