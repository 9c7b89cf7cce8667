// Blocks of pinned memory, each filled from its beginning; nothing is given back.
#include "warpdex/query/gpu/pinned_lists.hpp"

#include <unistd.h>

#include <algorithm>

#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {
namespace {

constexpr std::size_t kBlockBytes = std::size_t{64} << 20;
constexpr std::size_t kCopyAlignment = 64;

}  // namespace

PinnedListStore::PinnedListStore()
    : left_(static_cast<std::size_t>(std::max(0L, sysconf(_SC_PHYS_PAGES))) *
            static_cast<std::size_t>(std::max(0L, sysconf(_SC_PAGE_SIZE))) / 4) {}

PinnedListStore::Copy PinnedListStore::find_or_take(ListSpace::Id list, std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  const auto found = copies_.find(list);
  if (found != copies_.end()) return found->second;
  const std::size_t taken = (bytes + kCopyAlignment - 1) / kCopyAlignment * kCopyAlignment;
  if (blocks_.empty() || taken > blocks_.back().size() - used_) {
    const std::size_t size = std::max(taken, kBlockBytes);
    if (size > left_) return {};
    try {
      blocks_.emplace_back(size);
    } catch (const CudaError&) {
      left_ = 0;  // the host has no more to pin
      return {};
    }
    left_ -= size;
    used_ = 0;
  }
  auto* const memory = static_cast<std::uint8_t*>(blocks_.back().data()) + used_;
  used_ += taken;
  return copies_[list] = {memory, false};
}

void PinnedListStore::filled(ListSpace::Id list) {
  const std::lock_guard lock(mutex_);
  copies_.at(list).is_filled = true;
}

}  // namespace warpdex::gpu
