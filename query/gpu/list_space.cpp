// Blocks in a list by address, gaps by size, windows by two pointers that walk the list.
#include "warpdex/query/gpu/list_space.hpp"

#include <algorithm>
#include <limits>

namespace warpdex::gpu {
namespace {

/// What an upload costs beside its bytes, in bytes: a copy's start.
constexpr double kUploadOverhead = 65'536;
/// How much surer a use is that was announced than one that is guessed from the past.
constexpr double kSureness = 8;
/// Blocks that a search for a window looks at before it takes the best that it has seen.
constexpr std::size_t kMostSteps = 1024;

double cost(std::size_t bytes) { return static_cast<double>(bytes) + kUploadOverhead; }

std::size_t aligned(std::size_t bytes) {
  return (bytes + ListSpace::kAlignment - 1) / ListSpace::kAlignment * ListSpace::kAlignment;
}

}  // namespace

ListSpace::ListSpace(const std::vector<std::size_t>& slabs) {
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

std::optional<ListSpace::Place> ListSpace::find(Id list) const {
  const auto found = entries_.find(list);
  if (found == entries_.end() || found->second.block == kNone) return {};
  const Block& block = blocks_[found->second.block];
  return Place{block.slab, block.offset};
}

bool ListSpace::is_pinned(Id list) const {
  const auto found = entries_.find(list);
  return found != entries_.end() && found->second.pins > 0;
}

void ListSpace::want(Id list, std::int64_t queries) {
  entries_[list].wanted += queries;
  forget_if_idle(list);
}

bool ListSpace::pin(Id list) {
  const auto found = entries_.find(list);
  if (found == entries_.end() || found->second.block == kNone) return false;
  Entry& entry = found->second;
  const std::size_t bytes = blocks_[entry.block].bytes;
  if (entry.pins++ == 0) pinned_bytes_ += bytes;
  use(entry, bytes);
  return true;
}

bool ListSpace::insert(Id list, std::size_t bytes) {
  bytes = std::max(aligned(bytes), kAlignment);
  if (bytes > largest_slab_) return false;
  const auto gap = gaps_.lower_bound({bytes, 0});
  std::uint32_t block = gap == gaps_.end() ? kNone : gap->second;
  if (block == kNone) {
    Window window = find_window(bytes, hand_, kMostSteps);
    if (window.first == kNone) window = find_window(bytes, head_, blocks_.size());
    if (window.first == kNone) return false;
    block = clear_window(window);
  }
  take(block, bytes, list);
  return true;
}

void ListSpace::unpin(Id list) {
  Entry& entry = entries_.at(list);
  if (--entry.pins == 0) pinned_bytes_ -= blocks_[entry.block].bytes;
}

void ListSpace::remove(Id list) {
  const std::uint32_t block = entries_.at(list).block;
  empty(block);
  add_gap(block);
}

void ListSpace::use(Entry& entry, std::size_t bytes) {
  ++entry.uses;
  entry.priority = clock_ + entry.uses * cost(bytes) / static_cast<double>(bytes);
}

double ListSpace::worth(const Block& block) const {
  if (block.entry == nullptr) return 0;
  return static_cast<double>(block.entry->wanted) * cost(block.bytes) * kSureness +
         std::max(0.0, block.entry->priority - clock_) * static_cast<double>(block.bytes);
}

/// The window of `bytes` or more that is worth least, of those met in `most_steps` blocks from
/// `start` on, and round to it again, or, if there is none, the first after them.
ListSpace::Window ListSpace::find_window(std::size_t bytes, std::uint32_t start,
                                         std::size_t most_steps) const {
  Window best;
  std::uint32_t first = start;  // of the window that ends at `last`
  std::size_t sum = 0;
  double sum_worth = 0;
  const auto begin_at = [&](std::uint32_t block) {
    first = block;
    sum = 0;
    sum_worth = 0;
  };
  std::uint32_t last = start;
  const std::size_t in_all = blocks_.size() - unused_.size();
  for (std::size_t step = 0; step < in_all; ++step) {
    if (step >= most_steps && best.first != kNone) break;
    const Block& block = blocks_[last];
    const std::uint32_t next = block.next == kNone ? head_ : block.next;
    if (first != last && blocks_[first].slab != block.slab) begin_at(last);
    if (block.entry != nullptr && block.entry->pins > 0) {
      begin_at(next);
    } else {
      sum += block.bytes;
      sum_worth += worth(block);
      while (sum - blocks_[first].bytes >= bytes) {
        sum -= blocks_[first].bytes;
        sum_worth -= worth(blocks_[first]);
        first = blocks_[first].next;
      }
      if (sum >= bytes && (best.first == kNone || sum_worth < best.worth)) {
        best = {first, last, sum_worth};
      }
      if (next == head_) begin_at(head_);
    }
    last = next;
  }
  return best;
}

/// Turns a window into one gap, and the clock to the first of its lists to have been due.
std::uint32_t ListSpace::clear_window(const Window& window) {
  double due = std::numeric_limits<double>::infinity();
  std::uint32_t gap = window.first;
  for (std::uint32_t block = window.first; block != kNone;) {
    if (blocks_[block].entry != nullptr) due = std::min(due, blocks_[block].entry->priority);
    empty(block);
    if (block != gap) absorb_next(gap);
    block = block == window.last ? kNone : blocks_[gap].next;
  }
  if (due < std::numeric_limits<double>::infinity()) clock_ = std::max(clock_, due);
  gap = add_gap(gap);
  hand_ = gap;
  return gap;
}

/// Makes a block one that holds no list and is not among the gaps.
void ListSpace::empty(std::uint32_t block) {
  Block& emptied = blocks_[block];
  if (emptied.entry == nullptr) {
    gaps_.erase({emptied.bytes, block});
    return;
  }
  emptied.entry->block = kNone;
  emptied.entry->uses = 0;
  emptied.entry = nullptr;
  --lists_;
  forget_if_idle(emptied.list);
}

void ListSpace::forget_if_idle(Id list) {
  const auto found = entries_.find(list);
  if (found->second.block == kNone && found->second.wanted == 0) entries_.erase(found);
}

std::uint32_t ListSpace::new_block() {
  if (unused_.empty()) {
    blocks_.emplace_back();
    return static_cast<std::uint32_t>(blocks_.size() - 1);
  }
  const std::uint32_t block = unused_.back();
  unused_.pop_back();
  blocks_[block] = {};
  return block;
}

/// Joins an empty block with the empty one behind it.
void ListSpace::absorb_next(std::uint32_t block) {
  const std::uint32_t next = blocks_[block].next;
  blocks_[block].bytes += blocks_[next].bytes;
  blocks_[block].next = blocks_[next].next;
  if (blocks_[next].next != kNone) blocks_[blocks_[next].next].previous = block;
  if (hand_ == next) hand_ = block;
  unused_.push_back(next);
}

/// Joins an empty block with the gaps beside it, and lists the gap. Returns it.
std::uint32_t ListSpace::add_gap(std::uint32_t block) {
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

/// Puts a list at a gap's beginning. What is left of the gap is one.
void ListSpace::take(std::uint32_t gap, std::size_t bytes, Id list) {
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
  Entry& entry = entries_[list];
  entry.block = gap;
  entry.pins = 1;
  blocks_[gap].entry = &entry;
  blocks_[gap].list = list;
  ++lists_;
  pinned_bytes_ += bytes;
  use(entry, bytes);
}

}  // namespace warpdex::gpu
