// A binary heap in a vector.
#include "queues/job_heap.hpp"

#include <tuple>

namespace warpdex {

bool JobHeap::is_before(const Job& a, const Job& b) {
  const auto key = [](const Job& job) {
    return std::tuple(job.place.slot, job.place.length, job.place.number);
  };
  return key(a) < key(b);
}

void JobHeap::put(std::size_t place, Job* job) {
  jobs_[place] = job;
  job->place.in_heap = static_cast<std::uint32_t>(place);
}

void JobHeap::push(Job& job) {
  jobs_.push_back(nullptr);
  sift_up(jobs_.size() - 1, &job);
}

void JobHeap::remove(Job& job) {
  const std::size_t place = job.place.in_heap;
  Job* const last = jobs_.back();
  jobs_.pop_back();
  if (last == &job) return;
  if (place > 0 && is_before(*last, *jobs_[(place - 1) / 2])) {
    sift_up(place, last);
  } else {
    sift_down(place, last);
  }
}

void JobHeap::sift_up(std::size_t place, Job* job) {
  while (place > 0 && is_before(*job, *jobs_[(place - 1) / 2])) {
    put(place, jobs_[(place - 1) / 2]);
    place = (place - 1) / 2;
  }
  put(place, job);
}

void JobHeap::sift_down(std::size_t place, Job* job) {
  for (;;) {
    std::size_t child = 2 * place + 1;
    if (child >= jobs_.size()) break;
    if (child + 1 < jobs_.size() && is_before(*jobs_[child + 1], *jobs_[child])) ++child;
    if (!is_before(*jobs_[child], *job)) break;
    put(place, jobs_[child]);
    place = child;
  }
  put(place, job);
}

}  // namespace warpdex
