// Where jobs arrive: a stack that many threads push to without a lock. Internal.
#pragma once

#include <atomic>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Jobs are linked by Job::next.
class Inbox {
 public:
  void push(Job& job) {
    Job* head = head_.load(std::memory_order_relaxed);
    do {
      job.next = head;
    } while (!head_.compare_exchange_weak(head, &job, std::memory_order_seq_cst,
                                          std::memory_order_relaxed));
  }

  bool empty() const { return head_.load(std::memory_order_seq_cst) == nullptr; }

  /// Takes all jobs. They are linked in the order of their arrival; null if there are none.
  Job* take_all() {
    Job* newest = head_.exchange(nullptr, std::memory_order_seq_cst);
    Job* first = nullptr;
    while (newest != nullptr) {
      Job* const before = newest->next;
      newest->next = first;
      first = newest;
      newest = before;
    }
    return first;
  }

 private:
  alignas(64) std::atomic<Job*> head_ = nullptr;
};

}  // namespace warpdex
