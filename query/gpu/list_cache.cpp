// One mutex over the directory; nothing waits for the GPU under it.
#include "warpdex/query/gpu/list_cache.hpp"

#include <algorithm>

#include "warpdex/core/cuda/device.hpp"

namespace warpdex::gpu {
namespace {

/// Below this, a slab that the GPU refuses is not tried at half its size.
constexpr std::size_t kLeastSlab = std::size_t{1} << 20;
/// cudaErrorUnknown.
constexpr int kUnknownError = 999;

std::vector<AccountedBuffer> take_slabs(std::size_t bytes, MemoryBudget& budget, int device) {
  std::vector<AccountedBuffer> slabs;
  std::size_t next = bytes;
  while (bytes >= ListSpace::kAlignment) {
    next = std::min(next, bytes);
    AccountedBuffer slab;
    if (slab.allocate(next, budget, device)) {
      bytes -= next;
      slabs.push_back(std::move(slab));
      continue;
    }
    next /= 2;
    if (next < kLeastSlab) break;
  }
  return slabs;
}

std::vector<std::size_t> sizes(const std::vector<AccountedBuffer>& slabs) {
  std::vector<std::size_t> sizes;
  for (const AccountedBuffer& slab : slabs) sizes.push_back(slab.size());
  return sizes;
}

}  // namespace

ListCache::ListCache(std::size_t bytes, MemoryBudget& budget, int device)
    : slabs_(take_slabs(bytes, budget, device)), device_(device), space_(sizes(slabs_)) {}

std::uint8_t* ListCache::address(ListSpace::Id list) const {
  const std::lock_guard lock(mutex_);
  const ListSpace::Place place = space_.find(list).value();
  return static_cast<std::uint8_t*>(slabs_[place.slab].data()) + place.offset;
}

void ListCache::want(std::span<const ListUse> lists, std::int64_t queries) {
  const std::lock_guard lock(mutex_);
  for (const ListUse& use : lists) space_.want(use.list, queries);
}

void ListCache::look_up(std::span<const ListUse> lists, std::vector<bool>& are_in) const {
  const std::lock_guard lock(mutex_);
  are_in.resize(lists.size());
  for (std::size_t i = 0; i < lists.size(); ++i) are_in[i] = space_.find(lists[i].list).has_value();
}

bool ListCache::pin(std::span<const ListUse> lists, PinnedLists& pinned) {
  const std::lock_guard lock(mutex_);
  if (!forget_failed(lists)) return false;
  std::size_t loads = 0;
  for (const ListUse& use : lists) {
    if (!space_.find(use.list)) loads += use.bytes;
  }
  if (loads > space_.capacity() - space_.pinned_bytes()) return false;
  const std::size_t lists_before = pinned.lists.size();
  const std::size_t loads_before = pinned.loads.size();
  // Those that are in first: to make room for the others must not drop them.
  for (const ListUse& use : lists) {
    if (!space_.pin(use.list)) continue;
    pinned.lists.push_back(use.list);
    const auto arriving = arriving_.find(use.list);
    if (arriving == arriving_.end() || arriving->second == pinned.transfer) continue;
    if (std::find(pinned.others.begin(), pinned.others.end(), arriving->second) ==
        pinned.others.end()) {
      pinned.others.push_back(arriving->second);
    }
  }
  for (const ListUse& use : lists) {
    if (space_.is_pinned(use.list)) continue;
    if (!space_.insert(use.list, use.bytes)) {
      roll_back(pinned, lists_before, loads_before);
      return false;
    }
    if (!pinned.transfer) pinned.transfer = std::make_shared<Transfer>(device_);
    arriving_[use.list] = pinned.transfer;
    pinned.lists.push_back(use.list);
    pinned.loads.push_back(use.list);
  }
  return true;
}

/// Drops lists that never arrived. False if any of them is still pinned by those who wait for it.
bool ListCache::forget_failed(std::span<const ListUse> lists) {
  for (const ListUse& use : lists) {
    const auto arriving = arriving_.find(use.list);
    if (arriving == arriving_.end()) continue;
    if (arriving->second->status != Transfer::Status::kFailed) continue;
    if (space_.is_pinned(use.list)) return false;
    if (space_.find(use.list)) space_.remove(use.list);
    arriving_.erase(arriving);
  }
  return true;
}

void ListCache::roll_back(PinnedLists& pinned, std::size_t lists, std::size_t loads) {
  for (std::size_t i = lists; i < pinned.lists.size(); ++i) space_.unpin(pinned.lists[i]);
  for (std::size_t i = loads; i < pinned.loads.size(); ++i) {
    arriving_.erase(pinned.loads[i]);
    space_.remove(pinned.loads[i]);
  }
  pinned.lists.resize(lists);
  pinned.loads.resize(loads);
  if (loads == 0) pinned.transfer.reset();
}

void ListCache::queued(const PinnedLists& pinned) {
  if (!pinned.transfer) return;
  {
    const std::lock_guard lock(mutex_);
    pinned.transfer->status = Transfer::Status::kQueued;
  }
  changed_.notify_all();
}

void ListCache::await(const PinnedLists& pinned, const Stream& stream) {
  if (pinned.transfer) pinned.transfer->arrived.hold_back(stream);
  for (const auto& other : pinned.others) {
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return other->status != Transfer::Status::kPlanned; });
      if (other->status == Transfer::Status::kFailed) {
        throw CudaError(
            "another searcher could not upload lists that this one needs; run the "
            "queries again",
            kUnknownError);
      }
    }
    other->arrived.hold_back(stream);
  }
}

void ListCache::unpin(PinnedLists& pinned) {
  {
    const std::lock_guard lock(mutex_);
    for (const ListSpace::Id list : pinned.lists) space_.unpin(list);
    if (pinned.transfer && pinned.transfer->status == Transfer::Status::kPlanned) {
      pinned.transfer->status = Transfer::Status::kFailed;  // pin() forgets the lists by this
    } else {
      for (const ListSpace::Id list : pinned.loads) arriving_.erase(list);
    }
  }
  changed_.notify_all();
  pinned = {};
}

}  // namespace warpdex::gpu
