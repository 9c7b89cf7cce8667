// A run of jobs that is over so soon that its thread counts as one that looks out. Internal.
#pragma once

#include <span>

#include "run/idle_threads.hpp"
#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Of one thread, which takes what has arrived as soon as the run is over. If it is not over by
/// latest_end(), whoever notices calls end().
class ShortRun {
 public:
  /// `latest_end` kNever: the run is not short. `looks_out`: whether the thread counts already.
  ShortRun(IdleThreads& threads, bool looks_out, Micros latest_end)
      : threads_(threads), latest_end_(latest_end) {
    if (is_short() && !looks_out) threads_.start_lookout();
    if (!is_short() && looks_out) threads_.end_lookout();
  }
  ShortRun(const ShortRun&) = delete;
  ShortRun& operator=(const ShortRun&) = delete;

  /// Whether the thread counts as one that looks out. It still does after the run.
  bool is_short() const { return latest_end_ != kNever; }
  Micros latest_end() const { return latest_end_; }
  /// Jobs that its thread has taken along and not begun.
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
