// Blocks form a linked list by address; gaps are sorted by size; two pointers that walk the list
// find windows to evict.
#include "warpdex/core/cache/cache_space.hpp"

#include <algorithm>

namespace warpdex {
namespace {

/// An item evicts only items that are worth less than its own worth divided by this.
constexpr double kMargin = 2;
/// An item that is not in the cache is forgotten when its heat has fallen below this.
constexpr double kCold = 0.5;
/// Blocks that a search for a window looks at.
constexpr std::size_t kMaxSteps = 512;

std::size_t aligned(std::size_t bytes) {
  bytes = std::max<std::size_t>(bytes, 1);
  return (bytes + CacheSpace::kAlignment - 1) / CacheSpace::kAlignment * CacheSpace::kAlignment;
}

}  // namespace

CacheSpace::CacheSpace(const std::vector<std::size_t>& slabs) {
  std::uint32_t last = kNone;
  for (std::uint32_t slab = 0; slab < slabs.size(); ++slab) {
    const std::size_t bytes = slabs[slab] / kAlignment * kAlignment;
    capacity_ += bytes;
    largest_slab_ = std::max(largest_slab_, bytes);
    if (bytes == 0) continue;
    const std::uint32_t block = new_block();
    blocks_[block].bytes = bytes;
    blocks_[block].slab = slab;
    blocks_[block].previous = last;
    (last == kNone ? head_ : blocks_[last].next) = block;
    last = block;
    gaps_.emplace(bytes, block);
  }
  hand_ = head_;
}

std::optional<CacheSpace::Place> CacheSpace::find(Id item) const {
  const auto found = entries_.find(item);
  if (found == entries_.end() || found->second.block == kNone) return {};
  const Block& block = blocks_[found->second.block];
  return Place{block.slab, block.offset};
}

double CacheSpace::heat(Id item) const {
  const auto found = entries_.find(item);
  return found == entries_.end() ? 0 : found->second.heat;
}

void CacheSpace::use(Id item) {
  entries_[item].heat += 1;
  if (++uses_ >= kHalfLife) cool();
}

/// O(items), once in kHalfLife uses.
void CacheSpace::cool() {
  uses_ = 0;
  for (auto& [item, entry] : entries_) entry.heat /= 2;
  std::erase_if(entries_, [](const auto& known) {
    return known.second.block == kNone && known.second.heat < kCold;
  });
}

bool CacheSpace::insert(Id item, std::size_t bytes) {
  bytes = aligned(bytes);
  const auto gap = gaps_.lower_bound({bytes, 0});
  if (gap == gaps_.end()) return false;
  take(gap->second, bytes, item);
  return true;
}

bool CacheSpace::insert_by_evicting(Id item, std::size_t bytes,
                                    const std::function<bool(Id)>& can_evict,
                                    std::vector<Id>& evicted) {
  bytes = aligned(bytes);
  if (bytes > largest_slab_) return false;
  const Window window = find_window(bytes, heat(item), can_evict);
  if (window.first == kNone) return false;
  take(clear_window(window, evicted), bytes, item);
  return true;
}

void CacheSpace::remove(Id item) {
  const std::uint32_t block = entries_.at(item).block;
  empty(block);
  add_gap(block);
}

/// The window of `bytes` or more that loses the least heat, of those met in a walk from the hand
/// on; if blocks are few, of all windows. Moves the hand on.
CacheSpace::Window CacheSpace::find_window(std::size_t bytes, double heat,
                                           const std::function<bool(Id)>& can_evict) {
  const double worth = heat / static_cast<double>(bytes);
  const std::size_t in_all = blocks_.size() - unused_.size();
  if (in_all <= kMaxSteps) hand_ = head_;
  Window best;
  std::uint32_t first = hand_;  // of the window that ends at the hand
  std::size_t sum = 0;
  double sum_heat = 0;
  const auto heat_of = [&](std::uint32_t block) {
    return blocks_[block].entry == nullptr ? 0 : blocks_[block].entry->heat;
  };
  const auto begin_at = [&](std::uint32_t block) {
    first = block;
    sum = 0;
    sum_heat = 0;
  };
  for (std::size_t step = 0; step < std::min(in_all, kMaxSteps); ++step) {
    const Block& block = blocks_[hand_];
    const std::uint32_t next = block.next == kNone ? head_ : block.next;
    if (first != hand_ && blocks_[first].slab != block.slab) begin_at(hand_);
    const bool can_go = block.entry == nullptr ||
                        (kMargin * block.entry->heat < worth * static_cast<double>(block.bytes) &&
                         can_evict(block.item));
    if (!can_go) {
      begin_at(next);
    } else {
      sum += block.bytes;
      sum_heat += heat_of(hand_);
      while (sum - blocks_[first].bytes >= bytes) {
        sum -= blocks_[first].bytes;
        sum_heat -= heat_of(first);
        first = blocks_[first].next;
      }
      if (sum >= bytes && (best.first == kNone || sum_heat < best.heat)) {
        best = {first, hand_, sum_heat};
      }
      if (next == head_) begin_at(head_);
    }
    hand_ = next;
  }
  return best;
}

/// Turns a window into one gap.
std::uint32_t CacheSpace::clear_window(const Window& window, std::vector<Id>& evicted) {
  const std::uint32_t gap = window.first;
  for (std::uint32_t block = window.first; block != kNone;) {
    if (blocks_[block].entry != nullptr) evicted.push_back(blocks_[block].item);
    empty(block);
    if (block != gap) absorb_next(gap);
    block = block == window.last ? kNone : blocks_[gap].next;
  }
  return add_gap(gap);
}

/// Makes a block empty, without putting it among the gaps.
void CacheSpace::empty(std::uint32_t block) {
  Block& emptied = blocks_[block];
  if (emptied.entry == nullptr) {
    gaps_.erase({emptied.bytes, block});
    return;
  }
  emptied.entry->block = kNone;
  emptied.entry = nullptr;
  --items_;
}

std::uint32_t CacheSpace::new_block() {
  if (unused_.empty()) {
    blocks_.emplace_back();
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  const std::uint32_t block = unused_.back();
  unused_.pop_back();
  blocks_[block] = {};
  return block;
}

/// Joins an empty block with the empty block behind it.
void CacheSpace::absorb_next(std::uint32_t block) {
  const std::uint32_t next = blocks_[block].next;
  blocks_[block].bytes += blocks_[next].bytes;
  blocks_[block].next = blocks_[next].next;
  if (blocks_[next].next != kNone) blocks_[blocks_[next].next].previous = block;
  if (hand_ == next) hand_ = block;
  unused_.push_back(next);
}

/// Joins an empty block with the gaps beside it and puts it among the gaps. Returns it.
std::uint32_t CacheSpace::add_gap(std::uint32_t block) {
  const auto is_gap_beside = [&](std::uint32_t other) {
    return other != kNone && blocks_[other].entry == nullptr &&
           blocks_[other].slab == blocks_[block].slab;
  };
  const std::uint32_t next = blocks_[block].next;
  if (is_gap_beside(next)) {
    empty(next);
    absorb_next(block);
  }
  const std::uint32_t previous = blocks_[block].previous;
  if (is_gap_beside(previous)) {
    empty(previous);
    absorb_next(previous);
    block = previous;
  }
  gaps_.emplace(blocks_[block].bytes, block);
  return block;
}

/// Puts an item at the beginning of a gap. What is left of the gap becomes a smaller gap.
void CacheSpace::take(std::uint32_t gap, std::size_t bytes, Id item) {
  empty(gap);
  const std::size_t left = blocks_[gap].bytes - bytes;
  if (left > 0) {
    const std::uint32_t rest = new_block();
    Block& taken = blocks_[gap];
    blocks_[rest] = {.offset = taken.offset + bytes,
                     .bytes = left,
                     .slab = taken.slab,
                     .previous = gap,
                     .next = taken.next};
    if (taken.next != kNone) blocks_[taken.next].previous = rest;
    taken.next = rest;
    taken.bytes = bytes;
    gaps_.emplace(left, rest);
  }
  Entry& entry = entries_[item];
  entry.block = gap;
  blocks_[gap].entry = &entry;
  blocks_[gap].item = item;
  ++items_;
}

}  // namespace warpdex
