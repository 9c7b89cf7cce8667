// How corrections learn; the laboratory's simulator shares this code.
#include "cost/corrections.hpp"

#include <algorithm>

namespace warpdex {
namespace {

/// A run moves a correction by at least this part of the way, the first runs by more.
constexpr float kCorrectionRate = 0.02F;
constexpr float kMaxCorrection = 20;
/// A run counts for an idle CPU if a smaller part of the CPU threads is busy.
constexpr float kIdleLoad = 0.3F;
/// A batch of this many jobs or more corrects shares.
constexpr std::size_t kEnoughJobs = 16;

}  // namespace

void Correction::learn(float predicted, float took) {
  if (!(predicted > 0) || !(took > 0)) return;
  const float ratio = std::clamp(took / predicted, 1 / kMaxCorrection, kMaxCorrection);
  multiply(1 + next_rate() * (std::min(ratio, 2.0F) - 1));
}

void Correction::learn_median(float predicted, float took) {
  if (!(predicted > 0) || !(took > 0)) return;
  const float rate = next_rate();
  multiply(took > predicted ? 1 + rate : 1 / (1 + rate));
}

float Correction::next_rate() {
  const auto runs = static_cast<float>(runs_.fetch_add(1, std::memory_order_relaxed));
  return std::max(kCorrectionRate, 1 / (2 + runs));
}

void Correction::multiply(float by) {
  const float after = factor_.load(std::memory_order_relaxed) * by;
  factor_.store(std::clamp(after, 1 / kMaxCorrection, kMaxCorrection), std::memory_order_relaxed);
}

void Corrections::apply(std::size_t query_class, JobCost& cost) const {
  const float busy = busy_cpu_[query_class].factor();
  cost.cpu *= busy;
  cost.idle_share *= idle_cpu_[query_class].factor() / busy;
  cost.gpu_alone *= gpu_alone_[query_class].factor();
  cost.gpu_share *= gpu_batches_.factor();
  cost.gpu_base *= gpu_batches_.factor();
}

void Corrections::learn_cpu(std::size_t query_class, const Job& job, float took) {
  const float predicted = job.cost.cpu_at(job.cpu_load);
  if (job.cpu_load < kIdleLoad) {
    idle_cpu_[query_class].learn_median(predicted, took);
  } else {
    busy_cpu_[query_class].learn(predicted, took);
  }
}

void Corrections::learn_gpu(std::size_t query_class, std::size_t jobs, float predicted,
                            float took) {
  if (jobs == 1) {
    gpu_alone_[query_class].learn_median(predicted, took);
  } else if (jobs >= kEnoughJobs) {
    gpu_batches_.learn(predicted, took);
  }
}

}  // namespace warpdex
