// A heap of jobs from which many can be taken at once. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Jobs are ordered by Place (slot, length, number). New jobs are ordered only when top() is
/// called; a thread that takes only batches never pays for that. Allocates nothing once it has
/// reached its largest size. The keys lie in the heap, not in the jobs, whose memory other threads
/// have mostly written.
class JobHeap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  /// Job number `i` in the heap's memory. The last ones tend to be those that run last.
  Job& job(std::size_t i) const { return *entries_[i].job; }

  /// O(1).
  void push(Job& job);
  /// The first job by the order. O(log jobs) for each job that was added since the last call.
  Job& top();
  /// O(log jobs) for the job that top() has returned. Others: O(jobs), fast near the memory's end.
  void remove(Job& job);

  /// Moves the first `count` jobs by the order to the front of the memory, unsorted. O(jobs).
  void bring_to_front(std::size_t count);
  /// Sorts the `count` jobs at the front. O(count log count).
  void sort_front(std::size_t count);
  /// Removes the `count` jobs at the front. O(jobs).
  void drop_front(std::size_t count);

 private:
  struct Entry {
    std::int64_t slot;
    std::uint64_t number;
    float length;
    Job* job;
  };

  static bool is_before(const Entry& a, const Entry& b);
  static bool is_after(const Entry& a, const Entry& b) { return is_before(b, a); }

  std::vector<Entry> entries_;
  std::size_t ordered_ = 0;  ///< this many entries at the front are a heap
};

}  // namespace warpdex
