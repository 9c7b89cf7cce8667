// A heap of jobs from which many can be taken at once. Internal.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_set>
#include <vector>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Jobs are ordered by Place (slot, length, number); each has another number. New jobs are ordered
/// only when top() is called; a thread that takes only batches never pays for that. Allocates
/// nothing once it has reached its largest size, but for remove(). The keys lie in the heap, not in
/// the jobs, whose memory other threads have mostly written.
class JobHeap {
 public:
  bool empty() const { return size() == 0; }
  /// Jobs that were pushed and neither taken nor removed.
  std::size_t size() const { return entries_.size() - removed_.size(); }

  /// O(1).
  void push(Job& job);
  /// The first job by the order, which then lies at the first place. O(log jobs) for each job that
  /// was added since the last call.
  Job& top();

  /// Removes a job, wherever it is. Only its number is noted: its memory, which its owner may use
  /// for something else from now on, is not read again. O(log jobs) amortised.
  void remove(const Job& job);

  // Access by place in the heap's memory. The last places tend to have the jobs that run last.

  /// Places with jobs, or with jobs that were removed.
  std::size_t places() const { return entries_.size(); }
  /// The first place and the last one always have jobs.
  bool is_removed(std::size_t place) const {
    return !removed_.empty() && removed_.contains(entries_[place].number);
  }
  /// The job there, which must not be removed.
  Job& job(std::size_t place) const { return *entries_[place].job; }
  /// Takes the job there. The last job takes its place. O(1), O(log jobs) for the first place.
  void take(std::size_t place);
  /// Frees the places of removed jobs, so that there is a job at each place. O(jobs) if some were
  /// removed.
  void drop_removed();

  /// Moves the first `count` jobs by the order to the front of the memory, unsorted. Of these
  /// places none is removed. drop_front() must follow. O(jobs).
  void bring_to_front(std::size_t count);
  /// Sorts the `count` jobs that have been brought to the front. O(count log count).
  void sort_front(std::size_t count);
  /// Takes the `count` jobs that have been brought to the front, or fewer of them. O(jobs).
  void drop_front(std::size_t count);
  void clear();

 private:
  struct Entry {
    std::int64_t slot;
    std::uint64_t number;
    float length;
    Job* job;
  };

  static bool is_before(const Entry& a, const Entry& b);
  static bool is_after(const Entry& a, const Entry& b) { return is_before(b, a); }

  void select_front(std::size_t count, std::size_t among);
  void erase(std::size_t place);
  void tidy();
  void drop_removed_ends();

  std::vector<Entry> entries_;
  std::size_t ordered_ = 0;  ///< this many entries at the front are a heap
  /// Numbers of removed jobs whose entries are still there. Their job pointers may dangle.
  std::unordered_set<std::uint64_t> removed_;
};

}  // namespace warpdex
