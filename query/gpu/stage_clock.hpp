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
  StageClock(bool is_on, int device) : is_on_(is_on) {
    if (!is_on) return;
    for (std::size_t i = 0; i < kGpuStages; ++i) ends_.emplace_back(device);
  }

  /// The host begins.
  void start() { started_ = std::chrono::steady_clock::now(); }

  /// What was queued so far ends the stage. All stages are ended, in their order.
  void end(GpuStage stage, const Stream& stream) {
    if (!is_on_) return;
    if (stage == GpuStage::kBuild) {
      built_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    ends_[static_cast<std::size_t>(stage)].record(stream);
  }

  /// Adds the batch's times. After the stream was synchronised.
  void add_to(GpuStatistics& statistics) const {
    if (!is_on_) return;
    statistics.stages[0] += built_;
    for (std::size_t i = 1; i < kGpuStages; ++i) {
      statistics.stages[i] += ends_[i].seconds_since(ends_[i - 1]);
    }
  }

 private:
  bool is_on_;
  std::vector<Event> ends_;
  std::chrono::steady_clock::time_point started_;
  double built_ = 0;
};

}  // namespace warpdex::gpu
