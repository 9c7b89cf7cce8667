// Corrects predicted costs by what runs have taken. Internal.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

#include "warpdex/scheduler/cost_model.hpp"
#include "warpdex/scheduler/job.hpp"

namespace warpdex {

/// A factor that predictions are multiplied with. It follows what runs took over what they were
/// predicted to take: the mean of that or, of single queries where nothing else runs, the median.
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

/// Those of all classes of queries. From any thread.
class Corrections {
 public:
  void apply(std::size_t query_class, JobCost& cost) const;
  /// A run on the CPU has taken so long, in microseconds.
  void learn_cpu(std::size_t query_class, const Job& job, float took);
  /// A batch of so many jobs has; the first one is of this class.
  void learn_gpu(std::size_t query_class, std::size_t jobs, float predicted, float took);

 private:
  std::array<Correction, kQueryClasses> busy_cpu_;
  std::array<Correction, kQueryClasses> idle_cpu_;
  std::array<Correction, kQueryClasses> gpu_alone_;
  Correction gpu_batches_;
};

}  // namespace warpdex
