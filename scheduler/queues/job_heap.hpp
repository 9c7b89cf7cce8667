// A heap of jobs that knows where each job is, so that any can be removed. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// The job with the smallest Place (slot, length, number) is on top. Each function but top() is
/// O(log jobs); none allocates once the heap has had its size. What jobs are ordered by lies in the
/// heap, since their own memory was mostly written by other threads.
class JobHeap {
 public:
  bool empty() const { return entries_.empty(); }
  std::size_t size() const { return entries_.size(); }
  Job& top() const { return *entries_.front().job; }
  /// In the order of the heap's memory: the last ones tend to be those to run last.
  Job& job(std::size_t i) const { return *entries_[i].job; }

  void push(Job& job);
  void remove(Job& job);

 private:
  struct Entry {
    std::int64_t slot;
    std::uint64_t number;
    float length;
    Job* job;
  };

  static bool is_before(const Entry& a, const Entry& b);
  void put(std::size_t place, const Entry& entry);
  void sift_up(std::size_t place, const Entry& entry);
  void sift_down(std::size_t place, const Entry& entry);

  std::vector<Entry> entries_;
};

}  // namespace warpdex
