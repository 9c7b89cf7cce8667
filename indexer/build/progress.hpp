// Progress of a build, handed on a few times a second.
#pragma once

#include <chrono>
#include <functional>

#include "warpdex/indexer/build/index_builder.hpp"

namespace warpdex::build {

/// Holds the counts of the build; used by one thread at a time.
class Progress {
 public:
  explicit Progress(const std::function<void(const BuildProgress&)>& callback)
      : callback_(callback) {}

  BuildProgress& counts() { return counts_; }

  /// Calls the callback, if there is one and if the last call is long enough ago or `always`.
  void report(bool always = false) {
    if (!callback_) return;
    const Clock::time_point now = Clock::now();
    if (!always && now - last_ < std::chrono::milliseconds(200)) return;
    last_ = now;
    callback_(counts_);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const std::function<void(const BuildProgress&)>& callback_;
  BuildProgress counts_;
  Clock::time_point last_ = Clock::now();
};

}  // namespace warpdex::build
