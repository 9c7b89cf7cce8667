// Delivers answers.
#include "text/text_job.hpp"

#include <utility>

namespace warpdex {

void TextJob::finish(JobEnd how) noexcept {
  ScheduledAnswer answer;
  answer.end = how;
  const bool has_answer = how == JobEnd::kComplete || how == JobEnd::kPartial;
  if (has_answer) answer.result = std::move(result);
  if (how == JobEnd::kPartial) answer.max_missing_score = max_missing_score;
  answer.is_late = has_answer && end > deadline;
  answer.processor = processor;
  answer.predicted = cost;
  answer.waited = start - arrival;
  answer.took = end - arrival;
  answer.end_time = end;
  answer.failure = std::exchange(failure, nullptr);
  const Scheduler::OnAnswer told = std::exchange(on_answer, nullptr);
  pool_.give_back(*this);
  told(std::move(answer));
}

TextJob& TextJobPool::take() {
  const std::lock_guard lock(mutex_);
  if (free_.empty()) {
    free_.reserve(all_.size() + 1);
    all_.push_back(std::make_unique<TextJob>(work_, *this));
    return *all_.back();
  }
  TextJob& job = *free_.back();
  free_.pop_back();
  return job;
}

void TextJobPool::give_back(TextJob& job) noexcept {
  const std::lock_guard lock(mutex_);
  free_.push_back(&job);
}

}  // namespace warpdex
