// The simulated GPU: batches that overlap. Internal.
#pragma once

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "queues/job_queues.hpp"

namespace warpdex::tools {

/// A batch under way.
struct SimulatedBatch {
  std::vector<Job*> jobs;
  BatchClaim claim;
  Micros start = 0;       ///< when the host began to build it
  bool is_alone = false;  ///< no other batch has been under way beside it
};

class SimulatedGpu {
 public:
  /// `occupancy`: the part of its time for which a batch blocks the GPU for the next one.
  explicit SimulatedGpu(double occupancy) : occupancy_(occupancy) {}

  struct Started {
    std::size_t place = 0;
    Micros end = 0;
  };

  /// Starts a batch that takes `takes` alone, once the host has built it at `built`. A huge query
  /// runs beside other batches, on a stream of its own, and does not fill the GPU.
  Started start(SimulatedBatch batch, Micros built, Micros takes) {
    batch.is_alone = running_++ == 0;
    for (SimulatedBatch& other : batches_) other.is_alone = false;
    Micros& free_at = batch.claim.is_huge ? huge_free_at_ : free_at_;
    const Micros start = std::max(built, free_at);
    free_at = start + takes * occupancy_;
    std::size_t place = 0;
    while (place < batches_.size() && !batches_[place].jobs.empty()) ++place;
    if (place == batches_.size()) batches_.emplace_back();
    batches_[place] = std::move(batch);
    // Occupancy was measured with two batches under way: neither took longer than both together.
    return {place, start + takes * std::min(1.0, 2 * occupancy_)};
  }

  struct Ended {
    SimulatedBatch batch;
    Micros took = 0;  ///< since its start, or since the last batch ended if that was later
  };

  /// The batch that started at that place has ended.
  Ended end(std::size_t place, Micros now) {
    --running_;
    Ended ended{std::exchange(batches_[place], {}), 0};
    ended.took = now - std::max(ended.batch.start, last_end_);
    last_end_ = now;
    return ended;
  }

 private:
  const double occupancy_;
  std::vector<SimulatedBatch> batches_;  ///< by place; those without jobs are free
  std::size_t running_ = 0;
  Micros free_at_ = 0;
  Micros huge_free_at_ = 0;
  Micros last_end_ = 0;
};

}  // namespace warpdex::tools
