// Measures the stages of the work that a host queues in a stream, by events between launches.
#pragma once

#include <chrono>
#include <cstddef>
#include <span>
#include <vector>

#include "warpdex/core/cuda/stream.hpp"

namespace warpdex {

/// `Stage` is an enum class whose values index the times. The first stage is the host's. Does
/// nothing unless it is on.
template <class Stage>
class StageClock {
 public:
  StageClock(bool is_on, int device) : is_on_(is_on), device_(device) {}

  /// The host's stage begins.
  void start() {
    ended_.clear();
    started_ = std::chrono::steady_clock::now();
  }

  /// Ends a stage: counts for it all that was queued since the last end(), or what the host did
  /// since start(). A stage may end several times.
  void end(Stage stage, const Stream& stream) {
    if (!is_on_) return;
    if (ended_.empty()) {
      first_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
    }
    if (events_.size() == ended_.size()) events_.emplace_back(device_);
    events_[ended_.size()].record(stream);
    ended_.push_back(stage);
  }

  /// Adds the seconds of each stage. The stream must have been synchronised.
  void add_to(std::span<double> times) const {
    if (!is_on_) return;
    times[static_cast<std::size_t>(ended_[0])] += first_;
    for (std::size_t i = 1; i < ended_.size(); ++i) {
      times[static_cast<std::size_t>(ended_[i])] += events_[i].seconds_since(events_[i - 1]);
    }
  }

 private:
  bool is_on_;
  int device_;
  std::vector<Event> events_;
  std::vector<Stage> ended_;
  std::chrono::steady_clock::time_point started_;
  double first_ = 0;
};

}  // namespace warpdex
