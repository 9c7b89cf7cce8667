// A hash table that is read without locks. A row is made beside it, then it gets its place on the
// GPU, if there is room, and is added.
#include "gpu/batch/term_rows.hpp"

#include <bit>
#include <cstring>
#include <utility>

#include "gpu/batch/short_lists.hpp"

namespace warpdex::gpu {
namespace {

/// The term in one segment, or null.
const PlannedTerm* find_in(const PlannedQuery& segment, const PlannedTerm& term) {
  for (const PlannedTerm& here : segment.terms) {
    if (here.number == term.number) return &here;
  }
  return nullptr;
}

}  // namespace

std::uint64_t TermRows::key_of(const PlannedQuery& plan, const PlannedTerm& term) {
  for (std::size_t i = 0; i < plan.segments.size(); ++i) {
    const PlannedTerm* const here = find_in(plan.segments[i], term);
    if (here != nullptr) return std::uint64_t{i} << 32 | here->entry.term_number;
  }
  return ~std::uint64_t{0};
}

void TermRows::open() {
  if (!slots_.empty() && !is_full_) return;
  slots_ = std::vector<Slot>(kSlots);
  rows_.clear();
  rows_.reserve(kMaxRows);
  bytes_ = 0;
  starts_over_ |= end_ > 0;
  end_ = 0;
  fresh_.clear();
  is_full_ = false;
}

void TermRows::set_uploaded() {
  fresh_ = {};
  starts_over_ = false;
}

/// Gives a row the next place on the GPU, if there is room.
void TermRows::place(Row& row) {
  const std::size_t sources = row.lists.size() * sizeof(ListSource);
  const std::size_t bytes = sources + row.view.sums.raw_lists * kRawBytes;
  if (bytes > memory_.bytes - end_) return;
  const std::size_t begin = fresh_.size();
  fresh_.resize(begin + bytes);
  row.view.on_gpu = reinterpret_cast<const ListSource*>(memory_.begin + end_);
  std::uint8_t* const to = fresh_.data() + begin;
  std::size_t raw = sources;
  for (std::size_t i = 0; i < row.lists.size(); ++i) {
    ListSource source = row.lists[i].source;
    if (source.flags & kPacked) {
      source.docids = memory_.begin + end_ + raw;
      pad_list(row.packed.data() + source.first_block, source.size,
               reinterpret_cast<std::uint32_t*>(to + raw));
      raw += kRawBytes;
    }
    std::memcpy(to + i * sizeof(ListSource), &source, sizeof(ListSource));
  }
  end_ += bytes;
}

std::size_t TermRows::first_slot(std::uint64_t key) {
  constexpr std::uint64_t kFactor = 0x9E3779B97F4A7C15;
  return key * kFactor >> (64 - std::bit_width(kSlots - 1));
}

/// The slot of a row, or the empty one where it would be. Half of all slots are always empty.
std::size_t TermRows::slot_of(std::uint64_t key) const {
  std::size_t slot = first_slot(key);
  for (;; slot = (slot + 1) % kSlots) {
    const Row* const row = slots_[slot].load(std::memory_order_acquire);
    if (row == nullptr || row->key == key) return slot;
  }
}

std::optional<TermRow> TermRows::find(std::uint64_t key) const {
  const Row* const row = slots_[slot_of(key)].load(std::memory_order_acquire);
  if (row == nullptr) return std::nullopt;
  return row->view;
}

std::optional<TermRow> TermRows::add(std::uint64_t key, const PlacedSegments& segments,
                                     std::span<const PlannedQuery> plans, const PlannedTerm& term) {
  if (is_full_.load(std::memory_order_relaxed)) return std::nullopt;
  auto row = std::make_unique<Row>();
  row->key = key;
  row->lists.resize(segments.size());
  const ListSums sums = describe_in_all(segments, plans, term, row->packed, row->lists);
  row->view = {row->lists.data(), row->packed.data(), nullptr, sums};
  const std::size_t bytes = sizeof(Row) + row->lists.capacity() * sizeof(TermList) +
                            row->packed.capacity() * sizeof(std::uint32_t);
  if (bytes > max_bytes_) return std::nullopt;
  const std::scoped_lock lock(adding_);
  const std::size_t slot = slot_of(key);
  // Another thread may have added it meanwhile.
  if (const Row* const there = slots_[slot].load(std::memory_order_relaxed)) return there->view;
  if (rows_.size() == kMaxRows || bytes_ + bytes > max_bytes_) {
    is_full_ = true;
    return std::nullopt;
  }
  place(*row);
  bytes_ += bytes;
  rows_.push_back(std::move(row));
  slots_[slot].store(rows_.back().get(), std::memory_order_release);
  return rows_.back()->view;
}

ListSums describe_in_all(const PlacedSegments& segments, std::span<const PlannedQuery> plans,
                         const PlannedTerm& term, std::vector<std::uint32_t>& packed,
                         std::span<TermList> lists) {
  ListSums sums;
  for (std::size_t i = 0; i < segments.size(); ++i) {
    const PlannedTerm* const here = find_in(plans[i], term);
    if (here == nullptr) continue;
    describe_term(segments[i], *here, true, packed, lists[i]);
    sums.add(lists[i].source);
  }
  return sums;
}

}  // namespace warpdex::gpu
