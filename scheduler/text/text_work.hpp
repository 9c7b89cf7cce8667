// Text queries as a class of work. Internal.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>

#include "text/text_job.hpp"
#include "warpdex/scheduler/scheduler.hpp"

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

class TextWork final : public WorkClass {
 public:
  TextWork(const Snapshot& snapshot, const GpuSide& gpu, const CostModel& model);

  JobCost estimate(const Job& job) const override;
  std::unique_ptr<CpuWorker> make_cpu_worker() override;
  std::unique_ptr<GpuWorker> make_gpu_worker() override;
  void answer_nothing(Job& job) const override;
  void learn_cpu(const Job& job, float took) override;
  void learn_gpu(std::span<Job* const> jobs, float predicted, float took) override;
  CostOrigin cost_origin() const { return model_.origin(); }

 private:
  bool is_for_gpu(const PlannedQuery& plan) const;

  const Snapshot& index_;
  const GpuSide gpu_;
  const CostModel model_;
  float max_static_score_ = 0;
  std::array<Correction, kQueryClasses> busy_cpu_;
  std::array<Correction, kQueryClasses> idle_cpu_;
  std::array<Correction, kQueryClasses> gpu_alone_;
  Correction gpu_batches_;
};

}  // namespace warpdex
