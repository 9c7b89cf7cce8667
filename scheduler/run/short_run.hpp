// A run of jobs that is over so soon that its thread counts as one that looks out. Internal.
#pragma once

#include "run/idle_threads.hpp"
#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Of one thread, which takes what has arrived as soon as the run is over. If it is not over by
/// latest_end(), whoever notices calls end().
class ShortRun {
 public:
  /// kNever: the run is not short.
  ShortRun(IdleThreads& threads, Micros latest_end) : threads_(threads), latest_end_(latest_end) {
    if (is_short()) threads_.start_lookout();
  }
  ~ShortRun() { end(); }
  ShortRun(const ShortRun&) = delete;
  ShortRun& operator=(const ShortRun&) = delete;

  bool is_short() const { return latest_end_ != kNever; }
  Micros latest_end() const { return latest_end_; }
  void end() {
    if (is_short()) threads_.end_lookout();
    latest_end_ = kNever;
  }

 private:
  IdleThreads& threads_;
  Micros latest_end_;
};

}  // namespace warpdex
