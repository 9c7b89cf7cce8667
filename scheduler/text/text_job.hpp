// A text query as a job, and the pool that jobs come from. Internal.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "warpdex/query/cpu/search_watch.hpp"
#include "warpdex/scheduler/scheduler.hpp"

namespace warpdex {

class TextJobPool;

class TextJob final : public Job {
 public:
  TextJob(WorkClass& work, TextJobPool& pool) : Job(work), pool_(pool) {}

  void finish(JobEnd how) noexcept override;

  PlannedQuery plan;
  SearchSettings settings;
  std::size_t query_class = 0;
  SearchResult result;
  float max_missing_score = 0;
  Scheduler::OnAnswer on_answer;

 private:
  TextJobPool& pool_;
};

/// Jobs that were used before are used again, so that memory grows only with the jobs that are
/// under way together.
class TextJobPool {
 public:
  explicit TextJobPool(WorkClass& work) : work_(work) {}

  TextJob& take();
  void give_back(TextJob& job) noexcept;

 private:
  WorkClass& work_;
  std::mutex mutex_;
  std::vector<std::unique_ptr<TextJob>> all_;
  std::vector<TextJob*> free_;  ///< has room for all
};

}  // namespace warpdex
