// The directory of the cache, under one mutex. While it is held, nothing is copied and nothing
// waits for the GPU.
// Batches are numbered. A list's slot has the number of the last batch that may read it in the
// cache. The list can be evicted once all batches up to that one have ended.
#include "gpu/lists/list_cache.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

#include "gpu/layout/layout.hpp"
#include "gpu/lists/list_copy.hpp"
#include "warpdex/core/cuda/check_internal.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"

namespace warpdex::gpu {
namespace {

/// If the GPU refuses a slab, half its size is tried, down to this.
constexpr std::size_t kMinSlab = std::size_t{1} << 20;

/// While more bytes of earlier batches are on their way, no copies are queued: kernels that read
/// lists in place share the bus with them.
constexpr std::size_t kMaxArriving = std::size_t{64} << 20;
/// A batch queues no further copies once it has queued so many bytes.
constexpr std::size_t kMaxQueued = std::size_t{512} << 20;
/// Nor further copies of lists that are not page-locked, for which the lane waits.
constexpr std::size_t kMaxStaged = std::size_t{4} << 20;
/// A batch evicts no more than this share of the cache, or kMinEvicted.
constexpr std::size_t kEvictShares = 16;
constexpr std::size_t kMinEvicted = std::size_t{4} << 20;
/// A transfer is complete with so many bytes: its lists need not wait for later ones.
constexpr std::size_t kTransferBytes = std::size_t{16} << 20;
/// After so many failed searches for lists to evict, a batch evicts nothing more.
constexpr std::size_t kMaxFailedSearches = 8;

std::vector<AccountedBuffer> take_slabs(std::size_t bytes, MemoryBudget& budget, int device) {
  std::vector<AccountedBuffer> slabs;
  std::size_t next = bytes;
  while (bytes >= CacheSpace::kAlignment) {
    next = std::min(next, bytes);
    AccountedBuffer slab;
    if (slab.allocate(next, budget, device)) {
      bytes -= next;
      slabs.push_back(std::move(slab));
      continue;
    }
    next /= 2;
    if (next < kMinSlab) break;
  }
  return slabs;
}

std::vector<std::size_t> sizes(const std::vector<AccountedBuffer>& slabs) {
  std::vector<std::size_t> sizes;
  for (const AccountedBuffer& slab : slabs) sizes.push_back(slab.size());
  return sizes;
}

std::size_t units(const AccountedBuffer& slab) { return slab.size() / CacheSpace::kAlignment; }

}  // namespace

ListCache::ListCache(const Index& index, const HostLists& host, std::size_t bytes,
                     MemoryBudget& budget, int device)
    : host_(host),
      device_(device),
      slabs_(take_slabs(bytes, budget, device)),
      stream_(device),
      space_(sizes(slabs_)),
      slots_(index.counts().blocks) {}

ListCache::~ListCache() { cudaStreamSynchronize(stream_.handle()); }

std::uint8_t* ListCache::address(CacheSpace::Place place) const {
  return static_cast<std::uint8_t*>(slabs_[place.slab].data()) + place.offset;
}

std::uint32_t ListCache::number(CacheSpace::Place place) const {
  std::size_t number = 1 + place.offset / CacheSpace::kAlignment;
  for (std::uint32_t slab = 0; slab < place.slab; ++slab) number += units(slabs_[slab]);
  return static_cast<std::uint32_t>(number);
}

EncodedBytes ListCache::find(const PostingsEntry& list) const {
  std::size_t number = slots_[list.first_block].place.load(std::memory_order_acquire);
  if (number-- == 0) return host_.find(list);
  std::uint32_t slab = 0;
  for (; number >= units(slabs_[slab]); ++slab) number -= units(slabs_[slab]);
  return copied_at(address({slab, number * CacheSpace::kAlignment}), list);
}

bool ListCache::is_resident(const PostingsEntry& list) const {
  return slots_[list.first_block].place.load(std::memory_order_acquire) != 0;
}

void ListCache::begin(SegmentPlans plans, BatchLists& lists) {
  lists.uses.clear();
  lists.hits = 0;
  lists.unanswerable.clear();
  const std::lock_guard lock(mutex_);
  publish_arrived();
  under_way_.push_back(++last_batch_);
  lists.number = last_batch_;
  for (std::uint32_t query = 0; query < plans.size(); ++query) {
    if (plans[query].terms.size() > kMaxGpuTerms) continue;
    bool is_readable = true;
    for (const PlannedTerm& term : plans[query].terms) {
      if (term.entry.is_short()) continue;
      lists.uses.push_back(&term.entry);
      Slot& slot = slots_[term.entry.first_block];
      if (slot.place.load(std::memory_order_relaxed) != 0) {
        slot.batch = lists.number;
        ++lists.hits;
      } else if (host_.find(term.entry).docids == nullptr) {
        is_readable = false;
      }
    }
    if (!is_readable) lists.unanswerable.push_back(query);
  }
}

/// Makes lists whose copies have arrived readable. Any batch under way may find them from now on.
void ListCache::publish_arrived() {
  while (!arriving_.empty() && arriving_.front().arrived.has_passed()) {
    for (const CacheSpace::Id list : arriving_.front().lists) {
      slots_[list].batch = last_batch_;
      slots_[list].place.store(number(space_.find(list).value()), std::memory_order_release);
    }
    arriving_bytes_ -= arriving_.front().bytes;
    arriving_.pop_front();
  }
}

/// Whether a list that has a place is readable, and no batch under way may read it.
bool ListCache::can_evict(CacheSpace::Id list) const {
  const Slot& slot = slots_[list];
  if (slot.place.load(std::memory_order_relaxed) == 0) return false;
  return under_way_.empty() || under_way_.front() > slot.batch;
}

std::uint64_t ListCache::load(const BatchLists& lists) {
  if (capacity() == 0) return 0;
  const std::unique_lock loading(loading_, std::try_to_lock);
  std::vector<Copy> copies;
  try {
    std::unique_lock lock(mutex_);
    const std::vector<Candidate> candidates = count_uses(lists);
    if (!loading.owns_lock() || arriving_bytes_ > kMaxArriving) return 0;
    copies.reserve(candidates.size());
    admit(candidates, copies);
    lock.unlock();
    if (!copies.empty()) queue(copies);
  } catch (...) {
    drop(copies);
    throw;
  }
  std::uint64_t bytes = 0;
  for (const Copy& copy : copies) bytes += copied_bytes(*copy.list);
  return bytes;
}

/// Counts the batch's uses. Returns its lists that are neither resident nor on their way, those
/// with the most heat per byte first.
std::vector<ListCache::Candidate> ListCache::count_uses(const BatchLists& lists) {
  std::vector<Candidate> candidates;
  for (const PostingsEntry* list : lists.uses) {
    space_.use(list->first_block);
    if (slots_[list->first_block].place.load(std::memory_order_relaxed) == 0) {
      candidates.push_back({list, 0});
    }
  }
  const auto id = [](const Candidate& candidate) { return candidate.list->first_block; };
  std::sort(candidates.begin(), candidates.end(),
            [&](const Candidate& a, const Candidate& b) { return id(a) < id(b); });
  const auto end =
      std::unique(candidates.begin(), candidates.end(),
                  [&](const Candidate& a, const Candidate& b) { return id(a) == id(b); });
  candidates.erase(end, candidates.end());
  std::erase_if(candidates, [&](const Candidate& each) { return space_.find(id(each)); });
  for (Candidate& each : candidates) {
    each.heat_per_byte = space_.heat(id(each)) / static_cast<double>(copied_bytes(*each.list));
  }
  std::stable_sort(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.heat_per_byte > b.heat_per_byte; });
  return candidates;
}

/// Chooses the lists that come in, and makes room for them.
void ListCache::admit(const std::vector<Candidate>& candidates, std::vector<Copy>& copies) {
  const std::size_t max_evicted = std::max(capacity() / kEvictShares, kMinEvicted);
  std::size_t evicted_bytes = 0;
  std::size_t staged = 0;
  std::size_t queued = 0;
  std::size_t failed_searches = 0;
  std::vector<CacheSpace::Id> evicted;
  const auto evictable = [&](CacheSpace::Id list) { return can_evict(list); };
  for (const Candidate& candidate : candidates) {
    const CacheSpace::Id list = candidate.list->first_block;
    const std::size_t bytes = copied_bytes(*candidate.list);
    const bool is_staged = host_.find(*candidate.list).docids == nullptr;
    if (queued >= kMaxQueued) return;
    if (is_staged && staged >= kMaxStaged) continue;
    bool is_resident = space_.insert(list, bytes);
    if (!is_resident && evicted_bytes < max_evicted && failed_searches < kMaxFailedSearches) {
      is_resident = space_.insert_by_evicting(list, bytes, evictable, evicted);
      if (is_resident) evicted_bytes += bytes;
      if (!is_resident) ++failed_searches;
      for (const CacheSpace::Id each : evicted)
        slots_[each].place.store(0, std::memory_order_release);
      evicted.clear();
    }
    if (!is_resident) continue;
    copies.push_back({candidate.list, address(space_.find(list).value())});
    queued += bytes;
    if (is_staged) staged += bytes;
  }
}

void ListCache::queue(const std::vector<Copy>& copies) {
  const CurrentDevice current(device_);
  std::list<Transfer> transfers;
  std::size_t bytes = 0;
  for (const auto& [list, to] : copies) {
    if (transfers.empty() || transfers.back().bytes >= kTransferBytes) {
      if (!transfers.empty()) transfers.back().arrived.record(stream_);
      transfers.push_back({Event(device_, EventUse::kOrder), {}, 0});
    }
    queue_copy(host_, *list, to, stream_);
    transfers.back().lists.push_back(list->first_block);
    transfers.back().bytes += copied_bytes(*list);
    bytes += copied_bytes(*list);
  }
  transfers.back().arrived.record(stream_);
  const std::lock_guard lock(mutex_);
  arriving_.splice(arriving_.end(), transfers);
  arriving_bytes_ += bytes;
}

/// After a failure: none of the lists comes in, and no copy to their places is under way.
void ListCache::drop(const std::vector<Copy>& copies) noexcept {
  if (copies.empty()) return;
  cudaStreamSynchronize(stream_.handle());
  const std::lock_guard lock(mutex_);
  for (const Copy& copy : copies) space_.remove(copy.list->first_block);
}

void ListCache::end(BatchLists& lists) noexcept {
  if (lists.number == 0) return;
  const std::lock_guard lock(mutex_);
  std::erase(under_way_, lists.number);
  lists.number = 0;
}

}  // namespace warpdex::gpu
