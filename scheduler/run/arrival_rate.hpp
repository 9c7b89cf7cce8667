// How fast jobs arrive, as a thread that looks out for them sees it. Internal.
#pragma once

#include <chrono>
#include <cstdint>

#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// Of one thread. Where several jobs come during a nap, a thread that looks out naps: it then takes
/// them together, and uses less of its processor.
class ArrivalRate {
 public:
  /// How long to nap, by the number of jobs that had arrived by `now`; 0: not at all.
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
