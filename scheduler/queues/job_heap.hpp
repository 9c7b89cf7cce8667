// A heap of jobs from which many can be taken at once. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Jobs are ordered by Place (slot, length, number). The order is made when top() asks for it, for
/// what has come since; whoever takes only batches never pays for it. Allocates nothing once it has
/// had its size. What jobs are ordered by lies in the heap, since their own memory was mostly
/// written by other threads.
class JobHeap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  /// In the order of the heap's memory: the last ones tend to be those to run last.
  Job& job(std::size_t i) const { return *entries_[i].job; }

  /// O(1).
  void push(Job& job);
  /// The first by the order. O(log jobs) for each job that has come since the last call.
  Job& top();
  /// O(log jobs) for what top() has given; for others O(jobs), less for those at the memory's end.
  void remove(Job& job);

  /// Moves the first `count` by the order to the front of the memory, sorted or not. O(jobs).
  void bring_to_front(std::size_t count);
  void sort_front(std::size_t count);
  /// Removes those at the front.
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
  std::size_t ordered_ = 0;  ///< so many at the front are a heap
};

}  // namespace warpdex
