// A binary heap in a vector.
#include "queues/job_heap.hpp"

#include <tuple>

namespace warpdex {

bool JobHeap::is_before(const Entry& a, const Entry& b) {
  return std::tie(a.slot, a.length, a.number) < std::tie(b.slot, b.length, b.number);
}

void JobHeap::put(std::size_t place, const Entry& entry) {
  entries_[place] = entry;
  entry.job->place.in_heap = static_cast<std::uint32_t>(place);
}

void JobHeap::push(Job& job) {
  const Entry entry{job.place.slot, job.place.number, job.place.length, &job};
  entries_.push_back(entry);
  sift_up(entries_.size() - 1, entry);
}

void JobHeap::remove(Job& job) {
  const std::size_t place = job.place.in_heap;
  const Entry last = entries_.back();
  entries_.pop_back();
  if (last.job == &job) return;
  if (place > 0 && is_before(last, entries_[(place - 1) / 2])) {
    sift_up(place, last);
  } else {
    sift_down(place, last);
  }
}

void JobHeap::sift_up(std::size_t place, const Entry& entry) {
  while (place > 0 && is_before(entry, entries_[(place - 1) / 2])) {
    put(place, entries_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(place, entry);
}

void JobHeap::sift_down(std::size_t place, const Entry& entry) {
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= entries_.size()) break;
    if (child + 1 < entries_.size() && is_before(entries_[child + 1], entries_[child])) ++child;
    if (!is_before(entries_[child], entry)) break;
    put(place, entries_[child]);
    place = child;
  }
  put(place, entry);
}

}  // namespace warpdex
