// A heap at the front of a vector. Jobs that were added since lie behind it.
#include "queues/job_heap.hpp"

#include <algorithm>
#include <tuple>

namespace warpdex {

bool JobHeap::is_before(const Entry& a, const Entry& b) {
  return std::tie(a.slot, a.length, a.number) < std::tie(b.slot, b.length, b.number);
}

void JobHeap::push(Job& job) {
  entries_.push_back({job.place.slot, job.place.number, job.place.length, &job});
}

Job& JobHeap::top() {
  const auto begin = entries_.begin();
  for (; ordered_ < entries_.size(); ++ordered_) {
    std::push_heap(begin, begin + static_cast<std::ptrdiff_t>(ordered_) + 1, is_after);
  }
  drop_removed_ends();
  return *entries_.front().job;
}

void JobHeap::take(std::size_t place) {
  erase(place);
  tidy();
}

/// The last entry takes the place of the erased one.
void JobHeap::erase(std::size_t place) {
  if (place == 0 && ordered_ > 0) {
    const auto begin = entries_.begin();
    std::pop_heap(begin, begin + static_cast<std::ptrdiff_t>(ordered_), is_after);
    place = --ordered_;
  }
  entries_[place] = entries_.back();
  entries_.pop_back();
  ordered_ = std::min(ordered_, place);  // the entries before are still a heap
}

void JobHeap::remove(const Job& job) {
  removed_.insert(job.place.number);
  tidy();
}

/// Afterwards there are no more removed jobs than others.
void JobHeap::tidy() {
  drop_removed_ends();
  if (2 * removed_.size() > entries_.size()) drop_removed();
}

/// The last entry first: the first one's place may be given to it.
void JobHeap::drop_removed_ends() {
  while (!removed_.empty()) {
    if (removed_.erase(entries_.back().number) > 0) {
      entries_.pop_back();
      ordered_ = std::min(ordered_, entries_.size());
    } else if (removed_.erase(entries_.front().number) > 0) {
      erase(0);
    } else {
      return;
    }
  }
}

void JobHeap::drop_removed() {
  if (removed_.empty()) return;
  std::erase_if(entries_, [this](const Entry& entry) { return removed_.erase(entry.number) > 0; });
  ordered_ = 0;
}

void JobHeap::bring_to_front(std::size_t count) {
  std::size_t among = entries_.size();
  if (!removed_.empty()) {
    among = std::min(among, count + removed_.size());
    select_front(among, entries_.size());
    const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(among);
    const auto left = std::remove_if(entries_.begin(), end, [this](const Entry& entry) {
      return removed_.erase(entry.number) > 0;
    });
    among -= static_cast<std::size_t>(end - left);
    entries_.erase(left, end);
    ordered_ = 0;
  }
  select_front(count, among);
}

/// Moves the first `count` of the first `among` entries to the front.
void JobHeap::select_front(std::size_t count, std::size_t among) {
  if (count >= among) return;
  const auto begin = entries_.begin();
  std::nth_element(begin, begin + static_cast<std::ptrdiff_t>(count),
                   begin + static_cast<std::ptrdiff_t>(among), is_before);
  ordered_ = 0;
}

void JobHeap::sort_front(std::size_t count) {
  std::sort(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count), is_before);
  ordered_ = std::min(ordered_, count);  // a sorted sequence is a heap
}

void JobHeap::drop_front(std::size_t count) {
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count));
  ordered_ = 0;
  tidy();
}

void JobHeap::clear() {
  entries_.clear();
  removed_.clear();
  ordered_ = 0;
}

}  // namespace warpdex
