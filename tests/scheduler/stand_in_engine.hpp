// An engine that stands in for the GPU's in tests: answers as the CPU's, leaves some queries, and
// fails when it is told to.
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
  /// While it is true, no batch is done.
  void hold(bool is_held) { is_held_ = is_held; }

  Ticket submit(std::span<const PlannedQuery> plans,
                std::span<const SearchSettings> settings) override {
    check_settings(settings, plans.size());
    throw_if(Failure::kSubmit);
    if (under_way_.size() >= batches_) throw UsageError("more batches than there is room for");
    under_way_[++last_] = {plans, {settings.begin(), settings.end()}, 3};
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

  BatchAnswers wait(Ticket ticket) override {
    throw_if(Failure::kWait, ticket);
    const auto found = under_way_.find(static_cast<std::uint64_t>(ticket));
    auto source = std::make_shared<Answers>();
    const Batch& batch = found->second;
    for (std::size_t i = 0; i < batch.plans.size(); ++i) {
      const bool leaves = leaves_every_ > 0 && ++counted_ % leaves_every_ == 0;
      source->is_left.push_back(leaves);
      source->results.push_back(
          leaves
              ? SearchResult{}
              : searcher_.run(batch.plans[i], batch.settings[batch.settings.size() == 1 ? 0 : i]));
    }
    under_way_.erase(found);
    return BatchAnswers(std::move(source));
  }

  std::size_t started() const { return started_; }
  std::size_t queries() const { return queries_; }
  std::size_t largest() const { return largest_; }

 private:
  struct Batch {
    std::span<const PlannedQuery> plans;
    std::vector<SearchSettings> settings;
    int polls = 0;
  };
  struct Answers final : BatchAnswers::Source {
    std::size_t size() const override { return results.size(); }
    AnswerView answer(std::size_t query) const override {
      const SearchResult& result = results[query];
      return {result.hits, result.matches, result.fell_back_to_or, !is_left[query]};
    }
    std::vector<SearchResult> results;
    std::vector<bool> is_left;
  };

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
  std::atomic<std::size_t> started_ = 0;
  std::atomic<std::size_t> queries_ = 0;
  std::atomic<std::size_t> largest_ = 0;
};

}  // namespace warpdex::test
