// Text queries as a class of work. Internal.
#pragma once

#include <memory>

#include "cost/corrections.hpp"
#include "text/text_job.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex {

class TextJob;

class TextWork final : public WorkClass {
 public:
  TextWork(const Snapshot& snapshot, const GpuSide& gpu, const CostModel& model);

  JobCost estimate(const Job& job) const override;
  std::unique_ptr<CpuWorker> make_cpu_worker() override;
  std::unique_ptr<GpuWorker> make_gpu_worker() override;
  void answer_nothing(Job& job) const override;
  void learn_cpu(const Job& job, float took) override;
  void learn_gpu(const Job& job, std::size_t jobs, float predicted, float took) override;
  CostOrigin cost_origin() const { return model_.origin(); }

 private:
  bool is_for_gpu(const TextJob& job) const;

  const Snapshot& index_;
  const GpuSide gpu_;
  const CostModel model_;
  float max_static_score_ = 0;
  Corrections corrections_;
};

}  // namespace warpdex
