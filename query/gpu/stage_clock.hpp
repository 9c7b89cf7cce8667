// Times the stages of a batch by events between the launches. Internal.
#pragma once

#include <chrono>
#include <vector>

#include "warpdex/core/cuda/stream.hpp"
#include "warpdex/query/gpu/gpu_searcher.hpp"

namespace warpdex::gpu {

/// Does nothing unless it is on.
class StageClock {
 public:
  StageClock(bool is_on, int device) : is_on_(is_on), device_(device) {}

  /// The host begins.
  void start() {
    ended_.clear();
    started_ = std::chrono::steady_clock::now();
  }

  /// What was queued since the last end was of this stage, or what the host did since it began. A
  /// stage may end many times.
  void end(GpuStage stage, const Stream& stream) {
    if (!is_on_) return;
    if (ended_.empty()) {
      built_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    if (events_.size() == ended_.size()) events_.emplace_back(device_);
    events_[ended_.size()].record(stream);
    ended_.push_back(stage);
  }

  /// Adds the batch's times. After the stream was synchronised.
  void add_to(GpuStatistics& statistics) const {
    if (!is_on_) return;
    statistics.stages[0] += built_;
    for (std::size_t i = 1; i < ended_.size(); ++i) {
      statistics.stages[static_cast<std::size_t>(ended_[i])] +=
          events_[i].seconds_since(events_[i - 1]);
    }
  }

 private:
  bool is_on_;
  int device_;
  std::vector<Event> events_;
  std::vector<GpuStage> ended_;
  std::chrono::steady_clock::time_point started_;
  double built_ = 0;
};

}  // namespace warpdex::gpu
