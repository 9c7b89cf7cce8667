// An engine that stands in for the GPU's in tests: answers as the CPU's, some queries before
// others, leaves some queries, and fails when it is told to.
#pragma once

#include <atomic>
#include <cstddef>
#include <map>
#include <memory>
#include <span>
#include <vector>

#include "warpdex/core/error.hpp"
#include "warpdex/query/cpu/cpu_searcher.hpp"
#include "warpdex/query/engine/engine.hpp"

namespace warpdex::test {

class StandInEngine final : public Engine {
 public:
  enum class Failure { kNone, kSubmit, kPoll, kWait };

  StandInEngine(const Snapshot& snapshot, std::size_t batches)
      : searcher_(snapshot), batches_(batches) {}

  /// From so many batches on, this function throws.
  void fail(Failure where, std::size_t after) {
    failure_ = where;
    fails_after_ = after;
  }
  /// Every n-th query of a batch comes back unanswered; 0: none.
  void leave_every(std::size_t n) { leaves_every_ = n; }
  /// Queries of AND are answered one by one before the others.
  void answer_and_early(bool is_early) { is_early_ = is_early; }
  /// While it is true, no batch is done.
  void hold(bool is_held) { is_held_ = is_held; }

  Ticket submit(std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings) override {
    check_settings(settings, plans.size());
    throw_if(Failure::kSubmit);
    if (under_way_.size() >= batches_) throw UsageError("more batches than there is room for");
    under_way_[++last_] = {plans, {settings.begin(), settings.end()},
                           3,     std::make_shared<Answers>(plans.size()),
                           {},    count_terms(plans)};
    ++started_;
    queries_ += plans.size();
    largest_ = std::max<std::size_t>(largest_, plans.size());
    return Ticket{last_};
  }

  bool poll(Ticket ticket) override {
    throw_if(Failure::kPoll, ticket);
    Batch& batch = under_way_.at(static_cast<std::uint64_t>(ticket));
    if (is_held_) return false;
    return batch.polls == 0 || --batch.polls == 0;
  }

  EarlyAnswers early_answers(Ticket ticket) override {
    Batch& batch = under_way_.at(static_cast<std::uint64_t>(ticket));
    if (!is_early_) return {};
    for (std::uint32_t i = 0; i < batch.plans.size(); ++i) {
      const bool is_and = batch.settings_of(i).mode == QueryMode::kAnd;
      if (!is_and || batch.answers->is_answered[i]) continue;
      answer(batch, i);
      batch.early.push_back(i);
      break;
    }
    if (!batch.early.empty()) has_answered_early_ = true;
    return {batch.early, batch.answers.get()};
  }

  BatchAnswers wait(Ticket ticket) override {
    throw_if(Failure::kWait, ticket);
    const auto found = under_way_.find(static_cast<std::uint64_t>(ticket));
    Batch& batch = found->second;
    if (count_terms(batch.plans) != batch.terms) has_kept_plans_ = false;
    for (std::size_t i = 0; i < batch.plans.size(); ++i) {
      const bool leaves = leaves_every_ > 0 && ++counted_ % leaves_every_ == 0;
      if (!leaves && !batch.answers->is_answered[i]) answer(batch, i);
    }
    const std::shared_ptr<const Answers> answers = batch.answers;
    under_way_.erase(found);
    return BatchAnswers(answers);
  }

  std::size_t started() const { return started_; }
  std::size_t queries() const { return queries_; }
  std::size_t largest() const { return largest_; }
  /// Whether some queries were answered before the end of their batch.
  bool has_answered_early() const { return has_answered_early_; }
  /// Whether all plans were left as they were until the end of their batch.
  bool has_kept_plans() const { return has_kept_plans_; }

 private:
  struct Answers final : BatchAnswers::Source {
    explicit Answers(std::size_t queries) : results(queries), is_answered(queries) {}
    std::size_t size() const override { return results.size(); }
    AnswerView answer(std::size_t query) const override {
      const SearchResult& result = results[query];
      return {result.hits, result.matches, result.fell_back_to_or, is_answered[query]};
    }
    std::vector<SearchResult> results;
    std::vector<bool> is_answered;
  };
  struct Batch {
    const SearchSettings& settings_of(std::size_t query) const {
      return settings[settings.size() == 1 ? 0 : query];
    }
    std::span<const PlannedQuery> plans;
    std::vector<SearchSettings> settings;
    int polls = 0;
    std::shared_ptr<Answers> answers;
    std::vector<std::uint32_t> early;
    std::size_t terms = 0;  ///< of all plans
  };

  static std::size_t count_terms(std::span<const PlannedQuery> plans) {
    std::size_t terms = 0;
    for (const PlannedQuery& plan : plans) terms += plan.terms.size();
    return terms;
  }

  void answer(Batch& batch, std::size_t query) {
    batch.answers->results[query] = searcher_.run(batch.plans[query], batch.settings_of(query));
    batch.answers->is_answered[query] = true;
  }

  void throw_if(Failure here, Ticket ticket = {}) {
    if (failure_ != here || started_ < fails_after_) return;
    under_way_.erase(static_cast<std::uint64_t>(ticket));
    throw Error("the GPU that is none has failed");
  }

  CpuSearcher searcher_;
  std::size_t batches_;
  Failure failure_ = Failure::kNone;
  std::size_t fails_after_ = 0;
  std::size_t leaves_every_ = 0;
  std::size_t counted_ = 0;
  std::uint64_t last_ = 0;
  std::map<std::uint64_t, Batch> under_way_;
  std::atomic<bool> is_held_ = false;
  bool is_early_ = false;
  std::atomic<bool> has_answered_early_ = false;
  std::atomic<bool> has_kept_plans_ = true;
  std::atomic<std::size_t> started_ = 0;
  std::atomic<std::size_t> queries_ = 0;
  std::atomic<std::size_t> largest_ = 0;
};

}  // namespace warpdex::test
