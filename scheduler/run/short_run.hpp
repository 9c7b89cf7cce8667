// A run of jobs that is so short that its thread still counts as a lookout. Internal.
#pragma once

#include <span>

#include "run/idle_threads.hpp"
#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Used by one thread, which looks for further jobs as soon as the run is over. If the run is not
/// over by latest_end(), end() is to be called.
class ShortRun {
 public:
  /// `latest_end` of kNever: the run is not short. `looks_out`: whether the thread already counts
  /// as a lookout.
  ShortRun(IdleThreads& threads, bool looks_out, Micros latest_end)
      : threads_(threads), latest_end_(latest_end) {
    if (is_short() && !looks_out) threads_.start_lookout();
    if (!is_short() && looks_out) threads_.end_lookout();
  }
  ShortRun(const ShortRun&) = delete;
  ShortRun& operator=(const ShortRun&) = delete;

  /// Whether the thread counts as a lookout. If so, it still does after the run.
  bool is_short() const { return latest_end_ != kNever; }
  Micros latest_end() const { return latest_end_; }
  /// Jobs that the thread has taken and not begun.
  std::span<Job* const> rest;

  void end() {
    if (is_short()) threads_.end_lookout();
    latest_end_ = kNever;
  }

 private:
  IdleThreads& threads_;
  Micros latest_end_;
};

}  // namespace warpdex
