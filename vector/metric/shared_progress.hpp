// Progress that several threads make.
#pragma once

#include <cstdint>
#include <mutex>

#include "warpdex/vector/metric/metric_settings.hpp"

namespace warpdex::metric {

/// Adds up what threads have done and tells it, one at a time.
class SharedProgress {
 public:
  SharedProgress(const MetricProgress& progress, std::uint64_t total)
      : progress_(progress), total_(total) {}
  void add(std::uint64_t done) {
    if (!progress_) return;
    const std::lock_guard lock(mutex_);
    done_ += done;
    progress_(done_, total_);
  }

 private:
  const MetricProgress& progress_;
  std::uint64_t total_;
  std::mutex mutex_;
  std::uint64_t done_ = 0;
};

}  // namespace warpdex::metric
