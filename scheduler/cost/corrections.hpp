// Corrects predicted costs by the times that runs have taken. Internal.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "warpdex/scheduler/cost_model.hpp"
#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// A factor for predictions. It follows the ratio of the times that runs took to their predicted
/// times: the mean of that ratio (learn) or its median (learn_median).
class Correction {
 public:
  float factor() const { return factor_.load(std::memory_order_relaxed); }
  void learn(float predicted, float took);
  void learn_median(float predicted, float took);

 private:
  void multiply(float by);
  float next_rate();

  std::atomic<float> factor_ = 1;
  std::atomic<std::uint64_t> runs_ = 0;
};

/// The corrections of all classes of queries. Used from any thread.
class Corrections {
 public:
  void apply(std::size_t query_class, JobCost& cost) const;
  /// A run on the CPU has taken `took` microseconds.
  void learn_cpu(std::size_t query_class, const Job& job, float took);
  /// A batch of `jobs` jobs has taken `took` microseconds. `query_class` is that of one of them. It
  /// counts only if there is no other.
  void learn_gpu(std::size_t query_class, std::size_t jobs, float predicted, float took);

 private:
  std::array<Correction, kQueryClasses> busy_cpu_;
  std::array<Correction, kQueryClasses> idle_cpu_;
  std::array<Correction, kQueryClasses> gpu_alone_;
  Correction gpu_batches_;
};

}  // namespace warpdex
