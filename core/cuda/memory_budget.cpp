// Reserves by compare-and-exchange. An allocation that the GPU refuses gives its reservation back.
#include "warpdex/core/cuda/memory_budget.hpp"

#include <algorithm>

#include "warpdex/core/cuda/device.hpp"

namespace warpdex {
namespace {

/// cudaErrorMemoryAllocation; named here since builds without CUDA compile this file, too.
constexpr int kOutOfMemory = 2;

}  // namespace

bool MemoryBudget::try_reserve(std::size_t bytes) {
  std::size_t used = used_;
  do {
    if (bytes > limit_ - used) return false;
  } while (!used_.compare_exchange_weak(used, used + bytes));
  if (parent_ == nullptr || parent_->try_reserve(bytes)) return true;
  used_ -= bytes;
  return false;
}

void MemoryBudget::release(std::size_t bytes) {
  used_ -= bytes;
  if (parent_ != nullptr) parent_->release(bytes);
}

std::size_t MemoryBudget::left() const {
  const std::size_t own = limit_ - used_;
  return parent_ == nullptr ? own : std::min(own, parent_->left());
}

Reservation::Reservation(MemoryBudget& budget, std::size_t bytes) {
  if (!budget.try_reserve(bytes)) return;
  budget_ = &budget;
  bytes_ = bytes;
}

Reservation::~Reservation() { shrink(0); }

void Reservation::shrink(std::size_t bytes) {
  if (budget_ != nullptr) budget_->release(bytes_ - bytes);
  bytes_ = bytes;
  if (bytes == 0) budget_ = nullptr;
}

bool AccountedBuffer::allocate(std::size_t bytes, MemoryBudget& budget, int device) {
  reset();
  if (!budget.try_reserve(bytes)) return false;
  try {
    buffer_ = DeviceBuffer(bytes, device);
  } catch (const CudaError& error) {
    budget.release(bytes);
    if (error.code() == kOutOfMemory) return false;
    throw;
  }
  budget_ = &budget;
  return true;
}

void AccountedBuffer::reset() {
  if (budget_ == nullptr) return;
  const std::size_t bytes = buffer_.size();
  buffer_ = DeviceBuffer();
  budget_->release(bytes);
  budget_ = nullptr;
}

}  // namespace warpdex
