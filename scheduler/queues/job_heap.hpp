// A heap of jobs that knows where each job is, so that any can be removed. Internal.
#pragma once

#include <cstddef>
#include <vector>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// The job with the smallest Place (slot, length, number) is on top. Each function but top() is
/// O(log jobs); none allocates once the heap has had its size.
class JobHeap {
 public:
  bool empty() const { return jobs_.empty(); }
  std::size_t size() const { return jobs_.size(); }
  Job& top() const { return *jobs_.front(); }
  /// Jobs in the order of the heap's memory: the last ones tend to be those to run last.
  const std::vector<Job*>& jobs() const { return jobs_; }

  void push(Job& job);
  void remove(Job& job);

 private:
  static bool is_before(const Job& a, const Job& b);
  void put(std::size_t place, Job* job);
  void sift_up(std::size_t place, Job* job);
  void sift_down(std::size_t place, Job* job);

  std::vector<Job*> jobs_;
};

}  // namespace warpdex
