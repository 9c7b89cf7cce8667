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
  return *entries_.front().job;
}

void JobHeap::remove(Job& job) {
  if (ordered_ == entries_.size() && entries_.front().job == &job) {
    std::pop_heap(entries_.begin(), entries_.end(), is_after);
    entries_.pop_back();
    --ordered_;
    return;
  }
  std::size_t place = entries_.size() - 1;
  while (entries_[place].job != &job) --place;
  entries_[place] = entries_.back();
  entries_.pop_back();
  ordered_ = std::min(ordered_, place);  // the entries before are still a heap
}

void JobHeap::bring_to_front(std::size_t count) {
  if (count >= entries_.size()) return;
  const auto end = entries_.begin() + static_cast<std::ptrdiff_t>(count);
  std::nth_element(entries_.begin(), end, entries_.end(), is_before);
  ordered_ = 0;
}

void JobHeap::sort_front(std::size_t count) {
  std::sort(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count), is_before);
  ordered_ = std::min(ordered_, count);  // a sorted sequence is a heap
}

void JobHeap::drop_front(std::size_t count) {
  entries_.erase(entries_.begin(), entries_.begin() + static_cast<std::ptrdiff_t>(count));
  ordered_ = 0;
}

}  // namespace warpdex
