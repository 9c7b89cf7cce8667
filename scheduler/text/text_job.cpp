// Delivers answers.
#include "text/text_job.hpp"

#include <utility>

#include "run/thread_number.hpp"

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
  const std::size_t number = thread_number() % kShards;
  Shard& shard = shards_[number];
  const std::lock_guard lock(shard.mutex);
  if (shard.free.empty()) {
    shard.free.reserve(shard.all.size() + 1);
    shard.all.push_back(std::make_unique<TextJob>(work_, *this));
    shard.all.back()->shard = number;
    return *shard.all.back();
  }
  TextJob& job = *shard.free.back();
  shard.free.pop_back();
  return job;
}

void TextJobPool::give_back(TextJob& job) noexcept {
  Shard& shard = shards_[job.shard];
  const std::lock_guard lock(shard.mutex);
  shard.free.push_back(&job);
}

}  // namespace warpdex
