// Estimates text queries and runs them: single ones by a CpuSearcher, batches by an Engine.
#include "text/text_work.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/plan/plan_bounds.hpp"

namespace warpdex {
namespace {

/// The GPU engine takes queries of so many terms at most.
constexpr std::size_t kMaxGpuTerms = 64;
/// A run moves a correction by this part of the way.
constexpr float kLearningRate = 0.02F;
constexpr float kMaxCorrection = 20;

TextJob& text(Job& job) { return static_cast<TextJob&>(job); }
const TextJob& text(const Job& job) { return static_cast<const TextJob&>(job); }

class TextCpuWorker final : public CpuWorker {
 public:
  explicit TextCpuWorker(const Index& index) : searcher_(index) {}

  bool run(Job& job, SearchWatch& watch) override {
    TextJob& query = text(job);
    SearchProgress progress;
    query.result = searcher_.run(query.plan, query.settings, watch, progress);
    if (progress.is_complete) return true;
    query.max_missing_score = progress.max_missing_score;
    query.settings.known_threshold = std::max(query.settings.known_threshold, progress.threshold);
    return false;
  }

 private:
  CpuSearcher searcher_;
};

/// Moves plans into one piece of memory for a batch, as engines take them.
class TextGpuWorker final : public GpuWorker {
 public:
  TextGpuWorker(Engine& engine, std::size_t batches) : engine_(engine), batches_(batches) {}

  std::size_t max_batches() const override { return batches_.size(); }

  void start(std::size_t slot, std::span<Job* const> jobs) override {
    Batch& batch = batches_[slot];
    batch.plans.clear();
    batch.settings.clear();
    for (Job* job : jobs) {
      batch.plans.push_back(std::move(text(*job).plan));
      batch.settings.push_back(text(*job).settings);
    }
    batch.ticket = engine_.submit(batch.plans, batch.settings);
  }

  bool poll(std::size_t slot) override { return engine_.poll(batches_[slot].ticket); }
  void take(std::size_t slot) override {
    batches_[slot].answers.emplace(engine_.wait(batches_[slot].ticket));
  }

  bool deliver(std::size_t slot, std::size_t place, Job& job) override {
    Batch& batch = batches_[slot];
    if (!(*batch.answers)[place].is_answered) {
      text(job).plan = std::move(batch.plans[place]);
      return false;
    }
    text(job).result = batch.answers->result(place);
    return true;
  }

  void release(std::size_t slot) noexcept override { batches_[slot].answers.reset(); }

  void give_back(std::size_t slot, std::span<Job* const> jobs) noexcept override {
    Batch& batch = batches_[slot];
    for (std::size_t i = 0; i < batch.plans.size(); ++i) {
      text(*jobs[i]).plan = std::move(batch.plans[i]);
    }
    batch.plans.clear();
    batch.answers.reset();
  }

 private:
  struct Batch {
    std::vector<PlannedQuery> plans;
    std::vector<SearchSettings> settings;
    Ticket ticket{};
    std::optional<BatchAnswers> answers;
  };

  Engine& engine_;
  std::vector<Batch> batches_;
};

}  // namespace

void Correction::learn(float predicted, float took) {
  if (!(predicted > 0) || !(took > 0)) return;
  const float before = factor_.load(std::memory_order_relaxed);
  const float ratio = std::clamp(took / predicted, 1 / kMaxCorrection, kMaxCorrection);
  const float after = before * (1 + kLearningRate * (std::min(ratio, 2.0F) - 1));
  factor_.store(std::clamp(after, 1 / kMaxCorrection, kMaxCorrection), std::memory_order_relaxed);
}

TextWork::TextWork(const Index& index, const GpuSide& gpu, const CostModel& model)
    : index_(index), gpu_(gpu), model_(model), max_static_score_(max_static_score(index)) {}

/// Other queries the GPU engine leaves to the CPU.
bool TextWork::is_for_gpu(const PlannedQuery& plan) const {
  return gpu_.engine != nullptr && plan.terms.size() <= kMaxGpuTerms;
}

JobCost TextWork::estimate(const Job& job) const {
  const TextJob& query = text(job);
  JobCost cost = model_.predict(
      query.query_class, features_of(index_, query.plan, query.settings, gpu_.missing_share));
  cost.cpu *= cpu_[query.query_class].factor();
  cost.gpu_alone *= gpu_correction_.factor();
  cost.gpu_share *= gpu_correction_.factor();
  cost.gpu_base *= gpu_correction_.factor();
  cost.gpu_can = is_for_gpu(query.plan);
  return cost;
}

std::unique_ptr<CpuWorker> TextWork::make_cpu_worker() {
  return std::make_unique<TextCpuWorker>(index_);
}

std::unique_ptr<GpuWorker> TextWork::make_gpu_worker() {
  if (gpu_.engine == nullptr) return nullptr;
  return std::make_unique<TextGpuWorker>(*gpu_.engine, gpu_.batches);
}

void TextWork::answer_nothing(Job& job) const {
  TextJob& query = text(job);
  query.result = {};
  query.max_missing_score =
      plan_bounds(index_, query.plan, query.settings).max_score + max_static_score_;
}

void TextWork::learn_cpu(const Job& job, float took) {
  cpu_[text(job).query_class].learn(job.cost.cpu, took);
}

void TextWork::learn_gpu(float predicted, float took) { gpu_correction_.learn(predicted, took); }

}  // namespace warpdex
