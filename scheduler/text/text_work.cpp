// Estimates text queries and runs them: single ones by a CpuSearcher, batches by an Engine.
#include "text/text_work.hpp"

#include <algorithm>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/gpu/gpu_engine.hpp"
#include "warpdex/query/plan/plan_bounds.hpp"

namespace warpdex {
namespace {

TextJob& text(Job& job) { return static_cast<TextJob&>(job); }
const TextJob& text(const Job& job) { return static_cast<const TextJob&>(job); }

class TextCpuWorker final : public CpuWorker {
 public:
  explicit TextCpuWorker(const Snapshot& snapshot) : searcher_(snapshot) {}

  bool run(Job& job, SearchWatch& watch) override {
    TextJob& query = text(job);
    SearchProgress progress;
    query.result = searcher_.run(query.plan, query.settings, watch, progress);
    if (progress.is_complete) return true;
    query.max_missing_score = progress.max_missing_score;
    return false;
  }

 private:
  CpuSearcher searcher_;
};

/// Moves the plans of a batch into one array, as engines take them.
class TextGpuWorker final : public GpuWorker {
 public:
  explicit TextGpuWorker(const GpuSide& gpu)
      : gpu_(gpu), batches_(gpu.batches + (gpu.background != nullptr ? kBackgroundBatches : 0)) {}

  std::size_t max_batches() const override { return batches_.size(); }
  bool is_for_huge(std::size_t slot) const override { return slot >= gpu_.batches; }

  void start(std::size_t slot, std::span<Job* const> jobs) override {
    Batch& batch = batches_[slot];
    for (Job* job : jobs) {
      batch.plans.push_back(std::move(text(*job).plan));
      batch.settings.push_back(text(*job).settings);
    }
    batch.ticket = engine(slot).submit(batch.plans, batch.settings);
  }

  bool poll(std::size_t slot) override { return engine(slot).poll(batches_[slot].ticket); }
  std::span<const std::uint32_t> early(std::size_t slot) override {
    Batch& batch = batches_[slot];
    batch.early = engine(slot).early_answers(batch.ticket);
    return batch.early.queries;
  }
  void take(std::size_t slot) override {
    batches_[slot].answers.emplace(engine(slot).wait(batches_[slot].ticket));
  }

  bool deliver(std::size_t slot, std::size_t place, Job& job) override {
    Batch& batch = batches_[slot];
    const bool is_done = batch.answers.has_value();
    const AnswerView answer = is_done ? (*batch.answers)[place] : batch.early.source->answer(place);
    // The engine reads the plans until the batch is done.
    if (is_done) text(job).plan = std::move(batch.plans[place]);
    if (!answer.is_answered) return false;
    text(job).result = copy_answer(answer);
    return true;
  }

  /// Frees the batch's memory now, so that start() need not do it while queries wait.
  void release(std::size_t slot) noexcept override {
    Batch& batch = batches_[slot];
    batch.answers.reset();
    batch.plans.clear();
    batch.settings.clear();
  }

  void give_back(std::size_t slot, std::span<Job* const> jobs) noexcept override {
    Batch& batch = batches_[slot];
    for (std::size_t i = 0; i < batch.plans.size(); ++i) {
      if (jobs[i] != nullptr) text(*jobs[i]).plan = std::move(batch.plans[i]);
    }
    release(slot);
  }

 private:
  struct Batch {
    std::vector<PlannedQuery> plans;
    std::vector<SearchSettings> settings;
    Ticket ticket{};
    EarlyAnswers early;
    std::optional<BatchAnswers> answers;
  };

  Engine& engine(std::size_t slot) const {
    return is_for_huge(slot) ? *gpu_.background : *gpu_.engine;
  }

  const GpuSide& gpu_;
  std::vector<Batch> batches_;
};

}  // namespace

TextWork::TextWork(const Snapshot& snapshot, const GpuSide& gpu, const CostModel& model)
    : index_(snapshot), gpu_(gpu), model_(model) {
  for (const Snapshot::Segment& segment : snapshot.segments()) {
    max_static_score_ = std::max(max_static_score_, max_static_score(*segment.index));
  }
}

/// Whether the GPU's engine can answer the query.
bool TextWork::is_for_gpu(const TextJob& job) const {
  return gpu_.engine != nullptr && job.plan.terms.size() <= kMaxGpuTerms;
}

JobCost TextWork::estimate(const Job& job) const {
  const TextJob& query = text(job);
  JobCost cost = model_.predict(query.query_class,
                                features_of(index_, query.plan, query.settings, gpu_.has_list));
  corrections_.apply(query.query_class, cost);
  cost.gpu_can = is_for_gpu(query);
  return cost;
}

std::unique_ptr<CpuWorker> TextWork::make_cpu_worker() {
  return std::make_unique<TextCpuWorker>(index_);
}

std::unique_ptr<GpuWorker> TextWork::make_gpu_worker() {
  if (gpu_.engine == nullptr) return nullptr;
  return std::make_unique<TextGpuWorker>(gpu_);
}

void TextWork::answer_nothing(Job& job) const {
  TextJob& query = text(job);
  query.result = {};
  float largest = 0;
  for (std::size_t i = 0; i < index_.segments().size(); ++i) {
    const PlannedQuery& plan = query.plan.segments.empty() ? query.plan : query.plan.segments[i];
    const Index& index = *index_.segments()[i].index;
    largest = std::max(largest, plan_bounds(index, plan, query.settings).max_score);
  }
  query.max_missing_score = largest + max_static_score_;
}

void TextWork::learn_cpu(const Job& job, float took) {
  corrections_.learn_cpu(text(job).query_class, job, took);
}

void TextWork::learn_gpu(const Job& job, std::size_t jobs, float predicted, float took) {
  corrections_.learn_gpu(text(job).query_class, jobs, predicted, took);
}

}  // namespace warpdex
