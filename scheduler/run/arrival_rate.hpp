// Measures how fast jobs arrive, for a thread that waits for them. Internal.
#pragma once

#include <chrono>
#include <cstdint>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Used by one thread. If ten jobs or more arrive within the time of a nap, a lookout naps: it then
/// takes them together, and uses less of its processor.
class ArrivalRate {
 public:
  /// How long to nap; 0: not at all. `arrived` is the number of jobs that had arrived by `now`.
  std::chrono::microseconds nap(std::uint64_t arrived, Micros now) {
    if (now - looked_at_ >= kWindow) {
      per_micro_ = static_cast<double>(arrived - arrived_) / (now - looked_at_);
      looked_at_ = now;
      arrived_ = arrived;
    }
    return per_micro_ * static_cast<double>(kNap.count()) >= kJobsPerNap
               ? kNap
               : std::chrono::microseconds(0);
  }

 private:
  static constexpr Micros kWindow = 1'000;
  static constexpr std::chrono::microseconds kNap{50};
  static constexpr double kJobsPerNap = 10;

  double per_micro_ = 0;
  Micros looked_at_ = 0;
  std::uint64_t arrived_ = 0;
};

}  // namespace warpdex
